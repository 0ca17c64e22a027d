// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_ITEM_PARTS_CUH
#define SWEEP_DETAIL_BLOCK_ITEM_PARTS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/item_source.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// An item of global memory that need not begin with a word, in few accesses, as many wherever it stands,
/// none of which touches a byte beside it. It is asked for first and joined later, so that many are on their
/// way at once. What stands between even places is read as words and a half of one, which is before or behind
/// them, or as halves alone; what is left over is a byte first or last, or two. All places are multiples of
/// Align; where they are those of words, the item is words.
template <class Item, int Align = static_cast<int>(alignof(Item))>
class item_parts {
  static constexpr int bytes = static_cast<int>(sizeof(Item));
  static constexpr bool even = Align >= 2, of_words = Align >= 4;
  static constexpr int singles = even ? 0 : bytes <= 2 ? bytes : 2 - bytes % 2, paired = bytes - singles;
  static constexpr bool has_words = !of_words && paired % 4 == 2 && paired > 2 && singles < 2;
  static constexpr int width = of_words || has_words ? 4 : 2, count = paired / width;
  using part = std::conditional_t<has_words, unsigned, unsigned short>;

 public:
  /// That hold it on its way.
  static constexpr int registers = ((!even && paired > 0) || has_words) + singles + has_words + count;

  __device__ void ask(Item const* at) {
    auto const* const p = reinterpret_cast<unsigned char const*>(at);
    if constexpr (of_words) {
      constexpr int wide = Align < 16 ? Align : 16;
      using W = typename vector_type<wide>::type;
#pragma unroll
      for (int k = 0; k < bytes / wide; ++k) {
        W const words = reinterpret_cast<W const*>(p)[k];
        memcpy(parts_ + k * (wide / 4), &words, wide);
      }
      return;
    }
    place_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) % 4;
    if constexpr (singles > 0) first_ = p[begin() > 0 || bytes == singles ? 0 : paired];
    if constexpr (singles > 1) last_ = p[bytes - 1];
    if constexpr (has_words)
      half_ = *reinterpret_cast<unsigned short const*>(p + begin() + (half_first() ? 0 : paired - 2));
    auto const* const from = reinterpret_cast<part const*>(p + skipped());
#pragma unroll
    for (int k = 0; k < count; ++k) parts_[k] = from[k];
  }

  __device__ item_vector<Item, 1> joined() const {
    item_vector<Item, 1> x;
#pragma unroll
    for (int w = 0; w < item_vector<Item, 1>::words; ++w)
      x.word[w] = __funnelshift_l(word(w - 1), word(w), static_cast<unsigned>(8 * skipped()));
    if constexpr (has_words) {
      unsigned const half = half_ << 8 * begin();
      x.word[0] |= half_first() ? half : 0;
      x.word[(paired - 2) / 4] |= half_first() ? 0 : half;
    }
    if constexpr (singles > 0) {
      constexpr int behind = bytes == singles ? 0 : paired;
      x.word[0] |= begin() > 0 ? first_ : 0;
      x.word[behind / 4] |= begin() > 0 ? 0 : first_ << behind % 4 * 8;
    }
    if constexpr (singles > 1) x.word[(bytes - 1) / 4] |= last_ << (bytes - 1) % 4 * 8;
    return x;
  }

 private:
  /// Where the even places begin.
  __device__ int begin() const { return paired > 0 && !even ? static_cast<int>(place_ % 2) : 0; }
  __device__ bool half_first() const {
    return has_words && (place_ + static_cast<unsigned>(begin())) % 4 == 2;
  }
  /// Where the parts do.
  __device__ int skipped() const { return begin() + (half_first() ? 2 : 0); }
  /// The parts, four bytes at a time.
  __device__ unsigned word(int w) const {
    constexpr int each = 4 / width;
    unsigned x = 0;
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (int const at = w * each + k; at >= 0 && at < count) x |= parts_[at] << k * width * 8 % 32;
    return x;
  }

  unsigned place_;  ///< of the first byte in a word
  unsigned first_, last_, half_;
  unsigned parts_[count > 0 ? count : 1];
};

/// Whether a source's items are made of elements that stand elsewhere in memory and are neither words nor
/// parts of one: each is asked for in parts.
template <class Source>
inline constexpr bool gathers_in_parts = [] {
  if constexpr (gathered_in_memory<Source>) {
    using element = element_of_t<Source>;
    return alignof(element) < 4 && sizeof(element) > alignof(element) && sizeof(element) <= 64 &&
           std::is_default_constructible_v<element>;
  } else {
    return false;
  }
}();

/// Of what all elements' places are multiples, where they lie as their size suggests.
template <class Source>
inline constexpr int natural_place = [] {
  if constexpr (gathered_in_memory<Source>) {
    constexpr int bytes = static_cast<int>(sizeof(element_of_t<Source>));
    return std::min(bytes & -bytes, 16);
  } else {
    return 1;
  }
}();
/// Whether fewer parts bring them there.
template <class Source>
inline constexpr bool has_natural_places = [] {
  if constexpr (gathers_in_parts<Source>)
    return natural_place<Source> > static_cast<int>(alignof(element_of_t<Source>));
  else return false;
}();
/// The same of elements of words, which are parts that lie there alone.
template <class Source>
inline constexpr bool has_wider_places = [] {
  if constexpr (gathered_in_memory<Source>) {
    using element = element_of_t<Source>;
    return alignof(element) >= 4 && natural_place<Source> > static_cast<int>(alignof(element)) &&
           sizeof(element) <= 64 && std::is_default_constructible_v<element>;
  } else {
    return false;
  }
}();
template <class Source>
SWEEP_HD bool lies_at_natural_places(Source const& from) {
  return reinterpret_cast<std::uintptr_t>(from.elements_at()) % natural_place<Source> == 0;
}
template <class Source>
using parts_at_natural_places = item_parts<element_of_t<Source>, natural_place<Source>>;

/// An item in words of its own, whatever its alignment.
template <class Item>
struct alignas(vector_width(item_vector<Item, 1>::words * 4)) item_in_words {
  unsigned word[item_vector<Item, 1>::words];

  __device__ void is(item_vector<Item, 1> const& x) {
#pragma unroll
    for (int w = 0; w < item_vector<Item, 1>::words; ++w) word[w] = x.word[w];
  }
  __device__ Item item() const {
    item_vector<Item, 1> x;
#pragma unroll
    for (int w = 0; w < item_vector<Item, 1>::words; ++w) x.word[w] = word[w];
    return x.item(0);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
