// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SUMMED_AREA_TABLE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SUMMED_AREA_TABLE_LAWS_HPP

#include <support/axes_laws.hpp>

#include <sweep/summed_area_table.hpp>

#include <algorithm>

// The laws of summed-area tables and of sums of boxes, for any place: against folds of every box, item by
// item in the order of the indices.
namespace sweep_test {

/// The fold of a box, what of it lies in the array; `none` of a box of nothing.
template <class T, class Op>
T folded_box(std::vector<T> const& items, extents_of_array const& extents,
             std::vector<std::pair<std::int64_t, std::int64_t>> box, Op op, T none) {
  std::int64_t count = 1;
  for (std::size_t r = 0; r < extents.size(); ++r) {
    box[r] = {std::max<std::int64_t>(0, box[r].first), std::min(extents[r], box[r].second)};
    if (box[r].first >= box[r].second) return none;
    count *= box[r].second - box[r].first;
  }
  T sum{};
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t at = 0, step = 1, rest = k;
    for (auto r = extents.size(); r-- > 0;) {
      auto const length = box[r].second - box[r].first;
      at += (box[r].first + rest % length) * step;
      step *= extents[r];
      rest /= length;
    }
    auto const& x = items[static_cast<std::size_t>(at)];
    sum = k == 0 ? x : op(sum, x);
  }
  return sum;
}

/// The indices of item k.
inline extents_of_array indices_of(std::int64_t k, extents_of_array const& extents) {
  extents_of_array indices(extents.size());
  for (auto r = extents.size(); r-- > 0; k /= extents[r]) indices[r] = k % extents[r];
  return indices;
}

template <class T, class Op, class Place>
void table_law(Place const& at, extents_of_array const& extents, bool dense, bool in_place, Op op,
               random_source& random) {
  auto const in = draw_layout(extents, dense, random);
  auto const out = in_place ? in : draw_layout(extents, dense, random);
  auto const x = draw_many<T>(static_cast<std::size_t>(in.size), random);
  auto const gaps = in_place ? x : draw_many<T>(static_cast<std::size_t>(out.size), random);
  auto const items = items_of(x, in);
  std::vector<T> want;
  for (std::int64_t k = 0; k < in.items(); ++k) {
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    for (auto const i : indices_of(k, extents)) box.emplace_back(0, i + 1);
    want.push_back(folded_box(items, extents, box, op, T{}));
  }
  typename Place::template array<T> const from(x), other(gaps, 3);
  auto const& to = in_place ? from : other;
  with_view(static_cast<T const*>(from.begin()), in, [&](auto in_view) {
    with_view(to.begin(), out, [&](auto out_view) {
      if constexpr (std::size(decltype(in_view.extents){}) == std::size(decltype(out_view.extents){}))
        sweep::summed_area_table(at.policy, in_view, out_view, op);
    });
  });
  auto const title = std::string(at.name) + ": table of " + text_of({extents, 0}, in, out);
  expect_equal(to.read(), laid_out(gaps, out, want), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

inline extents_of_array draw_small(std::int64_t most, random_source& random) {
  extents_of_array extents(static_cast<std::size_t>(random.between(1, 3)));
  for (auto& extent : extents) {
    extent = random.between(0, std::min<std::int64_t>(most, 90));
    if (random.between(0, 4) == 0) extent = 1;
    most = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, extent));
  }
  std::swap(extents[0], extents[static_cast<std::size_t>(random.between(0, extents.size() - 1))]);
  return extents;
}

template <class T, class Op, class Place>
void table_laws(char const* name, int arrays, std::int64_t most, Op op, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k)
    table_law<T>(places.for_turn(static_cast<std::size_t>(k)), draw_small(most, random),
                 random.between(0, 1) == 0, random.between(0, 3) == 0, op, random);
}

