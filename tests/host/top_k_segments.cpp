// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of selections in segments on seq and host.
#include <support/host_places.hpp>
#include <support/top_k_segment_laws.hpp>

using namespace sweep_test;

namespace {
std::vector<std::size_t> sizes() {
  if (sanitizing()) return {0, 1, 33, 5000};
  return {0, 1, 33, 8193, static_cast<std::size_t>(host_items(50'000))};
}
bool every_notation(notation) { return true; }
}  // namespace

TEST_CASE("host segmented top_k: rows, layouts, notations") {
  on_every_host_place([](auto const& places) {
    top_k_row_laws_of<float, tops::keys>("f32", {1, 33, 1000}, {1, 32, 50}, places, std::greater<>{},
                                         number_greater{});
    top_k_layout_laws_of<float, tops::keys>("f32", sizes(), {1, 7, 300}, places, std::greater<>{},
                                            number_greater{}, every_notation);
    top_k_layout_laws_of<std::uint8_t, tops::pairs>("u8", sizes(), {2, 40}, places, std::less<>{},
                                                    number_less{}, every_notation);
    top_k_layout_laws_of<record, tops::indices>("record", sizes(), {3, 5000}, places, by_low_bits{},
                                                by_low_bits{}, every_notation);
  });
}

TEST_CASE("host segmented top_k: strings, ranges, calls without a policy") {
  std::vector<std::string> const words{"pear", "fig", "apple", "date", "cherry", "banana"};
  std::vector<std::string> best(6, "-");
  std::vector<int> where(6, -1), serial{0, 1, 2, 3, 4, 5}, lengths{2, 0, 4};
  auto const segments = sweep::segments::by_lengths(lengths);
  sweep::segmented_top_k(words, segments, 2, best, std::less<>{});
  CHECK(best == std::vector<std::string>{"fig", "pear", "-", "-", "apple", "banana"});
  sweep::segmented_arg_top_k(sweep::host, words, segments, 2, where, std::less<>{});
  CHECK(where == std::vector<int>{1, 0, -1, -1, 0, 3});
  sweep::segmented_top_k_by_key(words, serial, sweep::segments::by_rows(3, 2), 1, best, where);
  CHECK(best[2] == "cherry");
  CHECK(where == std::vector<int>{0, 3, 4, -1, 0, 3});
}

TEST_CASE("host segmented top_k: rows are segments of every call") {
  std::vector<int> x{4, 1, 3, 2, 6, 5};
  sweep::segmented_sort(x, sweep::segments::by_rows(2, 3));
  CHECK(x == std::vector<int>{1, 3, 4, 2, 5, 6});
}

TEST_CASE("host segmented top_k: bad input, and nothing") {
  top_k_segment_error_laws(place{sweep::seq, "seq"});
  top_k_segment_error_laws(place{sweep::host, "host"});
}
