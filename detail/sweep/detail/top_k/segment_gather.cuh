// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENT_GATHER_CUH
#define SWEEP_DETAIL_TOP_K_SEGMENT_GATHER_CUH

#include <sweep/detail/block/bitonic_network.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/top_k/numbered.cuh>
#include <sweep/detail/top_k/segmented_problem.hpp>
#include <sweep/detail/top_k/warp_rows.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A number that so many of a warp's are not greater than, at least `k` and if there is one at most
/// `enough`, by halving the range from `low` to `high`: at least k are not greater than `high`.
/// count_of(x) tells each lane how many of its own are not greater than x.
template <class N, class CountOf>
__device__ N warp_bound(N low, N high, int k, int enough, CountOf const& count_of) {
#pragma unroll 1
  while (low < high) {
    auto const middle = static_cast<N>(low + static_cast<N>(high - low) / 2);
    auto const count = static_cast<int>(__reduce_add_sync(~0u, static_cast<unsigned>(count_of(middle))));
    if (count < k) {
      low = static_cast<N>(middle + 1);
    } else {
      high = middle;
      if (count <= enough) break;
    }
  }
  return high;
}
template <class N>
__device__ N warp_lowest(N x) {
  if constexpr (sizeof(N) <= 4) {
    return static_cast<N>(__reduce_min_sync(~0u, static_cast<unsigned>(x)));
  } else {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
      N const other = warp_shfl_xor(x, by);
      if (other < x) x = other;
    }
    return x;
  }
}
template <class N>
__device__ N warp_highest(N x) {
  return static_cast<N>(~warp_lowest(static_cast<N>(~x)));
}

/// A warp that gathers what may be among the MostK, or fewer, least of the numbers that it is shown, no two
/// of which are equal. Where there is no more room, it finds a bound below which little more than k lie, and
/// keeps those. In the end it brings them in order: by bins, as many as numbers or so, in whose order they
/// are put down, and each finds its rank among the few of its bin.
template <class Number, int MostK>
class warp_gathering {
 public:
  static constexpr int room = 3 * MostK, most_sorted = room / 2, rows = most_sorted / 32, bins = MostK,
                       most_in_bin = 24;
  struct shared {
    Number numbers[room];
    unsigned begins[bins + 1];  ///< first how many numbers a bin has
  };
  __device__ warp_gathering(shared& smem, int k)
      : smem_{smem}, k_{k}, limit_{static_cast<Number>(~Number{0})} {}

  /// No number above it is one of the k.
  __device__ Number limit() const { return limit_; }
  __device__ void set_limit(Number limit) { limit_ = limit; }
  __device__ int k() const { return k_; }
  __device__ int enough() const { return k_ + k_ / 8 + 8; }

