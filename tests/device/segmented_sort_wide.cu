// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on the device: wide keys, and values beside them.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_laws.hpp>

using namespace sweep_test;

namespace {

/// Around windows of 4096, 2048, 512 and 384 items, and enough for several passes.
std::vector<std::size_t> sizes() {
  if (racechecking()) return {700, 9000};
  if (sanitizing()) return {0, 1, 33, 1025, 5000, 9000};
  return {0, 1, 2, 33, 256, 257, 383, 385, 1024, 1025, 2048, 2049, 4096, 8193, 30'000, 100'003};
}

}  // namespace

TEST_CASE("device segmented sort: wide numbers with values by their bits") {
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values", sizes(), on_device);
}

TEST_CASE("device segmented sort: wide windows whose heads other kernels find") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0),
      counted(sweep::detail::least_items_in_counted_segments, std::int64_t{1} << 40);
  auto const some = sanitizing() ? std::vector<std::size_t>{1025, 9000}
                                 : std::vector<std::size_t>{1025, 4097, 30'000, 100'003};
  auto const places = racechecking() ? std::vector<std::size_t>{9000} : some;
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values, many windows", places, on_device);
}

TEST_CASE("device segmented sort: wide segments longer than a window, and than a block has room for") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0);
  auto const some =
      sanitizing() ? std::vector<std::size_t>{30'000} : std::vector<std::size_t>{30'000, 100'003};
  segmented_sort_number_laws_of<std::uint32_t, true>("u32 and values, long", some, on_device);
}

TEST_CASE("device segmented sort: segments that blocks sort parts of") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0);
  listed_segments_law<std::uint32_t>("u32, in parts", on_device.for_turn(0));
  if (!racechecking()) listed_segments_law<std::int64_t>("i64, in parts", on_device.for_turn(1));
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
