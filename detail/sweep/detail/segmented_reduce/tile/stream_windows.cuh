// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
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
/// 16-byte words, an odd number where that is enough for a window. A narrow window has one group a lane.
template <class Source>
struct stream_window_shape {
  static constexpr int unit = items_of_group<Source>(), unit_words = words_of_group<Source, unit>(),
                       groups = unit_words == 1   ? 5
                                : unit_words == 2 ? 3
                                : unit_words == 3 ? 2
                                                  : 1;
  static constexpr int words = groups * unit_words, window_items = 32 * groups * unit,
                       narrow_items = 32 * unit;
};

/// Windows of a warp, where items are made of one stream: 16-byte words of it in shared memory, as they lie
/// in memory. Each lane folds its run from registers. The first window begins with whatever item, the others
/// where units do, which in aligned memory are whole words.
template <class Problem>
class stream_windows {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;
  using Item = stream_item<Source, 0>;
  using Stream = decltype(std::declval<Source const&>().template stream<0>());
  using shape = stream_window_shape<Source>;
  static constexpr int unit = shape::unit, unit_words = shape::unit_words;

 public:
  /// Of one window: its words, and the one that items reach into where they do not begin with a word.
  struct memory {
    uint4 of[32 * shape::words + 1];
  };

  __device__ stream_windows(Problem const& problem, std::int64_t n, bool narrow, memory* windows, Op& op)
      : problem_{problem},
        op_{op},
        source_{source_of(problem.in)},
        narrow_{narrow},
        lane_{static_cast<int>(threadIdx.x % 32)},
        window_{windows} {
    auto const stream = source_.template stream<0>();
    begin_ = reinterpret_cast<std::uintptr_t>(stream.lowest(0, n));
    end_ = begin_ + static_cast<std::uintptr_t>(n) * sizeof(Item);
  }

  /// Windows follow each other from this item on, of which the first one leaves out so many items.
  __device__ void begin_with(std::int64_t first, int skip) {
    base_ = reinterpret_cast<std::uintptr_t>(
        source_.template stream<0>().lowest(first, narrow_ ? shape::narrow_items : shape::window_items));
    left_out_ = skip * static_cast<int>(sizeof(Item));
  }

  /// So many items from the first of the nth window on are on their way to a slot, which all lanes have read.
  /// Of words that lie partly outside the range no byte is touched there.
  __device__ void ask(int nth, int count, int slot) {
    int const window_words = narrow_ ? 32 * unit_words : 32 * shape::words;
    auto const bytes = static_cast<std::uintptr_t>(nth) * static_cast<unsigned>(16 * window_words);
    auto const base = base_of(nth), from = base / 16 * 16 + (Stream::reversed ? -bytes : bytes);
    int const shift = static_cast<int>(base % 16);
    if (!narrow_ && count == shape::window_items && from >= begin_ && from + sizeof(memory) <= end_) {
      auto* const to = window_[slot].of + lane_;
      auto const at = from + 16 * static_cast<unsigned>(lane_);
#pragma unroll
      for (int k = 0; k < shape::words; ++k)
        copy_16_bytes_async(to + 32 * k, reinterpret_cast<void const*>(at + 512 * k));
      if (shift != 0 && lane_ == 0)
        copy_16_bytes_async(to + 32 * shape::words, reinterpret_cast<void const*>(at + 512 * shape::words));
      return;
    }
    int const unread = 16 * window_words - count * static_cast<int>(sizeof(Item)),
              low = Stream::reversed ? (shift + unread) / 16 : 0,
              high = (shift + 16 * window_words - (Stream::reversed ? 0 : unread) + 15) / 16;
    bool const inside =
        from + 16 * static_cast<unsigned>(low) >= begin_ && from + 16 * static_cast<unsigned>(high) <= end_;
#pragma unroll 1
    for (int w = low + lane_; w < high; w += 32) {
      auto const word = from + 16 * static_cast<unsigned>(w);
      if (inside || (word >= begin_ && word + 16 <= end_))
        copy_16_bytes_async(window_[slot].of + w, reinterpret_cast<void const*>(word));
      else
#pragma unroll 1
        for (unsigned b = 0; b < 16; ++b)
          if (word + b >= begin_ && word + b < end_)
            reinterpret_cast<unsigned char*>(window_[slot].of + w)[b] =
                *reinterpret_cast<unsigned char const*>(word + b);
    }
  }
  /// The windows that have been asked for are there.
  __device__ void await() const {
    await_async_copies();
    __syncwarp();
  }
  /// All but the last one.
  __device__ void await_first() const {
    await_first_async_copies();
    __syncwarp();
  }

