// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MERGE_TILE_CUH
#define SWEEP_DETAIL_MERGE_TILE_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/merge/problem.hpp>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <sweep/detail/core/standard.hpp>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Values that lie side by side come into shared memory beside the keys: as narrow ones as leave room for
/// enough of them. Others are read where they are.
template <class Problem>
inline constexpr int staged_value_bytes = [] {
  using in1 = decltype(Problem::values1);
  if constexpr (std::is_pointer_v<in1> && std::is_same_v<in1, decltype(Problem::values2)>) {
    using value = value_of<in1>;
    return relocatable<value> && std::is_default_constructible_v<value> && sizeof(value) <= 16 &&
                   sizeof(typename Problem::key1) <= 16 && sizeof(typename Problem::key2) <= 16
               ? static_cast<int>(sizeof(value))
               : 0;
  } else {
    return 0;
  }
}();

/// Narrow keys of one type that are alone move through registers; of others a place is known.
template <class Problem>
inline constexpr bool merge_moves_keys = std::is_same_v<typename Problem::key1, typename Problem::key2> &&
                                         !Problem::has_values && sizeof(typename Problem::key1) <= 16;

/// How many results a block makes: an odd number a thread, so that the lanes of a warp, which write theirs
/// one behind the other, meet in no bank of shared memory; and as many as 40 KiB of keys and values. Of words
/// alone fewer threads make more each, so that fewer look for where theirs begin.
template <class Problem>
struct merge_shape {
  static constexpr int widest =
      static_cast<int>(std::max(sizeof(typename Problem::key1), sizeof(typename Problem::key2)));
  /// Keys of a register or two, of which a thread has so few that a multiprocessor has all its warps.
  static constexpr bool in_registers =
      merge_moves_keys<Problem> && widest >= 4 && widest <= 8 && alignof(typename Problem::key1) >= 4;
  static constexpr bool words = in_registers && widest <= 4;
  static constexpr int threads = words                       ? 256
                                 : merge_moves_keys<Problem> ? 512
                                 : widest <= 128             ? 256
                                 : widest <= 512             ? 64
                                                             : 32,
                       item = widest + staged_value_bytes<Problem>,
                       each = staged_value_bytes<Problem> > 0          ? (item <= 8    ? 17
                                                                          : item <= 12 ? 11
                                                                          : item <= 16 ? 9
                                                                          : item <= 20 ? 7
                                                                                       : 5)
                              : in_registers                           ? (words ? 25 : 9)
                              : merge_moves_keys<Problem>&&widest <= 2 ? 33
                              : widest <= 4                            ? 17
                              : widest <= 8                            ? 11
                              : merge_moves_keys<Problem>              ? 5
                              : widest <= 16                           ? 7
                              : widest <= 48                           ? 3
                                                                       : 1,
                       blocks = widest > 128                      ? 8
                                : in_registers                    ? (words ? 5 : 4)
                                : merge_moves_keys<Problem>       ? (widest <= 2 ? 2 : 3)
                                : staged_value_bytes<Problem> > 0 ? 5
                                                                  : 6,
                       items = threads * each;
  static_assert(widest <= 1024,
                "sweep: on the device keys of a merge have at most 1 KiB: merge indices of wider ones");
};

/// The part of a merge between two diagonals: items from i and from j on, so many of each.
struct merge_part {
  std::int64_t i, j;
  int count1, count2;
};

/// A thread block that makes `items` neighbouring results. The keys of both ranges come into shared memory; a
/// thread finds where its results begin on the merge path of these and follows it, and leaves the results
/// there, or the place of each result's key, in bytes. What is written is read by these places: keys from
/// shared memory, values from there or from where they are.
template <class Problem>
class merge_tile {
  using key1 = typename Problem::key1;
  using key2 = typename Problem::key2;
  using out = written_value<decltype(Problem::keys_out), key1>;
  using shape = merge_shape<Problem>;
  static constexpr int threads = shape::threads, each = shape::each, size1 = static_cast<int>(sizeof(key1)),
                       size2 = static_cast<int>(sizeof(key2)),
                       align = static_cast<int>(
                           std::max(std::size_t{16}, std::max(alignof(key1), alignof(key2))));
  static constexpr bool alike = std::is_same_v<key1, key2>;
  static constexpr bool moves_keys = merge_moves_keys<Problem>;
  static constexpr int value_size = staged_value_bytes<Problem>;
  static constexpr bool stages_values = value_size > 0;

 public:
  struct shared {
    // One range behind the other, and what the last thread may read beyond.
    static constexpr int bytes =
        staged_bytes((shape::items + each) * shape::widest) + staged_bytes(0) + (align > 16 ? 3 * align : 0);
    static_assert(bytes < 0x10000, "places have 16 bits");
    alignas(16) alignas(key1) alignas(key2) unsigned char room[bytes];
    static constexpr int value_bytes =
        stages_values ? staged_bytes(shape::items * value_size) + staged_bytes(0) : 16;
    alignas(16) unsigned char values[value_bytes];
    unsigned short places[moves_keys ? 1 : shape::items];
    std::int64_t cuts[2];
  };
  static_assert(shape::widest > 128 || sizeof(shared) <= 48 * 1024, "every kernel may have so much");

