// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_TILE_CUH
#define SWEEP_DETAIL_FIND_TILE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The smallest number of a piece in which something has been found, for those who have not looked yet: a
/// word that only grows, of this launch's stamp and the number's complement. It may be behind, and only saves
/// reading; results do not depend on it. Words that other launches have left there are smaller.
struct found_piece {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;

  /// No piece beyond 2^32 is told of.
  __device__ void tell(std::int64_t piece) const {
    if (piece >= none) return;
    unsigned long long const word = std::uint64_t{above()} << 32 | static_cast<std::uint32_t>(~piece);
    atomicMax(reinterpret_cast<unsigned long long*>(at), word);
  }
  __device__ std::uint64_t word() const { return atomic_ref<std::uint64_t>(*at).load(relaxed); }
  /// What such a word tells.
  __device__ std::uint32_t told_by(std::uint64_t word) const {
    return word >> 32 == above() ? ~static_cast<std::uint32_t>(word) : none;
  }

 private:
  __device__ std::uint32_t above() const { return stamp | std::uint32_t{1} << 31; }
};

/// What a block looks through: pieces of (R rows, 32 lanes, V items), one a warp and round, so that the warps
/// of all blocks go through the range side by side and none reads far beyond what another has found.
template <class Problem, find_plan P>
class find_share {
  using Raw = typename Problem::raw;
  static constexpr int V = Problem::vector_items, warps = P.threads / 32, row_items = 32 * V;
  static constexpr bool of_neighbours = Problem::of_neighbours;
  /// Rows in flight: of 16 bytes a lane, or as many items of an iterator.
  static constexpr int R = [] {
    int const bytes = V * static_cast<int>(sizeof(Raw)), least = Problem::in_contiguous ? 16 : 8;
    return std::max(1, std::min(16, P.rows * 16 / std::max(bytes, least)));
  }();
  static constexpr int piece_items = R * row_items;
  static constexpr unsigned nowhere = ~0u;
  static_assert(P.threads % 32 == 0 && P.rows > 0, "sweep: a find_plan needs whole warps and rows");

 public:
  static constexpr int block_items = warps * piece_items;
  struct shared {
    std::int64_t found[warps];
    std::uint32_t told;  ///< the smallest piece that this block knows of
  };

  struct input {};

