// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How a warp's windows hold the items of one stream: a lane has a run of neighbours, which fills whole
/// 16-byte words, of at most so many groups at a time. A row has one group a lane.
template <class Source>
struct stream_window_shape {
  using item = stream_item<Source, 0>;
  static constexpr bool of_bytes = alignof(item) < 4 && sizeof(item) > alignof(item);  ///< each in a register
  static constexpr int unit = items_of_group<Source>(), unit_words = words_of_group<Source, unit>(),
                       groups = of_bytes          ? std::max(1, 3 / unit_words)
                                : unit_words == 1 ? 5
                                : unit_words == 2 ? 3
                                : unit_words == 3 ? 2
                                                  : 1;
  static constexpr int words = groups * unit_words, row_items = 32 * unit, window_items = groups * row_items;
  /// Of a window that has the memory of so many rows: an odd number, so that lanes' runs begin in different
  /// banks.
  SWEEP_HD static constexpr int rows_in(int memory_rows) {
    return memory_rows > groups ? (memory_rows - 1) | 1 : groups;
  }
  /// Units of several numbers that are one word begin lines of 128 bytes with a window, in memory and in its
  /// place.
  static constexpr bool by_lines = unit_words == 1 && unit > 1 && !of_bytes;
  static constexpr int aligned_items = by_lines ? 8 * unit : unit,
                       words_behind = by_lines ? 8 : 1;  ///< items reach there that do not begin with a word
  /// What a window of so many rows takes of them beyond its own words, as lanes load whole groups.
  SWEEP_HD static constexpr int spare_words(int rows) {
    int const words = (groups - rows % groups) % groups * unit_words;
    return by_lines ? (words + 7) / 8 * 8 : words;
  }
};

/// What a warp's windows are awaited at, in shared memory.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool windows_in_bulk = true;
using window_barrier = stage_barrier;
#else
inline constexpr bool windows_in_bulk = false;
struct window_barrier {};
#endif

/// How each warp of a block of at most so many awaits its two slots of windows, as often as it asks for them.
template <int Warps>
class window_slots {
 public:
  struct of_warp {
    window_barrier landed[2];
  };
  struct shared {
    of_warp of[Warps];
  };
  __device__ explicit window_slots(shared& smem) : smem_{smem.of[threadIdx.x / 32]} {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (threadIdx.x % 32 < 2) smem_.landed[threadIdx.x % 32].init(1);
    fence_barrier_init();
    __syncwarp();
#endif
  }
  /// By one lane: neighbouring words are on their way.
  __device__ void ask([[maybe_unused]] int slot, [[maybe_unused]] void* to,
                      [[maybe_unused]] std::uintptr_t from, [[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    smem_.landed[slot].arrive_expecting(bytes);
    bulk_load(to, reinterpret_cast<void const*>(from), bytes, smem_.landed[slot]);
#endif
  }
  /// By all lanes: what they have asked for one by one is there.
  __device__ void arrive([[maybe_unused]] int slot) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    await_async_copies();
    fence_before_bulk();
    __syncwarp();
    if (threadIdx.x % 32 == 0) smem_.landed[slot].arrive();
#else
    end_first_async_copies();
#endif
  }
  /// By all lanes; `more`: the other slot has been asked for since.
  __device__ void await([[maybe_unused]] int slot, [[maybe_unused]] bool more) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    smem_.landed[slot].wait(phases_ >> slot & 1u);
    phases_ ^= 1u << slot;
#else
    if (more) await_async_copies_but<1>();
    else await_async_copies();
#endif
    __syncwarp();
  }

 private:
  of_warp& smem_;
  unsigned phases_ = 0;  ///< of each slot's barrier, a bit
};

/// Windows of a warp, where items are made of one stream: 16-byte words of it in shared memory, as they lie
/// in memory. Each lane folds its run from registers, which has as many groups as the window has rows. The
/// first window begins with whatever item, the others where units do, which in aligned memory are whole
/// words.
template <class Problem, class Slots>
class stream_windows {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;
  using Item = stream_item<Source, 0>;
  using Stream = decltype(std::declval<Source const&>().template stream<0>());
  using shape = stream_window_shape<Source>;
  static constexpr int unit = shape::unit, unit_words = shape::unit_words, G = shape::groups;

 public:
  /// Of G rows: their words, and the one that items reach into where they do not begin with a word.
  struct memory {
    uint4 of[32 * shape::words + shape::words_behind];
  };