  __device__ merge_tile(Problem const& problem, shared& smem) : problem_{problem}, smem_{smem} {}

  /// Where the merge path crosses diagonals d and end; found by a warp each.
  __device__ merge_part find(std::int64_t d, std::int64_t end) {
    for (int which = static_cast<int>(threadIdx.x / 32); which < 2; which += threads / 32) {
      auto const at = which == 0 ? d : end;
      auto const i =
          warp_find_first(at > problem_.n2 ? at - problem_.n2 : 0, at < problem_.n1 ? at : problem_.n1,
                          [&](std::int64_t k) { return problem_.second_first(k, at - 1 - k); });
      if (threadIdx.x % 32 == 0) smem_.cuts[which] = i;
    }
    __syncthreads();
    return part(d, end, smem_.cuts[0], smem_.cuts[1]);
  }
  static __device__ merge_part part(std::int64_t d, std::int64_t end, std::int64_t i, std::int64_t next) {
    auto const count = path_between(i, next, end - d);
    return {i, d - i, static_cast<int>(count), static_cast<int>(end - d - count)};
  }

  /// Makes results from d on.
  __device__ void make(std::int64_t d, merge_part const& part) {
    auto const place_of = [&](unsigned char const* p) { return static_cast<int>(p - smem_.room); };
    first_ = place_of(stage_items<threads, key1>(smem_.room, problem_.keys1, part.i, part.count1));
    int const behind = (staged_bytes(part.count1 * size1) + align - 1) / align * align;
    second_ = place_of(stage_items<threads, key2>(smem_.room + behind, problem_.keys2, part.j, part.count2));
    if constexpr (stages_values) {
      end_first_async_copies();
      using value = value_of<decltype(Problem::values1)>;
      auto* const values = smem_.values;
      first_value_ = static_cast<int>(
          stage_items<threads, value>(values, problem_.values1, part.i, part.count1) - values);
      second_value_ =
          static_cast<int>(stage_items<threads, value>(values + staged_bytes(part.count1 * value_size),
                                                       problem_.values2, part.j, part.count2) -
                           values);
      await_first_async_copies();
    } else {
      await_async_copies();
    }
    __syncthreads();
    if constexpr (moves_keys) {
      key1 results[each];
      follow_path(part.count1, part.count2, results);
      __syncthreads();
#pragma unroll
      for (int e = 0; e < each; ++e)
        put_bytes(reinterpret_cast<key1*>(smem_.room)[threadIdx.x * each + e], results[e]);
      if constexpr (writes_quads)
        if (part.count1 + part.count2 == shape::items &&
            reinterpret_cast<std::uintptr_t>(problem_.keys_out + d) % 16 == 0)
          return write_quads(d);
    } else {
      follow_path(part.count1, part.count2, smem_.places + threadIdx.x * each);
    }
    if constexpr (stages_values) await_async_copies();
    __syncthreads();
    write(d, part);
  }

 private:
  __device__ key1 const& first_at(int place) const {
    return *reinterpret_cast<key1 const*>(smem_.room + place);
  }
  __device__ key2 const& second_at(int place) const {
    return *reinterpret_cast<key2 const*>(smem_.room + place);
  }

  /// This thread's results, or their places; behind the last of all, anything.
  template <class Result>
  __device__ void follow_path(int n1, int n2, Result* results) const {
    int const from = static_cast<int>(threadIdx.x) * each, d = min(from, n1 + n2);
    int const steps = merge_path(n1, n2, d, [&](int i, int j) {
      return problem_.before(second_at(second_ + j * size2), first_at(first_ + i * size1));
    });
    int const a = first_ + steps * size1, b = second_ + (d - steps) * size2, end1 = first_ + n1 * size1,
              end2 = second_ + n2 * size2;
    if constexpr (shape::in_registers)  // most warps reach the end of neither range
      if (__all_sync(~0u, a + each * size1 < end1 && b + each * size2 < end2))
        return follow_path<false>(a, b, end1, end2, results);
    follow_path<true>(a, b, end1, end2, results);
  }
  /// From these places on; ToEnd: a range may end on the way.
  template <bool ToEnd, class Result>
  __device__ void follow_path(int a, int b, int end1, int end2, Result* results) const {
    key1 x;
    key2 y;
    put_bytes(x, first_at(a));
    put_bytes(y, second_at(b));
#pragma unroll
    for (int e = 0; e < each; ++e) {
      bool const takes_second =
          ToEnd ? b < end2 && (a >= end1 || problem_.before(y, x)) : problem_.before(y, x);
      int const place = takes_second ? b : a;
      if constexpr (moves_keys) put_bytes(results[e], select_registers(takes_second, y, x));
      else results[e] = static_cast<unsigned short>(place);
      if constexpr (alike && size1 <= 16) {  // one load, whichever it is
        key1 next;
        put_bytes(next, first_at(place + size1));
        if (takes_second) b += size1;
        else a += size1;
        put_bytes(x, select_registers(takes_second, x, next));
        put_bytes(y, select_registers(takes_second, next, y));
      } else if (takes_second) {
        b += size2;
        put_bytes(y, second_at(b));
      } else {
        a += size1;
        put_bytes(x, first_at(a));
      }
    }
  }