  __device__ find_share(Problem const& problem, input, shared& smem)
      : problem_{problem}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    return min(of, (pieces(problem) + warps - 1) / warps);
  }

  __device__ optional<std::int64_t> reduce(std::int64_t block, std::int64_t of) {
    int const warp = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x == 0) smem_.told = found_piece::none;
    __syncthreads();
    std::int64_t found = problem_.n;
    auto const all = pieces(problem_);
    bool known = false;  // that something is found before this warp's pieces
    for (auto piece = block * warps + warp; piece < all && !known; piece += of * warps) {
      // One warp asks the other blocks, whose answer comes before its piece does; the rest of its block asks
      // that warp, each when its own piece is on its way. If every warp asked, what lies early would be found
      // a fifth sooner, but long ranges are read at 0.94 of the copy and not at 0.99.
      bool const asks = warp == 0 && lane_ == 0;
      auto const answer = asks ? problem_.elsewhere.word() : 0;
      unsigned const place = __reduce_min_sync(~0u, look_through(piece, [&] {
        if (asks)
          if (auto const elsewhere = problem_.elsewhere.told_by(answer); elsewhere != found_piece::none)
            atomicMin(&smem_.told, elsewhere);
        __syncwarp();
        auto const before = told();
        return known = before != found_piece::none && piece > before;
      }));
      if (place == nowhere) continue;
      found = first_of(piece) + place;
      if (lane_ == 0) {
        problem_.elsewhere.tell(piece);
        if (piece < found_piece::none) atomicMin(&smem_.told, static_cast<std::uint32_t>(piece));
      }
      break;
    }
    if (lane_ == 0) smem_.found[warp] = found;
    __syncthreads();
    std::int64_t first = smem_.found[0];
    for (int w = 1; w < warps; ++w) first = min(first, smem_.found[w]);
    return {first, block * warps < all};
  }

 private:
  /// The same in all lanes, whatever other warps write meanwhile.
  __device__ std::uint32_t told() const {
    return __shfl_sync(~0u, lane_ == 0 ? atomicOr(&smem_.told, 0u) : 0u, 0);
  }
  static __device__ std::int64_t pieces(Problem const& problem) {
    return problem.n == 0 ? 0 : (problem.n + problem.shift + piece_items - 1) / piece_items;
  }
  __device__ std::int64_t first_of(std::int64_t piece) const { return piece * piece_items - problem_.shift; }

  /// The place in a piece of the first item that this lane has found, or nowhere; nowhere, too, where
  /// enough() says that it need not look, when the piece is on its way.
  template <class Enough>
  __device__ unsigned look_through(std::int64_t piece, Enough enough) const {
    auto const base = first_of(piece);
    int const from = static_cast<int>(max(std::int64_t{0}, -base)),
              to = static_cast<int>(min(std::int64_t{piece_items}, problem_.n - base));
    if constexpr (Problem::in_contiguous)
      if (vector_aligned<V>(problem_.in, base)) return look_through_vectors(base, from, to, enough);
    unsigned const place = look_through_items(base, from, to);
    enough();  // what others have found meanwhile counts for the next piece
    return place;
  }

  /// Places [from, to), an item a lane, in steps of R rows.
  __device__ unsigned look_through_items(std::int64_t base, int from, int to) const {
    unsigned place = nowhere;
#pragma unroll 1
    for (int first = from; first < to && __all_sync(~0u, place == nowhere); first += R * 32) {
      bool here[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const at = first + r * 32 + lane_;
        here[r] = at < to && problem_.holds(base + at);
      }
#pragma unroll
      for (int r = R - 1; r >= 0; --r)
        if (here[r]) place = static_cast<unsigned>(first + r * 32 + lane_);
    }
    return place;
  }

  /// Places [from, to): whole vectors, and by a lane each the fewer than V items on either side of them.
  template <class Enough>
  __device__ unsigned look_through_vectors(std::int64_t base, int from, int to, Enough enough) const {
    auto const is_whole = [&](int r) {
      int const at = r * row_items + lane_ * V;
      return at >= from && at + V <= to;
    };
    item_vector<Raw, V> rows[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (is_whole(r)) load_vectors<P.load>(problem_.in + base + r * row_items + lane_ * V, rows[r]);
    if (enough()) return nowhere;
    int const first_vector = (from + V - 1) / V;
    Raw before{};  // what stands before the first vector, which its lane alone asks for
    if constexpr (of_neighbours)
      if (lane_ == first_vector && is_whole(0) && base + first_vector * V > 0)
        before = problem_.in[base + first_vector * V - 1];
    unsigned of_sides = nowhere;
    if constexpr (V > 1) {
      int const head = from + lane_, tail = max(from, to / V * V) + lane_;
      if (tail < to && problem_.holds(base + tail)) of_sides = static_cast<unsigned>(tail);
      if (head < min(first_vector * V, to) && problem_.holds(base + head))
        of_sides = static_cast<unsigned>(head);
    }

    unsigned place = nowhere;
    if constexpr (of_neighbours) {
      // Of a row it is asked whether there is any. Where there is, its items are looked through again.
      Raw last{};  // of the row before
#pragma unroll
      for (int r = 0; r < R; ++r) {
        Raw x[V];
        rows[r].unpack_each(x);
        // The last item of the lane before, which of lane 0 is in the row before.
        Raw left =
            warp_shfl(r > 0 ? select_registers(lane_ == 31, last, x[V - 1]) : x[V - 1], (lane_ + 31) % 32);
        if (r == 0) left = select_registers(lane_ == first_vector, before, left);
        last = x[V - 1];
        bool any = false;
        if (is_whole(r)) {
#pragma unroll
          for (int v = 0; v < V; ++v)
            any |= (v > 0 || r > 0 || base + lane_ * V > 0) && problem_.test(v > 0 ? x[v - 1] : left, x[v]);
        }
        if (__any_sync(~0u, any)) {
          place = look_through_items(base, max(from, r * row_items), min(to, (r + 1) * row_items));
          break;
        }
      }
    } else {
#pragma unroll
      for (int r = R - 1; r >= 0; --r) {
        Raw x[V];
        rows[r].unpack_each(x);
        if (is_whole(r)) {
#pragma unroll
          for (int v = V - 1; v >= 0; --v)
            if (problem_.test(x[v])) place = static_cast<unsigned>(r * row_items + v);
        }
      }
      if (place != nowhere) place += static_cast<unsigned>(lane_ * V);
    }
    return min(of_sides, place);
  }

  Problem const& problem_;
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
