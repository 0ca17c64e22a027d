// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_GROUPS_CUH
#define SWEEP_DETAIL_SORT_RADIX_GROUPS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/block_radix.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// The shorter way of a radix sort: a code of the highest bits, from where a sample of the words differs, puts
// keys into groups that are small; passes by its digits bring each group together, then each is sorted in
// shared memory. Words outside of the sample's range are with what is nearest to them.

template <class Order>
struct radix_code {
  using word = typename Order::word;

  word low, high;  ///< others are taken for these
  int shift;

  __device__ bool has(word w) const { return w >= low && w <= high; }
  __device__ word distance(word w) const {
    w = w < low ? low : w;
    w = w > high ? high : w;
    return static_cast<word>(w - low);
  }
  __device__ unsigned of(word w) const { return static_cast<unsigned>(distance(w) >> shift); }
  /// By one of the digits.
  __device__ radix_code at_digit(int d) const { return {low, high, shift + 8 * d}; }
};

/// Where the highest bits are those of an exponent, few of its values have most of the words: parts of the
/// range, which agree in the highest bits, have as many codes each as the sample has words there.
struct code_part {
  std::uint32_t first, codes;
};
inline constexpr int code_part_bits = 10, code_parts = 1 << code_part_bits;

template <class Order>
requires Order::has_exponent struct radix_code<Order> {
  using word = typename Order::word;

  word low, high;
  int shift;  ///< behind it a part's number, at least one bit before it
  code_part const* parts;
  int digit;  ///< bits of the code before it do not count

  __device__ bool has(word w) const { return w >= low && w <= high; }
  __device__ word distance(word w) const {
    w = w < low ? low : w;
    w = w > high ? high : w;
    return static_cast<word>(w - low);
  }
  __device__ unsigned of(word w) const {
    auto const x = distance(w);
    auto const part = parts[static_cast<unsigned>(x >> shift)];
    unsigned fraction;  // of the part, in 2^-32
    if constexpr (sizeof(word) > 4) fraction = static_cast<unsigned>(x << (64 - shift) >> 32);
    else fraction = static_cast<unsigned>(x) << (32 - shift);
    return (part.first + __umulhi(fraction, part.codes)) >> digit;
  }
  __device__ radix_code at_digit(int d) const { return {low, high, shift, parts, 8 * d}; }
};

/// The pass of one digit of the code.
template <class Key, class Value, class Order, bool AnyOrder>
struct radix_group_pass : radix_moved<Key, Value, Order> {
  static constexpr bool any_order = AnyOrder, tells_next = false;

  struct next_bins {};

  radix_code<Order> code{};            ///< at the digit
  radix_shorter* outsiders = nullptr;  ///< counted by the first pass's counting, or null
  next_bins next{};                    ///< not told: its bins are all of about one size

  __device__ unsigned bin_of(Key const& x) const { return code.of(this->order.word_of(x)) & 255; }

  struct observer_of_outside {
    radix_group_pass const& pass;
    unsigned outside = 0;
    __device__ void take(Key const& x) {
      if (!pass.code.has(pass.order.word_of(x))) ++outside;
    }
    __device__ void tell() const {
      if (!pass.outsiders) return;
      auto const some = __reduce_add_sync(~0u, outside);
      if (threadIdx.x % 32 == 0 && some != 0)
        atomicAdd(&pass.outsiders->outside, static_cast<unsigned long long>(some));
    }
  };
  __device__ observer_of_outside observer() const { return {*this}; }
};