  /// Whether a warp's results can leave as they lie in shared memory, 16 bytes at a time.
  static constexpr bool writes_quads =
      moves_keys && std::is_same_v<decltype(Problem::keys_out), key1*> && 32 * each * size1 % 16 == 0;
  /// Each warp its own, which it need not wait for others for.
  __device__ void write_quads(std::int64_t d) const {
    __syncwarp();
    constexpr int quads = 32 * each * size1 / 16;
    int const lane = static_cast<int>(threadIdx.x % 32), first = static_cast<int>(threadIdx.x / 32) * quads;
    auto const* const from = reinterpret_cast<uint4 const*>(smem_.room) + first;
    auto* const to = reinterpret_cast<uint4*>(problem_.keys_out + d) + first;
#pragma unroll
    for (int q = 0; q < quads; q += 32)
      if (q + 32 <= quads || q + lane < quads) to[q + lane] = from[q + lane];
  }

  /// Neighbouring results by neighbouring threads; of narrow keys as many together as make a word.
  __device__ void write(std::int64_t d, merge_part const& part) const {
    int const count = part.count1 + part.count2, t0 = static_cast<int>(threadIdx.x);
    if constexpr (narrow > 1) {
      auto* const to = problem_.keys_out + d;
      int const head = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 4 / sizeof(out));
      for (int t = t0 * narrow - head; t < count; t += threads * narrow) {
        out some[narrow];
#pragma unroll
        for (int v = 0; v < narrow; ++v)
          if (t + v >= 0 && t + v < count) put_bytes(some[v], result(t + v));
        if (t >= 0 && t + narrow <= count) {
          item_vector<out, narrow> word;
          word.pack(some);
          store_vectors<access::streaming>(to + t, word);
        } else {
#pragma unroll
          for (int v = 0; v < narrow; ++v)
            if (t + v >= 0 && t + v < count) put_bytes(to[t + v], some[v]);
        }
      }
    } else {
#pragma unroll 4
      for (int t = t0; t < count; t += threads) {
        int const place = place_of(t);
        if constexpr (alike) problem_.keys_out[d + t] = result(t);
        else if (place < second_) problem_.keys_out[d + t] = static_cast<out>(first_at(place));
        else
          problem_.keys_out[d + t] =
              static_cast<written_value<decltype(problem_.keys_out), key2>>(second_at(place));
      }
    }
    if constexpr (stages_values) {
      using value = value_of<decltype(Problem::values1)>;
      using written = written_value<decltype(problem_.values_out), value>;
#pragma unroll 4
      for (int t = t0; t < count; t += threads) {
        int const place = smem_.places[t], at = place < second_
                                                    ? first_value_ + (place - first_) / size1 * value_size
                                                    : second_value_ + (place - second_) / size2 * value_size;
        problem_.values_out[d + t] = static_cast<written>(*reinterpret_cast<value const*>(smem_.values + at));
      }
    } else if constexpr (Problem::has_values) {
      using value1 = written_value<decltype(problem_.values_out), value_of<decltype(problem_.values1)>>;
      using value2 = written_value<decltype(problem_.values_out), value_of<decltype(problem_.values2)>>;
#pragma unroll 4
      for (int t = t0; t < count; t += threads) {
        int const place = smem_.places[t];
        if (place < second_)
          problem_.values_out[d + t] =
              static_cast<value1>(problem_.values1[part.i + (place - first_) / size1]);
        else
          problem_.values_out[d + t] =
              static_cast<value2>(problem_.values2[part.j + (place - second_) / size2]);
      }
    }
  }
  /// How many results of less than a word leave as one.
  static constexpr int narrow = [] {
    if constexpr (std::is_pointer_v<decltype(Problem::keys_out)> && relocatable<out> &&
                  std::is_default_constructible_v<out>)
      return sizeof(out) == 1 ? 4 : sizeof(out) == 2 ? 2 : 1;
    else return 1;
  }();
  __device__ int place_of(int t) const {
    if constexpr (moves_keys) return t * size1;
    else return smem_.places[t];
  }
  __device__ out result(int t) const {
    int const place = place_of(t);
    if constexpr (!alike)
      if (place >= second_) return static_cast<out>(second_at(place));
    return static_cast<out>(first_at(place));
  }

  Problem const& problem_;
  shared& smem_;
  int first_ = 0, second_ = 0;              ///< places of the first keys
  int first_value_ = 0, second_value_ = 0;  ///< and values, where these are staged
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
