// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_DEVICE_CUH
#define SWEEP_DETAIL_SEGMENTED_SCAN_DEVICE_CUH

#include <sweep/detail/block/access.cuh>
#include <sweep/detail/block/shared_matrix.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/launch.cuh>
#include <sweep/detail/core/scratch.cuh>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/segmented_scan/heads.hpp>
#include <sweep/detail/segmented_scan/host.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::detail {

/// Found by the shuffles of block/warp.cuh: a flagged value travels without its padding.
template <class V, class Count, class Shuffle>
__device__ flagged<V, Count> warp_words(flagged<V, Count> const& x, Shuffle shuffle) {
  return {warp_words(x.value, shuffle), warp_words(x.heads, shuffle)};
}

// On the device all notations become head bits, 32 items a word: 1/32 of a float's traffic, which a tile's
// bulk copies bring along. Where the input is small the kernel asks keys and flags themselves.

/// Shape: (blocks, 8 warps, R rows, 32 items), a ballot for each word.
template <class Source>
struct head_words_job {
  static constexpr int threads = 256, blocks = 4, R = 8, tile_items = threads * R;
  Source source;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const first =
        std::int64_t{blockIdx.x} * tile_items + static_cast<std::int64_t>(threadIdx.x / 32) * (32 * R);
    bool head[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const i = first + r * 32 + lane;
      head[r] = i > 0 && i < n && source(i);
    }
    unsigned mine = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned const word = __ballot_sync(~0u, head[r]);
      if (lane == r) mine = word;
    }
    if (lane < R && first + lane * 32 < n) words[first / 32 + lane] = mine;
  }
};

/// Flags of one byte, 16 at a time. Shape: (blocks, threads, R rows apart by a block's width, 16 flags).
template <class Flag>
struct byte_head_words_job {
  static constexpr int threads = 256, blocks = 4, R = 4, tile_items = threads * R * 16;
  Flag const* flags;  ///< on a 16-byte boundary
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    auto const first = std::int64_t{blockIdx.x} * tile_items + std::int64_t{threadIdx.x} * 16;
    packed_items<Flag, 16> row[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const at = first + r * threads * 16;
      if (at + 16 <= n) load_words<access::streaming>(flags + at, row[r]);
      else {
        Flag some[16]{};
        for (int k = 0; at + k < n; ++k) some[k] = flags[at + k];
        row[r].pack(some);
      }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned half = 0;
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        auto const set = __vcmpne4(row[r].word[w], 0) & 0x01010101u;
        half |= (set * 0x10204080u >> 28) << (4 * w);  // the four bits side by side
      }
      auto const other = __shfl_down_sync(~0u, half, 1);
      auto const at = first + r * threads * 16;
      if (threadIdx.x % 2 == 0 && at < n) words[at / 32] = half | other << 16;
    }
  }
};

/// Sets the bit of item i, for all threads of a warp at once: neighbours that mean the same word join first.
__device__ inline void mark_head_bit(std::uint32_t* words, std::int64_t i, std::int64_t n) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  bool const valid = i >= 0 && i < n;
  auto const word = valid ? i / 32 : std::int64_t{-1};
  unsigned joined = valid ? 1u << (i % 32) : 0u;
  auto const left = __shfl_up_sync(~0u, word, 1);
  unsigned const starts = __ballot_sync(~0u, lane == 0 || left != word);  // of runs of lanes with one word
  unsigned const later = lane < 31 ? starts >> (lane + 1) : 0u;
  int const end = later ? lane + __ffs(static_cast<int>(later)) : 32;  // of this lane's run
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    unsigned const right = __shfl_down_sync(~0u, joined, by);
    if (lane + by < end) joined |= right;
  }
  if (valid && (starts >> lane & 1u) != 0) atomic_ref<std::uint32_t>(words[word]).fetch_or(joined, relaxed);
}

