// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SCAN_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SCAN_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/oracle.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/scan.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// The laws of scans, for any place: each is checked against the oracle, with its input and output at given
// distances from a 256-byte boundary, with untouchable bytes around them, and in place.
namespace sweep_test {

enum class form { inclusive, inclusive_with_init, exclusive };
inline constexpr form all_forms[] = {form::inclusive, form::inclusive_with_init, form::exclusive};

inline char const* name_of(form f) {
  return f == form::inclusive ? "inclusive" : f == form::exclusive ? "exclusive" : "inclusive with init";
}

/// Whether a place compiles a form in a direction: all of them, or the inclusive ones forward and the
/// exclusive one backward.
template <class Place, class Dir>
constexpr bool has_form(form f) {
  return Place::every_form || (f == form::exclusive) == std::is_same_v<Dir, sweep::backward_t>;
}

template <class Place, class In, class Out, class T, class Op, class Dir>
Out scan_as(form f, Place const& at, In first, In last, Out out, Op op, T init, Dir direction,
            std::false_type) {
  if (f == form::inclusive) return sweep::inclusive_scan(at.policy, first, last, out, op, direction);
  return sweep::inclusive_scan(at.policy, first, last, out, op, init, direction);
}
template <class Place, class In, class Out, class T, class Op, class Dir>
Out scan_as(form, Place const& at, In first, In last, Out out, Op op, T init, Dir direction, std::true_type) {
  return sweep::exclusive_scan(at.policy, first, last, out, init, op, direction);
}

/// The same where a place has been chosen, and the form is one of its kind: exclusive or not.
template <class Y, class Place, class X, class T, class Op, class Dir, class Exclusive>
void scan_law_of_kind(form f, Place const& at, std::string const& what, std::vector<X> const& x, Op op,
                      T init, Dir direction, std::size_t in_offset, std::size_t out_offset,
                      Exclusive exclusive) {
  if (at.skipped) return;
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const sums = scan_oracle<T>(f != form::exclusive, backward, x, op,
                                   f == form::inclusive ? std::nullopt : std::optional<T>(init));
  std::vector<Y> const want(sums.begin(), sums.end());
  auto const title = std::string(at.name) + ": " + name_of(f) + (backward ? " backward " : " forward ") +
                     what + ", n = " + std::to_string(x.size()) + ", offsets " + std::to_string(in_offset) +
                     " and " + std::to_string(out_offset);

  typename Place::template array<X> const in(x, in_offset);
  typename Place::template array<Y> const out(x.size(), out_offset);
  auto const end = scan_as(f, at, in.begin(), in.end(), out.begin(), op, init, direction, exclusive);
  expect(end == out.end(), title + ": returns the end of the output");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes its output only");
  expect_equal(in.read(), x, title + ": leaves its input alone");
  if constexpr (std::is_same_v<X, Y>) {
    scan_as(f, at, in.begin(), in.end(), in.begin(), op, init, direction, exclusive);
    expect_equal(in.read(), want, title + ", in place");
    expect(in.guards_intact(), title + ", in place: writes its output only");
  }
}

/// One form in one direction: items of X are scanned as values of T, and written as Y.
template <class Y, class Place, class X, class T, class Op, class Dir>
void scan_law(form f, Place const& at, std::string const& what, std::vector<X> const& x, Op op, T init,
              Dir direction, std::size_t in_offset = 0, std::size_t out_offset = 0) {
  constexpr std::size_t backward = std::is_same_v<Dir, sweep::backward_t> ? 1 : 0;
  if constexpr (has_form<Place, Dir>(form::inclusive))
    if (f != form::exclusive)
      scan_law_of_kind<Y>(f, at_form<backward>(at), what, x, op, init, direction, in_offset, out_offset,
                          std::false_type{});
  if constexpr (has_form<Place, Dir>(form::exclusive))
    if (f == form::exclusive)
      scan_law_of_kind<Y>(f, at_form<2 + backward>(at), what, x, op, init, direction, in_offset, out_offset,
                          std::true_type{});
}

/// All forms in both directions.
template <class Place, class X, class Op>
void scan_laws(Place const& at, std::string const& what, std::vector<X> const& x, Op op, X const& init,
               std::size_t in_offset = 0, std::size_t out_offset = 0) {
  for (auto const f : all_forms) {
    scan_law<X>(f, at, what, x, op, init, sweep::forward, in_offset, out_offset);
    scan_law<X>(f, at, what, x, op, init, sweep::backward, in_offset, out_offset);
  }
}

/// Both directions at all edge sizes: all forms of small ones, one form of each larger one. The offsets
/// change from size to size.
template <class X, class Op, class Draw, class Place>
void scan_laws_of(std::string const& what, std::size_t most, Op op, X const& init, Draw draw_items,
                  Place const& all_places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    bool const aligned = random() % 3 == 0;
    auto const in_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
    auto const out_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
    auto const x = draw_items(n, random);
    auto const at = all_places.for_turn(turn++);  // a copy
    if (n < 1100 || !decltype(at)::every_form) {
      scan_laws(at, what, x, op, init, in_offset, out_offset);
    } else {
      auto const f = all_forms[random() % 3];
      scan_law<X>(f, at, what, x, op, init, sweep::forward, in_offset, out_offset);
      scan_law<X>(f, at, what, x, op, init, sweep::backward, in_offset, out_offset);
    }
  }
}

/// The same for a type whose items are drawn one by one.
template <class X, class Op, class Place>
void scan_laws_of(std::string const& what, std::size_t most, Op op, Place const& at) {
  random_source random(what + " init");
  auto const draw_items = [](std::size_t n, random_source& from) { return draw_many<X>(n, from); };
  scan_laws_of(what, most, op, draw<X>(random), draw_items, at);
}

/// Unsigned integers under every operator that is chosen at run time.
template <class U, class Place>
void scan_laws_of_operators(std::string const& what, std::size_t most, Place const& at) {
  for (auto const choice : all_operations) {
    auto const draw_items = [choice](std::size_t n, random_source& from) {
      return draw_for<U>(choice, n, from);
    };
    scan_laws_of(what + ", operator " + std::to_string(static_cast<int>(choice)), most,
                 chosen_operator<U>{choice}, static_cast<U>(choice == operation::first_set ? 0 : 7),
                 draw_items, at);
  }
}

/// Every pair of distances from a boundary, input and output each by itself.
template <class X, class Op, class Place>
void scan_laws_of_offsets(std::string const& what, Op op, Place const& all_places) {
  random_source random(what + " offsets");
  for (std::size_t in_offset = 0; in_offset <= 5; ++in_offset)
    for (std::size_t out_offset = 0; out_offset <= 5; ++out_offset) {
      if (sanitizing() && (in_offset + 2 * out_offset) % 5 != 1) continue;
      auto const n = static_cast<std::size_t>(random.between(1, sanitizing() ? 2000 : host_items(50000)));
      auto const x = draw_many<X>(n, random);
      auto const init = draw<X>(random);
      auto const at = all_places.for_turn(n);
      scan_law<X>(all_forms[n % 3], at, what, x, op, init, sweep::forward, in_offset, out_offset);
      scan_law<X>(all_forms[n % 3], at, what, x, op, init, sweep::backward, in_offset, out_offset);
    }
}

}  // namespace sweep_test

#endif
