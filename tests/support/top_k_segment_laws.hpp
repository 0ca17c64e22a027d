// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TOP_K_SEGMENT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TOP_K_SEGMENT_LAWS_HPP

#include <support/segment_layouts.hpp>
#include <support/top_k_laws.hpp>

#include <sweep/segmented_sort.hpp>
#include <sweep/segmented_top_k.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The laws of selections in segments, for any place: for each segment, in every notation, the first places of
// a stable sort of it; what it has not enough items for stays as it was.
namespace sweep_test {

/// Where segments begin in the whole, and k results of each: indices in the segment, or -1.
struct segment_tops {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> index;
};
template <class T, class Less>
segment_tops tops_of_segments(std::vector<T> const& x, std::vector<std::int64_t> const& offsets,
                              std::int64_t k, Less less) {
  segment_tops all;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::vector<T> const own(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
    auto const order = stable_order(own, less);
    all.begin.push_back(offsets[s]);
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j)
      all.index.push_back(j < order.size() ? static_cast<std::int32_t>(order[j]) : -1);
  }
  return all;
}

/// Every form, with one set of keys.
template <tops What, class Place, class T, class Segments, class Comp, class Less>
void top_k_segments_law(Place const& at, std::string const& what, std::vector<T> const& x,
                        Segments const& segments, std::vector<std::int64_t> const& offsets, std::int64_t k,
                        std::size_t offset, Comp comp, Less less) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", " +
                     std::to_string(offsets.size() - 1) + " segments, k = " + std::to_string(k) +
                     ", offset " + std::to_string(offset);
  auto const want = tops_of_segments(x, offsets, k, less);
  auto const places = want.index.size();
  T const untouched = from_bits<T>(0x5a);
  std::vector<T> want_keys(places, untouched);
  std::vector<std::int32_t> want_values(places, -1);
  for (std::size_t p = 0; p < places; ++p)
    if (want.index[p] >= 0) {
      auto const begin = want.begin[p / static_cast<std::size_t>(k)];
      want_keys[p] = x[static_cast<std::size_t>(begin + want.index[p])];
      want_values[p] = static_cast<std::int32_t>(begin) + want.index[p];
    }
  typename Place::template array<T> const in(x, offset), out(std::vector<T>(places, untouched), offset + 1);
  typename Place::template array<std::int32_t> const to(std::vector<std::int32_t>(places, -1), 1);
  if constexpr (What == tops::keys) {
    sweep::segmented_top_k_with_indices(at.policy, in.begin(), in.end(), segments, k, out.begin(), to.begin(),
                                        comp);
    expect_equal(to.read(), want.index, title + ", indices");
  } else if constexpr (What == tops::pairs) {
    std::vector<std::int32_t> serial(x.size());
    std::iota(serial.begin(), serial.end(), 0);
    typename Place::template array<std::int32_t> const values(serial, offset);
    sweep::segmented_top_k_by_key(at.policy, in.begin(), in.end(), values.begin(), segments, k, out.begin(),
                                  to.begin(), comp);
    expect_equal(to.read(), want_values, title + ", values");
  } else {
    sweep::segmented_arg_top_k(at.policy, in.begin(), in.end(), segments, k, to.begin(), comp);
    expect_equal(to.read(), want.index, title + ", indices alone");
    sweep::segmented_top_k(at.policy, in.begin(), in.end(), segments, k, out.begin(), comp);
  }
  expect_equal(bytes_of(out.read()), bytes_of(want_keys), title + ", keys");
  expect_equal(bytes_of(in.read()), bytes_of(x), title + ", the input");
  expect(out.guards_intact() && to.guards_intact(), title + ": writes the output only");
}

