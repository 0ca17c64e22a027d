// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_WARP_TRANSPOSE_CUH
#define SWEEP_DETAIL_BLOCK_WARP_TRANSPOSE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/alignment.hpp>
#include <sweep/plan.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// The vectors of a warp's lanes where each is several words of 16 bytes. They lie side by side in memory,
/// and a warp that moves them a vector a lane touches each sector with two or more instructions. Here it
/// moves 32 neighbouring words at a time, which go through shared memory to and from the lanes that they
/// belong to.
template <class Item, int V>
class warp_transpose {
  using vector = item_vector<Item, V>;
  static constexpr int words = vector::bytes / 16;

 public:
  static constexpr bool pays =
      vector_width(vector::bytes) == 16 && vector::bytes > 16 && vector::bytes <= 128;
  struct shared {
    uint4 words_of_warp[pays ? 32 * words : 1];
  };

  __device__ explicit warp_transpose(shared& smem) : smem_{smem} {}

  /// The vectors behind p in the order of memory: `to_lanes` brings each lane its own.
  template <access How>
  __device__ void load(Item const* p, vector& some) const {
    uint4 in[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      auto const* const from = reinterpret_cast<uint4 const*>(p) + 32 * w + lane_;
      in[w] = How == access::streaming ? __ldcs(from) : How == access::l2 ? __ldcg(from) : __ldca(from);
    }
    memcpy(some.word, in, sizeof(in));
  }
  __device__ void to_lanes(vector& some) const {
    exchange(
        some, [](int lane, int w) { return 32 * w + lane; },
        [](int lane, int w) { return lane * words + w; });
  }
  /// Each lane's vector to its place behind p.
  template <access How>
  __device__ void store(Item* p, vector own) const {
    exchange(
        own, [](int lane, int w) { return lane * words + w; }, [](int lane, int w) { return 32 * w + lane; });
    uint4 out[words];
    memcpy(out, own.word, sizeof(out));
#pragma unroll
    for (int w = 0; w < words; ++w) {
      auto* const to = reinterpret_cast<uint4*>(p) + 32 * w + lane_;
      if constexpr (How == access::streaming) __stcs(to, out[w]);
      else if constexpr (How == access::l2) __stcg(to, out[w]);
      else __stwb(to, out[w]);
    }
  }

 private:
  template <class From, class To>
  __device__ void exchange(vector& some, From from, To to) const {
    uint4 word[words];
    memcpy(word, some.word, sizeof(word));
    __syncwarp();  // what was here before has been read
#pragma unroll
    for (int w = 0; w < words; ++w) smem_.words_of_warp[from(lane_, w)] = word[w];
    __syncwarp();
#pragma unroll
    for (int w = 0; w < words; ++w) word[w] = smem_.words_of_warp[to(lane_, w)];
    memcpy(some.word, word, sizeof(word));
  }

  shared& smem_;
  int lane_ = static_cast<int>(threadIdx.x % 32);
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