  /// So many items of the nth window, of which the first is item `first` of the range; for lane 0.
  __device__ V fold(std::int64_t first, int nth, int count, int slot) {
    int const shift = static_cast<int>(base_of(nth) % 16);
    V sum;
    int each = unit;
    if (shape::groups == 1 || narrow_) {
      sum = fold_of_lane<1>(first, shift, count, slot);
    } else {
      sum = fold_of_lane<shape::groups>(first, shift, count, slot);
      each = shape::groups * unit;
    }
    return warp_reduce_right(sum, (count + each - 1) / each, op_);
  }

 private:
  /// Where the nth window would begin if it were the first.
  __device__ std::uintptr_t base_of(int nth) const {
    auto const bytes = static_cast<std::uintptr_t>(nth == 0 ? left_out_ : 0);
    return Stream::reversed ? base_ - bytes : base_ + bytes;
  }

  /// Each lane has so many groups.
  template <int Groups>
  __device__ V fold_of_lane(std::int64_t first, int shift, int count, int slot) {
    constexpr int run = Groups * unit;
    unsigned word[4 * Groups * unit_words];
    load_run<Groups>(word, shift, slot);
    int const place = lane_ * run, mine = count - place;  // as many from here on exist
    if (Groups > 1 && count == 32 * run) return fold_run<Groups>(word, first + place, run);
    V sum{};
    if (mine <= 0) return sum;
    if (mine >= unit) sum = fold_run<Groups>(word, first + place, mine);
    int const end = min(mine, run);
#pragma unroll 1
    for (int i = mine / unit * unit; i < end; ++i) {
      V const x = made(first + place + i, item_at<Groups>(place + i, shift, slot));
      sum = i > 0 ? static_cast<V>(op_(sum, x)) : x;
    }
    return sum;
  }
  /// The whole groups of a run of which so many items exist, at least one group.
  template <int Groups>
  __device__ V fold_run(unsigned const (&word)[4 * Groups * unit_words], std::int64_t first, int exist) {
    V sum{};
#pragma unroll
    for (int k = 0; k < Groups; ++k)
      if (k == 0 || (k + 1) * unit <= exist) {
        auto const item_at = [&](int v) {
          return made(first + k * unit + v, item<Groups>(word, k * unit + v));
        };
        V part = item_at(0);  // short chains, so that they overlap
#pragma unroll
        for (int v = 1; v < unit; ++v) part = static_cast<V>(op_(part, item_at(v)));
        sum = k > 0 ? static_cast<V>(op_(sum, part)) : part;
      }
    return sum;
  }

  /// The words of the lane's run, in memory's order.
  template <int Groups>
  __device__ void load_run(unsigned (&word)[4 * Groups * unit_words], int shift, int slot) const {
    constexpr int words = Groups * unit_words;
    auto const* const from = window_[slot].of + (Stream::reversed ? 31 - lane_ : lane_) * words;
    unsigned found[4 * words + 4];
    auto const load = [&](int w) {
      uint4 const four = from[w];
      found[4 * w] = four.x;
      found[4 * w + 1] = four.y;
      found[4 * w + 2] = four.z;
      found[4 * w + 3] = four.w;
    };
#pragma unroll
    for (int w = 0; w < words; ++w) load(w);
    if (alignof(Item) >= 16 || shift == 0) {
#pragma unroll
      for (int w = 0; w < 4 * words; ++w) word[w] = found[w];
      return;
    }
    load(words);
    shift_words<alignof(Item)>(found, alignof(Item) == 8 ? 8 : shift, word);
  }
  /// Item i of the run in operands' order.
  template <int Groups>
  static __device__ Item item(unsigned const (&word)[4 * Groups * unit_words], int i) {
    int const at = Stream::reversed ? Groups * unit - 1 - i : i;
    item_vector<Item, unit> vector;
#pragma unroll
    for (int w = 0; w < 4 * unit_words; ++w) vector.word[w] = word[at / unit * 4 * unit_words + w];
    return vector.item(at % unit);
  }
  /// The same of the window, where it stands.
  template <int Groups>
  __device__ Item const& item_at(int place, int shift, int slot) const {
    int const at = Stream::reversed ? 32 * Groups * unit - 1 - place : place;
    return *reinterpret_cast<Item const*>(reinterpret_cast<unsigned char const*>(window_[slot].of) + shift +
                                          at * static_cast<int>(sizeof(Item)));
  }
  __device__ V made(std::int64_t i, Item const& x) const {
    return static_cast<V>(problem_.unary(static_cast<Raw>(source_.item(i, [&](auto) -> Item { return x; }))));
  }

  Problem const& problem_;
  Op& op_;
  Source source_;
  std::uintptr_t begin_, end_;  ///< the range in memory
  std::uintptr_t base_;         ///< where the first window would begin in memory if it left nothing out
  int left_out_;                ///< bytes of it
  bool narrow_;
  int lane_;
  memory* window_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
