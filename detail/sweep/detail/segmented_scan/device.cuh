// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_DEVICE_CUH
#define SWEEP_DETAIL_SEGMENTED_SCAN_DEVICE_CUH

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/scan/tile/segmented_matrix_tile.cuh>
#include <sweep/detail/segments/head_bits.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Found by the shuffles of warp/shuffle.cuh: a flagged value travels without its padding.
template <class V, class Count, class Shuffle>
__device__ flagged<V, Count> warp_shuffle_registers(flagged<V, Count> const& x, Shuffle shuffle) {
  return {warp_shuffle_registers(x.value, shuffle), warp_shuffle_registers(x.heads, shuffle)};
}

// On the device all notations become head bits: 1/32 of a float's traffic, which a tile's bulk copies bring
// along. Where the input is small the kernel asks keys and flags themselves; so it does where the device has
// less shared memory than the architecture's kernels want.

inline bool lacks_shared_memory(char const* call) {
  auto const most = static_cast<std::size_t>(device_attribute(call, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return std::min(most, most_shared_bytes) < shared_bytes_of(90) &&
         device_attribute(call, cudaDevAttrComputeCapabilityMajor) >= 9;
}

/// f is called with a copy of the keys: tiles ask the keys of others, which may have been written over.
template <class Policy, class Segments, class F>
void with_kept_keys(Policy const& policy, char const* call, Segments const& from, std::int64_t n, F f) {
  using key = value_of<unwrapped_t<decltype(from.keys)>>;
  with_memory<key>(policy, call, n, [&](auto const& rest, key* kept) {
    if (!only_obtains())
      check(cudaMemcpyAsync(static_cast<void*>(kept), static_cast<void const*>(unwrapped(from.keys)),
                            static_cast<std::size_t>(n) * sizeof(key), cudaMemcpyDefault, policy.stream()),
            call, "cudaMemcpyAsync");
    auto source = head_source_of(from);
    source.keys = kept;
    f(rest, source, only_size<size_class::small>{});
  });
}

/// Tiles add few lengths up themselves where a thread has some of them, as of segments of so many items on
/// average, or where few tiles have all items. Else they ask where segments end, and another kernel adds the
/// lengths up before.
inline constexpr std::int64_t shortest_mean_to_add_lengths_for = 64, most_items_to_add_lengths_for = 4096;

/// f is called with the lengths; where they are many, or too many for the items, or items are more than tiles
/// count in 32 bits, with where segments end, too.
template <class Policy, class Segments, class F>
void with_summed_lengths(Policy const& policy, char const* call, Segments const& from, std::int64_t n, F f) {
  using It = unwrapped_t<decltype(from.lengths)>;
  using source = marked_length_source<It>;
  auto const lengths = unwrapped(from.lengths);
  constexpr only_size<size_class::small> is_small{};
  if (from.count <= few_lengths && n <= most_items_of_few_lengths &&
      (n <= most_items_to_add_lengths_for || n / shortest_mean_to_add_lengths_for >= from.count))
    return f(policy, source{lengths, nullptr, from.count}, is_small);
  with_memory<std::int64_t>(policy, call, from.count, [&](auto const& rest, std::int64_t* ends) {
    run_scan(rest, call,
             scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, It, std::int64_t*, plus,
                          identity>{lengths, ends, {}, {}, {}, {from.count}});
    f(rest, source{lengths, ends, from.count}, is_small);
  });
}

/// The same for a device: f may be given another policy, whose scratch leaves out what the heads take.
/// `item_bytes` decides whether the input is small. InTiles: f scans, and takes sources that
/// tiles mark, too.
template <bool InTiles = false, class Scratch, class... Tags, class Segments, class F>
void with_heads(device_policy<Scratch, Tags...> const& policy, char const* call, Segments const& from,
                std::int64_t n, std::int64_t item_bytes, F f, [[maybe_unused]] bool overwritten = false) {
  if constexpr (requires { requires decltype(head_source_of(from))::packed_heads; }) {
    f(policy, head_source_of(from), any_size{});
  } else {
    constexpr bool plain = (is_on<Tags, checked_t> && ...);
    constexpr bool marks_small = InTiles && plain && requires { from.offsets; };
    constexpr bool sums_small = InTiles && plain && requires { from.lengths; };
    constexpr bool asks_small = marks_small || sums_small || (plain && requires { head_source_of(from); });
    if constexpr (marks_small) {
      if (scan_is_small(n, item_bytes, !InTiles) || lacks_shared_memory(call))
        return f(
            policy,
            marked_offset_source<unwrapped_t<decltype(from.offsets)>>{unwrapped(from.offsets), from.count},
            only_size<size_class::small>{});
    } else if constexpr (sums_small) {
      if (scan_is_small(n, item_bytes, !InTiles) || lacks_shared_memory(call))
        return with_summed_lengths(policy, call, from, n, f);
    } else if constexpr (asks_small)
      if (scan_is_small(n, item_bytes, !InTiles) || lacks_shared_memory(call)) {
        if constexpr (may_be_overwritten<Segments>)
          if (overwritten) return with_kept_keys(policy, call, from, n, f);
        return f(policy, head_source_of(from), only_size<size_class::small>{});
      }
    using size = only_size<asks_small ? size_class::large : size_class::any>;
    auto const bytes = head_words_bytes(n);
    int skip = 0;
    scratch<Scratch> memory(policy.scratch_source(), call, policy.stream(), bytes);
    auto* const words = static_cast<std::uint32_t*>(memory.memory());
    auto const with_words = [&](auto const& rest) {
      f(rest, bit_source<std::uint32_t const*>{words, true, skip}, size{});
    };
    auto const rest = rest_of(policy, memory, bytes);
    if constexpr (requires { head_source_of(from); }) {
      skip = pack_heads(call, policy.stream(), head_source_of(from), words, n);
    } else if constexpr (requires { from.offsets; }) {
      pack_heads(call, policy.stream(), from, words, n);
    } else {
      using It = unwrapped_t<decltype(from.lengths)>;
      using job = pack_length_heads_job<It>;
      auto const lengths = unwrapped(from.lengths);
      if (from.count > few_lengths || (from.count > 0 && n > most_items_of_few_lengths))
        return with_memory<std::int64_t>(rest, call, from.count, [&](auto const& behind, std::int64_t* ends) {
          clear_scratch(call, policy.stream(), words, bytes);
          run_scan(behind, call,
                   scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, It, std::int64_t*,
                                plus, identity>{lengths, ends, {}, {}, {}, {from.count}});
          set_offset_heads(call, policy.stream(), typename marked_length_source<It>::begins{ends}, from.count,
                           words, n);
          with_words(behind);
        });
      launch_job(call, policy.stream(), (n + job::tile_items - 1) / job::tile_items, job::threads,
                 job{lengths, from.count, words, n});
    }
    with_words(rest);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
