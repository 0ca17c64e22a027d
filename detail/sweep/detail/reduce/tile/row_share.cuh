// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_ROW_SHARE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_ROW_SHARE_CUH

#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Where the items of a row come from.
enum class row_source {
  streams,    ///< memory: 16-byte words by asynchronous copies
  indices,    ///< nowhere, they are computed
  elsewhere,  ///< memory that is known to the iterator alone: neighbours by neighbouring lanes
};

/// A block's share: each warp folds rows that follow each other, and in a row each lane a run of neighbours.
/// So operands keep their order with one operation an item and five a row for the lanes. Which items a row
/// has depends on how many there are and on the plan alone, not on where they lie.
template <class Problem, class Source, reduce_plan P>
class row_share {
  using T = typename Problem::value;
  using Raw = typename Source::value_type;
  static constexpr int warps = P.threads / 32;
  static constexpr std::size_t most_bytes = (std::size_t{47} << 10) / warps;  ///< of a warp's shared memory

  static constexpr int odd(int groups) { return groups < 1 ? 1 : (groups - 1) | 1; }

  static constexpr bool streams_fit = [] {
    if constexpr (Source::streams == 0 || Source::reads_elsewhere) return false;
    else
      return words_of_group<Source, items_of_group<Source>()>() * 512 + 16 * Source::streams <=
             static_cast<int>(most_bytes);
  }();
  static constexpr row_source from = streams_fit                                      ? row_source::streams
                                     : Source::reads_elsewhere || Source::streams > 0 ? row_source::elsewhere
                                                                                      : row_source::indices;
  /// Items that a lane folds at once.
  static constexpr int G = [] {
    if constexpr (from == row_source::streams) return items_of_group<Source>();
    else if constexpr (from == row_source::indices) return 8;
    else {
      int run = 16;
      while (run > 1 && (run * sizeof(T) > 128 || 32 * (run + 1) * sizeof(T) > most_bytes)) run /= 2;
      return run;
    }
  }();
  /// At most so many groups in a lane's run. An odd number of 16-byte words keeps lanes on different banks of
  /// shared memory.
  static constexpr int most_groups = [] {
    if constexpr (from == row_source::streams) {
      constexpr int words = words_of_group<Source, G>();
      return odd(
          std::min(P.rows / words, static_cast<int>(most_bytes - 16 * Source::streams) / (512 * words)));
    } else {
      return from == row_source::indices ? odd(2 * P.rows) : 1;
    }
  }();

  struct nothing_shared {};
  struct run_of_values {  // a row, each lane's run one place apart from the next
    uninitialized<T, 32 * (G + 1)> values;
  };
  static constexpr auto memory_of_row() {
    if constexpr (from == row_source::streams)
      return std::type_identity<typename staged_row<Source, G, most_groups>::shared>{};
    else if constexpr (from == row_source::elsewhere && G > 1) return std::type_identity<run_of_values>{};
    else return std::type_identity<nothing_shared>{};
  }

 public:
  struct shared {
    typename decltype(memory_of_row())::type rows[warps];
    uninitialized<T, warps> sums;
  };
  /// How n items are cut into rows.
  struct input {
    Source source;
    std::int64_t rows_each = 0;  ///< of every warp
    int rows_more = 0;           ///< the first so many warps have one more
    int groups = 1;              ///< of a lane
  };
  static input input_of(Problem const& problem) {
    input in{source_of(problem.in)};
    auto const n = problem.n;
    auto const step = std::int64_t{32} * G;
    // One block as long as its warps have a row each: blocks that tell each other take longer.
    auto const alone = (n + warps * step - 1) / (warps * step);
    in.groups = alone <= most_groups
                    ? odd(static_cast<int>(alone) + 1)
                    : odd(static_cast<int>(std::min<std::int64_t>(most_groups, n / (step * P.most_blocks))));
    in.groups = std::min(in.groups, most_groups);
    auto const rows = (n + in.groups * step - 1) / (in.groups * step),
               warps_of_all = blocks(problem, in) * warps;
    in.rows_each = rows / warps_of_all;
    in.rows_more = static_cast<int>(rows % warps_of_all);
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
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const number = block * warps + warp;
    auto row = number * in_.rows_each + min(number, std::int64_t{in_.rows_more});
    auto const end = row + in_.rows_each + (number < in_.rows_more ? 1 : 0);
    bool const has_rows = row < end;
    T sum{};
    if constexpr (from == row_source::streams) {
      staged_row<Source, G, most_groups> staged(in_.source, problem_.n, in_.groups, smem_.rows[warp]);
      for (bool begun = false; row < end; ++row, begun = true) {
        auto const first = row * row_items();
        staged.fill(first);
        await_async_copies();
        __syncwarp();
        add(sum, begun,
            reduce_row(
                first, [&](int group, Raw(&raw)[G], std::int64_t i) { load_group(staged, group, raw, i); },
                [&](int at, std::int64_t i) { return load_one(staged, at, i); }));
        __syncwarp();
      }
    } else if constexpr (from == row_source::indices) {
      auto const compute = [&](std::int64_t i) -> Raw { return in_.source.item(i, no_stream{}); };
      for (bool begun = false; row < end; ++row, begun = true) {
        add(sum, begun,
            reduce_row(
                row * row_items(),
                [&](int, Raw(&raw)[G], std::int64_t i) {
#pragma unroll
                  for (int v = 0; v < G; ++v) put_bytes(raw[v], compute(i + v));
                },
                [&](int, std::int64_t i) { return problem_.of(compute(i), i); }));
      }
    } else {
      for (bool begun = false; row < end; ++row, begun = true)
        add(sum, begun, reduce_values(row * row_items(), warp));
    }

    if (lane_ == 0 && has_rows) put_bytes(smem_.sums[warp], sum);
    __syncthreads();
    if (warp > 0) return {};
    auto const begun = in_.rows_each > 0 ? warps : in_.rows_more - block * warps;
    int const count = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{warps}, std::int64_t{begun})));
    T const share = lane_ < count ? smem_.sums[lane_] : T{};
    return {warp_reduce_briefly(share, count, problem_.op), count > 0};
  }

 private:
  struct no_stream {
    template <class K>
    __device__ int operator()(K) const {
      return 0;
    }
  };

  __device__ std::int64_t row_items() const { return std::int64_t{32 * G} * in_.groups; }
  /// In lane 0.
  __device__ void add(T& sum, bool begun, T const& row) {
    sum = begun ? static_cast<T>(problem_.op(sum, row)) : row;
  }

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
  __device__ T load_one(Staged const& staged, int at, std::int64_t i) const {
    stream_items<Source, 1> items;
    staged.load_one(at, items);
    return problem_.of(
        in_.source.item(i,
                        [&](auto k) -> decltype(auto) { return items.template at<decltype(k)::value>(0); }),
        i);
  }

  /// A row from its first item on, in lane 0: whole groups by load(group, raw, i), items of the last one
  /// alone.
  template <class Load, class LoadOne>
  __device__ T reduce_row(std::int64_t first, Load load, LoadOne load_one) {
    int const run = in_.groups * G, before = lane_ * run;
    auto const left = problem_.n - first;  // at least one
    int const have = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{run}, left - before)));
    T sum{};