/// One block looks at keys drawn from everywhere, for a code, and for how many digits of it make groups
/// small: from how often two of these keys are in one group follows how many items a group has, seen from an
/// item. At equal distances those of sorted keys would never meet in a group.
template <class Key, class Order>
struct radix_sample_job {
  using word = typename Order::word;
  using code_type = radix_code<Order>;
  static constexpr int threads = 1024, blocks = 1, each = 8, keys_of_sample = threads * each;
  static constexpr int bins = 1 << 16, word_bits = static_cast<int>(sizeof(word)) * 8;
  static constexpr std::size_t bytes = bins * 2;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Key const* keys;
  Order order;
  radix_digits digits;
  radix_shorter* shorter;
  code_type* found;
  code_part* found_parts;  ///< of numbers with an exponent, or null
  std::int64_t n, most_of_group;
  int most_digits;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* const counters = reinterpret_cast<unsigned*>(memory);  // two of 16 bits
    __shared__ unsigned sums[4];
    int const t = static_cast<int>(threadIdx.x);
    word words[each];
#pragma unroll
    for (int k = 0; k < each; ++k) words[k] = order.word_of(keys[drawn(t * each + k)]);
    code_type code{};
    int const top = find_range(words, code, sums);
    if (top == 0) return;
    sample_parts parts{};
    if constexpr (Order::has_exponent) {
      if (top <= code_part_bits) return;
      code.shift = digits.begin + top - code_part_bits;
      parts.count(code, words, counters);
    }
#pragma unroll 1
    for (int d = 1; d <= most_digits && top >= 8 * d; ++d) {
      if (d != 2 && n >> 8 * d > most_of_group) continue;  // not even if groups were all of one size
      bool fit = true;
      if constexpr (Order::has_exponent)
        fit = parts.share(code, d, found_parts, static_cast<float>(n), static_cast<float>(most_of_group));
      else code.shift = digits.begin + top - 8 * d;
      auto const in_group = pairs_in_bins(counters, sums, [&](int k) {
        auto const group = code.of(words[k]);
        return d <= 2 ? group % bins : group * 0x9e3779b1u >> 16;
      });
      constexpr double pairs = static_cast<double>(keys_of_sample) * (keys_of_sample - 1);
      auto const together =
          max(0.0, in_group - (d <= 2 ? 0 : pairs / bins));  // but those by chance in one bin
      // Groups of parts are of nearly one size. Those of 32 bits may fill a block more than others, so there
      // it must hold three of their mean size: the sample has too few of some parts by chance.
      constexpr double spread = Order::has_exponent ? 1.25 : 1;
      constexpr int means = Order::has_exponent && Order::bits <= 32 ? 3 : 1;
      bool const few =
                     spread * together * static_cast<double>(n) <= pairs * static_cast<double>(most_of_group),
                 small = fit && few && (n >> 8 * d) * means <= most_of_group;
      bool alike = false;
      if (d == 2 && !few) alike = in_group <= pairs_alike(words, counters, sums);
      if (small || alike) {
        if (t == 0) {
          *found = code;
          shorter->digits = static_cast<unsigned>(d);
          shorter->alike = alike ? 1 : 0;
          shorter->most_outside = static_cast<unsigned long long>(most_of_group);
        }
        return;
      }
    }
  }

 private:
  /// What thread t knows of part t.
  struct sample_parts {
    static_assert(threads == code_parts);
    std::uint32_t before, own, all;  ///< weights of the parts before it, of it, of all
    float densest;  ///< as much of the sample as it would have, were all of it as dense as one of its ends

    /// A part weighs as much as it may have keys: more than of the sample, in which few are by chance too
    /// few.
    __device__ void count(code_type& code, word const (&words)[each], unsigned* counters) {
      __shared__ std::uint32_t sums[threads / 32];
      int const t = static_cast<int>(threadIdx.x), lane = t % 32;
      __syncthreads();  // all have read what was found before
      counters[t] = 0;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < each; ++k)
        atomicAdd(counters + static_cast<unsigned>(code.distance(words[k]) >> code.shift), 1u);
      __syncthreads();
      unsigned const some = counters[t];
      bool near = false;
      for (int i = max(t - 2, 0); i <= min(t + 2, threads - 1); ++i) near = near || counters[i] != 0;
      own = near ? 16 * some + static_cast<unsigned>(40 * sqrtf(static_cast<float>(some))) + 48 : 8;
      // How much denser it is at one of its ends than at the other follows from those beside it, where they
      // have any: it may be the first, or last.
      auto const here = static_cast<float>(some), left = static_cast<float>(counters[max(t - 1, 0)]),
                 right = static_cast<float>(counters[min(t + 1, threads - 1)]);
      float square = 1;
      if (left > 0 && right > 0) square = left / right;
      else if (left + right > 0 && some > 0) square = here * here / ((left + right) * (left + right));
      float const ratio = sqrtf(fmaxf(square, 1 / square));
      // Of a density that falls by this ratio, to an even one: r log(r) / (r - 1), nearly.
      float const excess = 3 * ratio * (ratio + 1) / (ratio * (ratio + 4) + 1);
      densest = some < 16 ? 0 : here * excess;
      auto sum = own;
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        auto const before_lane = __shfl_up_sync(~0u, sum, by);
        if (lane >= by) sum += before_lane;
      }
      if (lane == 31) sums[t / 32] = sum;
      __syncthreads();
      before = __reduce_add_sync(~0u, lane < t / 32 ? sums[lane] : 0) + sum - own;
      all = __reduce_add_sync(~0u, sums[lane]);
    }
    /// Gives parts codes of so many digits. Whether no group of `items` is likely to have more than `most`.
    __device__ bool share(code_type& code, int digits_of_code, code_part* to, float items, float most) const {
      __shared__ code_part parts[code_parts];
      auto const codes = (std::uint64_t{1} << 8 * digits_of_code) - 1;
      auto const first = static_cast<std::uint32_t>(before * codes / all),
                 next = static_cast<std::uint32_t>((before + own) * codes / all);
      bool const too_large =
          densest * (items / keys_of_sample) > most * static_cast<float>(max(next - first, 1u));
      bool const fit = __syncthreads_or(too_large ? 1 : 0) == 0;
      to[threadIdx.x] = parts[threadIdx.x] = {first, next - first};
      code.parts = parts;
      return fit;
    }
  };

  /// The code's range; returns the bits that tell its words apart, or 0.
  __device__ int find_range(word const (&words)[each], code_type& code, unsigned* sums) const {
    int const t = static_cast<int>(threadIdx.x);
    __shared__ word one;  // the range has all words that agree with it above the highest bit that differs
    if (t < 4) sums[t] = 0;
    if (t == 0) one = words[0];
    __syncthreads();
    word differ = 0;
#pragma unroll
    for (int k = 0; k < each; ++k)
      differ =
          static_cast<word>(differ | static_cast<word>(static_cast<word>(words[k] ^ one) >> digits.begin));
#pragma unroll
    for (int p = 0; p < (word_bits + 31) / 32; ++p) {
      auto const some = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> (32 * p) % word_bits));
      if (t % 32 == 0 && some != 0) atomicOr(sums + p, some);
    }
    __syncthreads();
    int top = 0;  // the bit behind the highest
    for (int p = 0; p < (word_bits + 31) / 32; ++p)
      if (sums[p] != 0) top = 32 * p + 32 - __clz(static_cast<int>(sums[p]));
    if (top == 0) return 0;
    // A few keys have smaller exponents than all of the sample.
    if (Order::has_exponent) top = min(top + 2, digits.end - digits.begin);
    auto const below = static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - digits.begin - top));
    code.low = static_cast<word>(one & static_cast<word>(~below));
    code.high = static_cast<word>(one | below);
    __syncthreads();
    return top;
  }

  /// How often two keys of the sample are in one bin: bin_of(k) is that of the thread's key k.
  template <class BinOf>
  __device__ static unsigned pairs_in_bins(unsigned* counters, unsigned* sum, BinOf bin_of) {
    int const t = static_cast<int>(threadIdx.x);
    __syncthreads();  // all have read what was found before
    for (int i = t; i < bins / 8; i += threads) reinterpret_cast<uint4*>(counters)[i] = uint4{0, 0, 0, 0};
    if (t == 0) *sum = 0;
    __syncthreads();
    unsigned bin[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      bin[k] = bin_of(k);
      atomicAdd(counters + bin[k] / 2, 1u << bin[k] % 2 * 16);
    }
    __syncthreads();
    unsigned others = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) others += (counters[bin[k] / 2] >> bin[k] % 2 * 16 & 0xffff) - 1;
    others = __reduce_add_sync(~0u, others);
    if (t % 32 == 0) atomicAdd(sum, others);
    __syncthreads();
    return *sum;
  }
  /// How often two keys are alike, or by chance in one bin.
  __device__ static unsigned pairs_alike(word const (&words)[each], unsigned* counters, unsigned* sum) {
    return pairs_in_bins(counters, sum, [&](int k) {
      unsigned mixed = 0;
#pragma unroll
      for (int p = 0; p < (word_bits + 31) / 32; ++p)
        mixed = (mixed ^ static_cast<unsigned>(words[k] >> (32 * p) % word_bits)) * 0x9e3779b1u;
      return mixed >> 16;
    });
  }
  /// A place among n, of which there are fewer than 2^32: the same in every run.
  __device__ std::int64_t drawn(int k) const {
    auto bits = static_cast<unsigned>(k) * 0x9e3779b1u + 0x85ebca6bu;
    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(bits ^ bits >> 16) * static_cast<std::uint64_t>(n) >> 32);
  }
};

