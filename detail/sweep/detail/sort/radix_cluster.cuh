// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_CLUSTER_CUH
#define SWEEP_DETAIL_SORT_RADIX_CLUSTER_CUH

#include <sweep/detail/block/cluster.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// So few items that the blocks of one cluster have them all in registers and shared memory, each as many
/// neighbours. For each digit a block brings its items into the order of bins, blocks tell each other how
/// many items of each bin they have, and send items to those that go on with them. Values of up to 4 bytes
/// move with their keys; for wider ones indices do, and they are moved once.
///
/// A block writes where another one reads only after that one has told its counts, which it does when it has
/// read. There are two tables of counts, since who has all of one digit's may be told of the next one's.
template <class Problem>
struct radix_cluster_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  using order_type = typename Problem::order_type;
  using word = typename order_type::word;
  static constexpr bool has_values = Problem::has_values, moves_values = has_values && sizeof(value) <= 4,
                        possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  using carried = std::conditional_t<moves_values, value, std::uint32_t>;
  static constexpr int threads = 512, blocks = 1, warps = threads / 32, most_blocks = 16;
  static constexpr int R = sizeof(key) <= 8 ? 16 : 8, most_items = threads * R;  // of a block

  struct shared {
    unsigned counters[warps * parts_of_pass];
    sent<unsigned>::type counts[2][most_blocks][parts_of_pass];
    unsigned moves[parts_of_pass], sums[16];
    typename sent<word>::type words[most_blocks];
    typename sent<key>::type keys[most_items];
    typename sent<carried>::type carried_too[has_values ? most_items : 1];
    std::uint32_t differing[4];
    unsigned wrong;
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  static constexpr unsigned bytes_of_sent = sent<key>::bytes + (has_values ? sent<carried>::bytes : 0);

  Problem problem;
  radix_digits digits;

  __device__ void operator()() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    __shared__ stage_barrier words_there, items_there, counts_there[2];
    int const t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    auto* const counters = smem.counters + warp * parts_of_pass;
    auto const own_counters = static_cast<unsigned>(__cvta_generic_to_shared(counters));
    // Shape: (blocks, warps, rows, 32 lanes).
    int const n = static_cast<int>(problem.n), all_blocks = static_cast<int>(gridDim.x),
              rows = (n + all_blocks * threads - 1) / (all_blocks * threads), each = rows * threads,
              begin = static_cast<int>(blockIdx.x) * each, own_items = max(min(n - begin, each), 0);
    auto const item_of = [&](int r) { return (warp * rows + r) * 32 + lane; };
    auto const for_each_item = [&](auto f) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        if (item_of(r) < own_items) f(r, item_of(r));
      }
    };

    if (t == 0) {
      words_there.init(1);
      items_there.init(1);
      counts_there[0].init(1);
      counts_there[1].init(1);
      fence_barrier_init();
    }
    key keys[R];
    carried carries[has_values ? R : 1];
    auto const first = problem.order.word_of(static_cast<key>(problem.keys_in[0]));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      int const i = min(begin + item_of(r), n - 1);
      put_bytes(keys[r], static_cast<key>(problem.keys_in[i]));
      if constexpr (moves_values) put_bytes(carries[r], static_cast<value>(problem.values_in[i]));
      else if constexpr (has_values) carries[r] = static_cast<std::uint32_t>(i);
    }
    word differ = 0;
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (r < rows)
        differ = static_cast<word>(differ | static_cast<word>(problem.order.word_of(keys[r]) ^ first));
    differ = any_of_cluster(differ, smem, words_there);

    // As in one block: of many bits the highest come first, and all only if keys are not in order then.
    int const enough = 2 * (32 - __clz(n)) + 6;
    unsigned active = 0, todo = 0;
#pragma unroll 1
    for (int d = digits.count - 1, found = 0; d >= 0; --d) {
      auto const bits = static_cast<unsigned>(differ >> digits.begin_of(d)) & ((1u << digits.bits_of(d)) - 1);
      if (bits == 0) continue;
      active |= 1u << d;
      if (found < enough) todo |= 1u << d;
      found += __popc(bits);
    }
    bool all = todo == active;
    unsigned pass = 0;
