// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_DEVICE_CUH
#define SWEEP_DETAIL_HISTOGRAM_DEVICE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/histogram/bins.hpp>
#include <sweep/detail/histogram/block_sums.cuh>
#include <sweep/detail/histogram/problem.hpp>
#include <sweep/detail/runtime/clear.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Where a block's sums are.
enum class sums_in { copies, packed, cache };

/// How a launch goes about it.
struct histogram_launch {
  sums_in where = sums_in::cache;
  int copies = 1, threads = 512;
  std::size_t edges_at = 0, guide_at = 0,
              bytes = 0;  ///< of shared memory; edges and their guide stand behind the sums
  int cells = 0;          ///< of the guide; without one edges stay where they are
  int shift = 0;
  std::int64_t rows = 0, rows_each = 0, blocks = 1;  ///< rows of all items, and of a block's
};

/// Whether edges can be given a guide: they are numbers, and so are the items.
template <class Raw, class Edge>
using compared_as = std::common_type_t<Raw, Edge>;
template <class Raw, class Bins>
inline constexpr bool has_guide = false;
template <class Raw, class Edge>
inline constexpr bool has_guide<Raw, edge_bins<Edge>> =
    std::is_arithmetic_v<Raw>&& std::is_arithmetic_v<Edge>;

/// A block takes in a stretch of rows, each (threads, V items), several at once. Where sums are dear, a
/// thread goes through its items in order and adds only where the bin changes: equal items cost nothing.
template <class Problem>
struct histogram_job {
  static constexpr int threads = 1024, blocks = 1, V = Problem::vector_items, limbs = Problem::limbs;
  static constexpr bool waits_itself = true;  ///< for zeros, where the sums go
  static constexpr std::size_t dynamic_bytes(int arch) { return shared_bytes_of(arch); }
  using raw = typename Problem::raw;
  using amount = typename Problem::amount;
  using sum = typename Problem::sum;
  static constexpr bool counts_ones = std::is_same_v<decltype(Problem::weights), count_ones>;
  /// A byte has 256 values, which are counted whatever the bins are.
  static constexpr bool counts_bytes = counts_ones && sizeof(raw) == 1;
  static constexpr std::int64_t byte_slots = 256;
  static constexpr int rows_at_once = counts_bytes ? 4 : std::min(std::max(16 / V, 1), 4);

