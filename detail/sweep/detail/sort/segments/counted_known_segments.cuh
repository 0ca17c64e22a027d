// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_COUNTED_KNOWN_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_COUNTED_KNOWN_SEGMENTS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/known_segments.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/tile/marked_places.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments of keys that are bytes, and nothing else, whose places the caller knows: how many there are of
// each byte says what is in order, and no key is moved. A warp counts and writes a segment, a block one that
// is longer, and all blocks together those that one block would take too long for; so it is one kernel.

/// Where the keys of each byte begin in order, of the bytes that a lane has.
template <class Index>
struct bytes_of_lane {
  static constexpr int each = 8;
  Index begins[each + 1];  ///< and where the last ends

  /// Of how many there are of each, by a whole warp.
  __device__ explicit bytes_of_lane(Index const (&counts)[each]) {
    Index sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) sum += counts[k];
    Index before = sum;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      Index const left = __shfl_up_sync(~0u, before, by);
      if (static_cast<int>(threadIdx.x % 32) >= by) before += left;
    }
    begins[0] = before - sum;
#pragma unroll
    for (int k = 0; k < each; ++k) begins[k + 1] = begins[k] + counts[k];
  }
};

template <class Problem, class Source>
struct count_known_segments_job {
  using key = typename Problem::key;
  using order_type = typename Problem::order_type;
  using bins_type = bins_of_keys<order_type>;
  static constexpr int threads = 256, blocks = 4, warps = threads / 32, bins = 256,
                       bins_of_lane = bytes_of_lane<int>::each, most_meetings = 2;
  /// Items that a warp writes at once, and vectors of these.
  static constexpr int piece = 2048, V = 16;
  static constexpr int most_segments_of_warp = 4;
  /// A block sorts no more of a segment alone.
  static constexpr std::int64_t most_of_block = std::int64_t{1} << 15;
  static constexpr bool reads_memory =
                            std::is_same_v<std::remove_cvref_t<decltype(Problem::keys_in)>, key*> ||
                            std::is_same_v<std::remove_cvref_t<decltype(Problem::keys_in)>, key const*>,
                        writes_memory =
                            std::is_same_v<std::remove_cvref_t<decltype(Problem::keys_out)>, key*>;

  Problem problem;
  Source source;
  int of_warp;                 ///< segments that a warp has at once; 0 where a block has one
  unsigned long long* counts;  ///< of long segments, a row of bins each; null where there can be none
  ticket_counter tickets;

