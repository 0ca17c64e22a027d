// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_STAGE_CUH
#define SWEEP_DETAIL_PARTITION_TILE_STAGE_CUH

#include <sweep/bits.hpp>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/block/window.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// What a compaction's pipeline keeps of a tile, and what reducers and scanners both find in it.

SWEEP_HD constexpr int chunks_of(partition_plan const& plan) {
  return pipeline_chunks(plan.threads, plan.stages);
}
/// Scanners keep the tile that they are about to put in registers: one buffer less than there are stages.
SWEEP_HD constexpr int buffers_of(partition_plan const& plan) {
  return plan.stages > 1 ? plan.stages - 1 : 1;
}

/// Items that a lane reads at once: 16 bytes of a narrow type, else one.
SWEEP_HD constexpr int items_at_once(std::size_t bytes) { return bytes == 1 ? 16 : bytes == 2 ? 8 : 1; }

/// Rows of what is tested that a warp takes in one step.
template <class Problem>
inline constexpr int tested_at_once = std::is_same_v<typename Problem::tested_iterator, bits>
                                          ? 1
                                          : items_at_once(sizeof(typename Problem::tested_beneath::value));

/// What stands beside what decides for an item: of pairs, for which their keys decide, the values.
template <class Problem>
struct beside {
  static constexpr bool keyed = is_keyed_input<std::remove_cvref_t<decltype(Problem::in)>>;
  template <class In>
  static SWEEP_HD constexpr decltype(auto) of(In const& in) {
    if constexpr (keyed) return in.second();
    else return (in);
  }
  using iterator = std::remove_cvref_t<decltype(of(std::declval<Problem const&>().in))>;
  using loaded = beneath<iterator>;
  using streamed = beneath<iterator, true>;  ///< what bulk loads bring of it
  static constexpr bool gathered = streamed::contiguous && !loaded::contiguous;
};

// An item is brought to its place as one piece, or a pair as two: each half to an output of its own.

template <class Out>
inline constexpr bool writes_halves = false;
template <class A, class B>
inline constexpr bool writes_halves<zip_output<A, B>> = true;
/// Bytes of what a buffer holds for an item.
template <class Problem>
inline constexpr std::size_t bytes_beside = sizeof(typename Problem::tested_beneath::value) +
                                            sizeof(typename beside<Problem>::streamed::value);
inline constexpr std::size_t most_bytes_beside = 16;  ///< of items that are not narrow
/// Pairs of a key and a value that lies in memory.
template <class Problem>
inline constexpr bool moves_halves =
    beside<Problem>::keyed&& beside<Problem>::loaded::contiguous&& Problem::written == 1 &&
    writes_halves<std::remove_cvref_t<decltype(Problem::outputs.a)>>&& bytes_beside<Problem> <=
        most_bytes_beside;

template <class Raw>
struct halves_of {
  using first = Raw;
  using second = Raw;
};
template <class A, class B>
struct halves_of<item_pair<A, B>> {
  using first = A;
  using second = B;
};

/// Whether scanning warps bring items to their places by way of shared memory, so that writes are wide:
/// narrow items that lie in memory and those of an odd width. Other items go straight from registers or,
/// where a stencil decides, from global memory.
template <class Problem>
inline constexpr bool orders_in_shared_memory = [] {
  using raw = typename Problem::raw;
  if constexpr (moves_halves<Problem>)
    return sizeof(typename halves_of<raw>::first) % 4 != 0 ||
           sizeof(typename halves_of<raw>::second) % 4 != 0;
  else if constexpr (items_at_once(sizeof(raw)) > 1)
    return sizeof(raw) == sizeof(typename Problem::in_beneath::value) &&
           (Problem::tests_items || Problem::in_beneath::contiguous);
  else
    return is_made_of_bytes(sizeof(raw)) && sizeof(raw) <= 16 && Problem::in_beneath::contiguous &&
           (Problem::tests_items || bytes_beside<Problem> <= most_bytes_beside);
}();