  /// Whether there is room for numbers of which this lane has so many.
  __device__ bool has_room_for(int own) const {
    return count_ + static_cast<int>(__reduce_add_sync(~0u, static_cast<unsigned>(own))) <= room;
  }
  /// A lane's numbers number_of(r), for the bits r that are set, for which there is room.
  template <int R, class NumberOf>
  __device__ void take(unsigned own, NumberOf const& number_of) {
    int const lane = static_cast<int>(threadIdx.x % 32), count = __popc(own);
    int through = count;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      int const left = __shfl_up_sync(~0u, through, by);
      if (lane >= by) through += left;
    }
    auto* to = smem_.numbers + (count_ + through - count);
#pragma unroll
    for (int r = 0; r < R; ++r)
      if ((own >> r & 1) != 0) *to++ = number_of(r);
    count_ += __shfl_sync(~0u, through, 31);
    __syncwarp();
  }

  /// Of more than enough numbers keeps enough.
  __device__ void narrow() {
    if (count_ <= enough()) return;
    int const lane = static_cast<int>(threadIdx.x % 32);
    Number low = static_cast<Number>(~Number{0}), high = 0;
#pragma unroll 4
    for (int i = lane; i < count_; i += 32) {
      Number const x = smem_.numbers[i];
      if (x < low) low = x;
      if (high < x) high = x;
    }
    limit_ = warp_bound(warp_lowest(low), warp_highest(high), k_, enough(), [&](Number x) {
      int count = 0;
#pragma unroll 4
      for (int i = lane; i < count_; i += 32) count += smem_.numbers[i] <= x ? 1 : 0;
      return count;
    });
    int kept = 0;
#pragma unroll 1
    for (int first = 0; first < count_; first += 32) {
      Number const x = smem_.numbers[min(first + lane, count_ - 1)];
      unsigned const those = __ballot_sync(~0u, first + lane < count_ && x <= limit_);
      __syncwarp();  // all have read what is written over
      if ((those >> lane & 1) != 0) smem_.numbers[kept + __popc(those & ((1u << lane) - 1))] = x;
      kept += __popc(those);
      __syncwarp();
    }
    count_ = kept;
  }

  /// put(j, number) of the k least, of which there are as many.
  template <class Put>
  __device__ void finish(Put const& put) {
    if (count_ > most_sorted) narrow();
    int const lane = static_cast<int>(threadIdx.x % 32), count = count_;
    auto* const sorted = smem_.numbers + most_sorted;
    Number own[rows], least = static_cast<Number>(~Number{0}), most = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      own[r] = 0;
      if (r * 32 + lane >= count) continue;
      own[r] = smem_.numbers[r * 32 + lane];
      if (own[r] < least) least = own[r];
      if (most < own[r]) most = own[r];
    }
    for (int b = lane; b <= bins; b += 32) smem_.begins[b] = 0;
    __syncwarp();
    least = warp_lowest(least);
    most = warp_highest(most);
    int const shift = max(bit_length(static_cast<Number>(most - least)) - bits_to_count(bins), 0);
    auto const bin_of = [&](Number x) { return static_cast<unsigned>((x - least) >> shift); };
    unsigned counted[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (r * 32 + lane < count) counted[r] = atomicAdd(smem_.begins + bin_of(own[r]), 1u);
    }
    __syncwarp();
    if (!place_bins(count)) return sort_and_put(put);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (r * 32 + lane < count) sorted[smem_.begins[bin_of(own[r])] + counted[r]] = own[r];
    }
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < count; i += 32) {
      Number const x = sorted[i];
      auto const bin = bin_of(x);
      auto const begin = static_cast<int>(smem_.begins[bin]), end = static_cast<int>(smem_.begins[bin + 1]);
      int rank = begin;
#pragma unroll 1
      for (int other = begin; other < end; ++other) rank += sorted[other] < x ? 1 : 0;
      if (rank < k_) put(rank, x);
    }
    __syncwarp();
  }

 private:
  /// Counts of bins become where they begin. Whether none has too many numbers.
  __device__ bool place_bins(int count) {
    constexpr int each = bins / 32;
    int const lane = static_cast<int>(threadIdx.x % 32);
    unsigned counts[each], sum = 0, most = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      counts[i] = smem_.begins[lane * each + i];
      most = max(most, counts[i]);
      sum += counts[i];
    }
    if (__any_sync(~0u, most > most_in_bin)) return false;
    unsigned through = sum;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      unsigned const left = __shfl_up_sync(~0u, through, by);
      if (lane >= by) through += left;
    }
    unsigned begin = through - sum;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      smem_.begins[lane * each + i] = begin;
      begin += counts[i];
    }
    if (lane == 0) smem_.begins[bins] = static_cast<unsigned>(count);
    __syncwarp();
    return true;
  }

  /// However numbers lie.
  template <class Put>
  __device__ void sort_and_put(Put const& put) {
    static_assert(2 * most_sorted <= room + 1 && 512 <= room);
    sort_by_network<32>(smem_.numbers, count_, [] { __syncwarp(); });
    for (int j = static_cast<int>(threadIdx.x % 32); j < min(k_, count_); j += 32) put(j, smem_.numbers[j]);
    __syncwarp();
  }

  shared& smem_;
  int k_, count_ = 0;
  Number limit_;
};

/// A warp for each segment, for k above those that a warp keeps a lane each: it reads as many items at once
/// as registers hold. Of the first of them the k-th of the least of two gives a limit; what is not above it
/// is gathered.
template <class Problem, class Bounds, class Number>
struct gathering_top_k_job {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using held = std::conditional_t<(sizeof(typename order::word) > 4), typename order::word, std::uint32_t>;
  static constexpr int most_k = 256;
  using gathering_type = warp_gathering<Number, most_k>;
  static constexpr int threads = sizeof(Number) > 8 ? 64 : 128, blocks = 6;
  static constexpr int R = sizeof(held) > 4 ? 16 : 32, few = R / 2;
  using rows_type = warp_rows<std::remove_cvref_t<decltype(Problem::keys_in)>, R>;
  Problem problem;
  Bounds bounds;
  counting_bits<order> bits;
  int index_bits;