  __device__ void operator()() const {
    if (!counts) {
      let_next_kernel_start();
      return sort_short();
    }
    grid_barrier grid(tickets, most_meetings);
    bool const some_are_long = find_long();
    if (some_are_long) {
      for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < rows(problem.n) * bins;
           i += std::int64_t{gridDim.x} * threads)
        counts[i] = 0;
    } else {
      grid.leave();
      if (threadIdx.x == 0) let_next_kernel_start();
    }
    sort_short();
    if (!some_are_long) return;
    grid.meet();
    for_each_long([&](long_segment const& one, unsigned turn) { count_long(one, turn); });
    grid.meet();
    for_each_long([&](long_segment const& one, unsigned turn) { write_long(one, turn); });
    grid.leave();
  }
  /// A long segment's row is the first multiple of most_of_block in it: no two have the same.
  SWEEP_HD static std::int64_t rows(std::int64_t n) { return n / most_of_block + 1; }
  SWEEP_HD static std::int64_t row_of(long_segment const& one) {
    return (one.begin + most_of_block - 1) / most_of_block;
  }

 private:
  struct shared {
    unsigned counters[warps][bins];
    uint4 pieces[warps][piece / V + 1];
    long_segment left[warps * most_segments_of_warp];  ///< to the block
    long_segment found[threads];                       ///< long ones
    int count_of_found;
  };
  __device__ static shared& memory() {
    __shared__ shared all;
    return all;
  }
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / 32); }
  __device__ static unsigned* counters() { return memory().counters[warp()]; }

  __device__ long_segment segment(std::int64_t s) const {
    auto const n = problem.n;
    auto const from = static_cast<std::int64_t>(source.offsets[s]),
               end = s + 1 < source.count ? static_cast<std::int64_t>(source.offsets[s + 1]) : n,
               begin = max(std::int64_t{0}, min(from, n));
    return {begin, max(begin, min(end, n))};
  }

  /// Segments of most_of_block items at most: a warp sorts those of its own that it can, and then the block
  /// what warps have left.
  __device__ void sort_short() const {
    int const of_block = max(of_warp * warps, 1);
#pragma unroll 1
    for (auto first = std::int64_t{blockIdx.x} * of_block; first < source.count;
         first += std::int64_t{gridDim.x} * of_block) {
      int const s = warp() * of_warp + lane();
      long_segment own{};
      if (of_warp == 0) own = segment(first);
      else if (lane() < of_warp && first + s < source.count) own = segment(first + s);
      if (own.end - own.begin > most_of_block) own = {};
      bool const is_left = of_warp > 0 && own.end - own.begin > piece - V;
      if (of_warp > 0 && lane() < of_warp) memory().left[s] = is_left ? own : long_segment{};
      if (is_left) own = {};
      int turns = max(of_warp, 1);
#pragma unroll 1
      for (int i = 0; i < turns; ++i) {
        bool const by_block = i >= of_warp;
        auto begin = own.begin;
        int count = static_cast<int>(own.end - own.begin);
        if (!by_block) {
          begin = __shfl_sync(~0u, begin, i);
          count = __shfl_sync(~0u, count, i);
        } else if (of_warp > 0) {
          auto const next = memory().left[i - of_warp];
          begin = next.begin;
          count = static_cast<int>(next.end - next.begin);
        }
        if (count > 0) sort(begin, count, by_block);
        if (i == of_warp - 1 && __syncthreads_or(is_left ? 1 : 0) != 0) turns += of_block;
      }
      if (turns > of_warp) __syncthreads();  // all have read what was left
    }
  }
  /// By the whole block, or by a warp.
  __device__ void sort(std::int64_t begin, int count, bool by_block) const {
    auto const meet = [&] {
      if (by_block) __syncthreads();
      else __syncwarp();
    };
    // As many warps as have a row of vectors each; but for its ends a part is whole vectors of the output.
    constexpr int row = 32 * V;
    int const lead = behind_vector(begin),
              each =
                  by_block ? min(((lead + count + warps - 1) / warps + row - 1) / row * row, piece) : piece,
              first = by_block ? warp() : 0, sharing = by_block ? warps : 1;
    auto const for_each_part = [&](auto f) {
#pragma unroll 1
      for (int from = first * each - lead; from < count; from += sharing * each)
        f(max(from, 0), min(from + each, count));
    };
    bool const has_part = first * each - lead < count;
    if (has_part) {
      clear();
      for_each_part([&](int from, int end) { count_keys(begin + from, end - from); });
    }
    meet();
    if (has_part) {
      int found[bins_of_lane] = {};
      int const others = by_block ? min((lead + count + each - 1) / each, warps) : 1;
#pragma unroll 2
      for (int w = 0; w < others; ++w) add_counters(memory().counters[warp() - first + w], found);
      bytes_of_lane<int> const bytes(found);
      for_each_part([&](int from, int end) { write(begin, from, end, bytes); });
    }
    meet();  // counters have been read
  }

  /// Items that one of the output is behind a boundary of vectors.
  __device__ int behind_vector(std::int64_t i) const {
    if constexpr (writes_memory)
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(problem.keys_out + i) % V);
    else return 0;
  }

  __device__ static void clear() {
#pragma unroll
    for (int at = lane() * 4; at < bins; at += 32 * 4) *reinterpret_cast<uint4*>(counters() + at) = uint4{};
    __syncwarp();
  }
  __device__ void count_key(key const& x, unsigned by = 1) const {
    atomicAdd(counters() + bins_type{problem.order}.bin_of(x), by);
  }
  /// By a warp, in its counters.
  __device__ void count_keys(std::int64_t begin, int count) const {
    constexpr int rows = 8, each = 4;
    if constexpr (reads_memory) {
      auto const* const from = problem.keys_in + begin;
      int const head = min(count, static_cast<int>(-reinterpret_cast<std::uintptr_t>(from) % each)),
                words = (count - head) / each, tail = count - head - words * each;
      key edge{};
      if (lane() < head + tail) edge = from[lane() < head ? lane() : lane() + words * each];
#pragma unroll 1
      for (int first = lane(); first - lane() < words; first += rows * 32) {
        item_vector<key, each> x[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r)
          if (first + r * 32 < words)
            load_vectors<access::streaming>(from + head + (first + r * 32) * each, x[r]);
#pragma unroll
        for (int r = 0; r < rows; ++r)
          if (first + r * 32 < words) {
            if (x[r].word[0] == __byte_perm(x[r].word[0], 0, 0)) {
              count_key(x[r].item(0), each);
            } else {
#pragma unroll
              for (int k = 0; k < each; ++k) count_key(x[r].item(k));
            }
          }
      }
      if (lane() < head + tail) count_key(edge);
    } else {
#pragma unroll 4
      for (int i = lane(); i < count; i += 32) count_key(static_cast<key>(problem.keys_in[begin + i]));
    }
  }
  /// Adds what is counted of the lane's bytes.
  __device__ static void add_counters(unsigned const* from, int (&to)[bins_of_lane]) {
#pragma unroll
    for (int k = 0; k < bins_of_lane; k += 4) {
      auto const some = reinterpret_cast<int4 const*>(from)[(lane() * bins_of_lane + k) / 4];
      int const found[] = {some.x, some.y, some.z, some.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) to[k + j] += found[j];
    }
  }

  /// Writes the keys [from, end) of a segment in order, by a warp. The first of each byte is marked by it;
  /// the others are found to be the greatest mark up to them.
  template <class Index>
  __device__ __forceinline__ void write(std::int64_t begin, Index from, Index end,
                                        bytes_of_lane<Index> const& bytes) const {
    auto* const vectors = memory().pieces[warp()];
    auto* const marks = reinterpret_cast<unsigned char*>(vectors);
    auto const to = begin + from;
    int const count = static_cast<int>(end - from), lead = behind_vector(to),
              groups = (lead + count + V - 1) / V;
#pragma unroll 1
    for (int g = lane(); g < groups; g += 32) vectors[g] = uint4{};
    __syncwarp();
#pragma unroll
    for (int k = 0; k < bins_of_lane; ++k) {
      auto const first = max(bytes.begins[k], from), behind = min(bytes.begins[k + 1], end);
      if (first < behind)
        marks[lead + static_cast<int>(first - from)] = static_cast<unsigned char>(lane() * bins_of_lane + k);
    }
    __syncwarp();
    unsigned before = 0;
#pragma unroll 1
    for (int first = 0; first < groups; first += 32) {
      int const g = first + lane();
      uint4 const own = g < groups ? vectors[g] : uint4{};
      key keys[V];
      each_bin_of_places<unsigned char>(
          own, before, [&](int i, unsigned bin) { keys[i] = key_of_bin<order_type>{}(bin); });
      item_vector<key, V> row;
      row.pack(keys);
      bool const is_whole = writes_memory && g * V >= lead && (g + 1) * V <= lead + count;
      if (is_whole) put_vector(to + (g * V - lead), row);
      else if (g < groups) vectors[g] = {row.word[0], row.word[1], row.word[2], row.word[3]};
    }
    __syncwarp();
    // What is no whole vector of the output.
    auto const* const keys = reinterpret_cast<key const*>(vectors) + lead;
    int const head = writes_memory ? min((V - lead) % V, count) : count,
              tail = writes_memory ? (count - head) % V : 0;
#pragma unroll 1
    for (int i = lane(); i < head + tail; i += 32) {
      int const at = i < head ? i : count - tail + (i - head);
      problem.put_key(to + at, keys[at]);
    }
    __syncwarp();
  }
  __device__ void put_vector(std::int64_t to, item_vector<key, V> const& row) const {
    if constexpr (writes_memory) store_vectors<access::streaming>(problem.keys_out + to, row);
  }

  /// Whether a segment is too long for a block.
  __device__ bool find_long() const {
    bool some = false;
#pragma unroll 1
    for (std::int64_t from = 0; from < rows(problem.n); from += threads) {
      list_long(from);
      some = some || memory().count_of_found > 0;
    }
    return some;
  }
  /// Lists the long segments of as many rows as there are threads, by the whole block: of few segments all
  /// are looked at, of more those that rows are in.
  __device__ void list_long(std::int64_t from) const {
    constexpr int few = 8 * threads;
    __syncthreads();
    if (threadIdx.x == 0) memory().count_of_found = 0;
    __syncthreads();
    auto const put_if_long = [&](long_segment const& one, bool of_row) {
      if (of_row && one.end - one.begin > most_of_block)
        memory().found[atomicAdd(&memory().count_of_found, 1)] = one;
    };
    if (source.count <= few) {
#pragma unroll 4
      for (int s = static_cast<int>(threadIdx.x); s < source.count; s += threads) {
        auto const one = segment(s);
        auto const row = row_of(one);
        put_if_long(one, row >= from && row < from + threads);
      }
    } else if (auto const row = from + threadIdx.x; row < rows(problem.n)) {
      auto const item = row * most_of_block;
      std::int64_t low = 0, high = source.count - 1;  // the last that begins there, or before
      while (low < high) {
        auto const middle = (low + high + 1) / 2;
        if (static_cast<std::int64_t>(source.offsets[middle]) <= item) low = middle;
        else high = middle - 1;
      }
      auto const one = segment(low);
      put_if_long(one, row_of(one) == row);
    }
    __syncthreads();
  }
  /// f(segment, the block's turn) of all long segments, by the whole block. Other blocks begin with each.
  template <class F>
  __device__ void for_each_long(F f) const {
#pragma unroll 1
    for (std::int64_t from = 0; from < rows(problem.n); from += threads) {
      if (rows(problem.n) > threads) list_long(from);
#pragma unroll 1
      for (int i = 0; i < memory().count_of_found; ++i) {
        auto const one = memory().found[i];
        constexpr unsigned others = most_of_block / (piece * warps);
        f(one, (blockIdx.x + static_cast<unsigned>(row_of(one)) * others) % gridDim.x);
      }
    }
  }
  /// f(from, end) of the warp's pieces of a long segment, whole vectors of the output but for its ends.
  template <class F>
  __device__ void for_each_piece(long_segment const& one, unsigned turn, F f) const {
    auto const count = one.end - one.begin;
    auto from = (std::int64_t{turn} * warps + warp()) * piece - behind_vector(one.begin);
#pragma unroll 1
    for (; from < count; from += std::int64_t{gridDim.x} * (warps * piece))
      f(max(from, std::int64_t{0}), min(from + piece, count));
  }
  __device__ bool has_piece(long_segment const& one, unsigned turn) const {
    return std::int64_t{turn} * (warps * piece) - behind_vector(one.begin) < one.end - one.begin;
  }
  __device__ void count_long(long_segment const& one, unsigned turn) const {
    if (!has_piece(one, turn)) return;
    clear();
    for_each_piece(one, turn, [&](std::int64_t from, std::int64_t end) {
      count_keys(one.begin + from, static_cast<int>(end - from));
    });
    __syncthreads();
    unsigned sum = 0;
    auto const bin = threadIdx.x;
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += memory().counters[w][bin];
    if (sum != 0) atomicAdd(counts + row_of(one) * bins + bin, static_cast<unsigned long long>(sum));
    __syncthreads();
  }
  __device__ void write_long(long_segment const& one, unsigned turn) const {
    if (!has_piece(one, turn)) return;
    std::int64_t found[bins_of_lane];
#pragma unroll
    for (int k = 0; k < bins_of_lane; ++k)
      found[k] = static_cast<std::int64_t>(__ldcg(counts + row_of(one) * bins + lane() * bins_of_lane + k));
    bytes_of_lane<std::int64_t> const bytes(found);
    for_each_piece(one, turn,
                   [&](std::int64_t from, std::int64_t end) { write(one.begin, from, end, bytes); });
  }
  static_assert(threads == bins);
};