/// Rows of a matrix, the k of warps, of blocks, and more.
template <class T, tops What, class Places, class Comp, class Less>
void top_k_row_laws_of(std::string const& what, std::vector<std::int64_t> const& lengths,
                       std::vector<std::int64_t> const& ks, Places const& places, Comp comp, Less less) {
  random_source random(what + " rows");
  std::size_t turn = 0;
  for (auto const length : lengths)
    for (auto const k : ks) {
      auto const rows = 1 + std::min<std::int64_t>(random.between(0, 40), 30'000 / length);
      std::vector<std::int64_t> offsets;
      for (std::int64_t row = 0; row <= rows; ++row) offsets.push_back(row * length);
      auto const shape = static_cast<key_shape>(random() % key_shapes);
      auto const x = draw_keys<T>(shape, static_cast<std::size_t>(rows * length), random, less);
      top_k_segments_law<What>(places.for_turn(turn++),
                               what + ", rows, shape " + std::to_string(static_cast<int>(shape)), x,
                               sweep::segments::by_rows(rows, length), offsets, k,
                               static_cast<std::size_t>(random.between(0, 5)), comp, less);
    }
}

/// Segments of every layout, in one notation after the other.
template <class T, tops What, class Place, class Comp, class Less, class Wanted>
void top_k_layout_laws_of(std::string const& what, std::vector<std::size_t> const& sizes,
                          std::vector<std::int64_t> const& ks, Place const& places, Comp comp, Less less,
                          Wanted wanted) {
  random_source random(what + " layouts");
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const shape = static_cast<key_shape>(random() % key_shapes);
    auto const x = draw_keys<T>(shape, given.n, random, less);
    auto const k = ks[static_cast<std::size_t>(random() % ks.size())];
    auto const how = all_notations[random() % 5];
    if (!wanted(how)) return;
    std::vector<std::int64_t> offsets;
    if (how == notation::offsets || how == notation::lengths) {
      offsets.assign(given.all.offsets.begin(), given.all.offsets.end());
    } else {  // which have no empty segments
      for (std::size_t i = 0; i < given.n; ++i)
        if (i == 0 || given.heads[i]) offsets.push_back(static_cast<std::int64_t>(i));
      offsets.push_back(static_cast<std::int64_t>(given.n));
    }
    if (static_cast<std::int64_t>(offsets.size()) * k > 4'000'000) return;
    auto const at = places.for_turn(given.turn);
    with_notation<std::remove_const_t<decltype(at)>>(
        how, given.all, given.turn % 4, [&](char const* name, auto const& segments) {
          top_k_segments_law<What>(at, what + ", " + given.name + ", by " + name, x, segments, offsets, k,
                                   given.turn % 3, comp, less);
        });
  });
}

/// Bad input, and that nothing is written.
template <class Place>
void top_k_segment_error_laws(Place const& at) {
  std::vector<float> const x{3, 1, 2, 0};
  typename Place::template array<float> const keys(x), out(x);
  float* const none = nullptr;
  auto const& p = at.policy;
  auto const rows = sweep::segments::by_rows(2, 2);
  expect_throw<sweep::bad_argument>({"sweep::segmented_top_k:", "k", "negative: -3"}, [&] {
    sweep::segmented_top_k(p, keys.begin(), keys.end(), rows, -3, out.begin());
  });
  expect_throw<sweep::bad_argument>(
      {"sweep::segmented_top_k:", "segments", "3 rows of 2 items", "has 4"}, [&] {
        sweep::segmented_top_k(p, keys.begin(), keys.end(), sweep::segments::by_rows(3, 2), 1, out.begin());
      });
  expect_throw<sweep::bad_argument>({"sweep::segmented_top_k:", "segments", "-1 rows"}, [&] {
    sweep::segmented_top_k(p, keys.begin(), keys.end(), sweep::segments::by_rows(-1, -4), 1, out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::segmented_top_k:", "out", "null"}, [&] {
    sweep::segmented_top_k(p, keys.begin(), keys.end(), rows, 1, none);
  });
  expect_throw<sweep::bad_argument>({"sweep::segmented_arg_top_k:", "first", "null"}, [&] {
    sweep::segmented_arg_top_k(p, none, none + 4, rows, 1, out.begin());
  });
  expect_equal(out.read(), x, "nothing is written");
  sweep::segmented_top_k(p, keys.begin(), keys.end(), rows, 0, none);
  sweep::segmented_top_k(p, none, none, sweep::segments::by_rows(0, 0), 5, none);
}

}  // namespace sweep_test

#endif
