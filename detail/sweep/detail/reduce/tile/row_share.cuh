// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_ROW_SHARE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_ROW_SHARE_CUH

#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A block's share: rows that follow each other, which its warps fold in turn, side by side; in a row each
/// lane folds a run of neighbours. The sums of rows are folded when all are there. So operands keep their
/// order with one operation an item and five a row for the lanes, and a block reads one place of memory.
/// Which items a row has depends on how many there are and on the plan alone, not on where they lie, unless
/// no result can tell. Items are made of streams of memory, whose 16-byte words come by asynchronous copies,
/// or are computed.
template <class Problem, class Source, reduce_plan P>
class row_share {
  using T = typename Problem::value;
  using Raw = typename Source::value_type;
  using Unary = decltype(Problem::unary);
  static constexpr int warps = P.threads / 32;
  static constexpr std::size_t most_bytes = (std::size_t{47} << 10) / warps;  ///< of a warp's shared memory

  /// At most so many, but no even number of them from four on.
  static constexpr int odd(int groups) { return groups < 1 ? 1 : groups == 2 ? 2 : (groups - 1) | 1; }

  static constexpr bool in_streams = Source::streams > 0;
  /// Items that a lane folds at once.
  static constexpr int G = [] {
    if constexpr (in_streams) return items_of_group<Source>();
    else return 8;
  }();
  /// At most so many groups in a lane's run. An odd number of 16-byte words keeps lanes on different banks of
  /// shared memory; with two lanes a bank two groups take less than one and the lanes' own fold.
  static constexpr int most_groups = [] {
    if constexpr (in_streams) {
      constexpr int words = words_of_group<Source, G>();
      return odd(
          std::min(P.rows / words, static_cast<int>(most_bytes - 128 * Source::streams) / (512 * words)));
    } else {
      return odd(2 * P.rows);
    }
  }();

  /// Whether rows begin with words of memory, wherever those are: results are the same in any brackets.
  static constexpr bool finds_words = in_streams && (counts_items<Unary> || of_integers<T>);

  /// Rows whose sums wait to be folded.
  static constexpr int most_sums =
      std::max(1, std::min(32, static_cast<int>(2048 / sizeof(T)) / warps)) * warps;

  /// Rows of a warp, one behind the other, whose lanes are folded together: 8 exchanges between lanes then do
  /// what 5 a row would. It pays where an exchange is of many registers.
  static constexpr int joined = 4;
  static constexpr bool joins_rows =
      in_streams && sizeof(T) > 8 && !folds_keys<Unary> && !counts_items<Unary> && !folds_in_rows<Unary>;

  struct nothing_shared {};
  struct rows_of_warps {
    typename staged_row<Source, G, most_groups>::shared of[warps];
  };
  static constexpr auto memory_of_rows() {
    if constexpr (in_streams) return std::type_identity<rows_of_warps>{};
    else return std::type_identity<nothing_shared>{};
  }

 public:
  /// Whether a warp's share of shared memory holds a group of each lane.
  static constexpr bool holds_group = [] {
    if constexpr (!in_streams) return true;
    else return words_of_group<Source, G>() * 512 + 128 * Source::streams <= static_cast<int>(most_bytes);
  }();

