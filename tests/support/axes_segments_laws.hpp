// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_AXES_SEGMENTS_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_AXES_SEGMENTS_LAWS_HPP

#include <support/axes_laws.hpp>

// The laws of segmented scans along an axis, and of items with their indices: against loops over lines.
namespace sweep_test {

enum class line_notation { flags, keys, lengths };

/// Maps x -> a x + b modulo 2^16, the left one applied first, in one number, a above b.
struct packed_then {
  SWEEP_TEST_HD std::uint32_t operator()(std::uint32_t f, std::uint32_t g) const {
    auto const a = g >> 16;
    return (f >> 16) * a << 16 | ((f * a + g) & 0xffff);
  }
};

template <line_notation Which, bool Inclusive, class T, class Op, class Place>
void segments_along_law(Place const& at, array_shape const& shape, bool dense, bool in_place, bool backward,
                        Op op, random_source& random) {
  auto const in = draw_layout(shape.extents, dense, random),
             out = in_place ? in : draw_layout(shape.extents, dense, random);
  auto cross = shape.extents;
  cross.erase(cross.begin() + shape.axis);
  if (cross.empty()) cross = {1};
  auto const of_notation =
      draw_layout(Which == line_notation::lengths ? cross : shape.extents, dense, random);
  lines_of_items const lines(shape.extents, shape.axis);
  auto const x = draw_many<T>(static_cast<std::size_t>(in.size), random);
  auto const gaps = in_place ? x : draw_many<T>(static_cast<std::size_t>(out.size), random);
  auto const rarely = random.between(0, 1) == 0 ? 1 : 40;
  using said = std::conditional_t<Which == line_notation::flags, std::uint8_t, int>;
  std::vector<said> notation(static_cast<std::size_t>(of_notation.size));
  for (auto& value : notation)
    value = static_cast<said>(Which == line_notation::lengths ? random.between(-2, lines.length + 2)
                                                              : (random.between(0, rarely) == 0 ? 1 : 0));
  T const init = draw<T>(random);
  auto const items = items_of(x, in);
  auto const says = items_of(notation, of_notation);
  auto results = items_of(gaps, out);
  for (std::int64_t line = 0; line < (items.empty() ? 0 : lines.lines); ++line) {
    auto const item = [&](std::int64_t i) { return static_cast<std::size_t>(lines.item(line, i)); };
    auto const begins = [&](std::int64_t i) {  // a segment, forward
      if (Which == line_notation::flags) return says[item(i)] != 0;
      if (Which == line_notation::keys) return says[item(i)] != says[item(i - 1)];
      return false;
    };
    auto length = lines.length;
    if (Which == line_notation::lengths)
      length = std::min<std::int64_t>(length, std::max<int>(0, says[static_cast<std::size_t>(line)]));
    T sum{};
    for (std::int64_t nth = 0; nth < length; ++nth) {
      auto const i = backward ? length - 1 - nth : nth;
      bool const starts = nth == 0 || (backward ? begins(i + 1) : begins(i));
      if (!Inclusive) results[item(i)] = starts ? init : sum;
      sum = starts ? (Inclusive ? items[item(i)] : op(init, items[item(i)])) : op(sum, items[item(i)]);
      if (Inclusive) results[item(i)] = sum;
    }
  }
  typename Place::template array<T> const from(x, 1), other(gaps, 2);
  typename Place::template array<said> const by(notation, 3);
  auto const& to = in_place ? from : other;
  with_view(static_cast<T const*>(from.begin()), in, [&](auto in_view) {
    constexpr int rank = static_cast<int>(std::size(decltype(in_view.extents){}));
    with_view(to.begin(), out, [&](auto out_view) {
      with_view(static_cast<said const*>(by.begin()), of_notation, [&](auto told) {
        constexpr int told_rank = static_cast<int>(std::size(decltype(told.extents){}));
        auto const call = [&](auto segments, auto... dir) {
          auto const axis = sweep::along(shape.axis);
          if constexpr (std::size(decltype(out_view.extents){}) == rank) {
            if constexpr (Inclusive)
              sweep::segmented_inclusive_scan(at.policy, in_view, segments, out_view, axis, op, dir...);
            else
              sweep::segmented_exclusive_scan(at.policy, in_view, segments, out_view, axis, init, op, dir...);
          }
        };
        auto const with = [&](auto segments) {
          if (backward) call(segments, sweep::backward);
          else call(segments);
        };
        if constexpr (Which == line_notation::lengths) {
          if constexpr (told_rank == (rank > 1 ? rank - 1 : 1)) with(sweep::segments::of_lines(told));
        } else if constexpr (told_rank == rank) {
          if constexpr (Which == line_notation::flags) with(sweep::segments::by_head_flags(told));
          else with(sweep::segments::by_key(told));
        }
      });
    });
  });
  auto const title = std::string(at.name) + ": segments along " + text_of(shape, in, out) +
                     (backward ? ", backward" : "") + (in_place ? ", in place" : "");
  expect_equal(to.read(), laid_out(gaps, out, results), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

template <line_notation Which, bool Inclusive, class T, class Op, class Place>
void segments_along_laws(char const* name, int arrays, std::int64_t most, Op op, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k) {
    auto const shape = draw_shape(random.between(0, 9) == 0 ? most : most / 50, random);
    segments_along_law<Which, Inclusive, T>(places.for_turn(static_cast<std::size_t>(k)), shape,
                                            random.between(0, 1) == 0, random.between(0, 3) == 0,
                                            random.between(0, 1) == 0, op, random);
  }
}

/// The larger of two items with their indices, the earlier of two that are the same.
struct earlier_largest {
  using item = sweep::pair<std::uint32_t, std::int64_t>;
  SWEEP_TEST_HD item operator()(item const& a, item const& b) const { return b.first > a.first ? b : a; }
};

/// Running maxima with their indices, and the place of each line's largest.
template <class Place>
void running_maximum_law(Place const& at, array_shape const& shape, bool dense, random_source& random) {
  using item = earlier_largest::item;
  auto const in = draw_layout(shape.extents, dense, random), out = draw_layout(shape.extents, dense, random);
  std::vector<std::uint32_t> x(static_cast<std::size_t>(in.size));
  for (auto& v : x) v = static_cast<std::uint32_t>(random.between(0, 1000));
  std::vector<item> const gaps(static_cast<std::size_t>(out.size), item{7, -7});
  auto const items = items_of(x, in);
  lines_of_items const lines(shape.extents, shape.axis);
  std::vector<item> want(items.size());
  for (std::int64_t line = 0; line < (items.empty() ? 0 : lines.lines); ++line)
    for (std::int64_t i = 0; i < lines.length; ++i) {
      auto const k = static_cast<std::size_t>(lines.item(line, i));
      item const own{items[k], i};
      want[k] =
          i == 0 ? own : earlier_largest{}(want[static_cast<std::size_t>(lines.item(line, i - 1))], own);
    }
  typename Place::template array<std::uint32_t> const from(x, 1);
  typename Place::template array<item> const to(gaps);
  with_view(static_cast<std::uint32_t const*>(from.begin()), in, [&](auto in_view) {
    with_view(to.begin(), out, [&](auto out_view) {
      if constexpr (std::size(decltype(in_view.extents){}) == std::size(decltype(out_view.extents){})) {
        auto const axis = sweep::along(shape.axis);
        sweep::inclusive_scan(at.policy, sweep::with_index(in_view, axis), out_view, axis, earlier_largest{});
      }
    });
  });
  auto const title = std::string(at.name) + ": running maximum, " + text_of(shape, in, out);
  expect_equal(to.read(), laid_out(gaps, out, want), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

template <class Place>
void running_maximum_laws(char const* name, int arrays, std::int64_t most, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k)
    running_maximum_law(places.for_turn(static_cast<std::size_t>(k)),
                        draw_shape(random.between(0, 9) == 0 ? most : most / 50, random),
                        random.between(0, 1) == 0, random);
}

template <class Place>
void segments_along_refusal_laws(Place const& at) {
  using U = std::uint32_t;
  typename Place::template array<U> const from(std::vector<U>(12, 1)), to(12);
  typename Place::template array<int> const by(std::vector<int>(12, 1));
  auto const in = sweep::strided(static_cast<U const*>(from.begin()), {3, 4});
  auto const out = sweep::strided(to.begin(), {3, 4});
  int const* const said = by.begin();
  auto const& p = at.policy;
  auto const refused = [&](std::vector<std::string> const& words, auto segments, auto result, int axis) {
    expect_throw<sweep::bad_argument>(
        words, [&] { sweep::segmented_inclusive_scan(p, in, segments, result, sweep::along(axis), add{}); });
  };
  using sweep::segments::by_head_flags, sweep::segments::of_lines;
  refused({"segmented_inclusive_scan", "flags", "extent of 4", "3", "axis 0"},
          by_head_flags(sweep::strided(said, {4, 3})), out, 1);
  refused({"flags", "null pointer"}, by_head_flags(sweep::strided(static_cast<int const*>(nullptr), {3, 4})),
          out, 1);
  refused({"lengths", "extent of 4", "3"}, of_lines(sweep::strided(said, {4})), out, 1);
  refused({"axis", "is 2"}, of_lines(sweep::strided(said, {3})), out, 2);
  refused({"out", "extent of 4"}, of_lines(sweep::strided(said, {3})), sweep::strided(to.begin(), {4, 3}), 1);
  refused({"out", "same places"}, of_lines(sweep::strided(said, {3})),
          sweep::strided(to.begin(), {3, 4}, {0, 1}), 1);
  expect(to.all_untouched(), std::string(at.name) + ": a refused call writes nothing");
}

}  // namespace sweep_test

#endif
