// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_STAGED_ROW_CUH
#define SWEEP_DETAIL_BLOCK_STAGED_ROW_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A row of a source's items, in a warp's share of shared memory: of each of the source's streams the aligned
// 16-byte words that its items lie in, as they lie in memory, as far behind a 128-byte boundary as there. So
// a row begins at any item and any address; a lane reads neighbours, whose words are shifted as they come
// out. A row is 32 lanes x groups x G items. Where a lane's group has many words, beside narrower items of
// another stream, each line of 128 bytes has its words in an order of its own: else lanes would read the same
// banks.

template <class Source, int K>
using stream_item = typename decltype(std::declval<Source const&>().template stream<K>())::value_type;

/// Fewest items of which every stream has whole 16-byte words.
template <class Source, int K = 0>
constexpr int items_of_group() {
  if constexpr (K == Source::streams) return 1;
  else return std::max(items_per_16_bytes(sizeof(stream_item<Source, K>)), items_of_group<Source, K + 1>());
}
/// The 16-byte words of a group of G items in all streams.
template <class Source, int G, int K = 0>
constexpr int words_of_group() {
  if constexpr (K == Source::streams) return 0;
  else return G * static_cast<int>(sizeof(stream_item<Source, K>)) / 16 + words_of_group<Source, G, K + 1>();
}

/// G neighbouring items of all streams.
template <class Source, int G, int K = 0>
struct stream_items {
  stream_item<Source, K> items[G];
  stream_items<Source, G, K + 1> others;

  template <int Of>
  __device__ auto const& at(int v) const {
    if constexpr (Of == K) return items[v];
    else return others.template at<Of>(v);
  }
};
template <class Source, int G, int K>
  requires(K == Source::streams)
struct stream_items<Source, G, K> {};

/// V neighbouring items of which the first begins `shift` bytes, fewer than 16, behind an aligned address.
template <class Item, int V>
__device__ void load_shifted(unsigned char const* p, int shift, item_vector<Item, V>& items) {
  constexpr int words = item_vector<Item, V>::words;
  static_assert(words % 4 == 0);
  if (shift == 0) return load_shared(p, items);
  if constexpr (alignof(Item) < 16) {
    unsigned word[words + 4];
#pragma unroll
    for (int w = 0; w <= words / 4; ++w) {
      auto const four = reinterpret_cast<uint4 const*>(p)[w];
      word[4 * w] = four.x;
      word[4 * w + 1] = four.y;
      word[4 * w + 2] = four.z;
      word[4 * w + 3] = four.w;
    }
    shift_words<alignof(Item)>(word, shift, items.word);
  }
}

template <class Source, int G, int Groups, int K = 0>
class staged_row {
  using item = stream_item<Source, K>;
  using stream = decltype(std::declval<Source const&>().template stream<K>());
  using rest = staged_row<Source, G, Groups, K + 1>;
  static constexpr int words = G * static_cast<int>(sizeof(item)) / 16;  // of a lane's group
  /// Whether lines are mixed: items lie in one word each.
  static constexpr bool mixed = Source::streams > 1 && words % 4 == 0 && alignof(item) == sizeof(item);

 public:
  struct shared {
    alignas(128) uint4 words_of_row[32 * Groups * words + 8];
    typename rest::shared others;
  };

  /// For rows of so many groups of a range of n items, of which the first begins with this one.
  __device__ staged_row(Source const& source, std::int64_t n, int groups, shared& smem, int first = 0)
      : stream_{source.template stream<K>()},
        begin_{reinterpret_cast<std::uintptr_t>(stream_.lowest(0, n))},
        end_{begin_ + static_cast<std::uintptr_t>(n) * sizeof(item)},
        groups_{groups},
        shift_{static_cast<int>(lowest(first) % 16)},
        lead_{static_cast<int>(lowest(first) % 128) - shift_},
        window_{reinterpret_cast<unsigned char*>(smem.words_of_row) + lead_},
        others_(source, n, groups, smem.others, first) {}

  /// The row whose first item has this index is on its way. Of words that lie partly outside the range no
  /// byte is touched there. ahead: whether the second-level cache fetches what lies around them.
  __device__ void fill(std::int64_t first, bool ahead) {
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const from = lowest(first) - static_cast<std::uintptr_t>(shift_);
    int const count = 32 * groups_ * words + (shift_ != 0);
    if (from >= begin_ && from + 16 * static_cast<std::uintptr_t>(count) <= end_) {
      // Line by line, as many words as a row has groups and those that stand out at its ends.
      int const w = lane - lead_ / 16, lines = groups_ * words;
      auto const* const at = reinterpret_cast<unsigned char const*>(from) + 16 * w;
      if (w >= 0) copy_16_bytes_async(placed(16 * w), at, ahead);
#pragma unroll 4
      for (int k = 1; k < lines; ++k) copy_16_bytes_async(placed(16 * w + 512 * k), at + 512 * k, ahead);
      if (w + 32 * lines < count) copy_16_bytes_async(placed(16 * w + 512 * lines), at + 512 * lines, ahead);
    } else {
      for (int w = lane; w < count; w += 32)
        if (auto const at = from + 16 * static_cast<unsigned>(w); at >= begin_ && at + 16 <= end_)
          copy_16_bytes_async(placed(16 * w), reinterpret_cast<void const*>(at), ahead);
      fill_ends(from, count);
    }
    others_.fill(first, ahead);
  }

