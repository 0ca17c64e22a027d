// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-length encoding and decoding from compaction and scans.
//   encode: the first item of every run, with its place in the text; neighbouring places give the lengths.
//   decode: a scan of the lengths says where each run begins; the number of beginnings up to an item says
//           which run it belongs to.
#include <sweep/sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct runs {
  std::string symbols;
  std::vector<std::int64_t> lengths;
};

runs encoded(std::string const& text) {
  std::vector<std::int64_t> places(text.size()), begins(text.size() + 1);
  std::iota(places.begin(), places.end(), std::int64_t{0});
  runs all{std::string(text.size(), ' '), {}};
  auto const ends = sweep::unique_by_key_copy(sweep::host, text.begin(), text.end(), places.begin(),
                                              all.symbols.begin(), begins.begin());
  all.symbols.erase(ends.first, all.symbols.end());
  *ends.second = std::ssize(text);
  for (std::size_t k = 0; k < all.symbols.size(); ++k) all.lengths.push_back(begins[k + 1] - begins[k]);
  return all;
}

std::string decoded(runs const& all) {
  std::vector<std::int64_t> begins(all.lengths.size() + 1);
  begins.back() = sweep::reduce(sweep::host, all.lengths.begin(), all.lengths.end());
  sweep::exclusive_scan(sweep::host, all.lengths.begin(), all.lengths.end(), begins.begin());
  auto const n = static_cast<std::size_t>(begins.back());
  std::vector<std::uint8_t> first(n + 1);  // (n + 1): one place behind, so that run 0 counts as number 1
  for (std::size_t k = 0; k < all.lengths.size(); ++k) first[static_cast<std::size_t>(begins[k])] = 1;
  std::vector<std::int64_t> runs_before(n + 1);
  sweep::enumerate(sweep::host, first.begin(), first.end(), runs_before.begin());
  std::string text(n, ' ');
  for (std::size_t i = 0; i < n; ++i)  // every item knows its run: the order of these writes is free
    text[i] = all.symbols[static_cast<std::size_t>(runs_before[i + 1] - 1)];
  return text;
}

}  // namespace

int main() {
  std::string const flag = "WWWWWWWWWWWWBWWWWWWWWWWWWBBBWWWWWWWWWWWWWWWWWWWWWWWWBWWWWWWWWWWWWWW";
  auto const short_runs = encoded(flag);
  for (std::size_t k = 0; k < short_runs.symbols.size(); ++k)
    std::printf("%lld%c", static_cast<long long>(short_runs.lengths[k]), short_runs.symbols[k]);
  std::printf("\n");
  if (decoded(short_runs) != flag) return 1;

  std::string text;  // long enough for many tiles
  for (std::uint32_t i = 0, x = 1; i < 100'000; ++i, x = x * 1664525u + 1013904223u)
    text.append(x >> 28, static_cast<char>('a' + (x >> 20) % 26));
  auto const many = encoded(text);
  std::printf("%zu letters in %zu runs\n", text.size(), many.symbols.size());
  return decoded(many) == text && decoded(encoded("")).empty() ? 0 : 1;
}