  /// ahead: whether the second-level cache fetches what lies around the words that are asked for; of
  /// windows in bulk it does not.
  __device__ stream_windows(Problem const& problem, std::int64_t n, memory* windows, Slots& slots, Op& op,
                            bool const& ahead)
      : problem_{problem},
        op_{op},
        source_{source_of(problem.in)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        n_{n},
        words_{windows->of},
        slots_{slots},
        ahead_{ahead} {}

  /// Windows of so many rows follow each other from this item on, of so many items in all.
  __device__ void begin_with(std::int64_t first, int rows, int count) {
    rows_ = rows;
    base_ = reinterpret_cast<std::uintptr_t>(source_.template stream<0>().lowest(first, items()));
    auto const bytes = static_cast<unsigned>(count) * sizeof(Item),
               low = Stream::reversed ? base_ + items() * sizeof(Item) - bytes : base_;
    inside_ = low / 16 * 16 >= begin_of_all() && (low + bytes + 15) / 16 * 16 <= end_of_all();
  }

  /// Items of a window.
  __device__ int items() const { return rows_ * shape::row_items; }

  /// So many items of the nth window, of which the first ones are left out, are on their way to a slot, which
  /// all lanes have read. Of words that lie partly outside the range no byte is touched there.
  __device__ void ask(int nth, int skip, int count, int slot) {
    count -= skip;
    int const window_words = rows_ * (32 * unit_words);
    auto const bytes = static_cast<std::uintptr_t>(nth) * static_cast<unsigned>(16 * window_words);
    auto const base = base_of(skip), from = base / 16 * 16 + (Stream::reversed ? -bytes : bytes);
    int const shift = static_cast<int>(base % 16);
    int const unread = 16 * window_words - count * static_cast<int>(sizeof(Item)),
              low = Stream::reversed ? (shift + unread) / 16 : 0,
              high = (shift + 16 * window_words - (Stream::reversed ? 0 : unread) + 15) / 16;
    auto* const to = words_of(slot) + lane_;
    auto const at = from + 16 * static_cast<unsigned>(lane_);
    bool const whole = inside_ || exist(from, low, high);
    if (windows_in_bulk && whole) {
      if (lane_ == 0)
        slots_.ask(slot, to + low, from + 16 * static_cast<unsigned>(low),
                   16 * static_cast<unsigned>(high - low));
      return;
    }
    if (whole) {
      int w = 0;
      auto const copy = [&](int k) {
        int const word = w + 32 * k + lane_;
        if (word >= low && word < high)
          copy_16_bytes_async(to + w + 32 * k,
                              reinterpret_cast<void const*>(at + 16 * static_cast<unsigned>(w) + 512 * k),
                              ahead_);
      };
#pragma unroll 1
      for (; w < high - 1; w += 32 * shape::words)
#pragma unroll
        for (int k = 0; k < shape::words; ++k) copy(k);
      if (w == high - 1) copy(0);
      return slots_.arrive(slot);
    }
    auto const begin = begin_of_all(), end = end_of_all();
    constexpr bool by_lanes = unit_words <= 2;  // wider units leave no registers for it
#pragma unroll 1
    for (int w = low; w + lane_ < high; w += 32) {
      auto const word = at + 16 * static_cast<unsigned>(w);
      if (word >= begin && word + 16 <= end)
        copy_16_bytes_async_alone(to + w, reinterpret_cast<void const*>(word));
      else if constexpr (!by_lanes)
#pragma unroll 1
        for (unsigned b = 0; b < 16; ++b)
          if (word + b >= begin && word + b < end)
            reinterpret_cast<unsigned char*>(to + w)[b] = *reinterpret_cast<unsigned char const*>(word + b);
    }
    if constexpr (by_lanes) {
      bring_end(words_of(slot), from, low, high, begin);
      if (begin / 16 != end / 16 || begin % 16 == 0) bring_end(words_of(slot), from, low, high, end);
    }
    slots_.arrive(slot);
  }
  /// A slot that has been asked for is there; `more`: the other one has been asked for since.
  __device__ void await(int slot, bool more) const { slots_.await(slot, more); }

  /// So many items of a window that begins with this item of the range, of which the first ones are left out;
  /// for lane 0.
  __device__ V fold(std::int64_t first, int skip, int count, int slot) {
    int holding;
    V const sum = fold_runs(first, skip, count, slot, holding);
    return warp_reduce_right(sum, holding, op_);
  }
  /// The same of each lane's run, of which so many lanes have one. Shape: (lanes, rows, unit).
  __device__ V fold_runs(std::int64_t first, int skip, int count, int slot, int& holding) {
    first += skip;
    count -= skip;
    int const shift = static_cast<int>(base_of(skip) % 16);
    int const needed = (count + shape::row_items - 1) / shape::row_items, rows = min(needed | 1, rows_),
              run = rows * unit, place = lane_ * run, mine = min(count - place, run);
    V sum{};
#pragma unroll 1
    for (int at = 0; at < mine; at += G * unit) {
      unsigned word[4 * shape::words];
      load_run(word, place + at, shift, slot);
      int const exist = mine - at;
      V part{};
      if (G > 1 && exist >= G * unit) {
        part = fold_run(word, first + place + at, G * unit);
      } else {
        int const end = min(exist, G * unit);
        if (exist >= unit) part = fold_run(word, first + place + at, exist);
#pragma unroll 1
        for (int i = end / unit * unit; i < end; ++i) {
          V const x = made(first + place + at + i, item_at(place + at + i, shift, slot));
          part = i > 0 ? static_cast<V>(op_(part, x)) : x;
        }
      }
      sum = at > 0 ? static_cast<V>(op_(sum, part)) : part;
    }
    holding = __popc(__ballot_sync(~0u, mine > 0));
    return sum;
  }

 private:
  /// Of the word that an end of the range lies in, if it is one of [low, high) from an address on, the bytes
  /// that are the range's, a lane each.
  __device__ void bring_end(uint4* to, std::uintptr_t from, int low, int high, std::uintptr_t end) const {
    auto const word = static_cast<std::int64_t>(end / 16) - static_cast<std::int64_t>(from / 16);
    auto const byte = end / 16 * 16 + static_cast<unsigned>(lane_);
    if (end % 16 != 0 && word >= low && word < high && lane_ < 16 && byte >= begin_of_all() &&
        byte < end_of_all())
      reinterpret_cast<unsigned char*>(to + word)[lane_] = *reinterpret_cast<unsigned char const*>(byte);
  }
  /// Whether words [low, high) from an address on are the range's: of what reaches beyond it, most windows do
  /// not.
  __device__ bool exist(std::uintptr_t from, int low, int high) const {
    auto const words = static_cast<std::int64_t>(from);
    return words + 16 * low >= static_cast<std::int64_t>(begin_of_all()) &&
           words + 16 * high <= static_cast<std::int64_t>(end_of_all());
  }
  /// The range in memory.
  __device__ std::uintptr_t begin_of_all() const {
    return reinterpret_cast<std::uintptr_t>(source_.template stream<0>().lowest(0, n_));
  }
  __device__ std::uintptr_t end_of_all() const {
    return begin_of_all() + static_cast<std::uintptr_t>(n_) * sizeof(Item);
  }

  /// A run's last groups may reach beyond the window.
  __device__ uint4* words_of(int slot) const {
    int const spare = shape::spare_words(rows_);
    return words_ + slot * (rows_ * (32 * unit_words) + shape::words_behind + spare) +
           (Stream::reversed ? spare : 0);
  }

  /// Where the first window would begin if it left out so many items.
  __device__ std::uintptr_t base_of(int skip) const {
    auto const bytes = static_cast<std::uintptr_t>(skip * static_cast<int>(sizeof(Item)));
    return Stream::reversed ? base_ - bytes : base_ + bytes;
  }

  /// The whole groups of a run of which so many items exist, at least one group and at most G.
  __device__ V fold_run(unsigned const (&word)[4 * shape::words], std::int64_t first, int exist) {
    V sum{};
#pragma unroll
    for (int k = 0; k < G; ++k)
      if (k == 0 || (k + 1) * unit <= exist) {
        auto const item_at = [&](int v) { return made(first + k * unit + v, item(word, k * unit + v)); };
        V part = item_at(0);  // short chains, so that they overlap
#pragma unroll
        for (int v = 1; v < unit; ++v) part = static_cast<V>(op_(part, item_at(v)));
        sum = k > 0 ? static_cast<V>(op_(sum, part)) : part;
      }
    return sum;
  }

  /// The words of G groups from a place on, in memory's order.
  __device__ void load_run(unsigned (&word)[4 * shape::words], int place, int shift, int slot) const {
    int const group = place / unit, from_low = Stream::reversed ? 32 * rows_ - G - group : group;
    auto const* const from = words_of(slot) + from_low * unit_words;
    unsigned found[4 * shape::words + 4];
    auto const load = [&](int w) {
      uint4 const four = from[w];
      found[4 * w] = four.x;
      found[4 * w + 1] = four.y;
      found[4 * w + 2] = four.z;
      found[4 * w + 3] = four.w;
    };
#pragma unroll
    for (int w = 0; w < shape::words; ++w) load(w);
    if (alignof(Item) >= 16 || shift == 0) {
#pragma unroll
      for (int w = 0; w < 4 * shape::words; ++w) word[w] = found[w];
      return;
    }
    load(shape::words);
    shift_words<alignof(Item)>(found, alignof(Item) == 8 ? 8 : shift, word);
  }
  /// Item i of the run in operands' order.
  static __device__ Item item(unsigned const (&word)[4 * shape::words], int i) {
    int const at = Stream::reversed ? G * unit - 1 - i : i;
    item_vector<Item, unit> vector;
#pragma unroll
    for (int w = 0; w < 4 * unit_words; ++w) vector.word[w] = word[at / unit * 4 * unit_words + w];
    return vector.item(at % unit);
  }
  /// The same of the window, where it stands.
  __device__ Item const& item_at(int place, int shift, int slot) const {
    int const at = Stream::reversed ? items() - 1 - place : place;
    return *reinterpret_cast<Item const*>(reinterpret_cast<unsigned char const*>(words_of(slot)) + shift +
                                          at * static_cast<int>(sizeof(Item)));
  }
  __device__ V made(std::int64_t i, Item const& x) const {
    return static_cast<V>(problem_.unary(static_cast<Raw>(source_.item(i, [&](auto) -> Item { return x; }))));
  }

  Problem const& problem_;
  Op& op_;
  Source source_;
  int lane_;
  std::int64_t n_;
  std::uintptr_t base_;  ///< where the first window begins in memory
  int rows_;             ///< of a window
  bool inside_;          ///< whether all words that hold some of all items are the range's
  uint4* words_;
  Slots& slots_;
  bool const& ahead_;  ///< in the kernel's arguments, so that it takes no register
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
