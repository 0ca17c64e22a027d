// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records sorted by a projection, and the most frequent words of a text: sort, run_length_encode, sort.
//
//   example_sort_records [text file]
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

struct order {
  std::uint16_t shop;
  float price;
  std::uint32_t number;
};

constexpr char const* preamble = "We the People of the United States, in Order to form a more perfect Union, "
                                 "establish Justice, insure domestic "
                                 "Tranquility, provide for the common defence, promote the general Welfare, "
                                 "and secure the Blessings of Liberty "
                                 "to ourselves and our Posterity, do ordain and establish this Constitution "
                                 "for the United States of America.";

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words(1);
  for (char const c : text)
    if (std::isalpha(static_cast<unsigned char>(c)))
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty()) words.emplace_back();
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  // By shop, and in each by price: one number of 48 bits, so a sort by radix. Equal ones stay in their order.
  std::vector<order> orders;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    auto const bits = i * 2654435761u;
    orders.push_back({static_cast<std::uint16_t>(bits >> 28), static_cast<float>(bits >> 8 & 1023) / 4, i});
  }
  auto expected = orders;
  sweep::sort(orders, sweep::radix_key([](order const& x) { return std::pair(x.shop, x.price); }));
  std::stable_sort(expected.begin(), expected.end(), [](order const& a, order const& b) {
    return a.shop != b.shop ? a.shop < b.shop : a.price < b.price;
  });
  bool right = std::equal(orders.begin(), orders.end(), expected.begin(), [](order const& a, order const& b) {
    return a.shop == b.shop && a.price <= b.price && a.number == b.number;
  });
  std::printf("%d orders by shop and price: %s\n", static_cast<int>(orders.size()),
              right ? "right" : "WRONG");

  std::string text = preamble;
  if (argc > 1) {
    std::ifstream file(argv[1]);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto words = words_of(text);
  std::map<std::string, int> naive;
  for (auto const& word : words) ++naive[word];

  sweep::sort(words);
  std::vector<std::string> kinds(words.size());
  std::vector<int> counts(words.size());
  auto const ends = sweep::run_length_encode(sweep::host, words, kinds, counts);
  kinds.erase(ends.first, kinds.end());
  counts.erase(ends.second, counts.end());
  sweep::sort_by_key(sweep::host, counts, kinds, std::greater<>{});  // of equal counts in alphabetical order
  for (std::size_t i = 0; i < std::min<std::size_t>(5, kinds.size()); ++i)
    std::printf("%5d  %s\n", counts[i], kinds[i].c_str());
  right = right && naive.size() == kinds.size();
  for (std::size_t i = 0; i < kinds.size(); ++i) right = right && naive[kinds[i]] == counts[i];
  std::printf("as counted one by one: %s\n", right ? "yes" : "NO");
  return right ? 0 : 1;
}
