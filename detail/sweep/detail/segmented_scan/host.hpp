// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_HOST_HPP
#define SWEEP_DETAIL_SEGMENTED_SCAN_HOST_HPP

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segments/heads.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

inline void mark_head(std::vector<std::uint32_t>& words, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) words[static_cast<std::size_t>(i / 32)] |= std::uint32_t{1} << i % 32;
}

/// The heads of segments that are known by where they begin.
template <class It>
void mark_heads(offset_segments<It> const& from, std::vector<std::uint32_t>& words, std::int64_t n) {
  for (std::int64_t s = 0; s < from.count; ++s)
    mark_head(words, static_cast<std::int64_t>(from.offsets[s]), n);
}
template <class It>
void mark_heads(length_segments<It> const& from, std::vector<std::uint32_t>& words, std::int64_t n) {
  std::int64_t begin = 0;
  wrapping_plus add;
  for (std::int64_t s = 0; s < from.count; ++s) {
    mark_head(words, begin, n);
    begin = add(begin, static_cast<std::int64_t>(from.lengths[s]));
  }
}

/// Calls f(policy, source, size) where source answers whether an item starts a segment, and size says what
/// sizes of input f can be called with. Keys that results may take the places of are kept first.
template <class Policy, class Segments, class F>
  requires on_host<Policy>
void with_heads(Policy const& policy, [[maybe_unused]] char const* call, Segments const& from, std::int64_t n,
                std::int64_t, F f, [[maybe_unused]] bool overwritten = false) {
  if constexpr (may_be_overwritten<Segments>) {
    if (overwritten) {
      auto const keys = unwrapped(from.keys);
      using key = value_of<std::remove_const_t<decltype(keys)>>;
      return with_memory<key>(policy, call, n, [&](auto const& rest, key* kept) {
        if (!only_obtains()) std::copy(keys, keys + n, kept);
        auto source = head_source_of(from);
        source.keys = kept;
        f(rest, source, any_size{});
      });
    }
  }
  if constexpr (requires { head_source_of(from); }) {
    f(policy, head_source_of(from), any_size{});
  } else {
    call_zeros<std::uint32_t> const of_items(static_cast<std::size_t>((n + 31) / 32));
    auto& words = *of_items;
    if (!only_obtains()) mark_heads(from, words, n);
    f(policy, bit_source<std::uint32_t const*>{words.data()}, any_size{});
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
