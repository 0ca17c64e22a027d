// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/packs.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/vectors_of_rows.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Where items wait until what comes before them is known.
enum class wait_in { registers, shared_memory, shared_by_chunks, both };

/// The threads that have a tile together: all of a block.
struct whole_block {
  static constexpr bool stays = false;
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ int threads() { return static_cast<int>(blockDim.x); }
  static __device__ void synchronize() { __syncthreads(); }
  static __device__ void has_loaded() {}
};
/// Those of one of a block's teams, which have one tile after the other. One team loads at a time.
template <int Threads>
struct team_of_block {
  static constexpr bool stays = true;
  unsigned* loading;  ///< whether a team does
  static __device__ int nth() { return static_cast<int>(threadIdx.x) / Threads; }
  static __device__ int thread() { return static_cast<int>(threadIdx.x) % Threads; }
  static __device__ int threads() { return Threads; }
  static __device__ void synchronize() { __barrier_sync_count(1 + nth(), Threads); }
  __device__ void await_turn() const {
    while (atomicExch_block(loading, 1u) != 0) __nanosleep(20);
  }
  __device__ void has_loaded() const {
    if (thread() == 0) atomicExch_block(loading, 0u);
  }
};

/// What items that wait in shared memory are copied from: that of which they are made, where they wait as it.
template <class Problem, bool AsFetched>
struct waiting_source {
  using type = std::remove_const_t<decltype(Problem::in)>;
};
template <class Problem>
struct waiting_source<Problem, true> {
  using type = typename Problem::fetched const*;
};

/// Some chunks of some packs of V neighbouring lines, by a block or a team: (32 strips, packs) threads, each
/// with the items (chunks, strip, V).
template <class Problem, int V, int Packs, wait_in Where>
struct chunk_of_columns {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  using pack = line_pack<T, V>;
  using told = pack;  ///< what chunks tell each other
  static constexpr int lines_of_lane = V, lanes = Packs;
  static constexpr bool overlaps = windows_overlap<decltype(Problem::out)>;
  static constexpr int packs = Packs, threads = 32 * packs, strip = strip_items<T, Problem::what>,
                       chunk_length = 32 * strip;
  static constexpr bool total_only = Problem::what == line_result::total;
  static constexpr bool in_shared = Where == wait_in::shared_memory || Where == wait_in::shared_by_chunks;
  static constexpr bool as_fetched = V == 1 && Problem::waits_fetched;
  /// Whether what items are made of may wait in shared memory: of values of 16 bytes, made of 4 in memory.
  static constexpr bool waits_as_fetched = [] {
    if constexpr (as_fetched && Problem::makes_of_memory && sizeof(T) == 16)
      return vectors_in_shared<typename Problem::fetched const*, 1, 1, 1>::exist;
    else return false;
  }();
  using item_type = std::conditional_t<as_fetched, item_as_fetched<Problem>, pack_as_read<V, Problem>>;
  /// Narrow items wait as they were read, several in a register, and so do those in shared memory.
  static constexpr bool as_read = in_shared || as_fetched ||
                                  (std::is_same_v<decltype(Problem::unary), identity> &&
                                   (sizeof(raw) < sizeof(T) || (!total_only && sizeof(T) < 4 && V > 1)));
  /// Of an item, in registers.
  static constexpr int item_bytes = static_cast<int>(as_fetched ? sizeof(item_type)
                                                     : as_read  ? sizeof(raw)
                                                                : std::max<std::size_t>(sizeof(T), 4));
  /// Chunks that a block has one behind the other: a thread wants 256 bytes on their way in registers. Where
  /// few lines are all that there is, as many again wait in shared memory, so that fewer blocks wait for each
  /// other; narrow items, which wait as they were read, have one chunk elsewhere. What comes before the
  /// chunks is awaited once.
  static constexpr int bytes_of_chunk = V * strip * item_bytes;  ///< of a thread's items
  /// Copies of 16 bytes leave registers to others; narrower ones take longer than loads.
  static constexpr bool most_in_shared = Where == wait_in::both && sizeof(raw) == sizeof(T) &&
                                         V * sizeof(raw) == 16 && std::is_pointer_v<decltype(Problem::in)>;
  static constexpr int chunks_in_registers = [] {
    if (in_shared) return 0;
    constexpr bool narrow = sizeof(raw) < sizeof(T);
    if (total_only || (narrow && Where != wait_in::both) || most_in_shared) return 1;
    int most = 1;
    while (most < 4 && 2 * most * bytes_of_chunk <= (narrow ? 128 : 256)) most *= 2;
    return most;
  }();
  static constexpr int chunks_in_shared = Where == wait_in::shared_memory      ? 1
                                          : Where == wait_in::shared_by_chunks ? 2
                                          : most_in_shared                     ? 512 / bytes_of_chunk - 1
                                          : Where == wait_in::both && waits_as_fetched ? 12
                                          : Where == wait_in::both                     ? chunks_in_registers
                                                                                       : 0;
  static constexpr int chunks = chunks_in_registers + chunks_in_shared,
                       bytes_in_registers = chunks_in_registers * bytes_of_chunk;
  /// Totals of strips.
  struct in_registers {
    alignas(16) uninitialized<pack, chunks * 32 * packs> totals;
  };
  using source = typename waiting_source<Problem, as_fetched>::type;
  struct with_items : in_registers {
    vectors_in_shared<source, V, chunks_in_shared * strip, threads> items;
  };
  using shared = std::conditional_t<(chunks_in_shared > 0), with_items, in_registers>;
  /// Wide values leave no registers for packs of fewer threads.
  static constexpr bool warp_a_pack = sizeof(T) >= 16;
  /// Of a block, a power of two of strips: lines that are less than a chunk leave out others, but that some
  /// warps are whole.
  static int threads_of(std::int64_t length) {
    int strips = 32;
    while (!warp_a_pack && strips > 1 && strips * packs > 32 && length <= strips / 2 * strip) strips /= 2;
    return strips * packs;
  }

