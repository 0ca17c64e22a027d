// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_REDUCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_REDUCE_LAWS_HPP

#include <support/expect.hpp>
#include <support/segment_layouts.hpp>
#include <support/values.hpp>

#include <sweep/segmented_reduce.hpp>

#include <string>
#include <type_traits>
#include <vector>

// The laws of segmented reductions: every notation of the same segments gives the oracle's results, one for a
// segment, empty ones included where the notation has them.
namespace sweep_test {

template <class X, class Op>
std::vector<X> segmented_reduce_oracle(bool backward, std::vector<X> const& x,
                                       std::vector<std::int64_t> const& lengths, Op op, X init) {
  std::vector<X> out;
  std::size_t begin = 0;
  for (auto const length : lengths) {
    auto const end = begin + static_cast<std::size_t>(length);
    X sum = init;
    for (std::size_t k = begin; k < end; ++k) sum = op(sum, x[backward ? end - 1 - (k - begin) : k]);
    out.push_back(sum);
    begin = end;
  }
  return out;
}

// Forms, where places take turns: two for each notation, forward and backward, and reduce_by_key.
inline constexpr std::size_t reduce_by_key_form = 10;
constexpr std::size_t reduce_form(notation how, bool backward) {
  return 2 * static_cast<std::size_t>(how) + (backward ? 1 : 0);
}

template <notation How, class Place, class X, class Op, class Dir>
void segmented_reduce_law(std::integral_constant<notation, How> how, Place const& places,
                          std::string const& what, std::vector<X> const& x, notations const& all, Op op,
                          X init, Dir direction, std::size_t in_offset) {
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const& at = at_form<reduce_form(How, backward)>(places);
  if (at.skipped) return;
  if (racechecking() && (how == notation::offsets || how == notation::lengths)) return;  // tiles in stages
  auto lengths = all.lengths;
  if (how != notation::offsets && how != notation::lengths) std::erase(lengths, 0);
  auto const want = segmented_reduce_oracle(backward, x, lengths, op, init);
  auto const title = std::string(at.name) + (backward ? ": backward " : ": forward ") + what +
                     ", n = " + std::to_string(x.size());
  typename Place::template array<X> const in(x, in_offset);
  auto const flag_offset = how == notation::flags ? in_offset : 0;
  with_notation<Place>(how, all, flag_offset, [&](char const* name, auto const& segments) {
    typename Place::template array<X> const out(want.size());
    auto const named = title + ", by " + name;
    auto const end =
        sweep::segmented_reduce(at.policy, in.begin(), in.end(), segments, out.begin(), init, op, direction);
    expect(end == out.end(), named + ": returns the end of the results");
    expect_equal(out.read(), want, named);
    expect(out.guards_intact(), named + ": writes its output only");
  });
}

/// The first key and the sum of each run.
template <class Place, class X, class Op>
void reduce_by_key_law(Place const& places, std::string const& what, std::vector<X> const& x,
                       notations const& all, Op op) {
  auto const& at = at_form<reduce_by_key_form>(places);
  if (at.skipped) return;
  std::vector<std::int32_t> keys;
  std::vector<X> sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0 && all.keys[i] == all.keys[i - 1]) sums.back() = op(sums.back(), x[i]);
    else {
      keys.push_back(all.keys[i]);
      sums.push_back(x[i]);
    }
  }
  auto const title = std::string(at.name) + ": reduce_by_key, " + what + ", n = " + std::to_string(x.size());
  typename Place::template array<std::int32_t> const given(all.keys), keys_out(keys.size());
  typename Place::template array<X> const in(x), out(sums.size());
  auto const ends = sweep::reduce_by_key(at.policy, given.begin(), given.end(), in.begin(), keys_out.begin(),
                                         out.begin(), sweep::segments::equal_keys{}, op);
  expect(ends.first == keys_out.end() && ends.second == out.end(), title + ": returns the ends");
  expect_equal(keys_out.read(), keys, title + ": keys");
  expect_equal(out.read(), sums, title + ": sums");
  expect(out.guards_intact() && keys_out.guards_intact(), title + ": writes its outputs only");
}

/// One layout, notations in turn. EveryNotation: or keys alone, with less to compile.
template <class X, bool EveryNotation, class Op, class Place>
void segmented_reduce_layout_law(std::string const& what, layout_case const& given, Op op, Place const& at,
                                 random_source& random) {
  auto const x = draw_many<X>(given.n, random);
  auto const title = what + ", " + given.name;
  if constexpr (EveryNotation)
    for (std::size_t k = 0; k < 2; ++k) {
      auto const how = all_notations[(given.turn + k) % 5];
      auto const init = draw<X>(random);
      auto const offset = static_cast<std::size_t>(random.between(0, 3));
      with_only(how, [&](auto one) {
        segmented_reduce_law(one, at, title, x, given.all, op, init, sweep::forward, offset);
        segmented_reduce_law(one, at, title, x, given.all, op, init, sweep::backward, offset);
      });
    }
  reduce_by_key_law(at, title, x, given.all, op);
}

template <class X, bool EveryNotation = true, class Op, class Place>
void segmented_reduce_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Op op,
                              Place const& all_places) {
  random_source random(what + " segmented reduce");
  for_each_layout(sizes, random, [&](layout_case const& given) {
    segmented_reduce_layout_law<X, EveryNotation>(what, given, op, all_places.for_turn(given.turn), random);
  });
}

}  // namespace sweep_test

#endif
