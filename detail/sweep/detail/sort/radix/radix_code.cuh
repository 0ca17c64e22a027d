// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_CODE_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_CODE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// The shorter way of a radix sort: a code of the highest bits, from where a sample of the words differs, puts
// keys into groups that are small; passes by its digits bring each group together, then each is sorted in
// shared memory. Words outside of the sample's range are with what is nearest to them. The few groups that
// are large nevertheless, since they have a word that is frequent or many outside of the range, are sorted
// digit by digit, if they are of several words.

template <class Order>
struct radix_code {
  using word = typename Order::word;

  word low, high;  ///< others are taken for these
  int shift;

  /// 1 of a word that is not where the sample's are.
  __device__ unsigned outside(word w) const { return w < low || w > high ? 1 : 0; }
  __device__ word distance(word w) const {
    w = w < low ? low : w;
    w = w > high ? high : w;
    return static_cast<word>(w - low);
  }
  using group = std::conditional_t<(sizeof(word) > 4), std::uint64_t, unsigned>;
  __device__ group of(word w) const { return static_cast<group>(distance(w) >> shift); }
  /// By one of the digits.
  __device__ radix_code at_digit(int d) const { return {low, high, shift + 8 * d}; }
};

/// Where the highest bits are those of an exponent, few of its values have most of the words: parts of the
/// range, which agree in the highest bits, have as many codes each as a sample has words there. A part is its
/// first code, of 16 bits, and behind that how many it has.
using code_part = std::uint32_t;
inline constexpr int code_part_bits = 10, code_parts = 1 << code_part_bits;
/// And how many words of the sample are in each.
struct sampled_parts {
  code_part parts[code_parts];
  std::uint32_t words[code_parts];
};

/// Around zero is a gap, where most exponents are: its words have a part of their own. Where the sample has
/// zeros, these may be as many as they like, if they are alone there: a large group of one word is in order.
template <class Order>
requires Order::has_exponent struct radix_code<Order> {
  using word = typename Order::word;
  static constexpr auto positive =
                            static_cast<word>(word{1} << (Order::bits - 1)),  ///< what these begin with
      zero = static_cast<word>(positive - (Order::descending ? 1 : 0));

  word low, high;               ///< others are taken for these
  int skip;                     ///< bits that no distance counts, so that it has 32 at most
  std::uint32_t gap, gap_last;  ///< distances up to the last are less by the gap, but not less than they were
  int shift;                    ///< behind it a part's number, at least one bit before it
  bool zeros;                   ///< whether they are told from other words of the gap
  code_part const* parts;
  int digit;  ///< bits of the code before it do not count

  __device__ unsigned with_gap(word w) const {
    w = w < low ? low : w;
    w = w > high ? high : w;
    if constexpr (sizeof(word) > 4) return static_cast<unsigned>(static_cast<word>(w - low) >> skip);
    else return static_cast<unsigned>(w - low);
  }
  __device__ unsigned distance(word w) const {
    auto const x = with_gap(w);
    return min(x, max(x, gap_last) - gap);
  }
  /// 1 of a word that is not where the sample's are; more than may be so, of one that is with zeros.
  __device__ unsigned outside(word w) const {
    unsigned const x = with_gap(w), part = (gap_last - gap) >> shift << shift;  // where the gap's begins
    if (gap_last != 0 && x - part <= gap_last - part) return !zeros ? 1 : w == zero ? 0 : 1 << 16;
    return w < low || w > high ? 1 : 0;
  }
  __device__ unsigned part_of(word w) const { return distance(w) >> shift; }
  __device__ unsigned of(word w) const {
    auto const x = distance(w);
    auto const part = parts[x >> shift];
    // By the fraction of the part, in 2^-32: the code has as many bits more, of which the first digits count.
    return ((part & 0xffff0000) + __umulhi(x << (32 - shift), part << 16)) >> digit;
  }
  /// By one of the digits.
  __device__ radix_code at_digit(int d) const {
    return {low, high, skip, gap, gap_last, shift, zeros, parts, digit + 8 * d};
  }
};

