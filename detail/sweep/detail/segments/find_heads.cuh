// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_FIND_HEADS_CUH
#define SWEEP_DETAIL_SEGMENTS_FIND_HEADS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a source compares neighbouring keys that lanes can hand on.
template <class Source>
inline constexpr bool hands_keys_on = false;
template <class It, class Eq>
inline constexpr bool hands_keys_on<key_source<It, Eq>> =
    relocatable<value_of<It>>&& std::is_default_constructible_v<value_of<It>>;

/// Whether a source has flags side by side in memory.
template <class Source>
inline constexpr bool has_flags_in_memory = false;
template <class T>
inline constexpr bool has_flags_in_memory<flag_source<T*>> = relocatable<std::remove_cv_t<T>>;

/// Bytes of keys that a lane holds for a vector of items, at most.
inline constexpr std::size_t most_key_bytes = 128;

/// How a warp finds the heads of a source.
enum class finds_heads { by_asking, from_keys, from_flags, from_bits };
template <class Source, int V>
inline constexpr finds_heads way_to_find = [] {
  if constexpr (hands_keys_on<Source>) {
    if (V * sizeof(value_of<decltype(Source::keys)>) <= most_key_bytes) return finds_heads::from_keys;
  } else if constexpr (has_flags_in_memory<Source>) {
    return finds_heads::from_flags;
  } else if constexpr (Source::packed_heads && requires(Source const& from) { from.words; }) {
    return finds_heads::from_bits;
  }
  return finds_heads::by_asking;
}();

enum class which_exist { all, some };

/// The heads of R rows of a warp, 32 neighbouring vectors of V items each; lowest(r) is the index of this
/// lane's item that is first in memory, lanes follow each other in scan order, and rows at equal distances,
/// of whole words of bits. Keys and flags are read once, a vector at a time where they can be, and handed on
/// to the next lane. Where only some of the items exist, the nearest that does is read in place of another,
/// so that no read waits for a branch; the bits of others are unspecified.
template <direction Towards, int V, which_exist Which = which_exist::all, int R, class Heads, class Lowest>
__device__ void heads_of_rows(Heads const& heads, std::int64_t n, Lowest lowest,
                              typename Heads::mask (&found)[R]) {
  if constexpr (Heads::segmented) {
    constexpr bool backward = Towards == direction::backward;
    constexpr auto way = way_to_find<decltype(Heads::source), V>;
    bool const leads = threadIdx.x % 32 == 0;
    // Forward a vector's first item is compared with the one below it, backward its last with the one above.
    auto const beyond = [&](int r) { return backward ? lowest(r) + V : lowest(r) - 1; };
    constexpr bool all = Which == which_exist::all;
    auto const exists = [&](int r) {
      if constexpr (all) return backward ? beyond(r) < n : beyond(r) >= 0;
      else return beyond(r) >= 0 && beyond(r) < n;
    };
    auto const nearest = [&](std::int64_t i) { return max(std::int64_t{0}, min(i, n - 1)); };
    // What the first lane compares with, asked for by all lanes, so that no read waits for a branch.
    auto const beyond_warp = [&](int r) {
      auto const items = static_cast<std::int64_t>(threadIdx.x % 32) * V;
      return nearest(backward ? beyond(r) + items : beyond(r) - items);
    };
    auto const load = [&](auto const& from, auto(&to)[R][V]) {
      if constexpr (all) {
        load_rows<access::streaming>(from, lowest(0), R > 1 ? lowest(1) - lowest(0) : 0, to);
      } else {
        using item = std::remove_reference_t<decltype(to[0][0])>;
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
          for (int v = 0; v < V; ++v) put_bytes(to[r][v], static_cast<item>(from[nearest(lowest(r) + v)]));
      }
    };
    // The first item in scan order starts a segment.
    auto const with_edge = [&](unsigned set, std::int64_t first) {
      if constexpr (all) {
        return Heads::template with_edge<Towards>(set, first, V, n);
      } else {
        auto const at = (backward ? n - 1 : 0) - first;
        return at >= 0 && at < V ? set | 1u << at : set;
      }
    };
    if constexpr (way == finds_heads::from_keys) {
      auto const& source = heads.source;
      using key = value_of<decltype(source.keys)>;
      key keys[R][V], next[R]{};
#pragma unroll
      for (int r = 0; r < R; ++r) put_bytes(next[r], static_cast<key>(source.keys[beyond_warp(r)]));
      load(source.keys, keys);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        constexpr int edge = backward ? V - 1 : 0;
        key const handed_on = select_registers(leads, next[r], warp_shfl_up(keys[r][V - 1 - edge], 1));
        unsigned set = 0;
#pragma unroll
        for (int v = 1; v < V; ++v)
          if (!source.equal(keys[r][v - 1], keys[r][v])) set |= 1u << (backward ? v - 1 : v);
        if (exists(r) &&
            (backward ? !source.equal(keys[r][edge], handed_on) : !source.equal(handed_on, keys[r][edge])))
          set |= 1u << edge;
        found[r] = with_edge(set, lowest(r));
      }
    } else if constexpr (way == finds_heads::from_flags) {
      auto const& flags_in = heads.source.flags;
      using flag = value_of<decltype(heads.source.flags)>;
      flag flags[R][V], next[R]{};
      if constexpr (backward) {
#pragma unroll
        for (int r = 0; r < R; ++r) put_bytes(next[r], flags_in[beyond_warp(r)]);
      }
      load(flags_in, flags);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        unsigned set = 0;
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (static_cast<bool>(flags[r][v])) set |= 1u << v;
        if constexpr (backward) {
          bool const handed_on = (__shfl_up_sync(~0u, set, 1) & 1u) != 0;
          bool const behind_warp = exists(r) && static_cast<bool>(next[r]);
          set = set >> 1 | unsigned{leads ? behind_warp : handed_on} << (V - 1);
        }
        found[r] = with_edge(set, lowest(r));
      }
    } else if constexpr (way == finds_heads::from_bits) {
      auto const& source = heads.source;
      auto const first = lowest(0) + source.skip + (backward ? 1 : 0), at = first >> 5;
      auto const shift = static_cast<int>(first & 31), behind = shift + V > 32 ? 1 : 0;
      auto const step = R > 1 ? static_cast<int>((lowest(1) - lowest(0)) / 32) : 0;
      auto const* const word = source.words + at;
      // Backward there may be nothing behind the last item: what is read in its place does not matter there.
      // Nor does it where items do not exist.
      constexpr std::int64_t far = 1 << 28;
      int const begin = all ? 0 : static_cast<int>(max(-at, -far)),
                last = all && !backward ? 0 : static_cast<int>(min((n + source.skip - 1) / 32 - at, far));
      auto const there = [&](int w) {
        if constexpr (!all) return max(begin, min(w, last));
        else return backward ? min(w, last) : w;
      };
#pragma unroll
      for (int r = 0; r < R; ++r)
        found[r] = with_edge(__funnelshift_r(word[there(r * step)], word[there(r * step + behind)],
                                             static_cast<unsigned>(shift)),
                             lowest(r));
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r)
        if constexpr (all) {
          found[r] = heads.template at<Towards>(lowest(r), V, n);
        } else {
          unsigned set = 0;
#pragma unroll
          for (int v = 0; v < V; ++v)
            set |= (heads.template at<Towards>(nearest(lowest(r) + v), 1, n) & 1u) << v;
          found[r] = set;
        }
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
