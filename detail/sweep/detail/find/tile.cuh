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
/// of all blocks go through the range side by side and none reads far beyond what another has found. Pieces
/// of vectors begin with one row and double, so that what lies early is found before much else is on its way.
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
  static constexpr unsigned nowhere = ~0u;
  static_assert(P.threads % 32 == 0 && P.rows > 0, "sweep: a find_plan needs whole warps and rows");

 public:
  struct shared {
    std::int64_t found[warps];
    std::uint32_t told;  ///< the smallest piece that this block knows of
  };

  struct input {};

  __device__ find_share(Problem const& problem, input, shared& smem)
      : problem_{problem}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  static __device__ std::int64_t shares(Problem const&, std::int64_t of) { return of; }

  __device__ optional<std::int64_t> reduce(std::int64_t block, std::int64_t of) {
    int const warp = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x == 0) smem_.told = found_piece::none;
    __syncthreads();
    auto const mine = block * warps + warp, all_warps = of * warps;
    std::int64_t found = problem_.n;
    if constexpr (Problem::in_contiguous) {
      if (vector_aligned<V>(problem_.in, -std::int64_t{problem_.shift}))
        found = look_by_vectors(mine, all_warps);
      else found = look_by_items(mine, all_warps);
    } else {
      found = look_by_items(mine, all_warps);
    }
    if (lane_ == 0) smem_.found[warp] = found;
    __syncthreads();
    std::int64_t first = smem_.found[0];
    for (int w = 1; w < warps; ++w) first = min(first, smem_.found[w]);
    return {first, true};
  }

 private:
  /// The same in all lanes, whatever other warps write meanwhile.
  __device__ std::uint32_t told() const {
    return __shfl_sync(~0u, lane_ == 0 ? atomicOr(&smem_.told, 0u) : 0u, 0);
  }
  /// One warp of a block asks the other blocks what they have found, with asked() before its piece is looked
  /// through and with heard() behind it, when the answer has come; the rest of its block asks that warp. If
  /// every warp asked, long ranges would be read at 0.94 of the copy and not at 0.99.
  __device__ bool asks() const { return threadIdx.x == 0; }
  __device__ std::uint64_t asked() const { return asks() ? problem_.elsewhere.word() : 0; }
  __device__ void heard(std::uint64_t answer) const {
    if (asks())
      if (auto const elsewhere = problem_.elsewhere.told_by(answer); elsewhere != found_piece::none)
        atomicMin(&smem_.told, elsewhere);
    __syncwarp();
  }
  /// Whether something is found before a piece.
  __device__ bool is_beyond_found(std::int64_t piece) const {
    auto const before = told();
    return before != found_piece::none && piece > before;
  }
  __device__ void tell(std::int64_t piece) const {
    if (lane_ > 0) return;
    problem_.elsewhere.tell(piece);
    if (piece < found_piece::none) atomicMin(&smem_.told, static_cast<std::uint32_t>(piece));
  }

  /// Places of a piece that are in the range: [from, to).
  struct part {
    std::int64_t base;
    int from, to;
    __device__ bool is_whole(int at) const { return at >= from && at + V <= to; }
    __device__ int first_vector() const { return (from + V - 1) / V; }
  };
  __device__ part part_of(std::int64_t piece) const {
    auto const base = piece * R * row_items - problem_.shift;
    return {base, static_cast<int>(max(std::int64_t{0}, -base)),
            static_cast<int>(min(std::int64_t{R * row_items}, problem_.n - base))};
  }
  __device__ std::int64_t pieces() const {
    return (problem_.n + problem_.shift + R * row_items - 1) / (R * row_items);
  }

  /// The first item found in every stride-th piece, n where there is none or another has found one before.
  __device__ std::int64_t look_by_items(std::int64_t piece, std::int64_t stride) const {
    for (auto const all = pieces(); piece < all; piece += stride) {
      auto const answer = asked();
      auto const here = part_of(piece);
      unsigned const place = look_through_items(here.base, here.from, here.to);
      if (place != nowhere) {
        tell(piece);
        return here.base + place;
      }
      heard(answer);
      if (is_beyond_found(piece + stride)) break;
    }
    return problem_.n;
  }

  /// The vectors of a piece: (R rows, 32 lanes, V items), and what stands before the first, which its lane
  /// alone asks for.
  struct window {
    item_vector<Raw, V> rows[R];
    Raw before;
  };
  __device__ void load(part const& here, window& w) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const at = r * row_items + lane_ * V;
      if (here.is_whole(at)) load_vectors<P.load>(problem_.in + here.base + at, w.rows[r]);
    }
    if constexpr (of_neighbours) {
      int const at = here.first_vector() * V;
      if (lane_ == here.first_vector() && here.is_whole(at) && here.base + at > 0)
        w.before = problem_.in[here.base + at - 1];
    }
  }

  /// The same by vectors: while a piece is looked through, the next is on its way.
  __device__ std::int64_t look_by_vectors(std::int64_t piece, std::int64_t stride) const {
    auto const all = pieces();
    if (piece >= all) return problem_.n;
    window now{}, next{};
    part here = part_of(piece);
    load(here, now);
#pragma unroll 1
    while (true) {
      auto const answer = asked();
      auto const next_piece = piece + stride;
      auto const there = part_of(next_piece);
      bool const goes_on = next_piece < all;
      if (goes_on) load(there, next);
      unsigned const place = look_through(here, now, piece);
      if (place != nowhere) return here.base + place;
      if (!goes_on) break;
      heard(answer);
      if (is_beyond_found(next_piece)) break;
      now = next;
      here = there;
      piece = next_piece;
    }
    return problem_.n;
  }

  /// The first place in a piece that an item is found at, or nowhere: items one by one, in steps of R rows.
  __device__ unsigned look_through_items(std::int64_t base, int from, int to) const {
    unsigned place = nowhere;
#pragma unroll 1
    for (int first = from; first < to && place == nowhere; first += R * 32) {
      bool here[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const at = first + r * 32 + lane_;
        here[r] = at < to && problem_.holds(base + at);
      }
#pragma unroll
      for (int r = R - 1; r >= 0; --r)
        if (here[r]) place = static_cast<unsigned>(first + r * 32 + lane_);
      place = __reduce_min_sync(~0u, place);
    }
    return place;
  }

  /// The same of a piece's window, row by row: of a row it is asked whether there is any, and others are told
  /// as soon as there is.
  __device__ unsigned look_through(part const& here, window const& w, std::int64_t piece) const {
    if constexpr (V > 1)  // items before the first whole vector
      if (here.from % V != 0) {
        unsigned const place =
            look_through_items(here.base, here.from, min(here.to, here.first_vector() * V));
        if (place != nowhere) return tell(piece), place;
      }
    [[maybe_unused]] Raw last{};  // of the row before
#pragma unroll
    for (int r = 0; r < R; ++r) {
      Raw x[V];
      w.rows[r].unpack_each(x);
      [[maybe_unused]] Raw left{};
      int const at = r * row_items + lane_ * V;
      if constexpr (of_neighbours) {
        // The last item of the lane before, which of lane 0 is in the row before.
        left = warp_shfl(r > 0 ? select_registers(lane_ == 31, last, x[V - 1]) : x[V - 1], (lane_ + 31) % 32);
        if (r == 0) left = select_registers(lane_ == here.first_vector(), w.before, left);
        last = x[V - 1];
      }
      auto const holds = [&](int v) {
        if constexpr (of_neighbours)
          return (v > 0 || here.base + at > 0) && problem_.test(v > 0 ? x[v - 1] : left, x[v]);
        else return problem_.test(x[v]);
      };
      bool any = false;
      if (here.is_whole(at)) {
        bool of_each[4] = {};  // so that no test waits for the one before it
#pragma unroll
        for (int v = 0; v < V; ++v) of_each[v % 4] |= holds(v);
        any = (of_each[0] | of_each[1]) | (of_each[2] | of_each[3]);
      }
      if (__any_sync(~0u, any)) {
        tell(piece);
        unsigned place = nowhere;
        if (any) {
#pragma unroll
          for (int v = V - 1; v >= 0; --v)
            if (holds(v)) place = static_cast<unsigned>(at + v);
        }
        return __reduce_min_sync(~0u, place);
      }
    }
    if constexpr (V > 1)  // items behind the last whole vector
      if (int const tail = max(here.from, here.to / V * V); tail < here.to) {
        unsigned const place = look_through_items(here.base, tail, here.to);
        if (place != nowhere) return tell(piece), place;
      }
    return nowhere;
  }

  Problem const& problem_;
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
