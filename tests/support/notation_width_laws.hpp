// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_NOTATION_WIDTH_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_NOTATION_WIDTH_LAWS_HPP

#include <support/segmented_laws.hpp>
#include <support/values.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// The same segments by flags, keys and offsets of every width, and of the caller's own types.
namespace sweep_test {

/// Set where it says so, not where it is not zero.
struct says_two {
  unsigned char value;
  SWEEP_TEST_HD explicit operator bool() const { return value == 2; }
};

/// 16 bytes, of which the last decide.
struct wide_key {
  std::uint32_t words[4];
  friend SWEEP_TEST_HD bool operator==(wide_key const& a, wide_key const& b) {
    return a.words[3] == b.words[3];
  }
};

/// SomeWidths: leaves out flags and keys whose width another one has, or is between two others.
template <bool SomeWidths = false, class Place>
void notation_width_laws(Place const& at, std::size_t n, random_source& random) {
  using X = std::uint32_t;
  namespace by = sweep::segments;
  for (auto const& one : layouts) {
    auto const heads = one.heads(n, random);
    auto const x = draw_many<X>(n, random);
    auto const want = segmented_oracle<X>(true, false, x, heads, add{}, std::nullopt);
    std::vector<std::uint32_t> segment(n);  // the number of each item's
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < n; ++i) {
      segment[i] = (i > 0 ? segment[i - 1] : 0) + (heads[i] ? 1 : 0);
      if (heads[i]) offsets.push_back(static_cast<std::int64_t>(i));
    }
    offsets.push_back(static_cast<std::int64_t>(n));
    auto const law = [&](char const* name, auto const& segments) {
      segmented_law_as<true>(
          at, std::string(at.name) + ": " + one.name + ", n = " + std::to_string(n) + ", by " + name, x, want,
          add{}, X{}, sweep::forward, segments, 0, 0);
    };
    auto const misplaced = [&] {
      return static_cast<std::size_t>(random() % 2 == 0 ? 0 : random.between(0, 15));
    };
    // name, and what a head's flag or an item's key is made of
    auto const flags = [&](char const* name, auto set, auto clear) {
      using flag = decltype(set);
      std::vector<flag> all(n, clear);
      for (std::size_t i = 0; i < n; ++i)
        if (heads[i]) all[i] = set;
      typename Place::template array<flag> const there(all, misplaced());
      law(name, by::by_head_flags(there.begin()));
    };
    auto const keys = [&](char const* name, auto key_of) {
      using key = decltype(key_of(std::uint32_t{}));
      std::vector<key> all(n);
      std::transform(segment.begin(), segment.end(), all.begin(), key_of);
      typename Place::template array<key> const there(all, misplaced());
      law(name, by::by_key(there.begin()));
    };
    if constexpr (!SomeWidths) {
      flags("signed bytes", std::int8_t{-1}, std::int8_t{0});
      flags("16-bit flags", std::uint16_t{256}, std::uint16_t{0});
      flags("32-bit flags", std::int32_t{1 << 30}, std::int32_t{0});
      keys("16-bit keys", [](std::uint32_t s) { return static_cast<std::int16_t>(s % 32'003); });
      keys("64-bit keys", [](std::uint32_t s) { return std::uint64_t{s} << 32; });
    }
    flags("bytes that say two", says_two{2}, says_two{1});
    flags("64-bit flags", std::int64_t{1} << 40, std::int64_t{0});
    keys("8-bit keys", [](std::uint32_t s) { return static_cast<std::uint8_t>(s % 251); });
    keys("128-bit keys", [](std::uint32_t s) { return wide_key{7, 7, 7, s}; });
    typename Place::template array<std::int64_t> const there(offsets);
    law("64-bit offsets", by::by_offsets(there.begin(), there.end()));
  }
}

}  // namespace sweep_test

#endif