  __device__ void operator()() const {
    __shared__ typename gathering_type::shared smem[threads / 32];
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const own = problem;
    auto const where = bounds;
    auto const count = where.count();
    auto const warps = std::int64_t{gridDim.x} * (threads / 32);
    for (auto s = std::int64_t{blockIdx.x} * (threads / 32) + warp; s < count; s += warps) {
      auto const at = where(s);
      if (at.size() == 0) continue;
      gathering_type chosen(smem[warp], static_cast<int>(min(own.k, at.size())));
      int step = 0;
#pragma unroll 1
      for (std::int64_t from = 0; from < at.size(); from += step) {
        int const left = static_cast<int>(min(at.size() - from, std::int64_t{32 * R}));
        if (left == 32 * R) look_at_all(own, chosen, at.begin, from);
        else look_at_few(own, chosen, at.begin, from, left);
        step = left == 32 * R ? 32 * R : 32 * few;
      }
      chosen.finish([&](int j, Number x) {
        own.put(s, j, at.begin, static_cast<std::int64_t>(x & low_ones<Number>(index_bits)));
      });
    }
  }

 private:
  __device__ void look_at_all(Problem const& own, gathering_type& chosen, std::int64_t begin,
                              std::int64_t from) const {
    held w[R];
    rows_type::load(own.keys_in, begin + from, w, [&](key const& x) { return held{bits(x)}; });
    if (from == 0) chosen.set_limit(limit_of(chosen, w));
    gather(chosen, w, ~0u >> (32 - R), [&](int r) { return from + rows_type::place(r); });
  }
  __device__ void look_at_few(Problem const& own, gathering_type& chosen, std::int64_t begin,
                              std::int64_t from, int left) const {
    int const lane = static_cast<int>(threadIdx.x % 32);
    held w[few];
    unsigned exist = 0;
#pragma unroll
    for (int r = 0; r < few; ++r) {
      w[r] = static_cast<held>(~held{0});
      if (r * 32 + lane >= left) continue;
      w[r] = bits(static_cast<key>(own.keys_in[begin + from + r * 32 + lane]));
      exist |= 1u << r;
    }
    if (from == 0 && left > 2 * chosen.k()) chosen.set_limit(limit_of(chosen, w));
    gather(chosen, w, exist, [&](int r) { return from + r * 32 + lane; });
  }

  /// Those that exist and are not above the limit.
  template <int Rows, class IndexOf>
  __device__ void gather(gathering_type& chosen, held const (&w)[Rows], unsigned exist,
                         IndexOf const& index_of) const {
    auto const number_of = [&](int r) {
      return static_cast<Number>(static_cast<Number>(w[r]) << index_bits | static_cast<Number>(index_of(r)));
    };
    auto const those_below_limit = [&] {
      auto const limit = chosen.limit();
      auto const head = static_cast<held>(limit >> index_bits);
      unsigned those = 0;
      if ((~limit & low_ones<Number>(index_bits)) == 0) {
#pragma unroll
        for (int r = 0; r < Rows; ++r)
          if (w[r] <= head) those |= 1u << r;
      } else {
#pragma unroll
        for (int r = 0; r < Rows; ++r)
          if (number_of(r) <= limit) those |= 1u << r;
      }
      return those;
    };
    unsigned left = exist & those_below_limit();
#pragma unroll 1
    while (true) {
      unsigned const those_rows = __reduce_or_sync(~0u, left);
      if (those_rows == 0) break;
      unsigned some = left;
      if (!chosen.has_room_for(__popc(some))) {
        chosen.narrow();  // behind it there is room for eight rows
        left &= those_below_limit();
        some = left & 0xffu << ((__ffs(static_cast<int>(those_rows)) - 1) / 8 * 8);
      }
      chosen.template take<Rows>(some, number_of);
      left &= ~some;
    }
  }

  /// What the k-th is not above: k of the least of two are not. All ones stand for what does not exist, and
  /// are no limit.
  template <int Rows>
  __device__ Number limit_of(gathering_type const& chosen, held const (&w)[Rows]) const {
    constexpr int half = Rows / 2;
    held lesser[half], low = static_cast<held>(~held{0}), high = 0;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      lesser[r] = min(w[r], w[r + half]);
      low = min(low, lesser[r]);
      high = max(high, lesser[r]);
    }
    auto const bound =
        warp_bound(warp_lowest(low), warp_highest(high), chosen.k(), chosen.enough(), [&](held x) {
          int count = 0;
#pragma unroll
          for (int r = 0; r < half; ++r) count += lesser[r] <= x ? 1 : 0;
          return count;
        });
    return static_cast<Number>(static_cast<Number>(bound) << index_bits | low_ones<Number>(index_bits));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
