// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose owner wants to hear of every conversion: of Sweep's headers no compiler says a word.
#undef SWEEP_SHOW_WARNINGS
#include <sweep/sweep.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

struct price {
  explicit price(int of = 0) : cents(of) {}
  int cents;
  bool operator<(price const& other) const { return cents < other.cents; }
};

int main() {
  std::vector<std::uint8_t> const bytes{3, 1, 4, 1, 5};
  std::vector<std::int16_t> sums(bytes.size());
  std::deque<std::string> words{"b", "c", "a"};
  std::vector<price> prices{price(3), price(1), price(2)};
  sweep::inclusive_scan(sweep::host, bytes.begin(), bytes.end(), sums.begin());
  sweep::exclusive_scan(sweep::seq, bytes.begin(), bytes.end(), sums.begin(), 0.5f, std::plus<>{});
  sweep::inclusive_scan(sweep::host, words.begin(), words.end(), words.begin());
  sweep::stable_sort(sweep::host, prices.begin(), prices.end());
  auto const end = sweep::unique(sweep::host, words.begin(), words.end());
  return sweep::reduce(sweep::host, sums.begin(), sums.end(), 0L) + (end - words.begin()) == 0;
}