  template <class Team = whole_block>
  static __device__ void run(Problem const& problem, shared& memory, column_windows const& windows,
                             std::int64_t window, std::int64_t chunk0, chunk_order const& order,
                             Team const& team = {}) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const thread = team.thread(), nth = thread % packs, row = thread / packs;
    auto const column = windows.of(window, nth);
    auto const first = chunk0 * chunk_length + row * strip;  // and of later chunks as many items further
    int const items =
        static_cast<int>(min(grid.length - chunk0 * chunk_length, std::int64_t{chunks * chunk_length}));
    int const mine = column.exists ? items - row * strip : 0;
    auto const count_in = [&](int c) { return min(mine - c * chunk_length, strip); };  // may be negative
    auto const strips_in = [&](int c) {
      return (min(items - c * chunk_length, chunk_length) + strip - 1) / strip;
    };
    auto const at = grid.place(column.of(nth) * V);
    item_type read[in_shared ? 1 : chunks_in_registers][in_shared ? 1 : strip];
    // Where items are loaded under conditions, registers would be kept for those of the tile before.
    if constexpr (Team::stays && !in_shared) std::memset(static_cast<void*>(read), 0, sizeof read);
    auto const from = at.in + first * grid.in;
    auto const ask = [&](int c, int k, typename Problem::in_place const& place) {
      if constexpr (chunks_in_shared > 0)
        if (c >= chunks_in_registers)
          return ask_in_shared(memory, (c - chunks_in_registers) * strip + k, problem, place);
      if constexpr (!in_shared) read[c][k].load(problem, place);
    };
    // Tiles that are whole, which nearly all are, ask nothing of single items; for code of their own to fold
    // and scan them three blocks of items in shared memory lack registers.
    bool const whole = count_in(chunks - 1) == strip, apart = whole && Where != wait_in::shared_memory;
    // work(c, k, place of the item): of a chunk's items of this thread.
    auto const each_of = [&](int c, int count, auto of_whole, auto const& work) {
      auto item = from + c * chunk_length * grid.in;
#pragma unroll
      for (int k = 0; k < strip; ++k, item += grid.in)
        if (decltype(of_whole)::value || k < count) work(c, k, item);
    };
    if (whole) {
#pragma unroll
      for (int c = 0; c < chunks; ++c) each_of(c, strip, std::true_type{}, ask);
    } else {
#pragma unroll
      for (int c = 0; c < chunks; ++c) each_of(c, count_in(c), std::false_type{}, ask);
    }
    pack x[as_read ? 1 : chunks_in_registers][as_read ? 1 : strip];
    if constexpr (Team::stays && !as_read) std::memset(static_cast<void*>(x), 0, sizeof x);
    if constexpr (!as_read)
#pragma unroll
      for (int c = 0; c < chunks_in_registers; ++c)
#pragma unroll
        for (int k = 0; k < strip; ++k)
          if (k < count_in(c)) x[c][k] = read[c][k].values(problem);
    if constexpr (chunks_in_shared > 0) await_async_copies();
    auto const value = [&](int c, int k, [[maybe_unused]] typename Problem::in_place const& place) {
      if constexpr (chunks_in_shared > 0)
        if (in_shared || c >= chunks_in_registers)
          return waited_in_shared(memory, (c - chunks_in_registers) * strip + k, problem, place);
      if constexpr (in_shared) return pack{};
      else if constexpr (as_fetched) return read[c][k].values(problem, place);
      else if constexpr (as_read) return read[c][k].values(problem);
      else return x[c][k];
    };
    auto const fold = [&](int c, int count, auto of_whole) {
      pack total;
      each_of(c, count, of_whole, [&](int, int k, auto const& item) {
        total = k == 0 ? value(c, 0, item) : ops(total, value(c, k, item));
      });
      put_total(memory.totals[place(c, row, nth)], total);
    };
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (apart) fold(c, strip, std::true_type{});
      else if (int const count = count_in(c); count > 0) fold(c, count, std::false_type{});
    }
    team.synchronize();
    team.has_loaded();

    // Neighbouring lanes, a warp where lines have several chunks, speak for a pack, lane l for its strip l of
    // each.
    int const group = warp_a_pack ? 32 : team.threads() / packs, own = thread / group, lane = thread % group;
    bool const own_exists = own < column.there;
    auto const line = column.of(own) * V;
    auto const strips_of_own = [&](int c) { return own_exists ? strips_in(c) : 0; };
    if constexpr (total_only) {
      leave_totals(problem, memory, line, own, lane, group, chunk0, order, strips_of_own(0));
    } else {
      if (group < 32 || own_exists)
        tell(problem, memory, window, line, own, lane, chunk0, order, strips_of_own);
    }
    if constexpr (!total_only) {
      team.synchronize();
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        auto const begin = first + c * chunk_length;
        bool const starts = std::is_same_v<decltype(problem.before), nothing_before> && begin == 0;
        optional<pack> sum{};
        get_total(sum.value, memory.totals[place(c, row, nth)]);
        sum.present = !starts;
        auto to = at.out + begin * grid.out;
        auto const scan = [&](int count, auto of_whole) {
          decltype(look_at_pack<V>(problem, to)) seen[strip];
          if constexpr (Problem::looks) {
            auto const from_here = count > 0 ? to : at.out;  // not in a branch
#pragma unroll
            for (int k = 0; k < strip; ++k)
              seen[k] = look_at_pack<V>(problem, from_here + (k < count ? k : 0) * grid.out);
          }
          each_of(c, count, of_whole, [&](int, int k, auto const& item) {
            auto const result = next_of_line<Problem::what>(sum, value(c, k, item), ops);
            if (!overlaps || column.template writes<V>(problem.out, to))
              put_pack_seen(problem, to, result, seen[k]);
            to += grid.out;
          });
        };
        if (apart) scan(strip, std::true_type{});
        else scan(count_in(c), std::false_type{});
      }
    }
  }

 private:
  /// Where strips follow each other packs change places, so that the lanes of a pack meet in few banks.
  static __device__ int place(int c, int strip, int p) {
    if constexpr ((packs & (packs - 1)) == 0) return (c * 32 + strip) * packs + (p ^ (strip % packs));
    else return (c * 32 + strip) * packs + (p + strip) % packs;
  }
  static __device__ void ask_in_shared(shared& memory, int i, Problem const& problem,
                                       typename Problem::in_place const& at) {
    if constexpr (as_fetched) memory.items.ask(i, problem.memory(), leading(at));
    else memory.items.ask(i, problem.in, at);
  }
  static __device__ pack waited_in_shared(shared const& memory, int i, Problem const& problem,
                                          typename Problem::in_place const& at) {
    if constexpr (as_fetched) {
      typename Problem::fetched item[1];
      memory.items.get(i).unpack(item);
      return item_as_fetched<Problem>{item[0]}.values(problem, at);
    } else {
      return pack_as_read<V, Problem>{memory.items.get(i)}.values(problem);
    }
  }
  static __device__ void put_total(pack& to, pack const& x) {
    if constexpr (total_only && V == 1) put_one(to.of, x.of[0]);
    else put_bytes(to, x);
  }
  static __device__ void get_total(pack& x, pack const& from) {
    if constexpr (total_only && V == 1) x.of[0] = get_one(from.of);
    else put_bytes(x, from);
  }

  /// The total of a pack's only chunk, by as many lanes as a group has.
  static __device__ void leave_totals(Problem const& problem, shared& memory, std::int64_t line, int own,
                                      int lane, int group, std::int64_t chunk, chunk_order const& order,
                                      int strips) {
    static_assert(chunks == 1);
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    pack sum{};
    if (lane < strips) get_total(sum, memory.totals[place(0, lane, own)]);
    sum = warp_scan_first(sum, strips, ops, group);
    if (lane != strips - 1) return;
#pragma unroll
    for (int v = 0; v < V; ++v) leave_total(problem, order, chunk, line + v, sum.of[v]);
  }

  /// What comes before each strip of a pack's chunks, by a warp, in the place of the strips' totals.
  template <class Strips>
  static __device__ void tell(Problem const& problem, shared& memory, std::int64_t window, std::int64_t line,
                              int own, int lane, std::int64_t chunk0, chunk_order const& order,
                              Strips const& strips_in) {
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    auto const before_line = before_pack<V>(problem, line);
    int const here = static_cast<int>(min(order.chunks - chunk0, std::int64_t{chunks}));
    constexpr int some = chunks < 4 ? chunks : 4;
#pragma unroll 1
    for (int c0 = 0; c0 < chunks; c0 += some) {
      pack sum[some];  // side by side: each step of a scan waits for the one before it
#pragma unroll
      for (int c = 0; c < some; ++c) {
        sum[c] = {};
        if (lane < strips_in(c0 + c)) put_bytes(sum[c], memory.totals[place(c0 + c, lane, own)]);
      }
#pragma unroll
      for (int by = 1; by < 32; by *= 2)
#pragma unroll
        for (int c = 0; c < some; ++c) {
          pack const left = warp_shfl_up(sum[c], by);
          if (lane >= by && lane < strips_in(c0 + c)) sum[c] = ops(left, sum[c]);
        }
#pragma unroll
      for (int c = 0; c < some; ++c) put_bytes(memory.totals[place(c0 + c, lane, own)], sum[c]);
    }
    // There they wait: registers are the items'.
    __syncwarp();
    auto const scanned = [&](int c, int strip) {
      pack sum;
      put_bytes(sum, memory.totals[place(c, max(strip, 0), own)]);
      return sum;
    };
    auto const total = [&](int c) {
      pack const all = scanned(c, strips_in(c) - 1);
      return chunk0 + c == 0 ? combine(before_line, all, ops) : all;
    };
    auto const found = [&](int c, optional<pack> const& before) {
      auto const first = chunk0 + c == 0 ? before_line : optional<pack>{warp_shfl(before.value, 0), true};
      pack const left = scanned(c, lane - 1);
      __syncwarp();
      put_bytes(memory.totals[place(c, lane, own)], lane == 0 ? first.value : combine(first, left, ops));
    };
    if (order.chunks > 1)
      order.template state_of<pack>(window * packs + own)
          .template publish_several_and_look_back<chunks>(pack_lanes{}, chunk0, here, total, ops, found);
    else found(0, {});
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
