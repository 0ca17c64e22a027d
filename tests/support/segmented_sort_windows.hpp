// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_WINDOWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_WINDOWS_HPP

#include <support/changed.hpp>
#include <support/segmented_sort_laws.hpp>

#include <cstddef>
#include <cstdint>
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

}  // namespace sweep_test

#endif