/// Whether a stencil decides for wider items that are made of one or two bytes each, which lie in memory:
/// read one by one, a row of them is a sector or two, and too few of those are on their way.
template <class Problem>
inline constexpr bool widens_items =
    !Problem::tests_items && !beside<Problem>::keyed && !orders_in_shared_memory<Problem> &&
    Problem::in_beneath::contiguous && sizeof(typename Problem::in_beneath::value) <= 2 &&
    sizeof(typename Problem::raw) > 2;

/// Whether items are read elsewhere, at places that lie in memory: these are loaded in bulk, so that a lane
/// can ask for all its items at once.
template <class Problem>
inline constexpr bool gathers_beside =
    !Problem::tests_items && beside<Problem>::gathered && sizeof(typename Problem::raw) <= most_bytes_beside;

/// Whether items, or their places, are loaded in bulk beside what decides for them: all of those that are put
/// in order, or that are narrow, take no longer to read than the wanted ones one by one, unless there are
/// hardly any of these.
template <class Problem>
inline constexpr bool loads_items =
    !Problem::tests_items && (orders_in_shared_memory<Problem> || moves_halves<Problem> ||
                              widens_items<Problem> || gathers_beside<Problem>);

/// Items of a lane's vector in the order of a tile: of those that are put in order 16 bytes of a narrow type.
template <class Problem>
inline constexpr int moved_at_once =
    orders_in_shared_memory<Problem> && !moves_halves<Problem> ? items_at_once(sizeof(typename Problem::raw))
                                                               : 1;

/// Whether half number C of a pair, whose halves are put in order, goes straight from registers: a row of
/// whole words is written in as few sectors either way.
template <class Problem, int C>
inline constexpr bool goes_straight = [] {
  if constexpr (moves_halves<Problem>) {
    using both = halves_of<typename Problem::raw>;
    return sizeof(std::conditional_t<C == 0, typename both::first, typename both::second>) % 4 == 0;
  } else {
    return false;
  }
}();

/// Bytes of an item's pieces that are put in order.
template <class Problem>
inline constexpr int bytes_in_order = [] {
  using raw = typename Problem::raw;
  if constexpr (moves_halves<Problem>)
    return static_cast<int>((goes_straight<Problem, 0> ? 0 : sizeof(typename halves_of<raw>::first)) +
                            (goes_straight<Problem, 1> ? 0 : sizeof(typename halves_of<raw>::second)));
  else return static_cast<int>(sizeof(raw));
}();

/// Whether items are loaded only as long as not hardly any of them are wanted.
template <class Problem>
inline constexpr bool loads_unless_few =
    loads_items<Problem>&& Problem::written < Problem::parts&& moved_at_once<Problem> == 1;

/// Items that share a mask and a count: a lane's vector where bytes are put in order that bytes decide for,
/// else a row.
template <class Problem>
SWEEP_HD constexpr int marked_at_once() {
  return moved_at_once<Problem> == items_at_once(1) && tested_at_once<Problem> == items_at_once(1)
             ? items_at_once(1)
             : 32;
}
template <class Problem>
SWEEP_HD constexpr std::size_t mark_bytes(int chunk_items) {
  constexpr int each = marked_at_once<Problem>();
  return static_cast<std::size_t>(chunk_items / each * (each / 8 + static_cast<int>(sizeof(unsigned short))));
}

/// What bulk loads bring beside the items of a tile: whole 16 bytes with the item to their left.
template <class Problem>
SWEEP_HD constexpr int lead_bytes() {
  return Problem::looks_left
             ? (static_cast<int>(sizeof(typename Problem::tested_beneath::value)) + 15) / 16 * 16
             : 0;
}

/// Bytes of a buffer for a tile of so many items: what decides, in whole lines where a window of the items
/// follows.
template <class Problem>
SWEEP_HD constexpr int tested_bytes(int tile_items) {
  constexpr bool bits_decide = std::is_same_v<typename Problem::tested_iterator, bits>;
  int const bytes = bits_decide
                        ? 16
                        : lead_bytes<Problem>() +
                              tile_items * static_cast<int>(sizeof(typename Problem::tested_beneath::value));
  return loads_items<Problem> ? window_pitch(bytes) - window_alignment : bytes;
}
template <class Problem>
SWEEP_HD constexpr int buffer_bytes(int tile_items) {
  constexpr int size = static_cast<int>(sizeof(typename beside<Problem>::streamed::value));
  return tested_bytes<Problem>(tile_items) + (loads_items<Problem> ? window_pitch(tile_items * size) : 0);
}