  struct shared {
    typename decltype(memory_of_rows())::type rows;
    uninitialized<T, most_sums + 1> sums;  ///< of rows, and of all before them
  };
  /// How n items are cut into rows.
  struct input {
    Source source;
    std::int64_t rows_each = 0;  ///< of every block
    int rows_more = 0;           ///< the first so many have one more
    int groups = 1;              ///< of a lane
    int head = 0;                ///< items before the first row, fewer than a group
  };
  static input input_of(Problem const& problem) {
    input in{source_of(problem.in)};
    auto const step = std::int64_t{32} * G, each = step * warps * P.most_blocks;
    if constexpr (finds_words)
      if (problem.n > each * most_groups) in.head = items_before_word(in.source.template stream<0>());
    // One block as long as its warps have a row each: blocks that tell each other take longer. Where all
    // warps of all blocks have more than one, as long rows that none has one more than most others.
    auto const n = problem.n - in.head, alone = (n + warps * step - 1) / (warps * step);
    if (auto const turns = (n + each * most_groups - 1) / (each * most_groups); alone <= most_groups)
      in.groups = static_cast<int>(alone) | 1;
    else if (turns > 1) in.groups = static_cast<int>((n + each * turns - 1) / (each * turns)) | 1;
    else in.groups = odd(static_cast<int>(std::min<std::int64_t>(most_groups, n / (step * P.most_blocks))));
    in.groups = std::min(in.groups, most_groups);
    auto const row_items = in.groups * step, rows = (n + row_items - 1) / row_items,
               takers = blocks(problem, in);
    in.rows_each = rows / takers;
    in.rows_more = static_cast<int>(rows % takers);
    return in;
  }
  static std::int64_t blocks(Problem const& problem, input const& in) {
    auto const block_items = std::int64_t{warps} * in.groups * 32 * G;
    return std::max<std::int64_t>(
        1, std::min<std::int64_t>(P.most_blocks, (problem.n + block_items - 1) / block_items));
  }

