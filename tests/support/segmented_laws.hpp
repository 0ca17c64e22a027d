// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/segmented_scan.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// The laws of segmented scans, for any place: every notation of the same segments gives the oracle's result.
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
};

template <class T, class X, class Op>
std::vector<T> segmented_oracle(bool inclusive, bool backward, std::vector<X> const& x,
                                head_list const& heads, Op op, std::optional<T> init) {
  std::vector<T> out(x.size());
  std::optional<T> sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    auto const i = backward ? x.size() - 1 - k : k;
    if (backward ? i + 1 == x.size() || heads[i + 1] : heads[i]) sum = init;
    if (!inclusive) out[i] = *sum;
    sum = sum ? static_cast<T>(op(*sum, static_cast<T>(x[i]))) : static_cast<T>(x[i]);
    if (inclusive) out[i] = *sum;
  }
  return out;
}

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

template <bool Inclusive, class Place, class X, class Op, class Dir, class Segments>
void segmented_law_as(Place const& at, std::string const& title, std::vector<X> const& x,
                      std::vector<X> const& want, Op op, X init, Dir direction, Segments const& segments,
                      std::size_t in_offset, std::size_t out_offset) {
  typename Place::template array<X> const in(x, in_offset);
  typename Place::template array<X> const out(x.size(), out_offset);
  auto const scan = [&](X* to) {
    if constexpr (Inclusive)
      return sweep::segmented_inclusive_scan(at.policy, in.begin(), in.end(), segments, to, op, direction);
    else
      return sweep::segmented_exclusive_scan(at.policy, in.begin(), in.end(), segments, to, init, op,
                                             direction);
  };
  expect(scan(out.begin()) == out.end(), title + ": returns the end of the output");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes its output only");
  expect_equal(in.read(), x, title + ": leaves its input alone");
  scan(in.begin());
  expect_equal(in.read(), want, title + ", in place");
  expect(in.guards_intact(), title + ", in place: writes its output only");
}

/// One notation, form and direction.
template <bool Inclusive, class Place, class X, class Op, class Dir>
void segmented_law(notation how, Place const& at, std::string const& what, std::vector<X> const& x,
                   head_list const& heads, notations const& all, Op op, X init, Dir direction,
                   std::size_t in_offset = 0, std::size_t out_offset = 0) {
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const want = segmented_oracle<X>(Inclusive, backward, x, heads, op,
                                        Inclusive ? std::nullopt : std::optional<X>(init));
  auto const title = std::string(at.name) + (Inclusive ? ": inclusive " : ": exclusive ") +
                     (backward ? "backward " : "forward ") + what + ", n = " + std::to_string(x.size()) +
                     ", offsets " + std::to_string(in_offset) + " and " + std::to_string(out_offset);
  auto const law = [&](char const* name, auto const& segments) {
    segmented_law_as<Inclusive>(at, title + ", by " + name, x, want, op, init, direction, segments, in_offset,
                                out_offset);
  };
  namespace by = sweep::segments;
  if (how == notation::key) {
    typename Place::template array<std::int32_t> const keys(all.keys, in_offset);
    law("key", by::by_key(keys.begin()));
  } else if (how == notation::flags) {
    typename Place::template array<unsigned char> const flags(all.flags, in_offset);
    law("head flags", by::by_head_flags(flags.begin()));
  } else if (how == notation::bits) {
    typename Place::template array<std::uint32_t> const bits(all.bits, in_offset);
    law("head bits", by::by_head_bits(bits.begin()));
  } else if (how == notation::offsets) {
    typename Place::template array<std::int32_t> const offsets(all.offsets);
    law("offsets", by::by_offsets(offsets.begin(), offsets.end()));
  } else {
    typename Place::template array<std::int64_t> const lengths(all.lengths);
    law("lengths", by::by_lengths(lengths.begin(), lengths.end()));
  }
}

inline constexpr notation all_notations[] = {notation::key, notation::flags, notation::bits,
                                             notation::offsets, notation::lengths};

/// Layouts, notations, directions and forms in turn, over the given sizes.
template <class X, class Op, class Place>
void segmented_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Op op,
                       Place const& all_places) {
  random_source random(what + " segmented");
  std::size_t turn = 0;
  for (auto const n : sizes) {
    for (auto const& shape : layouts) {
      if (n > 100'000 && (turn + n) % 4 != 0) {
        ++turn;
        continue;
      }
      auto const heads = shape.heads(n, random);
      notations const all(heads, random);
      auto const x = draw_many<X>(n, random);
      auto const init = draw<X>(random);
      bool const aligned = random() % 2 == 0;
      auto const in_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
      auto const out_offset = static_cast<std::size_t>(aligned ? 0 : random.between(0, 5));
      auto const title = what + ", " + shape.name;
      for (std::size_t k = 0; k < 2; ++k) {
        auto const how = all_notations[(turn + k) % 5];
        auto const at = all_places.for_turn(turn + k);
        segmented_law<true>(how, at, title, x, heads, all, op, init, sweep::forward, in_offset, out_offset);
        segmented_law<false>(how, at, title, x, heads, all, op, init, sweep::backward, in_offset, out_offset);
        if constexpr (std::decay_t<decltype(at)>::every_form) {
          segmented_law<false>(how, at, title, x, heads, all, op, init, sweep::forward, in_offset,
                               out_offset);
          segmented_law<true>(how, at, title, x, heads, all, op, init, sweep::backward, in_offset,
                              out_offset);
        }
      }
      ++turn;
    }
  }
}

}  // namespace sweep_test

#endif