/// Shape of a tile of a compaction's pipeline, in order: (C chunks, R rows, 32 items), and what is known of
/// it. What decides lies in a buffer, as it lies in memory: the items themselves, or a stencil, and narrow
/// items behind that.
template <class Problem, partition_plan P>
struct partition_stage {
  using loaded_value = typename Problem::tested_beneath::value;
  using counts = typename Problem::counts;
  static constexpr int size = static_cast<int>(sizeof(loaded_value));
  static constexpr bool tests_bits = std::is_same_v<typename Problem::tested_iterator, bits>;
  static constexpr int C = chunks_of(P), R = P.rows, chunk_items = 32 * R, tile_items = C * chunk_items,
                       counted = Problem::parts - 1;

  /// Bytes beside a tile's own, where the item to its left lies: in memory they are before them, or behind
  /// them where it is reversed.
  static constexpr int lead = lead_bytes<Problem>();
  static constexpr bool reversed = Problem::tested_beneath::reversed;

  struct buffer {
    alignas(128) unsigned char with_lead[buffer_bytes<Problem>(tile_items)];
    /// The lowest byte of what decides for `count` items from this place on.
    SWEEP_HD unsigned char* tested(int place, int count = 1) {
      return with_lead + (reversed ? (tile_items - place - count) * size : lead + place * size);
    }
    SWEEP_HD unsigned char* items() { return with_lead + tested_bytes<Problem>(tile_items); }
  };
  static constexpr int marked = marked_at_once<Problem>(), groups = chunk_items / marked;
  using mask = typename vector_type<marked / 8>::type;
  // Of each counted part:
  alignas(16) mask masks[counted][C][groups];             ///< which of a group's items belong to it
  alignas(16) unsigned short before[counted][C][groups];  ///< how many come before the group in its chunk
  static_assert(chunk_items < 1 << 16);
  counts before_chunk[C];
  int totals[counted][C];
  std::int64_t tile;
  bool loaded;
  bool items_loaded;  ///< those beside what decides
  bool has_few;       ///< whether hardly any items of the last tile were wanted
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Places of a tile that a bulk load brings: those that exist, between 16-byte boundaries, where the tile's
/// first place is at one.
struct place_range {
  int begin, end;
};
__device__ inline place_range bulk_places(tile_window const& window, int unit) {
  return {(window.valid_begin + unit - 1) / unit * unit, window.valid_end / unit * unit};
}

/// Which of the 32 items from this place on exist.
__device__ inline unsigned existing_items(tile_window const& window, int place) {
  int const from = min(max(window.valid_begin - place, 0), 32),
            to = min(max(window.valid_end - place, 0), 32);
  return to > from ? (to < 32 ? (1u << to) - 1 : ~0u) & ~0u << from : 0u;
}

/// What is tested at a place of a tile whose buffer has been filled.
template <class Problem, class Buffer>
__device__ typename Problem::tested_value tested_at(Problem const& problem, Buffer& in,
                                                    tile_window const& window, int place) {
  using tested = typename Problem::tested_beneath;
  item_vector<typename tested::value, 1> word;
  typename tested::value x[1];
  auto const* const from = in.tested(place);
  if constexpr (is_made_of_bytes(sizeof(typename tested::value))) load_window(from, word);
  else load_shared(from, word);
  word.unpack(x);
  return tested::item(problem.tested(), window.base + place, x[0]);
}

/// A tile's items, or their places, in its buffer, behind what decides for them, as they lie in memory.
template <class Problem>
class items_beside {
  using loaded = typename beside<Problem>::streamed;
  using value = typename loaded::value;