  Problem problem;
  histogram_launch how;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    if (how.where != sums_in::copies) wait_for_kernel_before();
    if constexpr (counts_bytes) {
      add_all<each_item>(copied_sums<amount, sum>(memory, byte_slots, how.copies), byte_values{},
                         [&](int value) {
                           auto const bits = static_cast<unsigned char>(value);
                           auto const bin = problem.bins_of.bin_of(*reinterpret_cast<raw const*>(&bits));
                           return bin == no_bin ? nullptr : problem.sums + bin;
                         });
    } else if constexpr (has_guide<raw, std::remove_const_t<decltype(Problem::bins_of)>>) {
      if (how.cells > 0) add_up(memory, staged(memory));
      else add_up(memory, problem.bins_of);
    } else {
      add_up(memory, problem.bins_of);
    }
  }

 private:
  /// Items are counted one by one, those of no bin too.
  template <class Sums>
  struct each_item {
    Sums const& sums;
    Problem const& problem;
    __device__ void take(std::uint32_t bin, std::int64_t) const { sums.add_one(bin); }
    __device__ void take_alike(std::uint32_t bin, amount items) const { sums.add(bin, items); }
    __device__ void close() const {}
  };

  /// Items are counted one by one. Lanes that meet in a word wait for each other: where a warp has many of
  /// one bin, one lane adds for all of them; and each adds once where all of its own are of one.
  template <class Sums>
  struct lanes_together {
    static constexpr int many = 10;  ///< of 32 lanes
    Sums const& sums;
    Problem const& problem;
    __device__ void take(std::uint32_t bin, std::int64_t) const {
      if (bin != no_bin) sums.add(bin, 1);
    }
    /// By all lanes of a warp.
    template <int V>
    __device__ void take_vectors(std::uint32_t const (&bin)[V]) const {
      auto const with_lane = [&](int lane) {
        return __popc(__ballot_sync(~0u, bin[0] == __shfl_sync(~0u, bin[0], lane)));
      };
      bool const crowded = max(with_lane(0), with_lane(16)) >= many;
      bool alike = true;
#pragma unroll
      for (int v = 1; v < V; ++v) alike = alike && bin[v] == bin[0];
      if (__all_sync(~0u, alike)) {
        if (crowded) add_together(bin[0], V);
        else if (bin[0] != no_bin) sums.add(bin[0], V);
      } else if (crowded) {
#pragma unroll
        for (int v = 0; v < V; ++v) add_together(bin[v], 1);
      } else {
#pragma unroll
        for (int v = 0; v < V; ++v) take(bin[v], 0);
      }
    }
    __device__ void close() const {}

   private:
    __device__ void add_together(std::uint32_t bin, std::uint32_t each) const {
      unsigned const same = __match_any_sync(~0u, bin);
      if ((same & ((1u << threadIdx.x % 32) - 1)) == 0 && bin != no_bin)
        sums.add(bin, each * static_cast<std::uint32_t>(__popc(same)));
    }
  };

  /// The items of one bin that a thread has met in a row.
  template <class Sums>
  struct open_run {
    Sums const& sums;
    Problem const& problem;
    std::uint32_t bin = no_bin;
    amount amounts[limbs] = {};

    __device__ void take(std::uint32_t next, std::int64_t i) {
      if (next != bin) {
        close();
        bin = next;
#pragma unroll
        for (int l = 0; l < limbs; ++l) amounts[l] = 0;
      }
      if constexpr (counts_ones) ++amounts[0];
      else if (next != no_bin) {
        amount more[limbs];
        problem.weights.amounts(i, more);
#pragma unroll
        for (int l = 0; l < limbs; ++l) amounts[l] += more[l];
      }
    }
    __device__ void close() const {
      if (bin == no_bin) return;
#pragma unroll
      for (int l = 0; l < limbs; ++l)
        sums.add(bin + static_cast<std::uint32_t>(l * problem.bins), amounts[l]);
    }
  };

  /// The edges in shared memory, with a guide behind them.
  __device__ auto staged(unsigned char* memory) const {
    auto const& given = problem.bins_of;
    using edge = std::remove_cvref_t<decltype(*given.edges)>;
    auto* const edges = reinterpret_cast<edge*>(memory + how.edges_at);
    auto* const guide = reinterpret_cast<std::uint16_t*>(memory + how.guide_at);
    for (auto e = threadIdx.x; e < given.count; e += blockDim.x) edges[e] = given.edges[e];
    __syncthreads();
    auto const bins = guided_edge_bins<compared_as<raw, edge>, edge>::between(
        edges, given.count, static_cast<std::uint32_t>(how.cells), guide);
    for (auto i = threadIdx.x; i <= given.count; i += blockDim.x)
      bins.fill_guide(i, [&](std::uint32_t cell, std::uint32_t before) {
        guide[cell] = static_cast<std::uint16_t>(before);
      });
    return bins;
  }
  /// Sums in shared memory, of bins that are told apart by `bins`.
  template <class Bins>
  __device__ void add_up(unsigned char* memory, Bins const& bins) const {
    auto const slots = problem.slots();
    auto const place_of = [&](int slot) { return problem.sums + slot; };
    if (how.where == sums_in::copies) {
      copied_sums<amount, sum> const sums(memory, slots, how.copies);
      if constexpr (counts_ones) add_all<each_item>(sums, bins, place_of);
      else add_all<open_run>(sums, bins, place_of);
      return;
    }
    if constexpr (counts_ones)
      if (how.where == sums_in::packed) {
        add_all<lanes_together>(packed_counts<sum>(memory, problem.sums, slots), bins, place_of);
        return;
      }
    add_all<open_run>(cached_sums<amount, sum>(memory, problem.sums), bins, place_of);
  }

  template <template <class> class Taking, class Sums, class Bins, class PlaceOf>
  __device__ void add_all(Sums const& sums, Bins const& bins, PlaceOf place_of) const {
    sums.clear();
    __syncthreads();
    Taking<Sums> run{sums, problem};
    auto const row_items = static_cast<std::int64_t>(blockDim.x) * V;
    auto row = std::int64_t{blockIdx.x} * how.rows_each;
    auto const end = min(row + how.rows_each, how.rows);
    while (row < end) {
      auto const first = row * row_items - how.shift;
      if (row + rows_at_once <= end && first >= 0 && first + rows_at_once * row_items <= problem.n) {
        add_rows<rows_at_once>(bins, run, first, row_items);
        row += rows_at_once;
      } else {
        if (first >= 0 && first + row_items <= problem.n) add_rows<1>(bins, run, first, row_items);
        else add_some(bins, run, first);
        ++row;
      }
    }
    run.close();
    __syncthreads();
    wait_for_kernel_before();
    sums.flush(place_of);
  }

  template <int R, class Bins, class Run>
  __device__ void add_rows(Bins const& bins, Run& run, std::int64_t first, std::int64_t row_items) const {
    auto const mine = first + static_cast<std::int64_t>(threadIdx.x) * V;
    if constexpr (counts_bytes && Problem::in_contiguous) {
      item_vector<raw, V> rows[R];
#pragma unroll
      for (int r = 0; r < R; ++r)
        load_vectors<access::streaming>(problem.in + (mine + r * row_items), rows[r]);
      // Where bytes are alike, as in the even parts of an image, a lane counts all of its own at once.
      bool alike = true;
#pragma unroll
      for (int r = 0; r < R; ++r) alike = alike && are_alike(rows[r]);
      if (__all_sync(~0u, alike)) {
#pragma unroll
        for (int r = 0; r < R; ++r) run.take_alike(bins.bin_of(rows[r].item(0)), V);
        return;
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        raw x[V];
        rows[r].unpack_each(x);
        add_vector(bins, run, x, mine + r * row_items);
      }
    } else {
      raw x[R][V];
#pragma unroll
      for (int r = 0; r < R; ++r) load_neighbours<access::streaming>(problem.in, mine + r * row_items, x[r]);
#pragma unroll
      for (int r = 0; r < R; ++r) add_vector(bins, run, x[r], mine + r * row_items);
    }
  }
  static __device__ bool are_alike(item_vector<raw, V> const& bytes) {
    bool alike = __funnelshift_l(bytes.word[0], bytes.word[0], 8) == bytes.word[0];
#pragma unroll
    for (int w = 1; w < item_vector<raw, V>::words; ++w) alike = alike && bytes.word[w] == bytes.word[0];
    return alike;
  }
  template <class Bins, class Run>
  static __device__ void add_vector(Bins const& bins, Run& run, raw const (&x)[V], std::int64_t index) {
    std::uint32_t bin[V];
    bins.template bins_of<V>(x, bin);
    if constexpr (requires { run.take_vectors(bin); }) {
      run.take_vectors(bin);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) run.take(bin[v], index + v);
    }
  }

  /// A row at an end of the data: of a vector that is cut there what exists, all of it on its way at once.
  template <class Bins, class Run>
  __device__ void add_some(Bins const& bins, Run& run, std::int64_t first) const {
    auto const mine = first + static_cast<std::int64_t>(threadIdx.x) * V;
    auto const exists = [&](int v) { return mine + v >= 0 && mine + v < problem.n; };
    raw x[V]{};
    if (exists(0) && exists(V - 1)) {
      load_neighbours<access::streaming>(problem.in, mine, x);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (exists(v)) put_bytes(x[v], static_cast<raw>(problem.in[mine + v]));
    }
    std::uint32_t bin[V];
    bins.template bins_of<V>(x, bin);
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (exists(v)) run.take(bin[v], mine + v);
  }
};