/// Gives parts codes, by how many words of a sample they have, at least one. A part weighs as much as the
/// densest of it and its neighbours, since words may begin or end in the middle of it, or be denser there;
/// and more than the sample has, in which few are by chance too few. All threads of a block call, and see
/// the codes behind it.
template <int Threads>
__device__ void share_codes(std::uint32_t const* words, code_part* to) {
  constexpr int warps = Threads / 32, rows = (32 + warps - 1) / warps;
  __shared__ std::uint32_t sums[32];
  int const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  std::uint32_t own[rows], before[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    int const row = r * warps + warp, p = row * 32 + lane;
    if (row >= 32) break;
    auto const of = [&](int i) { return words[min(max(i, 0), code_parts - 1)]; };
    auto const densest = max(of(p), max(of(p - 1), of(p + 1)));
    own[r] = (densest | of(p - 2) | of(p + 2)) == 0
                 ? 8
                 : 16 * densest + static_cast<unsigned>(40 * sqrtf(static_cast<float>(densest))) + 48;
    auto through = own[r];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      auto const left = __shfl_up_sync(~0u, through, by);
      if (lane >= by) through += left;
    }
    before[r] = through - own[r];
    if (lane == 31) sums[row] = through;
  }
  __syncthreads();
  auto const all = __reduce_add_sync(~0u, sums[lane]);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    int const row = r * warps + warp;
    if (row >= 32) break;
    auto const begin = before[r] + __reduce_add_sync(~0u, lane < row ? sums[lane] : 0);
    int const p = row * 32 + lane;
    auto const code_at = [&](std::uint32_t weight, int at) {
      return static_cast<std::uint32_t>(std::uint64_t{weight} * (0xffff - code_parts) / all) +
             static_cast<std::uint32_t>(at);
    };
    auto const first = code_at(begin, p);
    to[p] = first << 16 | (code_at(begin + own[r], p + 1) - first);
  }
  __syncthreads();
}

/// Whether keys of a group are not all alike, of those from `begin` to `end` that a thread of a block looks
/// at.
template <int Threads, class Key, class Order>
__device__ bool groups_differ(Order const& order, radix_code<Order> const& groups, int first_bit,
                              Key const* keys, std::int64_t begin, std::int64_t end) {
  using word = typename Order::word;
  bool differ = false;
  look_at_items<Threads, split_vector_items<Key const*>>(
      keys, begin, end, [&]<int W>(item_vector<Key, W> const& x, std::int64_t i) {
        auto before = order.word_of(keys[max(i - 1, std::int64_t{0})]);
#pragma unroll
        for (int w = 0; w < W; ++w) {
          auto const own = order.word_of(x.item(w));
          if (static_cast<word>((own ^ before) >> first_bit) != 0)
            differ = differ || groups.of(own) == groups.of(before);
          before = own;
        }
      });
  return differ;
}

/// The pass of one digit of the code.
template <class Key, class Value, class Order, bool AnyOrder>
struct radix_group_pass : radix_moved<Key, Value, Order> {
  static constexpr bool any_order = AnyOrder, tells_next = false;

  struct next_bins {};

  radix_code<Order> code{};            ///< at the digit
  radix_shorter* outsiders = nullptr;  ///< counted by the first pass's counting, or null
  next_bins next{};                    ///< not told: its bins are all of about one size

  __device__ unsigned bin_of(Key const& x) const {
    return static_cast<unsigned>(code.of(this->order.word_of(x))) & 255;
  }

  struct observer_of_outside {
    radix_group_pass const& pass;
    unsigned outside = 0;
    __device__ void take(Key const& x) { outside += pass.code.outside(pass.order.word_of(x)); }
    __device__ void tell() const {
      if (!pass.outsiders) return;
      auto const some = __reduce_add_sync(~0u, outside);
      if (threadIdx.x % 32 == 0 && some != 0)
        atomicAdd(&pass.outsiders->outside, static_cast<unsigned long long>(some));
    }
  };
  __device__ observer_of_outside observer() const { return {*this}; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
