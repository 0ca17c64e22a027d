// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <every_call.hpp>

#include <complex>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sweep_test {

/// Items of types, and by iterators, that no device has.
struct host_items {
  std::vector<std::string> words, words_out;
  std::deque<int> queue;
  std::vector<int> lengths, numbers_out;
  std::vector<std::uint32_t> bits;
  std::vector<std::complex<double>> complex;
};

}  // namespace sweep_test

void every_call(sweep_test::floats f, sweep_test::triples t, sweep_test::helpers h, std::int64_t n) {
  sweep_test::every_call(sweep::host, f, t, h, n);
}

// Items and iterators that the host alone has: nvcc is to say nothing of them either.
void every_host_item(sweep_test::host_items& x) {
  auto const empty = [](std::string const& s) { return s.empty(); };
  sweep::reduce(x.words, std::string());
  sweep::sort(x.words);
  sweep::sort(x.words, std::greater<>{});
  sweep::sort(x.words, std::less<std::string>{});
  sweep::segmented_sort(x.words, sweep::segments::by_rows(1, 2));
  sweep::argsort(x.words, x.numbers_out);
  sweep::top_k(x.words, 1, x.words_out);
  sweep::nth_element(x.words.begin(), x.words.begin(), x.words.end());
  sweep::merge(x.words, x.words, x.words_out);
  sweep::multisplit(x.words, x.words_out, 2, sweep::splitters(x.words.begin(), x.words.begin() + 1));
  sweep::max_element(x.words);
  sweep::is_sorted(x.words);
  sweep::mismatch(x.words, x.words_out);
  sweep::count(x.words, std::string_view("a"));
  sweep::lower_bound(x.words, std::string_view("a"));
  sweep::remove(x.words, std::string_view("a"));
  sweep::unique(x.words);
  sweep::partition_copy(x.words, x.words_out, x.words_out, empty);
  sweep::gather(x.queue, x.words, x.words_out);
  sweep::expand(x.words, x.queue, x.words_out);
  sweep::run_length_encode(x.lengths, x.numbers_out, x.numbers_out);
  sweep::segmented_inclusive_scan(sweep::seq, x.lengths, sweep::segments::by_offsets(x.lengths),
                                  x.numbers_out);
  sweep::segmented_inclusive_scan(x.lengths, sweep::segments::by_head_bits(x.bits.begin(), x.bits.end()),
                                  x.numbers_out);
  sweep::segments::to_offsets(sweep::segments::by_lengths(x.lengths), 3, x.numbers_out);
  sweep::histogram_range(x.lengths, x.numbers_out, x.lengths);
  sweep::inclusive_scan(x.complex, x.complex);
  sweep::adjacent_difference(x.complex, x.complex);
  sweep::linear_recurrence(std::complex<double>(1), x.complex, x.complex);
  sweep::tridiagonal_solve(sweep::host,
                           sweep::tridiagonal(x.complex, x.complex, x.complex, x.complex, x.complex, 3));
}
