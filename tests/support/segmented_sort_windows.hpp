// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_WINDOWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_WINDOWS_HPP

#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_laws.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// Laws of sorts of segments by windows, whatever their keys: sizes, and inputs that take the ways of large
// ones.
namespace sweep_test {

/// Around windows of 4096, 2048, 512 and 384 items, and enough for several passes.
inline std::vector<std::size_t> segmented_sort_sizes() {
  if (racechecking()) return {700, 9000};
  if (sanitizing()) return {0, 1, 33, 1025, 5000, 9000};
  return {0, 1, 2, 33, 256, 257, 383, 385, 1024, 1025, 2048, 2049, 4096, 8193, 30'000, 100'003};
}

/// As where windows are many and no segments are known.
struct windows_are_many {
  changed<std::int64_t> few{sweep::detail::few_windows_of_multiprocessor, 0},
      known{sweep::detail::most_items_of_known_segments, 0};
};

/// As where windows are many: kernels of their own find their heads.
template <class Key, bool Values, class Place>
void many_windows_laws(std::string const& title, Place const& place) {
  windows_are_many const many;
  changed<std::int64_t> const counted(sweep::detail::least_items_in_counted_segments, std::int64_t{1} << 40);
  auto const some = racechecking() ? std::vector<std::size_t>{9000}
                    : sanitizing() ? std::vector<std::size_t>{1025, 9000}
                                   : std::vector<std::size_t>{1025, 4097, 30'000, 100'003};
  segmented_sort_number_laws_of<Key, Values>(title, some, place);
}

/// Segments that are longer than a window, and than a block has room for.
template <class Key, bool Values, class Place>
void long_segments_laws(std::string const& title, Place const& place) {
  windows_are_many const many;
  auto const some =
      sanitizing() ? std::vector<std::size_t>{30'000} : std::vector<std::size_t>{30'000, 100'003};
  segmented_sort_number_laws_of<Key, Values>(title, some, place);
}

/// Short segments, some of a window's length, of a block's, and longer, which kernels sort side by side:
/// calls one behind the other, each of which sorts again what the one before has sorted the other way round;
/// then the same as a graph that is replayed. Between the short ones of `gap` items are so many.
template <class Key>
void side_by_side_law(std::string const& what, int gap) {
  windows_are_many const many;
  random_source random(what + ", side by side");
  std::vector<std::int32_t> offsets{0};
  auto const add = [&](std::uint64_t length) {
    offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
  };
  auto const some = sanitizing() ? std::vector<int>{9'000, 1'300, 12'000}
                                 : std::vector<int>{20'000, 700, 11'000, 3'000, 12'000, 1'300, 40'000, 9'000};
  for (int const length : some) {
    add(static_cast<std::uint64_t>(length));
    for (int s = 0; s < gap; ++s) add(random.between(0, 30));
  }
  auto const n = static_cast<std::size_t>(offsets.back());
  head_list heads(n);
  for (auto const o : offsets)
    if (o < offsets.back()) heads[static_cast<std::size_t>(o)] = true;
  device_array<std::int32_t> const places(offsets);
  auto const segments = sweep::segments::by_offsets(places.begin(), places.end());
  std::vector<std::int32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0);
  own_stream const stream;
  auto const policy = sweep::device.on(stream);
  device_array<Key> keys(n), sorted(n), alone(n);
  device_array<std::int32_t> values(n), order(n);
  auto const sorts = [&] {
    for (int again = 0; again < 3; ++again) {
      sweep::segmented_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), segments,
                                   std::greater<>{});
      sweep::segmented_sort_by_key_copy(policy, keys.begin(), keys.end(), values.begin(), segments,
                                        sorted.begin(), order.begin());
      sweep::segmented_sort_copy(policy, keys.begin(), keys.end(), segments, alone.begin());
      sweep::segmented_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), segments);
    }
  };
  auto const check = [&](char const* how, auto run) {
    auto const x = draw_many<Key>(n, random);
    keys.write(x);
    values.write(indices);
    run();
    stream.wait();
    auto const title = what + ", side by side, " + how;
    std::vector<Key> want;
    // Sorted the other way round and back equal keys are as they were.
    auto const in_order = segments_in_order(x, heads, std::less<>{});
    for (auto const i : in_order) want.push_back(x[static_cast<std::size_t>(i)]);
    expect_equal(keys.read(), want, title);
    expect_equal(values.read(), in_order, title + ", values");
    expect_equal(sorted.read(), want, title + ", a copy");
    expect_equal(order.read(), in_order, title + ", values of a copy");
    expect_equal(alone.read(), want, title + ", keys alone");
  };
  check("calls", sorts);
  captured_graph const graph(stream, sorts);
  for (int replay = 0; replay < (sanitizing() ? 1 : 3); ++replay)
    check("a graph", [&] { graph.launch(stream); });
}

}  // namespace sweep_test

#endif
