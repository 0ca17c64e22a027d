// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_SPLIT_WORDS_CUH
#define SWEEP_DETAIL_SORT_RADIX_SPLIT_WORDS_CUH

#include <sweep/detail/block/bitonic_network.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/radix/frequent_words.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// How one block chooses the words that items are split by: frequent ones, and some of others, so that what
/// is between two is small.
template <class Word, int Threads>
class split_words {
  using table = frequent_words<Word>;
  static constexpr int size = table::most + 1;

 public:
  static constexpr int most_others = 8192;  ///< that are looked at
  struct shared {
    Word frequent[table::most_frequent + 2];  ///< behind the last the highest there is
    Word words[size];
    std::uint16_t low[size], high[size];  ///< of others: those before a word, and those through it
    unsigned char own[size];              ///< whether a word has a bin
    unsigned char before[size];           ///< chosen ones among the others' quantiles
    unsigned sums[9], kept, widest;
  };

  __device__ explicit split_words(shared& smem) : smem_{smem} {}

  /// From words in any order, which all threads see; behind it they have a barrier.
  __device__ void order_frequent(Word const* found, int count) const {
    int const t = thread();
    if (t < count) {
      int place = 0;
#pragma unroll 4
      for (int i = 0; i < count; ++i)
        if (found[i] < found[t]) ++place;
      smem_.frequent[place] = found[t];
    } else if (t < table::most_frequent + 2) {
      smem_.frequent[t] = static_cast<Word>(~Word{0});
    }
    __syncthreads();
  }
  /// The words that items are split by, once frequent ones are in order. How many there are with some of the
  /// others, so that no more than a part `room` of all items is between two of them; or 0. Others are a share
  /// of all words: draw(k) is one of these, of so many rows. `others` is memory for most_others.
  template <class Draw>
  __device__ int choose(int frequent, float share, float room, Word* others, int most_rows, Draw draw) const {
    constexpr int at_once = 8;
    int const t = thread();
    // So many items are between two, of which these are seen, and by chance some more.
    int rows = 0;
    float draws = 0;
    auto const fits = [&](float seen) { return seen + 4 * sqrtf(seen) + 4 <= room * draws; };
    auto const fit_of = [&](int wanted) {
      rows =
          min(max(static_cast<int>(static_cast<float>(wanted) / (share * Threads)) + 1, at_once), most_rows);
      draws = static_cast<float>(rows * Threads);
      return fits(share * draws / static_cast<float>(table::most - 2 * frequent) + 1);
    };
    // To bring twice as many in order takes twice as long.
    if (!fit_of(most_others * 3 / 16) && !fit_of(most_others * 3 / 8) && !fit_of(most_others * 7 / 8))
      return 0;
    unsigned const lane = threadIdx.x % 32;
    if (t == 0) smem_.kept = 0;
    __syncthreads();
#pragma unroll 1
    for (int begin = 0; begin < rows; begin += at_once) {
      Word some[at_once];
#pragma unroll
      for (int r = 0; r < at_once; ++r) some[r] = draw(min(begin + r, rows - 1) * Threads + t);
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        bool const is_other = begin + r < rows && !is_frequent(some[r]);
        unsigned const of_warp = __ballot_sync(~0u, is_other);
        unsigned place = lane == 0 ? atomicAdd(&smem_.kept, static_cast<unsigned>(__popc(of_warp))) : 0;
        place = __shfl_sync(~0u, place, 0) + __popc(of_warp & lanes_below());
        if (is_other && place < most_others) others[place] = some[r];
      }
    }
    __syncthreads();
    int const count = static_cast<int>(smem_.kept);
    if (count == 0 || count > most_others) return 0;
    sort_by_network<Threads>(others, count, [] { __syncthreads(); });
    int const all = choose(frequent, others, count);
    return fits(static_cast<float>(smem_.widest)) ? all : 0;
  }
  /// Frequent words alone.
  __device__ void choose(int frequent) const {
    if (int const t = thread(); t < frequent) {
      smem_.words[t] = smem_.frequent[t];
      smem_.own[t] = 1;
    }
    __syncthreads();
  }
  /// Chosen words become the table.
  __device__ void put(table& to, int count) const {
    int const t = thread();
    unsigned const gap = sum_before<unsigned>(t < count ? 1 + smem_.own[t] : 0, smem_.sums);
    if (t < size) {
      to.words[t] = t < count ? smem_.words[t] : static_cast<Word>(~Word{0});
      to.gaps[t] = static_cast<unsigned char>(gap);
    }
    if (t == 0) {
      to.count = static_cast<std::uint32_t>(count);
      to.half = 0x80000000u >> __clz(count);
    }
  }

 private:
  __device__ bool is_frequent(Word w) const {
    return smem_.frequent[less(smem_.frequent, table::most_frequent + 1, w)] == w;
  }
  /// Frequent words, and of others, which are in order, quantiles, each of which has a bin where it is as
  /// many as are between two. How many words there are then; and how many of the others are together at most.
  __device__ int choose(int frequent, Word const* others, int count) const {
    int const t = thread(), least = (table::most - 1 - 2 * frequent) / 2;
    int some = min(table::most - 1 - 2 * frequent, count), low = 0, high = 0;
    bool chosen = false, own = false;
    auto const quantile = [&](int i) { return others[(i + 1) * count / (some + 1)]; };
    while (true) {
      chosen = own = false;
      if (t < some) {
        auto const w = quantile(t);
        if (chosen = t == 0 || quantile(t - 1) != w; chosen) {
          low = less(others, count, w);
          high = w == static_cast<Word>(~Word{0}) ? count : less(others, count, static_cast<Word>(w + 1));
          own = high - low > 1 && (high - low) * (some + 1) >= count;
        }
      }
      int const bins = __syncthreads_count(chosen ? 1 : 0) + __syncthreads_count(own ? 1 : 0);
      if (some <= least || bins + 2 * frequent + 1 <= table::most) break;
      some = max(some * 3 / 4, least);
    }
    unsigned const before = sum_before<unsigned>(chosen ? 1 : 0, smem_.sums);
    if (t < size) smem_.before[t] = static_cast<unsigned char>(before);
    if (t == 0) smem_.widest = 0;
    __syncthreads();
    auto const put = [&](int place, Word w, int from, int to, bool is_own) {
      smem_.words[place] = w;
      smem_.own[place] = is_own ? 1 : 0;
      smem_.low[place] = static_cast<std::uint16_t>(from);
      smem_.high[place] = static_cast<std::uint16_t>(to);
    };
    if (chosen) {
      auto const w = quantile(t);
      put(static_cast<int>(before) + less(smem_.frequent, frequent, w), w, low, high, own);
    }
    if (t < frequent) {
      auto const w = smem_.frequent[t];
      int const place = less(others, count, w);
      int from = 0;  // quantiles that are less
      for (int until = some; from < until;) {
        int const middle = (from + until) / 2;
        if (quantile(middle) < w) from = middle + 1;
        else until = middle;
      }
      put(t + smem_.before[from], w, place, place, true);
    }
    __syncthreads();
    int const all = frequent + static_cast<int>(smem_.sums[8]);
    if (t <= all) {
      int const begin = t == 0                  ? 0
                        : smem_.own[t - 1] != 0 ? smem_.high[t - 1]
                                                : smem_.low[t - 1],
                end = t < all ? smem_.low[t] : count;
      atomicMax(&smem_.widest, static_cast<unsigned>(end - begin));
    }
    __syncthreads();
    return all;
  }
  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  /// How many words are less.
  __device__ static int less(Word const* words, int count, Word w) {
    int from = 0;
    while (from < count) {
      int const middle = (from + count) / 2;
      if (words[middle] < w) from = middle + 1;
      else count = middle;
    }
    return from;
  }

  shared& smem_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