/// Where edges are few enough for a block to copy them: the cells of their guide, and the bytes of both.
struct staged_edges {
  int cells = 0;
  std::size_t edge_bytes = 0, guide_bytes = 0;
};
template <class Raw, class Bins>
staged_edges staged_edges_of(Bins const& bins) {
  staged_edges all;
  if constexpr (has_guide<Raw, Bins>) {
    std::uint32_t const count = bins.count;
    auto const bytes = (std::size_t{count} * sizeof(*bins.edges) + 15) / 16 * 16;
    if (count >= 2 && count < 65536 && bytes <= 40 * 1024) {
      all.cells = 64;
      while (all.cells < 4096 && static_cast<std::uint32_t>(all.cells) < count) all.cells *= 2;
      all.edge_bytes = bytes;
      all.guide_bytes = (static_cast<std::size_t>(all.cells) + 1) * sizeof(std::uint16_t);
    }
  }
  return all;
}

template <class Problem>
histogram_launch histogram_launch_for(char const* call, Problem const& problem) {
  using job = histogram_job<Problem>;
  using amount = typename Problem::amount;
  using sum = typename Problem::sum;
  auto const facts = facts_of<job>(call);
  staged_edges edges;
  if constexpr (!job::counts_bytes) edges = staged_edges_of<typename Problem::raw>(problem.bins_of);
  auto const room = (facts.fits ? shared_bytes_of(facts.arch) : std::size_t{48} * 1024) - edges.edge_bytes -
                    edges.guide_bytes - 16;
  auto const n = problem.n, slots = problem.slots();
  using copied = copied_sums<amount, sum>;
  using packed = packed_counts<sum>;
  constexpr std::size_t copies_room = 33 * 1024;
  histogram_launch how;
  // A block clears and adds up its slots, which has to be worth it.
  bool const many = n >= 2 * slots;
  if constexpr (job::counts_bytes) {
    how.where = sums_in::copies;
    how.copies = copied::most_copies;
    how.bytes = copied::bytes(job::byte_slots, how.copies);
  } else if ((many || slots <= 1024) && slots < (1 << 20) && copied::bytes(slots, 1) <= room) {
    how.where = sums_in::copies;
    while (how.copies < copied::most_copies &&
           copied::bytes(slots, 2 * how.copies) <= std::min(room, copies_room))
      how.copies *= 2;
    how.bytes = copied::bytes(slots, how.copies);
  } else if (job::counts_ones && many && slots < (1 << 20) && packed::bytes(slots) <= room) {
    how.where = sums_in::packed;
    how.bytes = packed::bytes(slots);
  } else {
    how.bytes = cached_sums<amount, sum>::bytes;
  }
  if (edges.cells > 0) {
    how.cells = edges.cells;
    how.edges_at = (how.bytes + 15) / 16 * 16;
    how.guide_at = how.edges_at + edges.edge_bytes;
    how.bytes = how.guide_at + edges.guide_bytes;
  }
  // Two blocks of 512 threads a multiprocessor, or one of 1024: where shared memory is too small for two, and
  // where what counts is how few blocks add up their bytes.
  bool const one_block = job::counts_bytes || how.bytes > 72 * 1024;
  how.threads = one_block ? 1024 : 512;
  if constexpr (Problem::in_contiguous) how.shift = items_before_line<Problem::vector_items>(problem.in);
  auto const row_items = static_cast<std::int64_t>(how.threads) * job::V;
  how.rows = (n + how.shift + row_items - 1) / row_items;
  // With so many items a block is worth its while. Copied counts are added up a line of memory at a time.
  bool const by_lines = job::counts_ones && how.where == sums_in::copies && !job::counts_bytes;
  auto const worth = how.where == sums_in::cache ? row_items
                     : by_lines                  ? std::max(row_items, slots / 2)
                                : std::max(row_items, 4 * (job::counts_bytes ? job::byte_slots : slots));
  auto const resident = std::int64_t{multiprocessors(call)} * (one_block ? 1 : 2);
  how.blocks = blocks_for(n, worth, resident);
  constexpr std::int64_t most_each = std::int64_t{1} << 31;  // counts of a block have 32 bits
  how.blocks = std::max(how.blocks, (n + most_each - 1) / most_each);
  how.rows_each = (how.rows + how.blocks - 1) / how.blocks;
  return how;
}

template <class Source, class... Tags, class Problem>
void run_histogram(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using raw = typename Problem::raw;
  static_assert(relocatable<raw> && std::is_default_constructible_v<raw>,
                "sweep: on the device items must be trivially copyable and default constructible");
  if (problem.slots() == 0) return;
  static_assert(sizeof *problem.sums % 4 == 0);
  clear_words(call, policy.stream(), reinterpret_cast<std::uint32_t*>(problem.sums),
              problem.slots() * static_cast<std::int64_t>(sizeof *problem.sums / 4));
  if (problem.n == 0) return;
  auto const how = histogram_launch_for(call, problem);
  launch_job(call, policy.stream(), how.blocks, how.threads, histogram_job<Problem>{problem, how}, how.bytes);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
