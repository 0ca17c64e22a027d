// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on the device: wide keys, and values beside them.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_windows.hpp>

using namespace sweep_test;

TEST_CASE("device segmented sort: wide numbers with values by their bits") {
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values", segmented_sort_sizes(), on_device);
}

TEST_CASE("device segmented sort: wide windows whose heads other kernels find") {
  many_windows_laws<std::int64_t, true>("i64 and values, many windows", on_device);
}

TEST_CASE("device segmented sort: wide segments longer than a window, and than a block has room for") {
  long_segments_laws<std::uint32_t, true>("u32 and values, long", on_device);
}

TEST_CASE("device segmented sort: segments that blocks sort parts of") {
  windows_are_many const many;
  for (std::int64_t const own : {300, 0}) {  // so few tiles find where they begin themselves
    changed<std::int64_t> const cuts(sweep::detail::merged_tiles_with_own_cuts, own);
    listed_segments_law<std::uint32_t>("u32, in parts", on_device.for_turn(0));
    if (!racechecking()) listed_segments_law<std::int64_t>("i64, in parts", on_device.for_turn(1));
  }
}

TEST_CASE("device segmented sort: kernels side by side, one call behind the other and in a graph") {
  side_by_side_law<std::uint32_t>("u32", 400);
  side_by_side_law<std::uint32_t>("u32, few short ones", 2);
}

TEST_CASE("device segmented sort: layouts of known wide segments") {
  changed<std::int64_t> const many(sweep::detail::few_known_segments, 1'000);
  auto const some = racechecking() ? std::vector<std::size_t>{9000} : std::vector<std::size_t>{1025, 30'000};
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values, known", some, on_device);
}

TEST_CASE("device segmented sort: keys of 48 bytes") {
  std::vector<std::size_t> const few{385, 769, 5000};
  segmented_sort_laws_of<motion, false>("48 bytes", racechecking() ? std::vector<std::size_t>{5000} : few,
                                        on_device);
}