#pragma unroll 1
    while (true) {
      if (todo == 0) {
        if (all || in_order(smem, begin, own_items, each)) break;
        todo = active;
        all = true;
      }
      int const d = __ffs(static_cast<int>(todo)) - 1, shift = digits.begin_of(d);
      unsigned const mask = (1u << digits.bits_of(d)) - 1;
      todo &= todo - 1;
      auto const bin_of = [&](key const& x) {
        return static_cast<unsigned>(problem.order.word_of(x) >> shift) & mask;
      };
      clear_counters(counters);
      __syncwarp();
      // A counter's address has the block's number at its top: ranks stand beside what follows it.
      unsigned places[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        unsigned const counter = counter_of(own_counters, bin_of(keys[r]));
        places[r] = ranked(counter - own_counters, rank_in_warp<8, false>((counter - own_counters) / 4,
                                                                          item_of(r) < own_items, counter));
      }
      __syncthreads();

      // Into the order of bins, so that neighbours are sent to neighbouring places.
      unsigned const own_count = t < parts_of_pass ? items_of_bin<warps>(smem.counters, t) : 0,
                     own_begin = sum_before<unsigned>(own_count, smem.sums);
      if (t < parts_of_pass) place_bin<warps>(smem.counters, t, own_begin);
      __syncthreads();
      for_each_item([&](int r, int) {
        unsigned const place =
            read_counter(own_counters + counter_of_ranked(places[r])) + rank_of_ranked(places[r]);
        smem.keys[place] = as_sent(keys[r]);
        if constexpr (has_values) smem.carried_too[place] = as_sent(carries[r]);
      });
      __syncthreads();
      auto const take_items = [&] {
        for_each_item([&](int r, int i) {
          take_sent(keys[r], smem.keys[i]);
          if constexpr (has_values) take_sent(carries[r], smem.carried_too[i]);
        });
      };
      take_items();
      __syncthreads();  // now others may write here

      auto& counts = smem.counts[pass & 1];
      auto& counted = counts_there[pass & 1];
      if (t == 0) {
        counted.arrive_expecting(static_cast<unsigned>(all_blocks) * sizeof(counts[0]));
        items_there.arrive_expecting(static_cast<unsigned>(own_items) * bytes_of_sent);
      }
      unsigned before = 0, total = 0;
      if (t < parts_of_pass) {
#pragma unroll 4
        for (int b = 0; b < all_blocks; ++b)
          send(static_cast<unsigned>(b), &counts[blockIdx.x][t], own_count, counted);
      }
      wait_for_sent(counted, pass >> 1 & 1);
      if (t < parts_of_pass) {
#pragma unroll 8
        for (int b = 0; b < all_blocks; ++b) {
          unsigned count;
          take_sent(count, counts[b][t]);
          total += count;
          if (b < static_cast<int>(blockIdx.x)) before += count;
        }
      }
      unsigned const begin_of_bin = sum_before<unsigned>(total, smem.sums) + before;
      if (t < parts_of_pass) smem.moves[t] = begin_of_bin - own_begin;
      __syncthreads();

      // A place divided by `each`, as a product: it is less than 2^8 times the threads, rows are few.
      unsigned const inverse = 65536u / static_cast<unsigned>(rows) + 1;
      for_each_item([&](int r, int i) {
        unsigned const place = static_cast<unsigned>(i) + smem.moves[bin_of(keys[r])],
                       to = place / threads * inverse >> 16, at = place - to * static_cast<unsigned>(each);
        send(to, smem.keys + at, keys[r], items_there);
        if constexpr (has_values) send(to, smem.carried_too + at, carries[r], items_there);
      });
      wait_for_sent(items_there, pass & 1);
      take_items();
      ++pass;
    }

    for_each_item([&](int r, int i) { problem.put_key(begin + i, keys[r]); });
    if constexpr (moves_values) {
      for_each_item([&](int r, int i) { problem.put_value(begin + i, carries[r]); });
    } else if constexpr (has_values) {
      value values[R];
      for_each_item(
          [&](int r, int) { put_bytes(values[r], static_cast<value>(problem.values_in[carries[r]])); });
      meet_cluster();  // all is read that is overwritten
      for_each_item([&](int r, int i) { problem.put_value(begin + i, values[r]); });
    }
#endif
  }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
 private:
  /// Threads' words or-ed, in all threads; what all have read before may be written then, and all blocks run.
  __device__ static word any_of_cluster(word bits, shared& smem, stage_barrier& there) {
    constexpr int parts = (static_cast<int>(sizeof(word)) + 3) / 4;
    if (threadIdx.x < parts) smem.differing[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) there.arrive_expecting(gridDim.x * sent<word>::bytes);
    arrive_at_cluster();
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<unsigned>(bits >> (32 * p) % (8 * sizeof(word))));
      if (threadIdx.x % 32 == 0 && mine != 0) atomicOr(smem.differing + p, mine);
    }
    __syncthreads();
    wait_for_cluster();
    if (threadIdx.x < gridDim.x) {
      word own = 0;
#pragma unroll
      for (int p = parts - 1; p >= 0; --p) {
        if constexpr (parts > 1) own = static_cast<word>(own << 32);
        own = static_cast<word>(own | static_cast<word>(smem.differing[p]));
      }
      send(threadIdx.x, smem.words + blockIdx.x, own, there);
    }
    wait_for_sent(there, 0);
    word all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) {
      word one;
      take_sent(one, smem.words[b]);
      all = static_cast<word>(all | one);
    }
    return all;
  }

  /// Whether the keys in shared memory are in the order of all digits.
  __device__ bool in_order(shared& smem, int begin, int own_items, int each) const {
    int const above = static_cast<int>(sizeof(word)) * 8 - (digits.end - digits.begin);
    auto const rank_of = [&](typename sent<key>::type const& from) {
      key x;
      take_sent(x, from);
      return static_cast<word>(static_cast<word>(problem.order.word_of(x) >> digits.begin) << above);
    };
    if (threadIdx.x == 0) smem.wrong = 0;
    meet_cluster();  // blocks have all of their items
    bool wrong = false;
    for (int i = static_cast<int>(threadIdx.x); i < own_items; i += threads)
      if (begin + i > 0)
        wrong =
            wrong || rank_of(smem.keys[i]) <
                         rank_of(i > 0 ? smem.keys[i - 1] : at_block(smem.keys, blockIdx.x - 1)[each - 1]);
    if (__syncthreads_or(wrong ? 1 : 0) != 0 && threadIdx.x < gridDim.x)
      *at_block(&smem.wrong, threadIdx.x) = 1;
    meet_cluster();
    return smem.wrong == 0;
  }
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