/// Of so many items at least, as one block's radix sort takes no more time. Tests lower it.
inline std::int64_t least_items_in_counted_segments = std::int64_t{1} << 14;
/// What segments have in the mean at least, where a warp has no more than two, and where it has more: windows
/// of several take less time else. Tests lower the first.
inline std::int64_t least_of_counted_segments = 32;
inline constexpr std::int64_t least_of_many_counted_segments = 128;
/// How many of middle length come to a resident block that sorts one after the other, at most.
inline constexpr std::int64_t most_segments_of_blocks = 8;

/// Whether keys were bytes whose segments are known, so that they have been counted.
template <class Policy, class Problem, class Segments>
bool sort_counted_segments(Policy const& policy, Problem const& problem, Segments const& segments) {
  if constexpr (has_counted_keys<Problem, 8> && !Problem::has_values && requires { segments.offsets; }) {
    auto const n = problem.n;
    auto const* const call = problem.call;
    if (n < least_items_in_counted_segments || segments.count <= 0 || !takes_whole_keys(problem.order))
      return false;
    auto const offsets = unwrapped(segments.offsets);
    using offsets_type = std::remove_const_t<decltype(offsets)>;
    using source_type = marked_offset_source<offsets_type>;
    using job = count_known_segments_job<Problem, source_type>;
    using scratch_source = std::remove_cvref_t<decltype(policy.scratch_source())>;
    auto longest = n;
    if constexpr (std::is_same_v<offsets_type, row_offsets>) longest = std::min(longest, offsets[1]);
    // Few rows that are short: a block each has all threads for them.
    if (longest <= job::piece && segments.count <= few_known_segments * multiprocessors(call)) return false;
    auto const resident = multiprocessors(call) * std::int64_t{resident_blocks<job>(call, job::threads, 0)},
               mean = n / segments.count;
    if (mean < (segments.count <= 2 * job::warps * resident ? least_of_counted_segments
                                                            : least_of_many_counted_segments))
      return false;
    // A block a segment where these are long, or too few for all warps.
    int of_warp = 0;
    if (mean <= job::piece / 4 || segments.count > most_segments_of_blocks * resident)
      of_warp = static_cast<int>(
          std::min<std::int64_t>((segments.count + resident * job::warps - 1) / (resident * job::warps),
                                 job::most_segments_of_warp));
    if (segments.count <= resident) of_warp = 0;
    auto const of_block = std::max(of_warp * job::warps, 1);
    auto const groups = (segments.count + of_block - 1) / of_block;
    auto const launch = [&](std::int64_t blocks, unsigned long long* counts, ticket_counter tickets,
                            blocks_are together) {
      launch_job(call, policy.stream(), blocks, job::threads,
                 job{problem, {offsets, segments.count}, of_warp, counts, tickets}, 0, together);
    };
    if (longest <= job::most_of_block) {
      launch(groups, nullptr, {}, blocks_are::independent);
      return true;
    }
    if (!device_attribute(call, cudaDevAttrCooperativeLaunch)) return false;
    auto const blocks = std::min(resident, std::max(groups, n / (job::piece * job::warps) + 1));
    with_memory<unsigned long long>(
        policy, call, job::rows(n) * job::bins, [&](auto const& rest, unsigned long long* counts) {
          launch_state<scratch_source> state(rest.scratch_source(), call, rest.stream(), 0);
          launch(blocks, counts, state.tickets(), blocks_are::resident);
          state.launched(blocks * job::most_meetings);
        });
    return true;
  } else {
    return false;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
