// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_SMALL_CUH
#define SWEEP_DETAIL_MULTISPLIT_SMALL_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/multisplit/tile.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One pass of so few items that one block has all of them in its registers: ranks are places then, and what
/// stands in shared memory in the order of bins goes to the output as it stands.
template <class Pass>
struct split_small_job {
  using key = typename Pass::key;
  using value = typename Pass::value;
  static constexpr bool has_values = !std::is_same_v<value, keys_alone>;
  static constexpr int staged_bytes = std::max(split_staged_bytes<key>, split_staged_bytes<value>),
                       threads = 1024, blocks = 1,
                       R = std::max(1, std::min(8, 64 / std::max(staged_bytes, 4))), most_items = threads * R;
  struct shared {
    alignas(16) unsigned counters[threads / 32 * parts_of_pass];
    unsigned sums[16];
    alignas(16) unsigned char staged[std::max(most_items * staged_bytes, 1)];
  };
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(shared); }
  /// Few rows a warp, which come one after the other; no fewer threads than bins.
  static int threads_for(std::int64_t n) {
    return n <= 256 * std::min(R, 2) ? 256 : n <= 512 * R ? 512 : 1024;
  }

  Pass pass;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    int const t = static_cast<int>(threadIdx.x), n = static_cast<int>(pass.n),
              rows = (n + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x),
              of_warp = 32 * rows, begin = t / 32 * of_warp, first = begin + t % 32,
              end = min(begin + of_warp, n), warps = (n + of_warp - 1) / of_warp;
    auto* const own_counters = smem.counters + t / 32 * parts_of_pass;
    auto const counters = static_cast<unsigned>(__cvta_generic_to_shared(own_counters));
    // f(r, i) for the rows r that the warp has; items from n on are none.
    auto const for_each_row = [&](auto f) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (begin + r * 32 < end) f(r, first + r * 32);
      }
    };
    key keys[R];
    load(pass.keys, keys, for_each_row, n);
    clear_counters(own_counters);
    __syncwarp();
    unsigned places[R];
    for_each_row([&](int r, int i) {
      unsigned const bin = i < n ? pass.bin_of(keys[r]) : 0, counter = counter_of(counters, bin);
      places[r] = ranked(counter, rank(bin, i < n, counter));
    });
    __syncthreads();
    unsigned items = 0;
    if (t < pass.bins) {
#pragma unroll 8
      for (int w = 0; w < warps; ++w) items += smem.counters[w * parts_of_pass + t];
    }
    unsigned place = sum_before<unsigned>(items, smem.sums);
    pass.tell_begin(t, place);
    if (t < pass.bins) {
#pragma unroll 8
      for (int w = 0; w < warps; ++w) {
        unsigned& counter = smem.counters[w * parts_of_pass + t];
        unsigned const count = counter;
        counter = place;
        place += count;
      }
    }
    __syncthreads();
    for_each_row([&](int r, int) { places[r] = place_of_ranked(places[r]); });
    auto const move = [&]<class Item>(auto const& in, auto const& out, Item const(&some)[R]) {
      using written = written_value<std::remove_cvref_t<decltype(out)>, Item>;
      auto const to = out;
      if constexpr (split_staged_bytes<Item> == 0) {
        for_each_row([&](int r, int i) {
          if (i < n) to[places[r]] = static_cast<written>(static_cast<Item>(in[i]));
        });
      } else {
        auto* const staged = reinterpret_cast<Item*>(smem.staged);
        for_each_row([&](int r, int i) {
          if (i < n) put_bytes(staged[places[r]], some[r]);
        });
        __syncthreads();
        for (int i = t; i < n; i += static_cast<int>(blockDim.x)) to[i] = static_cast<written>(staged[i]);
      }
    };
    if constexpr (has_values) {
      value values[R];
      load(pass.values, values, for_each_row, n);
      move(pass.keys, pass.keys_out, keys);
      __syncthreads();
      move(pass.values, pass.values_out, values);
    } else {
      move(pass.keys, pass.keys_out, keys);
    }
  }

 private:
  /// As rank_in_warp, with a ballot for each bit that bins have here.
  __device__ unsigned rank(unsigned bin, bool has_item, unsigned counter) const {
    unsigned same = __ballot_sync(~0u, has_item);
#pragma unroll 1
    for (int b = 0; b < pass.bits; ++b) {
      bool const one = (bin >> b & 1) != 0;
      unsigned const ones = __ballot_sync(~0u, one);
      same &= one ? ones : ~ones;
    }
    unsigned const lane = threadIdx.x % 32,
                   leader = 31u - static_cast<unsigned>(__clz(static_cast<int>(same))),
                   first = add_if(lane == leader && has_item, counter, static_cast<unsigned>(__popc(same)));
    return __shfl_sync(~0u, first, static_cast<int>(leader)) +
           static_cast<unsigned>(__popc(same & lanes_below()));
  }
  template <class It, class Item, class Rows>
  static __device__ void load(It const& from, Item (&items)[R], Rows const& for_each_row, int n) {
    if constexpr (split_staged_bytes<Item> != 0 || std::is_same_v<Item, key>) {
      auto const own = from;  // a copy: iterators may have a state
      for_each_row([&](int r, int i) { put_bytes(items[r], static_cast<Item>(own[min(i, n - 1)])); });
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