/// Windows of so many items each: a window has the groups that begin in it.
struct radix_windows {
  std::uint32_t* begins = nullptr;  ///< of windows, and behind the last
  std::int64_t items = 0, count = 0, most_of_group = 0;
};

/// A block sorts the groups of neighbouring windows, of as many of a range of them as fit it.
template <class Key, class Value, class Order>
struct radix_finish_job {
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_to = std::conditional_t<has_values, Value*, no_values>;
  using group = sort_problem<Key const*, values_in, Key*, values_to, Order>;
  // As many rows as registers hold.
  static constexpr int bytes_of_thread = Order::bits > 32      ? (has_values ? 80 : 88)
                                         : has_values          ? 44
                                         : Order::has_exponent ? 64
                                                               : 56;
  using block_job = radix_block_job<group, 512, bytes_of_thread>;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks;
  static constexpr std::size_t dynamic_bytes(int) { return block_job::bytes; }
  /// Small groups fill a block together, and have many short windows. Each of these is looked for, so that
  /// large groups, of two digits, have the longest windows, one a block.
  static constexpr bool has_small_groups(std::int64_t n) { return (n >> 16) * 4 <= block_job::most_items; }
  /// Of a group, and at most of a window, whose groups end before the block is full. Pairs of 2^28 narrow
  /// items have groups that nearly fill it.
  static constexpr std::int64_t most_of_group = has_values && Order::bits <= 32
                                                    ? block_job::most_items * 13 / 16
                                                : Order::has_exponent && Order::bits <= 32
                                                    ? block_job::most_items * 3 / 4
                                                    : block_job::most_items * 2 / 3,
                                most_of_window = block_job::most_items - most_of_group;
  static constexpr std::int64_t window_items(std::int64_t n) {
    return has_small_groups(n) ? block_job::most_items / 16 : most_of_window;
  }
  static constexpr int windows_of_range(std::int64_t n) { return has_small_groups(n) ? 14 : 1; }
  /// Blocks of a range of windows: two of any three neighbouring ones have more together than fits a block,
  /// or all do, and a range has fewer than twice as many.
  static constexpr int blocks_of_range(std::int64_t n) { return has_small_groups(n) ? 3 : 1; }

