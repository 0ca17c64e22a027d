// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SAMPLE_SORT_CUH
#define SWEEP_DETAIL_SORT_SAMPLE_SORT_CUH

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/runtime/for_each.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/segments/head_bits.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/sort/comparison/merge_sort.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/windows_sort.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// A stable sample sort: keys at equal distances are sorted, and every fourth of them splits the others into
// buckets, by one multisplit. Keys that are equal to a splitter have buckets of their own, which are in order
// then, so that duplicates make none large. The other buckets are the segments of a segmented sort: in shared
// memory, or, where one has come out too large for that, by merges too. Whatever the keys are, each item is
// moved three times, if buckets are small. A bucket is a function of the key, so that no order, not even one
// that is none, can lose an item.

/// A sorted sample's splitters as a tree, in which the first levels lie together: those behind splitter k are
/// 2 k and 2 k + 1. There are 2^levels - 1, from 1 on.
template <class Key>
struct grow_tree {
  static constexpr int samples_each = 4;
  Key const* samples;
  Key* tree;
  int levels;
  SWEEP_HD void operator()(std::int64_t i) const {
    auto const node = i + 1;
    int level = 0;
    while (node >> (level + 1) != 0) ++level;
    auto const in_level = node - (std::int64_t{1} << level),
               splitter = (2 * in_level + 1) << (levels - 1 - level);  // from 1 on, in order
    put_bytes(tree[node], samples[splitter * samples_each - 1]);
  }
};

/// 2 i: a key between splitters i and i + 1; 2 i + 1: equal to splitter i + 1.
template <class Key, class Order>
struct bucket_of_key {
  Key const* tree;
  int levels;
  Order order;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD int operator()(Key const& x) const {
    int node = 1;
    for (int level = 0; level < levels; ++level) node = 2 * node + (order(tree[node], x) ? 1 : 0);
    int const less = node - (1 << levels);  // splitters
    // The last of them that x was not behind; none, if it is behind all.
    while (node % 2 != 0) node /= 2;
    node /= 2;
    return 2 * less + (node != 0 && !order(x, tree[node]) ? 1 : 0);
  }
};

/// Every so many of a range.
template <class Keys>
struct key_at_distance {
  Keys keys;
  std::int64_t n, samples;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value_of<Keys> operator()(std::int64_t i) const {
    auto const each = n / samples, more = n % samples;  // (i * n) / samples, which may have too many bits
    return static_cast<value_of<Keys>>(keys[i * each + i * more / samples]);
  }
};

/// Whether an item is the first of a bucket, or is equal to all of its bucket.
struct head_of_bucket {
  std::int64_t const* begins;
  int buckets;
  SWEEP_HD bool operator()(std::int64_t i) const {
    int low = 0, high = buckets;  // the last bucket that begins at i or before it, which has items
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      if (begins[middle] <= i) low = middle;
      else high = middle;
    }
    return low % 2 == 1 || begins[low] == i;
  }
};

/// There are items.
template <class Source, class... Tags, class Problem>
void run_sample_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  using key = typename Problem::key;
  using value = typename Problem::value;
  using order = typename Problem::order_type;
  using keys_in = std::remove_cvref_t<decltype(problem.keys_in)>;
  constexpr int window = segment_window<key, value, order>;
  constexpr auto samples_each = std::int64_t{grow_tree<key>::samples_each};
  auto const n = problem.n;
  auto const* const call = problem.call;
  // Half a window a bucket, if there may be so many; few items have one bucket and no sample.
  std::int64_t splits = 1;
  int levels = 0;
  if (n > window)
    while (2 * splits < most_parts && splits * (window / 2) < n && 2 * splits * samples_each <= n) {
      splits *= 2;
      ++levels;
    }
  auto const samples = splits * samples_each, buckets = 2 * splits - 1;
  auto const value_count = Problem::has_values ? n : 0,
             head_bytes = static_cast<std::int64_t>(head_words_bytes(n));
  auto const bytes = bytes_of_piece<key>(n) + bytes_of_piece<value>(value_count) +
                     bytes_of_piece<key>(samples) + bytes_of_piece<key>(splits) +
                     bytes_of_piece<std::int64_t>(buckets + 1) + bytes_of_piece<std::byte>(head_bytes);
  with_memory<std::byte>(
      policy, call, static_cast<std::int64_t>(bytes), [&](auto const& rest, std::byte* memory) {
        scratch_pieces pieces(memory);
        auto* const keys = pieces.take<key>(n);
        auto* const values = pieces.take<value>(value_count);
        auto* const sample = pieces.take<key>(samples);
        auto* const tree = pieces.take<key>(splits);
        auto* const begins = pieces.take<std::int64_t>(buckets + 1);
        auto* const heads = reinterpret_cast<std::uint32_t*>(pieces.take<std::byte>(head_bytes));

        using some = reader<key, key_at_distance<keys_in>>;
        if (splits > 1)
          run_merge_sort(
              rest, sort_problem<some, no_values, key*, no_values, order>{
                        call, some{{problem.keys_in, n, samples}}, {}, sample, {}, samples, problem.order});

        for_each_index(rest, call, splits - 1, grow_tree<key>{sample, tree, levels});
        bucket_of_key<key, order> const bucket{tree, levels, problem.order};
        auto const split = [&](auto const& values_in, auto const& values_out) {
          run_multisplit(rest, call,
                         multisplit_problem<keys_in, std::remove_cvref_t<decltype(values_in)>, key*,
                                            std::remove_cvref_t<decltype(values_out)>, std::int64_t*,
                                            bucket_of_key<key, order>>{
                             problem.keys_in, values_in, keys, values_out, begins, n, buckets, bucket});
        };
        if constexpr (Problem::has_values) split(problem.values_in, values);
        else split(keys_alone{}, keys_alone{});

        pack_heads(call, rest.stream(), head_of_bucket{begins, static_cast<int>(buckets)}, heads, n);
        bit_source<std::uint32_t const*> const source{heads};
        auto const finish = [&](auto const& values_in, auto* to) {
          run_windows_sort(rest,
                           sort_problem<key const*, std::remove_cvref_t<decltype(values_in)>,
                                        std::remove_cvref_t<decltype(*to)>,
                                        std::remove_cvref_t<decltype(problem.values_out)>, order>{
                               call, keys, values_in, *to, problem.values_out, n, problem.order},
                           source);
        };
        auto const with_values = [&](auto* to) {
          if constexpr (Problem::has_values) finish(static_cast<value const*>(values), to);
          else finish(no_values{}, to);
        };
        if constexpr (Problem::keeps_keys) with_values(&problem.keys_out);
        else with_values(&keys);
      });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