 public:
  template <class Buffer>
  __device__ items_beside(Problem const& problem, Buffer& in, tile_window const& window)
      : from_{loaded::from(beside<Problem>::of(problem.in), window.base)},
        existing_{byte_range::of(from_.lowest(window.valid_begin, window.count()), window.count())},
        all_{byte_range::of(from_.lowest(-window.base, problem.grid.n), problem.grid.n)},
        at_{in.items(), reinterpret_cast<std::uintptr_t>(from_.lowest(0, problem.grid.tile_items))} {}

  /// Starts their load, by one thread; the bytes that it will bring.
  __device__ unsigned load(stage_barrier& landed) const { return at_.load(existing_, all_, landed); }
  /// What that leaves out of `count` places from this one on, by a warp.
  __device__ void load_ends(int place, int count, int lane) const {
    at_.template load_ends<value>(existing_, all_, byte_range::of(from_.lowest(place, count), count), lane);
  }
  /// Starts what load() will load on its way to the L2 cache.
  __device__ void fetch() const {
    if (auto const words = existing_.words_to_load(all_); !words.empty())
      bulk_prefetch(reinterpret_cast<void const*>(words.from), words.bytes());
  }
  /// The lowest byte of `count` items from this place on.
  __device__ unsigned char const* at(int place, int count = 1) const {
    return at_.at(reinterpret_cast<std::uintptr_t>(from_.lowest(place, count)));
  }

 private:
  memory_source<value, loaded::reversed> from_;  ///< the tile's places
  byte_range existing_, all_;
  staged_window at_;
};

/// The wanted items of a chunk where they are few: each lane has R neighbouring items, and finds those of
/// them by their bits, so that the rest costs nothing.
template <class Problem, partition_plan P>
class few_items {
  using stage = partition_stage<Problem, P>;
  static constexpr int R = stage::R, written = Problem::written;

 public:
  /// Where all parts are written, all items are wanted.
  static constexpr bool possible =
      written < Problem::parts && stage::marked == 32 && (R == 64 || (R <= 32 && 32 % R == 0));
  /// Of a lane. Beyond that whole rows cost less: those of global memory come coalesced.
  static constexpr int most_kept = std::max(1, R / (Problem::tests_items ? 4 : 8));
  using bits_type = std::conditional_t<R == 64, unsigned long long, unsigned>;

  __device__ few_items(stage const& at, int chunk, int lane) {
    int const row = lane * R / 32, shift = lane * R % 32;
#pragma unroll
    for (int k = 0; k < written; ++k) {
      unsigned const mask = at.masks[k][chunk][row];
      before_[k] = at.before[k][chunk][row] + __popc(mask & ((1u << shift) - 1));
      if constexpr (R == 64) masks_[k] = mask | bits_type{at.masks[k][chunk][row + 1]} << 32;
      else if constexpr (R == 32) masks_[k] = mask;
      else masks_[k] = mask >> shift & ((1u << R) - 1);
    }
  }
  __device__ bits_type wanted() const {
    bits_type all = 0;
#pragma unroll
    for (int k = 0; k < written; ++k) all |= masks_[k];
    return all;
  }
  /// The most that any lane has.
  __device__ int most() const {
    return static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(__popcll(wanted()))));
  }
  /// The number of the lowest bit.
  static __device__ int lowest(bits_type bits) {
    if constexpr (R == 64) return __ffsll(static_cast<long long>(bits)) - 1;
    else return __ffs(static_cast<int>(bits)) - 1;
  }
  /// Of those of part k: which they are, and how many come before them in the chunk.
  __device__ bits_type mask(int k) const { return masks_[k]; }
  __device__ int before(int k) const { return before_[k]; }

 private:
  bits_type masks_[written];
  int before_[written];
};

template <class It>
__device__ void prefetch_item(It const& from, std::int64_t index) {
  if constexpr (beneath<It>::contiguous)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(beneath<It>::pointer(from, index)));
  else if constexpr (is_keyed_input<It>) prefetch_item(from.second(), index);
  else if constexpr (requires { from.for_each_range([](auto const&) {}); })
    from.for_each_range([&](auto const& part) { prefetch_item(part, index); });
}

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
