// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/segment_layouts.hpp>
#include <support/values.hpp>

#include <sweep/segmented_scan.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// The laws of segmented scans, for any place: every notation of the same segments gives the oracle's result.
namespace sweep_test {

template <class T, class X, class Op>
std::vector<T> segmented_oracle(bool inclusive, bool backward, std::vector<X> const& x,
                                head_list const& heads, Op op, std::optional<T> init) {
  std::vector<T> out(x.size());
  std::optional<T> sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    auto const i = backward ? x.size() - 1 - k : k;
    if (backward ? i + 1 == x.size() || heads[i + 1] : heads[i]) sum = init;
    if (!inclusive) out[i] = *sum;
    sum = sum ? static_cast<T>(op(*sum, static_cast<T>(x[i]))) : static_cast<T>(x[i]);
    if (inclusive) out[i] = *sum;
  }
  return out;
}

template <bool Inclusive, class Place, class X, class Op, class Dir, class Segments>
void segmented_law_as(Place const& at, std::string const& title, std::vector<X> const& x,
                      std::vector<X> const& want, Op op, X init, Dir direction, Segments const& segments,
                      std::size_t in_offset, std::size_t out_offset) {
  typename Place::template array<X> const in(x, in_offset);
  typename Place::template array<X> const out(x.size(), out_offset);
  auto const scan = [&](X* to) {
    if constexpr (Inclusive)
      return sweep::segmented_inclusive_scan(at.policy, in.begin(), in.end(), segments, to, op, direction);
    else
      return sweep::segmented_exclusive_scan(at.policy, in.begin(), in.end(), segments, to, init, op,
                                             direction);
  };
  expect(scan(out.begin()) == out.end(), title + ": returns the end of the output");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes its output only");
  expect_equal(in.read(), x, title + ": leaves its input alone");
  scan(in.begin());
  expect_equal(in.read(), want, title + ", in place");
  expect(in.guards_intact(), title + ", in place: writes its output only");
}

/// One notation, form and direction. A notation that is given as `only<...>` has no others compiled.
template <bool Inclusive, class How, class Place, class X, class Op, class Dir>
void segmented_law(How how, Place const& places, std::string const& what, std::vector<X> const& x,
                   head_list const& heads, notations const& all, Op op, X init, Dir direction,
                   std::size_t in_offset = 0, std::size_t out_offset = 0) {
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const& at = at_form<(Inclusive ? 0 : 2) + (backward ? 1 : 0)>(places);
  if (at.skipped) return;
  auto const want = segmented_oracle<X>(Inclusive, backward, x, heads, op,
                                        Inclusive ? std::nullopt : std::optional<X>(init));
  auto const title = std::string(at.name) + (Inclusive ? ": inclusive " : ": exclusive ") +
                     (backward ? "backward " : "forward ") + what + ", n = " + std::to_string(x.size()) +
                     ", offsets " + std::to_string(in_offset) + " and " + std::to_string(out_offset);
  with_notation<Place>(how, all, in_offset, [&](char const* name, auto const& segments) {
    segmented_law_as<Inclusive>(at, title + ", by " + name, x, want, op, init, direction, segments, in_offset,
                                out_offset);
  });
}

/// Layouts, notations, directions and forms in turn, over the given sizes.
template <class X, class Op, class Place>
void segmented_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Op op,
                       Place const& all_places) {
  random_source random(what + " segmented");
  auto const law = [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    auto const init = draw<X>(random);
    bool const aligned = random() % 2 == 0;
    auto const in_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
    auto const out_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
    auto const title = what + ", " + given.name;
    for (std::size_t k = 0; k < 2; ++k) {
      auto const how = all_notations[(given.turn + k) % 5];
      auto const at = all_places.for_turn(given.turn + k);
      auto const one = [&]<bool Inclusive>(std::bool_constant<Inclusive>, auto direction) {
        segmented_law<Inclusive>(how, at, title, x, given.heads, given.all, op, init, direction, in_offset,
                                 out_offset);
      };
      one(std::true_type{}, sweep::forward);
      one(std::false_type{}, sweep::backward);
      if constexpr (std::decay_t<decltype(at)>::every_form) {
        one(std::false_type{}, sweep::forward);
        one(std::true_type{}, sweep::backward);
      }
    }
  };
  for_each_layout(sizes, random, law,
                  [](std::size_t turn, std::size_t n) { return n <= 100'000 || (turn + n) % 4 == 0; });
}

}  // namespace sweep_test

#endif
