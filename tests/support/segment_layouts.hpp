// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENT_LAYOUTS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENT_LAYOUTS_HPP

#include <support/random.hpp>

#include <sweep/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// Segments of many layouts, from one to one for every item, and every notation of them.
namespace sweep_test {

/// Where segments start; item 0 always does.
using head_list = std::vector<bool>;

struct layout {
  char const* name;
  head_list (*heads)(std::size_t n, random_source& random);
};

template <std::size_t Mean>
head_list random_heads(std::size_t n, random_source& random) {
  head_list heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || random() % Mean == 0;
  return heads;
}
/// Every so many items: the papers' best case, where a block starts with a segment.
template <std::size_t Every, std::size_t Phase>
head_list regular_heads(std::size_t n, random_source&) {
  head_list heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = i == 0 || i % Every == Phase;
  return heads;
}
/// Lengths whose chance falls with their square.
inline head_list power_law_heads(std::size_t n, random_source& random) {
  head_list heads(n);
  for (std::size_t i = 0; i < n;) {
    heads[i] = true;
    i += static_cast<std::size_t>(1.0 / (1e-9 + static_cast<double>(random() >> 11) * 0x1p-53));
  }
  return heads;
}

/// Lengths that rise: where a segment begins, its number does not tell.
inline head_list rising_heads(std::size_t n, random_source&) {
  head_list heads(n);
  auto const count = n / 40 + 1;
  for (std::size_t s = 0; s < count && n > 0; ++s) {
    auto const part = static_cast<double>(s) / static_cast<double>(count);
    heads[static_cast<std::size_t>(part * part * part * static_cast<double>(n))] = true;
  }
  return heads;
}

inline constexpr layout layouts[] = {
    {"one segment", random_heads<std::size_t{1} << 60>},
    {"every item a segment", regular_heads<1, 0>},
    {"mean length 8", random_heads<8>},
    {"mean length 300", random_heads<300>},
    {"mean length 20000", random_heads<20000>},
    {"a head at every block's start", regular_heads<1024, 0>},
    {"block-long segments ending at a block's last item", regular_heads<1024, 1023>},
    {"heads at the edges of 2688 items", regular_heads<2688, 0>},
    {"power law", power_law_heads},
    {"rising lengths", rising_heads},
};

/// The same segments in every notation, some with empty ones in between. What a notation says of item 0 does
/// not matter.
struct notations {
  std::vector<std::int32_t> keys;
  std::vector<unsigned char> flags;
  std::vector<std::uint32_t> bits;
  std::vector<std::int32_t> offsets;
  std::vector<std::int64_t> lengths;

  notations(head_list const& heads, random_source& random) : bits((heads.size() + 31) / 32) {
    auto const n = heads.size();
    bool const with_empty = random() % 2 == 0, says_first = random() % 2 == 0;
    std::int32_t key = 0;
    std::size_t begin = 0;
    auto const close = [&](std::size_t end) {
      offsets.push_back(static_cast<std::int32_t>(begin));
      lengths.push_back(static_cast<std::int64_t>(end - begin));
      while (with_empty && random() % 4 == 0) {
        offsets.push_back(static_cast<std::int32_t>(end));
        lengths.push_back(0);
      }
      begin = end;
    };
    if (with_empty) {
      offsets.push_back(0);
      lengths.push_back(0);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && heads[i]) {
        key = (key + 1 + static_cast<std::int32_t>(random() % 3)) % 5;
        close(i);
      }
      keys.push_back(key);
      bool const flag = i > 0 ? heads[i] : says_first;
      flags.push_back(static_cast<unsigned char>(flag ? 1 + random() % 255 : 0));
      if (flag) bits[i / 32] |= std::uint32_t{1} << i % 32;
    }
    if (n > 0) close(n);
    offsets.push_back(static_cast<std::int32_t>(n));
    if (n % 32 != 0 && says_first) bits.back() |= ~std::uint32_t{0} << n % 32;  // bits behind the end
  }
};

enum class notation { key, flags, bits, offsets, lengths };
inline constexpr notation all_notations[] = {notation::key, notation::flags, notation::bits,
                                             notation::offsets, notation::lengths};

/// A notation that is known when a test is compiled: the others are not.
template <notation How>
inline constexpr std::integral_constant<notation, How> only{};

/// law(name, segments) with one of the notations in a place's memory: keys, flags and bits start `offset`
/// items behind a boundary.
template <class Place, notation How, class Law>
void with_notation(std::integral_constant<notation, How>, notations const& all, std::size_t offset, Law law) {
  namespace by = sweep::segments;
  if constexpr (How == notation::key) {
    typename Place::template array<std::int32_t> const keys(all.keys, offset);
    law("key", by::by_key(keys.begin()));
  } else if constexpr (How == notation::flags) {
    typename Place::template array<unsigned char> const flags(all.flags, offset);
    law("head flags", by::by_head_flags(flags.begin()));
  } else if constexpr (How == notation::bits) {
    typename Place::template array<std::uint32_t> const bits(all.bits, offset);
    law("head bits", by::by_head_bits(bits.begin()));
  } else if constexpr (How == notation::offsets) {
    typename Place::template array<std::int32_t> const offsets(all.offsets);
    law("offsets", by::by_offsets(offsets.begin(), offsets.end()));
  } else {
    typename Place::template array<std::int64_t> const lengths(all.lengths);
    law("lengths", by::by_lengths(lengths.begin(), lengths.end()));
  }
}
/// f(only<how>) of a notation that is chosen at run time.
template <class F>
void with_only(notation how, F f) {
  if (how == notation::key) f(only<notation::key>);
  else if (how == notation::flags) f(only<notation::flags>);
  else if (how == notation::bits) f(only<notation::bits>);
  else if (how == notation::offsets) f(only<notation::offsets>);
  else f(only<notation::lengths>);
}
template <class Place, class Law>
void with_notation(notation how, notations const& all, std::size_t offset, Law law) {
  with_only(how, [&](auto one) { with_notation<Place>(one, all, offset, law); });
}

/// Segments of one layout over n items; turns count the sizes' layouts.
struct layout_case {
  std::size_t turn, n;
  char const* name;
  head_list const& heads;
  notations const& all;
};

struct every_layout {
  bool operator()(std::size_t, std::size_t) const { return true; }
};

/// law(case) for every size and layout where wanted(turn, n).
template <class Law, class Wanted = every_layout>
void for_each_layout(std::vector<std::size_t> const& sizes, random_source& random, Law law,
                     Wanted wanted = {}) {
  std::size_t turn = 0;
  for (auto const n : sizes)
    for (auto const& shape : layouts) {
      auto const now = turn++;
      if (!wanted(now, n)) continue;
      auto const heads = shape.heads(n, random);
      notations const all(heads, random);
      law(layout_case{now, n, shape.name, heads, all});
    }
}

}  // namespace sweep_test

#endif
