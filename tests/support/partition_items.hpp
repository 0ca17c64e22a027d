// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_ITEMS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_ITEMS_HPP

#include <support/values.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

// What compactions are tested with: items of any size, predicates, and the sides that they make.
namespace sweep_test {

/// So many bytes that no word divides evenly, or that fill whole words.
template <std::size_t Bytes, class Word = std::uint32_t>
struct parcel {
  Word words[Bytes / sizeof(Word)];
  friend bool operator==(parcel const&, parcel const&) = default;
};

/// Random items of any type, all bits of them.
template <class X>
std::vector<X> draw_bytes(std::size_t n, random_source& random) {
  std::vector<X> all(n);
  for (auto& x : all) {
    unsigned char bytes[sizeof(X)];
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
    std::memcpy(static_cast<void*>(&x), bytes, sizeof(X));
  }
  return all;
}

/// The same in runs of equal neighbours, on average `mean` long.
template <class X>
std::vector<X> draw_runs(std::size_t n, std::int64_t mean, random_source& random) {
  auto all = draw_bytes<X>(n, random);
  for (std::size_t i = 1; i < n; ++i)
    if (random.between(1, mean) != 1) all[i] = all[i - 1];
  return all;
}

template <class X>
SWEEP_TEST_HD std::uint32_t digest(X const& x) {
  unsigned char bytes[sizeof(X)];
  memcpy(bytes, &x, sizeof(X));
  std::uint32_t sum = 2166136261u;
  for (unsigned char const b : bytes) sum = (sum ^ b) * 16777619u;
  return sum ^ sum >> 15;
}

/// A predicate that holds for about so many of 1024 items, of any type; it has a state.
struct some_of_1024 {
  std::uint32_t share;
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x) const {
    return digest(x) % 1024 < share;
  }
};
inline constexpr std::uint32_t shares[] = {0, 10, 512, 1014, 1024};

struct same_as {
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& a, X const& b) const {
    return digest(a) == digest(b);
  }
};
struct truth {
  SWEEP_TEST_HD bool operator()(bool flag) const { return flag; }
};

/// The first item of every run.
template <class X, class Same = std::equal_to<>>
std::vector<X> heads_of_runs(std::vector<X> items, Same same = {}) {
  items.erase(std::unique(items.begin(), items.end(), same), items.end());
  return items;
}

template <class X, class Pred>
struct sides_of {
  std::vector<X> yes, no;
  sides_of(std::vector<X> const& x, Pred pred) {
    std::partition_copy(x.begin(), x.end(), std::back_inserter(yes), std::back_inserter(no), pred);
  }
  std::vector<X> joined() const {
    auto all = yes;
    all.insert(all.end(), no.begin(), no.end());
    return all;
  }
};

template <class X>
std::vector<X> first_items(std::vector<X> items, std::size_t count) {
  items.resize(count);
  return items;
}

template <class Place>
std::string titled(Place const& at, std::string const& what, std::size_t n) {
  return std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ": ";
}

}  // namespace sweep_test

#endif