  /// Group number `group` of the row, from its first item on.
  template <bool Aligned = false>
  __device__ void load(int group, stream_items<Source, G, K>& to) const {
    int const at = stream::reversed ? 32 * groups_ - 1 - group : group;
    item_vector<item, G> vector;
    if constexpr (mixed) load_mixed<Aligned>(at, vector);
    else if constexpr (Aligned) load_shared(window_ + at * words * 16, vector);
    else load_shifted(window_ + at * words * 16, shift_, vector);
    if constexpr (stream::reversed) {
      item backward[G];
      vector.unpack_numbers(backward);
#pragma unroll
      for (int v = 0; v < G; ++v) put_bytes(to.items[v], backward[G - 1 - v]);
    } else {
      vector.unpack_numbers(to.items);
    }
    others_.template load<Aligned>(group, to.others);
  }
  /// Whether items of all streams stand where groups can be loaded as they lie.
  __device__ bool aligned() const { return shift_ == 0 && others_.aligned(); }
  /// Where item number i of the only stream stands.
  __device__ unsigned char const* place_of(int i) const {
    static_assert(!mixed);
    return window_ + shift_ + i * static_cast<int>(sizeof(item));
  }
  /// Item number i of the row alone.
  __device__ void load_one(int i, stream_items<Source, 1, K>& to) const {
    int const at = stream::reversed ? 32 * groups_ * G - 1 - i : i;
    put_bytes(to.items[0],
              *reinterpret_cast<item const*>(placed(shift_ + at * static_cast<int>(sizeof(item)))));
    others_.load_one(i, to.others);
  }

 private:
  /// Where a byte of the row's words stands: of line l of the window word w is where w ^ l would be.
  __device__ unsigned char* placed(int byte) const {
    return window_ + (mixed ? byte ^ (byte >> 3 & 0x70) : byte);
  }
  template <int Words>
  __device__ void load_placed(int first, unsigned (&word)[4 * Words]) const {
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      auto const four = *reinterpret_cast<uint4 const*>(placed((first + w) * 16));
      word[4 * w] = four.x;
      word[4 * w + 1] = four.y;
      word[4 * w + 2] = four.z;
      word[4 * w + 3] = four.w;
    }
  }
  template <bool Aligned>
  __device__ void load_mixed(int group, item_vector<item, G>& items) const {
    if (Aligned || shift_ == 0) return load_placed<words>(group * words, items.word);
    if constexpr (!Aligned && alignof(item) < 16) {
      unsigned word[4 * (words + 1)];
      load_placed<words + 1>(group * words, word);
      shift_words<alignof(item)>(word, shift_, items.word);
    }
  }
  /// The lowest address of a row from its first item on.
  __device__ std::uintptr_t lowest(std::int64_t first) const {
    return reinterpret_cast<std::uintptr_t>(stream_.lowest(first, std::int64_t{32} * groups_ * G));
  }
  /// Of the words that the range's ends lie in what is the range's, each by a half of the warp.
  __device__ void fill_ends(std::uintptr_t from, int count) const {
    constexpr unsigned part = alignof(item) >= 8 ? 8 : alignof(item) >= 4 ? 4 : 1;
    unsigned const lane = threadIdx.x % 32;
    bool const last = lane >= 16;
    auto const end = last ? end_ : begin_, offset = end - from;  // huge where it lies before the row
    if (end % 16 == 0 || offset >= 16 * static_cast<std::uintptr_t>(count)) return;
    if (last && begin_ % 16 != 0 && (begin_ - from) / 16 == offset / 16) return;  // both are in one word
    auto const byte = offset / 16 * 16 + lane % 16 * part, at = from + byte;
    if (lane % 16 * part >= 16 || at < begin_ || at >= end_) return;
    auto* const to = placed(static_cast<int>(byte));
    if constexpr (part >= 4) copy_async<part>(to, reinterpret_cast<void const*>(at));
    else *to = *reinterpret_cast<unsigned char const*>(at);
  }

  stream stream_;
  std::uintptr_t begin_, end_;  ///< the range in memory
  int groups_;
  int shift_, lead_;  ///< of a row's first item in 16 bytes, and of those in a line of 128
  unsigned char* window_;
  rest others_;
};
template <class Source, int G, int Groups, int K>
  requires(K == Source::streams)
class staged_row<Source, G, Groups, K> {
 public:
  struct shared {};
  __device__ staged_row(Source const&, std::int64_t, int, shared&, int = 0) {}
  __device__ void fill(std::int64_t, bool) {}
  template <bool Aligned = false>
  __device__ void load(int, stream_items<Source, G, K>&) const {}
  __device__ bool aligned() const { return true; }
  __device__ void load_one(int, stream_items<Source, 1, K>&) const {}
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