  __device__ row_share(Problem& problem, input const& in, shared& smem)
      : problem_{problem}, in_{in}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    return problem.n == 0 ? 0 : of;
  }

  __device__ optional<T> reduce(std::int64_t block, std::int64_t) {
    auto const begin = first_row_of(block), end = first_row_of(block + 1);
    T sum{}, head{};  // what comes before the rows is on its way meanwhile
    if constexpr (finds_words)
      if (block == 0 && threadIdx.x < in_.head) put_bytes(head, problem_.item(threadIdx.x));
    for (auto from = begin; from < end; from += most_sums) {
      int const rows = static_cast<int>(min(end - from, std::int64_t{most_sums}));
      int const sums = fold_rows(from, rows);
      __syncthreads();
      if (threadIdx.x < 32) {
        T const next = sum_of_sums(sums);
        sum = from > begin ? static_cast<T>(problem_.op(sum, next)) : next;
      }
      if (from + most_sums < end) __syncthreads();
    }
    if constexpr (finds_words)
      if (block == 0 && in_.head > 0 && threadIdx.x < 32) {
        T const before = warp_reduce_briefly(head, in_.head, problem_.op);
        sum = problem_.op(before, sum);
      }
    return {sum, begin < end};
  }

 private:
  struct no_stream {
    template <class K>
    __device__ int operator()(K) const {
      return 0;
    }
  };

  /// How many items stand before the first with which a row's words begin.
  template <class Stream>
  static int items_before_word(Stream const& stream) {
    for (int i = 0; i < G; ++i)
      if (reinterpret_cast<std::uintptr_t>(stream.lowest(i, 32 * G)) % 16 == 0) return i;
    return 0;
  }

  __device__ std::int64_t row_items() const { return std::int64_t{32 * G} * in_.groups; }
  __device__ std::int64_t first_item_of(std::int64_t row) const { return in_.head + row * row_items(); }
  __device__ std::int64_t first_row_of(std::int64_t block) const {
    return block * in_.rows_each + min(block, std::int64_t{in_.rows_more});
  }

  /// So many rows from this one on, each by the warp whose turn it is, become sums; how many these are.
  __device__ int fold_rows(std::int64_t from, int rows) {
    int const warp = static_cast<int>(threadIdx.x / 32);
    bool const often = rows > 2 * warps;
    if constexpr (in_streams) {
      staged_row<Source, G, most_groups> staged(in_.source, problem_.n, in_.groups, smem_.rows.of[warp],
                                                in_.head);
      auto const fill = [&](std::int64_t first) {
        staged.fill(first, false);  // the block's warps ask for all lines around soon enough
        await_async_copies();
        __syncwarp();
      };
      auto const load = [&](int group, Raw(&raw)[G], std::int64_t i) { load_group(staged, group, raw, i); };
      auto const load_item = [&](int at, std::int64_t i) { return load_one(staged, at, i); };
      if constexpr (joins_rows) {
        return fold_rows_joined(from, rows, often, fill, load, load_item);
      } else {
        for (int row = warp; row < rows; row += warps) {
          auto const first = first_item_of(from + row);
          fill(first);
          put_sum(row, reduce_row(first, often, load, load_item));
          __syncwarp();
        }
        return rows;
      }
    } else {
      auto const compute = [&](std::int64_t i) -> Raw { return in_.source.item(i, no_stream{}); };
      for (int row = warp; row < rows; row += warps)
        put_sum(row, reduce_row(
                         first_item_of(from + row), often,
                         [&](int, Raw(&raw)[G], std::int64_t i) {
#pragma unroll
                           for (int v = 0; v < G; ++v) put_bytes(raw[v], compute(i + v));
                         },
                         [&](int, std::int64_t i) { return compute(i); }));
      return rows;
    }
  }
  /// The same with whole rows joined while all warps have as many. Of lanes beside each other the one then
  /// has an even row's pairs, the other an odd row's; those two apart have rows that are two apart; so a lane
  /// is left with every fourth one's share of its row, and in the end rows follow each other.
  template <class Fill, class Load, class LoadOne>
  __device__ int fold_rows_joined(std::int64_t from, int rows, bool often, Fill fill, Load load,
                                  LoadOne load_one) {
    static_assert(joined == 4);
    int const warp = static_cast<int>(threadIdx.x / 32), run = in_.groups * G, before = lane_ * run;
    int const whole =
        static_cast<int>(min(std::int64_t{rows}, (problem_.n - first_item_of(from)) / row_items()));
    auto const join = [&](T const& a, T const& b, int by) {
      bool const second = (lane_ & by) != 0;
      return warp_join(select_registers(second, b, a), select_registers(second, a, b), by, problem_.op);
    };
    T even{}, all{};
    int row = 0, sums = 0, turn = 0;
    while (true) {
      bool const joins = row + joined * warps <= whole;
      if (!joins && row + warp >= rows) break;
      auto const first = first_item_of(from + row + (joins ? joined * warp + turn : warp));
      auto const left = problem_.n - first;
      int const have = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{run}, left - before)));
      fill(first);
      T const own = fold_lane(first, before, have, load, load_one);
      __syncwarp();
      if (!joins) {
        put_sum(sums + warp, fold_lanes(own, have, often && left >= row_items()));
        row += warps;
        sums += warps;
      } else if (turn % 2 == 0) {
        even = own;
        ++turn;
      } else {
        T const both = join(even, own, 1);
        if (turn == 1) {
          all = both;
          ++turn;
        } else {
          all = join(all, both, 2);
#pragma unroll
          for (int step = 2; step < 7; ++step) all = warp_join(all, all, 1 << step % 5, problem_.op);
          put_sum(sums + warp, all);
          row += joined * warps;
          sums += warps;
          turn = 0;
        }
      }
    }
    return sums + rows - row;
  }
  __device__ void put_sum(int at, T const& sum) {
    if (lane_ == 0) put_bytes(smem_.sums[at], sum);
  }
  /// The fold of the first so many sums, in lane 0 of a warp.
  __device__ T sum_of_sums(int count) { return warp_reduce_values(smem_.sums.data(), count, problem_.op); }

  template <class Staged>
  __device__ void load_group(Staged const& staged, int group, Raw (&raw)[G], std::int64_t i) const {
    stream_items<Source, G> items;
    staged.load(group, items);
#pragma unroll
    for (int v = 0; v < G; ++v)
      put_bytes(raw[v], static_cast<Raw>(in_.source.item(i + v, [&](auto k) -> decltype(auto) {
                  return items.template at<decltype(k)::value>(v);
                })));
  }
  template <class Staged>
  __device__ Raw load_one(Staged const& staged, int at, std::int64_t i) const {
    stream_items<Source, 1> items;
    staged.load_one(at, items);
    return static_cast<Raw>(in_.source.item(
        i, [&](auto k) -> decltype(auto) { return items.template at<decltype(k)::value>(0); }));
  }

  /// A row from its first item on, in lane 0: whole groups by load(group, raw, i), items of the last one
  /// alone. What is done often may take more code.
  template <class Load, class LoadOne>
  __device__ T reduce_row(std::int64_t first, bool often, Load load, LoadOne load_one) {
    int const run = in_.groups * G, before = lane_ * run;
    auto const left = problem_.n - first;  // at least one
    int const have = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{run}, left - before)));
    if constexpr (folds_keys<Unary>) return reduce_keys(first, before, have, load, load_one);
    if constexpr (counts_items<Unary>) return count_row(first, before, have, load, load_one);
    T const sum = fold_lane(first, before, have, load, load_one);
    return fold_lanes(sum, have, often && left >= row_items());
  }
  /// What lanes have that have anything, in lane 0.
  __device__ T fold_lanes(T const& own, int have, bool often) {
    if (often) return warp_reduce_right(own, 32, problem_.op);
    return warp_reduce_briefly(own, __popc(__ballot_sync(~0u, have > 0)), problem_.op);
  }
  /// A lane's items of a row.
  template <class Load, class LoadOne>
  __device__ T fold_lane(std::int64_t first, int before, int have, Load load, LoadOne load_one) {
    if constexpr (folds_in_rows<Unary>) return fold_in_row(first, before, have, load, load_one);
    else return fold_run(first, before, have, load, load_one);
  }
  /// Those one group after the other; of wide values whose groups are of few items two at a time.
  template <class Load, class LoadOne>
  __device__ T fold_run(std::int64_t first, int before, int have, Load load, LoadOne load_one) {
    T sum{};
    int g = 0;
    if constexpr (joins_rows && sizeof(T) <= 16 && G > 1 && G <= 4) {
#pragma unroll 1
      for (; g + 2 <= have / G; g += 2) {
        Raw raw[2 * G];
        auto const i = first + before + g * G;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Raw some[G];
          load(lane_ * in_.groups + g + half, some, i + half * G);
#pragma unroll
          for (int v = 0; v < G; ++v) put_bytes(raw[half * G + v], some[v]);
        }
        T const next = fold_between<0, 2 * G>(raw, i);
        sum = g > 0 ? static_cast<T>(problem_.op(sum, next)) : next;
      }
    }