#pragma unroll 1
    for (int g = 0; g < have / G; ++g) {
      Raw raw[G];
      auto const i = first + before + g * G;
      load(lane_ * in_.groups + g, raw, i);
      fold(sum, g > 0, raw, i);
    }
#pragma unroll 1
    for (int k = have / G * G; k < have; ++k) {
      T const next = load_one(before + k, first + before + k);
      sum = k > 0 ? static_cast<T>(problem_.op(sum, next)) : next;
    }
    return warp_reduce_briefly(sum, __popc(__ballot_sync(~0u, have > 0)), problem_.op);
  }
  /// Neighbours behind what sum has, if it has begun.
  __device__ void fold(T& sum, bool begun, Raw const (&raw)[G], std::int64_t i) {
    constexpr bool at_once = folds_neighbours<decltype(problem_.unary), Raw, G>;
    T const next = [&]() -> T {
      if constexpr (at_once) return problem_.unary.fold(raw, i);
      else return problem_.of(raw[0], i);
    }();
    sum = begun ? static_cast<T>(problem_.op(sum, next)) : next;
    if constexpr (!at_once) {
#pragma unroll
      for (int v = 1; v < G; ++v) sum = problem_.op(sum, problem_.of(raw[v], i + v));
    }
  }

  /// A row whose items only their iterator can give, in lane 0: they pass through shared memory from the
  /// lanes that read neighbours to those that fold them.
  __device__ T reduce_values(std::int64_t first, int warp) {
    auto const left = problem_.n - first;
    int const lanes = left >= 32 * G ? 32 : static_cast<int>((left + G - 1) / G);
    if constexpr (G == 1) {
      T const x = lane_ < lanes ? problem_.item(first + lane_) : T{};
      return warp_reduce_briefly(x, lanes, problem_.op);
    } else {
      auto& values = smem_.rows[warp].values;
      if (lanes == 32 && left >= 32 * G) {
        T x[G];
#pragma unroll
        for (int r = 0; r < G; ++r) x[r] = problem_.item(first + r * 32 + lane_);
#pragma unroll
        for (int r = 0; r < G; ++r) put_bytes(values[place(r)], x[r]);
      } else {
        for (int r = 0; r * 32 + lane_ < left; ++r)
          put_bytes(values[place(r)], problem_.item(first + r * 32 + lane_));
      }
      __syncwarp();
      int const have = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{G}, left - lane_ * G)));
      T sum{};
      if (have > 0) put_bytes(sum, values[lane_ * (G + 1)]);
#pragma unroll
      for (int v = 1; v < G; ++v)
        if (v < have) sum = problem_.op(sum, values[lane_ * (G + 1) + v]);
      __syncwarp();
      return warp_reduce_briefly(sum, lanes, problem_.op);
    }
  }
  /// Where item 32 r + lane of a row stands.
  __device__ int place(int r) const {
    int const i = r * 32 + lane_;
    return i / G * (G + 1) + i % G;
  }

  Problem& problem_;
  input const& in_;
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