  radix_memory<Key> key_memory;
  radix_memory<Value> value_memory;
  Order order;
  radix_digits digits;
  radix_windows windows;
  unsigned ranges;  ///< of windows
  int of_range;     ///< windows, fewer than 32

  __device__ void operator()() const {
    if (!digits.shorter->has_groups()) return;
    // Its windows are put together from the first on, as many as fit; nth is how many times that was done.
    auto const nth = blockIdx.x / ranges,
               first = (blockIdx.x - nth * ranges) * static_cast<unsigned>(of_range);
    int const count = static_cast<int>(min(windows.count - first, std::int64_t{of_range})),
              lane = static_cast<int>(threadIdx.x % 32);
    std::uint32_t const bound = lane <= count ? windows.begins[first + lane] : 0;  // of the lane's window
    std::uint32_t begin = 0, end = 0;
    int at = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= nth; ++k) {
      if (at >= count) return;
      begin = __shfl_sync(~0u, bound, at);
      unsigned const fit = __ballot_sync(~0u, lane > at && lane <= count &&
                                                  bound - begin <= std::uint32_t{block_job::most_items});
      at = 31 - __clz(static_cast<int>(fit));
      end = __shfl_sync(~0u, bound, at);
    }
    if (begin < end) sort_groups(begin, end);
  }

 private:
  __device__ void sort_groups(std::int64_t begin, std::int64_t end) const {
    auto const side = radix_route::behind_shorter(digits);
    auto const* const keys = key_memory.of(side) + begin;
    auto* const keys_out = key_memory.last + begin;
    if constexpr (has_values)
      block_job{group{nullptr, keys, value_memory.of(side) + begin, keys_out, value_memory.last + begin,
                      end - begin, order},
                digits}();
    else block_job{group{nullptr, keys, {}, keys_out, {}, end - begin, order}, digits}();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