#pragma unroll 1
    for (; g < have / G; ++g) {
      Raw raw[G];
      auto const i = first + before + g * G;
      load(lane_ * in_.groups + g, raw, i);
      fold(sum, g > 0, raw, i);
    }
#pragma unroll 1
    for (int k = have / G * G; k < have; ++k) {
      T const next = problem_.of(load_one(before + k, first + before + k), first + before + k);
      sum = k > 0 ? static_cast<T>(problem_.op(sum, next)) : next;
    }
    return sum;
  }
  template <class Load, class LoadOne>
  __device__ T fold_in_row(std::int64_t first, int before, int have, Load load, LoadOne load_one) {
    typename Unary::in_row own{};
#pragma unroll 2
    for (int g = 0; g < have / G; ++g) {
      Raw raw[G];
      load(lane_ * in_.groups + g, raw, first + before + g * G);
      auto const next = problem_.unary.fold_in_row(raw, before + g * G);
      own = g > 0 ? problem_.unary.join_in_row(own, next) : next;
    }
#pragma unroll 1
    for (int k = have / G * G; k < have; ++k) {
      Raw raw[1];
      put_bytes(raw[0], load_one(before + k, first + before + k));
      auto const next = problem_.unary.fold_in_row(raw, before + k);
      own = k > 0 ? problem_.unary.join_in_row(own, next) : next;
    }
    return have > 0 ? problem_.unary.of_row(own, first) : T{};
  }
  template <class Load, class LoadOne>
  __device__ T count_row(std::int64_t first, int before, int have, Load load, LoadOne load_one) {
    int count = 0;
#pragma unroll 2
    for (int g = 0; g < have / G; ++g) {
      Raw raw[G];
      auto const i = first + before + g * G;
      load(lane_ * in_.groups + g, raw, i);
      if constexpr (folds_neighbours<Unary, Raw, G>) count += static_cast<int>(problem_.unary.fold(raw, i));
      else
#pragma unroll
        for (int v = 0; v < G; ++v) count += static_cast<int>(problem_.of(raw[v], i + v));
    }
#pragma unroll 1
    for (int k = have / G * G; k < have; ++k)
      count += static_cast<int>(problem_.of(load_one(before + k, first + before + k), first + before + k));
    return static_cast<T>(__reduce_add_sync(~0u, count));
  }
  /// The same by keys: of a lane's items, then of the lanes, whose places have told which of equal ones is
  /// the first.
  template <class Load, class LoadOne>
  __device__ T reduce_keys(std::int64_t first, int before, int have, Load load, LoadOne load_one) {
    static_assert(32 * G * most_groups < 1 << 16);
    std::uint32_t least[Unary::keys];
    auto const each_key = [&](auto work) {
      [&]<int... K>(std::integer_sequence<int, K...>) {
        (work(least[K], std::integral_constant<int, K>{}), ...);
      }
      (std::make_integer_sequence<int, Unary::keys>{});
    };
    each_key([](std::uint32_t& key, auto) { key = ~0u; });
#pragma unroll 1
    for (int g = 0; g < have / G; ++g) {
      Raw raw[G];
      load(lane_ * in_.groups + g, raw, first + before + g * G);
      each_key([&]<int K>(std::uint32_t& key, std::integral_constant<int, K>) {
        auto own = problem_.unary.template key<K>(raw[0], 0);
#pragma unroll
        for (int v = 1; v < G; ++v) own = min(own, problem_.unary.template key<K>(raw[v], v));
        key = min(key, own + static_cast<std::uint32_t>(before + g * G));
      });
    }
#pragma unroll 1
    for (int k = have / G * G; k < have; ++k) {
      Raw const x = load_one(before + k, first + before + k);
      each_key([&]<int K>(std::uint32_t& key, std::integral_constant<int, K>) {
        key = min(key, problem_.unary.template key<K>(x, before + k));
      });
    }
    each_key([](std::uint32_t& key, auto) { key = __reduce_min_sync(~0u, key); });
    return problem_.unary.of_keys(least, first);
  }
  /// Neighbours behind what sum has, if it has begun: first each with the next, then what came of these. So
  /// they wait for each other less, and what an operator makes of two indices of which one is known to be the
  /// larger is settled when it is compiled.
  __device__ void fold(T& sum, bool begun, Raw const (&raw)[G], std::int64_t i) {
    T const next = [&]() -> T {
      if constexpr (folds_neighbours<Unary, Raw, G>) return problem_.unary.fold(raw, i);
      else return fold_between<0, G>(raw, i);
    }();
    sum = begun ? static_cast<T>(problem_.op(sum, next)) : next;
  }
  template <int First, int End, int N>
  __device__ T fold_between(Raw const (&raw)[N], std::int64_t i) {
    if constexpr (End - First == 1) return problem_.of(raw[First], i + First);
    else {
      constexpr int middle = (First + End) / 2;
      T const left = fold_between<First, middle>(raw, i), right = fold_between<middle, End>(raw, i);
      return static_cast<T>(problem_.op(left, right));
    }
  }

  Problem& problem_;
  input const& in_;
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
