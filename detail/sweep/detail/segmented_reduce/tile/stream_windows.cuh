// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STREAM_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How a warp's windows hold the items of one stream: a lane has a run of neighbours, which fills whole
/// 16-byte words, an odd number where that is enough for a window.
template <class Source>
struct stream_window_shape {
  static constexpr int unit = items_of_group<Source>(), unit_words = words_of_group<Source, unit>(),
                       groups = unit_words == 1   ? 5
                                : unit_words == 2 ? 3
                                : unit_words == 3 ? 2
                                                  : 1,
                       words = groups * unit_words, run = groups * unit, window_items = 32 * run;
};

/// Windows of a warp, where items are made of one stream: 16-byte words of it in shared memory, as they lie
/// in memory. All that does not change from one window to the next is known beforehand, and each lane folds
/// its run from registers, whole windows and those at a segment's ends alike.
template <class Problem>
class stream_windows {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;
  using Item = stream_item<Source, 0>;
  using Stream = decltype(std::declval<Source const&>().template stream<0>());

 public:
  using shape = stream_window_shape<Source>;
  static constexpr int window_items = shape::window_items, unit = shape::unit;

 private:
  static constexpr int words = shape::words, run = shape::run, all_words = 32 * words + 1;

 public:
  /// Of one window: its words, and the one that items reach into where they do not begin with a word.
  struct memory {
    uint4 of[all_words];
  };

  __device__ stream_windows(Problem const& problem, std::int64_t n, memory* windows, Op& op)
      : problem_{problem},
        op_{op},
        source_{source_of(problem.in)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        window_{windows} {
    auto const stream = source_.template stream<0>();
    begin_ = reinterpret_cast<std::uintptr_t>(stream.lowest(0, n));
    end_ = begin_ + static_cast<std::uintptr_t>(n) * sizeof(Item);
    auto const first = reinterpret_cast<std::uintptr_t>(stream.lowest(0, window_items));
    shift_ = static_cast<int>(first % 16);
    base_ = first - static_cast<std::uintptr_t>(shift_);
    reaches_beyond_ = shift_ != 0 && lane_ == 0;
  }

  /// Items [first, first + count) are on their way to a window, `first` a multiple of the unit. The window
  /// has been read, by all lanes. Of words that lie partly outside the range no byte is touched there.
  __device__ void ask(std::int64_t first, int count, int nth) {
    auto const bytes = static_cast<std::uintptr_t>(first) * sizeof(Item);
    auto const from = (Stream::reversed ? base_ - bytes : base_ + bytes);
    auto* const to = window_[nth].of + lane_;
    auto const at = from + 16 * static_cast<unsigned>(lane_);
    if (count == window_items && from >= begin_ && from + sizeof(memory) <= end_) {
#pragma unroll
      for (int k = 0; k < words; ++k)
        copy_16_bytes_async(to + 32 * k, reinterpret_cast<void const*>(at + 512 * k));
      if (reaches_beyond_)
        copy_16_bytes_async(to + 32 * words, reinterpret_cast<void const*>(at + 512 * words));
      return;
    }
    int const unread = (window_items - count) * static_cast<int>(sizeof(Item)),
              low = Stream::reversed ? (shift_ + unread) / 16 : 0,
              high = (shift_ + 512 * words - (Stream::reversed ? 0 : unread) + 15) / 16;
    if (from + 16 * static_cast<unsigned>(low) >= begin_ && from + 16 * static_cast<unsigned>(high) <= end_) {
#pragma unroll 1
      for (int w = lane_; w < high; w += 32)
        if (w >= low)
          copy_16_bytes_async(window_[nth].of + w,
                              reinterpret_cast<void const*>(from + 16 * static_cast<unsigned>(w)));
    } else {
#pragma unroll 1
      for (int w = lane_; w < high; w += 32) {
        auto const word = from + 16 * static_cast<unsigned>(w);
        if (w >= low && word >= begin_ && word + 16 <= end_)
          copy_16_bytes_async(window_[nth].of + w, reinterpret_cast<void const*>(word));
        else if (w >= low)
#pragma unroll 1
          for (unsigned b = 0; b < 16; ++b)
            if (word + b >= begin_ && word + b < end_)
              reinterpret_cast<unsigned char*>(window_[nth].of + w)[b] =
                  *reinterpret_cast<unsigned char const*>(word + b);
      }
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

  /// Items [skip, count) of a window, of which there is one in the first unit; for lane 0.
  __device__ V fold(std::int64_t first, int skip, int count, int nth) {
    unsigned word[4 * words];
    load_run(word, nth);
    auto const place = lane_ * run;
    V sum{};
    if (count == window_items && skip == 0) {
#pragma unroll
      for (int k = 0; k < run; k += unit) {
        V part = item(word, k, first + place);  // short chains, so that they overlap
#pragma unroll
        for (int v = 1; v < unit; ++v) part = static_cast<V>(op_(part, item(word, k + v, first + place)));
        sum = k > 0 ? static_cast<V>(op_(sum, part)) : part;
      }
      return warp_reduce_right(sum, 32, op_);
    }
    int const from = skip - place, to = count - place;
    bool any = false;
#pragma unroll
    for (int i = 0; i < run; ++i)
      if (i >= from && i < to) {
        V const x = item(word, i, first + place);
        sum = any ? static_cast<V>(op_(sum, x)) : x;
        any = true;
      }
    return warp_reduce_right(sum, (count + run - 1) / run, op_);
  }

 private:
  /// The words of the lane's run, in memory's order.
  __device__ void load_run(unsigned (&word)[4 * words], int nth) const {
    auto const* const from = window_[nth].of + (Stream::reversed ? 31 - lane_ : lane_) * words;
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
    if (alignof(Item) >= 16 || shift_ == 0) {
#pragma unroll
      for (int w = 0; w < 4 * words; ++w) word[w] = found[w];
      return;
    }
    load(words);
    shift_words<alignof(Item)>(found, alignof(Item) == 8 ? 8 : shift_, word);
  }
  /// Item i of the run in operands' order, which begins with item `first`.
  __device__ V item(unsigned const (&word)[4 * words], int i, std::int64_t first) const {
    constexpr int each = shape::unit;  // items of whole words
    int const at = Stream::reversed ? run - 1 - i : i;
    item_vector<Item, each> vector;
#pragma unroll
    for (int w = 0; w < 4 * shape::unit_words; ++w)
      vector.word[w] = word[at / each * 4 * shape::unit_words + w];
    Item const x = vector.item(at % each);
    return static_cast<V>(
        problem_.unary(static_cast<Raw>(source_.item(first + i, [&](auto) -> Item { return x; }))));
  }
  Problem const& problem_;
  Op& op_;
  Source source_;
  std::uintptr_t begin_, end_;  ///< the range in memory
  std::uintptr_t base_;         ///< the aligned word in which a window begins that begins with item 0
  int shift_;                   ///< of its first byte in memory behind that
  bool reaches_beyond_;         ///< whether the lane asks for the word behind a window's own
  int lane_;
  memory* window_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