template <class It>
struct mark_offsets_job {
  static constexpr int threads = 256, blocks = 4, R = 4;
  It offsets;
  std::int64_t count;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    auto const first = std::int64_t{blockIdx.x} * threads * R + threadIdx.x;
    std::int64_t at[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
      at[r] = first + r * threads < count ? static_cast<std::int64_t>(offsets[first + r * threads]) : -1;
#pragma unroll
    for (int r = 0; r < R; ++r) mark_head_bit(words, at[r], n);
  }
};

/// The output of a scan of lengths: where a segment begins its bit is set.
struct marked_heads {
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    std::uint32_t* words;
    std::int64_t n;
    SWEEP_HD void operator=(std::int64_t i) const {
#if defined(__CUDA_ARCH__)
      if (i >= 0 && i < n)
        atomic_ref<std::uint32_t>(words[i / 32]).fetch_or(std::uint32_t{1} << (i % 32), relaxed);
#else
      (void)i;
#endif
    }
  };
  std::uint32_t* words;
  std::int64_t n;
  SWEEP_HD reference operator[](std::int64_t) const { return {words, n}; }
  SWEEP_HD reference operator*() const { return {words, n}; }
  friend SWEEP_HD marked_heads operator+(marked_heads const& x, std::int64_t) { return x; }
};

template <class Source>
void make_head_words(char const* call, cudaStream_t stream, Source const& source, std::uint32_t* words,
                     std::int64_t n) {
  auto const launch = [&](auto const& job) {
    using Job = std::decay_t<decltype(job)>;
    launch_job(call, stream, (n + Job::tile_items - 1) / Job::tile_items, Job::threads, job);
  };
  if constexpr (requires {
                  requires sizeof(*source.flags) == 1 && std::is_pointer_v<decltype(source.flags)>;
                }) {
    using Flag = std::remove_cvref_t<decltype(*source.flags)>;
    if (reinterpret_cast<std::uintptr_t>(source.flags) % 16 == 0)
      return launch(byte_head_words_job<Flag>{source.flags, words, n});
  }
  launch(head_words_job<Source>{source, words, n});
}

/// The same for a device: f may be given another policy, whose scratch leaves out what the heads take.
/// `item_bytes` decides whether the input is small.
template <class Scratch, class... Choices, class Segments, class F>
void with_heads(device_policy<Scratch, Choices...> const& policy, char const* call, Segments const& from,
                std::int64_t n, std::int64_t item_bytes, F f) {
  if constexpr (requires { requires decltype(source_of(from))::in_words; }) {
    f(policy, source_of(from));
  } else {
    if constexpr (requires { source_of(from); } && sizeof...(Choices) == 0)
      if (scan_is_small(n, item_bytes)) return f(policy, source_of(from));
    auto const bytes = static_cast<std::size_t>((n + 127) / 128) * 16;
    scratch<Scratch> memory(policy.scratch_source(), call, policy.stream(), bytes);
    auto* const words = static_cast<std::uint32_t*>(memory.memory());
    if constexpr (requires { source_of(from); }) {
      make_head_words(call, policy.stream(), source_of(from), words, n);
    } else {
      check(cudaMemsetAsync(words, 0, bytes, policy.stream()), call, "cudaMemsetAsync");
      if constexpr (requires { from.offsets; }) {
        using job = mark_offsets_job<unwrapped_t<decltype(from.offsets)>>;
        auto const per_block = std::int64_t{job::threads} * job::R;
        if (from.count > 0)
          launch_job(call, policy.stream(), (from.count + per_block - 1) / per_block, job::threads,
                     job{unwrapped(from.offsets), from.count, words, n});
      } else if (from.count > 0) {
        using It = unwrapped_t<decltype(from.lengths)>;
        scan_problem<scan_kind::exclusive, direction::forward, std::int64_t, It, marked_heads, plus, identity>
            begins{unwrapped(from.lengths), {words, n}, {}, {}, {0, true}, {.n = from.count}};
        run_scan(rest_of(policy, memory, bytes), call, begins);
      }
    }
    f(rest_of(policy, memory, bytes), bit_source<std::uint32_t const*>{words});
  }
}

}  // namespace sweep::detail

#endif