/// All three forms, of the same table.
template <int Rank, class Place>
void box_sum_law(Place const& at, extents_of_array const& extents, bool dense, random_source& random) {
  using U = std::uint32_t;
  auto const layout = draw_layout(extents, dense, random), results = draw_layout(extents, dense, random);
  auto const items = draw_many<U>(static_cast<std::size_t>(layout.items()), random);
  auto const gaps = draw_many<U>(static_cast<std::size_t>(results.size), random);
  std::vector<U> sums;
  for (std::int64_t k = 0; k < layout.items(); ++k) {
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    for (auto const i : indices_of(k, extents)) box.emplace_back(0, i + 1);
    sums.push_back(folded_box(items, extents, box, std::plus<>{}, 0u));
  }
  typename Place::template array<U> const table(
      laid_out(std::vector<U>(static_cast<std::size_t>(layout.size)), layout, sums)),
      to(gaps, 1);
  sweep::box_window<Rank> window{};
  for (int r = 0; r < Rank; ++r) {
    window.before[r] = random.between(-3, 9);
    window.behind[r] =
        random.between(0, 20) == 0 ? std::numeric_limits<std::int64_t>::max() : random.between(0, 9);
  }
  std::vector<U> want;
  for (std::int64_t k = 0; k < layout.items(); ++k) {
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    auto const indices = indices_of(k, extents);
    for (int r = 0; r < Rank; ++r) {
      auto const i = indices[static_cast<std::size_t>(r)];
      box.emplace_back(i - window.before[r], window.behind[r] > 100 ? i + 1000 : i + window.behind[r] + 1);
    }
    want.push_back(folded_box(items, extents, box, std::plus<>{}, 0u));
  }
  std::vector<sweep::box<Rank>> boxes(50);
  std::vector<U> of_boxes;
  for (auto& one : boxes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    for (int r = 0; r < Rank; ++r) {
      one.first[r] = random.between(-4, extents[static_cast<std::size_t>(r)] + 2);
      one.last[r] = one.first[r] + random.between(-1, extents[static_cast<std::size_t>(r)] + 3);
      box.emplace_back(one.first[r], one.last[r]);
    }
    of_boxes.push_back(folded_box(items, extents, box, std::plus<>{}, 0u));
  }
  typename Place::template array<sweep::box<Rank>> const given(boxes);
  typename Place::template array<U> const found(boxes.size());
  auto const title = std::string(at.name) + ": boxes of " + text_of({extents, 0}, layout, results);
  with_view(static_cast<U const*>(table.begin()), layout, [&](auto view) {
    if constexpr (std::size(decltype(view.extents){}) == Rank) {
      with_view(to.begin(), results, [&](auto out) {
        if constexpr (std::size(decltype(out.extents){}) == Rank)
          sweep::box_sum(at.policy, view, window, out);
      });
      expect_equal(to.read(), laid_out(gaps, results, want), title + ", windows");
      sweep::box_sum(at.policy, view, given.begin(), given.end(), found.begin());
      expect_equal(found.read(), of_boxes, title);
      for (std::size_t k = 0; k < 3; ++k)
        expect(sweep::box_sum(at.policy, view, boxes[k]) == of_boxes[k], title + ", one");
    }
  });
  expect(to.guards_intact() && found.guards_intact(), title + ": writes nothing else");
}

template <class Place>
void box_sum_laws(char const* name, int arrays, std::int64_t most, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k) {
    auto const& at = places.for_turn(static_cast<std::size_t>(k));
    auto const extents = draw_small(most, random);
    bool const dense = random.between(0, 1) == 0;
    if (extents.size() == 2) box_sum_law<2>(at, extents, dense, random);
    if (extents.size() == 3) box_sum_law<3>(at, extents, dense, random);
  }
}

template <class Place>
void box_refusal_laws(Place const& at) {
  using U = std::uint32_t;
  typename Place::template array<U> const from(std::vector<U>(12, 1)), to(12);
  auto const table = sweep::strided(static_cast<U const*>(from.begin()), {3, 4});
  auto const out = sweep::strided(to.begin(), {3, 4});
  auto const nowhere = sweep::strided(static_cast<U const*>(nullptr), {3, 4});
  auto const& p = at.policy;
  expect_throw<sweep::bad_argument>({"summed_area_table", "out", "extent of 5", "axis 1"}, [&] {
    sweep::summed_area_table(p, table, sweep::strided(to.begin(), {3, 5}), std::plus<>{});
  });
  expect_throw<sweep::bad_argument>({"summed_area_table", "in", "null pointer"},
                                    [&] { sweep::summed_area_table(p, nowhere, out, std::plus<>{}); });
  expect_throw<sweep::bad_argument>({"box_sum", "table", "null pointer"},
                                    [&] { sweep::box_sum(p, nowhere, sweep::around(1, 1), out); });
  expect_throw<sweep::bad_argument>({"box_sum", "out", "extent of 4", "3", "axis 0"}, [&] {
    sweep::box_sum(p, table, sweep::around(1, 1), sweep::strided(to.begin(), {4, 4}));
  });
  expect_throw<sweep::bad_argument>({"box_sum", "out", "same places"}, [&] {
    sweep::box_sum(p, table, sweep::around(1, 1), sweep::strided(to.begin(), {3, 4}, {0, 1}));
  });
  expect_throw<sweep::bad_argument>({"box_sum", "out", "table"}, [&] {
    sweep::box_sum(p, sweep::strided(static_cast<U const*>(to.begin()), {3, 4}), sweep::around(1, 1), out);
  });
  expect(to.all_untouched(), std::string(at.name) + ": a refused call writes nothing");
}

}  // namespace sweep_test

#endif
