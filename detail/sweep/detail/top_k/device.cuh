// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_DEVICE_CUH
#define SWEEP_DETAIL_TOP_K_DEVICE_CUH

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/partition/device.cuh>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/runtime/clear.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/for_each.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/device.cuh>
#include <sweep/detail/top_k/problem.hpp>
#include <sweep/detail/top_k/select.cuh>
#include <sweep/device.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Fewer items are sorted, or read again, without a sample. Tests lower it.
inline std::int64_t least_items_to_sample = std::int64_t{1} << 16;
/// Of so many items at most one block selects from the candidates, if few items are asked for. Tests lower
/// it.
inline std::int64_t most_items_for_block = std::int64_t{1} << 24;
/// Room for candidates, at most: tests lower it, so that there are too many.
inline std::int64_t most_candidates = ~std::uint64_t{0} >> 1;
/// Where more than one of so many items are asked for, everything is sorted: by few digits sooner.
template <class Order>
inline constexpr std::int64_t items_a_chosen = Order::bits <= 8    ? 256
                                               : Order::bits <= 16 ? 32
                                                                   : 8;
/// And where all items have no more bits than this together, so that one kernel sorts them; half as many
/// where few are asked for, which a block finds sooner, and half as many again where more are than a block
/// finds. Tests lower it.
inline std::int64_t most_bits_to_sort = std::int64_t{1} << 26;
inline constexpr std::int64_t few_chosen = 64, many_chosen = 2048;

/// Which of the drawn numbers bound the candidates among which the k-th of n is: off by five standard
/// deviations, and some more where few are drawn that are less.
struct sample_ranks {
  int low, high;
  std::int64_t room;  ///< for candidates: six deviations more than are expected
};
inline sample_ranks ranks_of_sample(std::int64_t n, std::int64_t k, int drawn, bool from_least) {
  double const each = static_cast<double>(n) / drawn, expected = static_cast<double>(k) / each,
               off = 5 * std::sqrt(expected) + 5;
  int const low = from_least ? -1 : static_cast<int>(expected - off) - 1,
            high = std::min(drawn - 1, static_cast<int>(expected + off) + 1);
  double const between =
      high - std::max(low, -1) + 1.0 + slack_of_rank(std::max(low, 0)) + slack_of_rank(high);
  auto const room = (between + 6 * std::sqrt(between) + 14) * each;
  return {std::max(low, -1), high,
          std::min(std::min(n, most_candidates), static_cast<std::int64_t>(room) + 1)};
}

/// A selection's memory: its state with so many passes' bins, and candidates.
template <class Source>
struct select_memory {
  using number = typename Source::number;
  using state = select_state<number>;
  std::size_t zeros, state_bytes, bytes;

  select_memory(int passes, std::int64_t room)
      : zeros{sizeof(state) - static_cast<std::size_t>(state::most_passes - passes) * sizeof(state::bins[0])},
        state_bytes{bytes_of_piece<std::byte>(static_cast<std::int64_t>(zeros))},
        bytes{state_bytes + bytes_of_piece<number>(room)} {}
};

/// f(policy, what, shift) behind the one pass over all numbers, if there is one: gathers candidates for the
/// k-th least of a source's numbers. Vectors begin `shift` items before the first.
template <bool FromLeast, class Policy, class Source, class F>
void gather_candidates(Policy const& policy, char const* call, Source const& source, std::int64_t k, int bits,
                       int passes, F f) {
  using number = typename Source::number;
  using sample_job = select_sample_job<Source>;
  using gather_job = select_gather_job<Source, !FromLeast>;
  auto const n = source.n;
  bool const samples = n >= least_items_to_sample;
  auto const ranks = ranks_of_sample(n, k, sample_job::drawn, FromLeast);
  auto const room = samples ? ranks.room : 0;
  select_memory<Source> const layout(passes, room);
  with_memory<std::byte>(
      policy, call, static_cast<std::int64_t>(layout.bytes), [&](auto const& rest, std::byte* memory) {
        selection<Source> const what{source,
                                     k,
                                     bits,
                                     !FromLeast,
                                     room,
                                     reinterpret_cast<select_state<number>*>(memory),
                                     reinterpret_cast<number*>(memory + layout.state_bytes)};
        auto const stream = policy.stream();
        int const shift = gather_job::filter::shift_of(source);
        static_assert(sizeof(select_state<number>) % 4 == 0);
        if (!samples) {
          clear_words(call, stream, reinterpret_cast<std::uint32_t*>(memory),
                      static_cast<std::int64_t>(layout.zeros / 4));
        } else {
          launch_job(call, stream, 1, sample_job::threads,
                     sample_job{what, ranks.low, ranks.high, static_cast<int>(layout.zeros / 4)});
          launch_job(call, stream,
                     blocks_for(n + shift, gather_job::filter::tile_items,
                                std::int64_t{multiprocessors(call)} * gather_job::blocks),
                     gather_job::threads, gather_job{what, shift});
        }
        f(rest, what, shift);
      });
}

/// Finds the k-th least of a source's numbers, and then calls finish(policy, what, passes, shift).
template <bool FromLeast, class Policy, class Source, class Finish>
void select_number(Policy const& policy, char const* call, Source const& source, std::int64_t k, int bits,
                   Finish finish) {
  using narrow_job = select_narrow_job<Source>;
  int const passes = (bits + bits_of_narrowing - 1) / bits_of_narrowing;
  gather_candidates<FromLeast>(
      policy, call, source, k, bits, passes, [&](auto const& rest, auto const& what, int shift) {
        auto const read = what.room > 0 ? what.room : source.n;
        for (int pass = 0; pass < passes; ++pass)
          launch_job(call, policy.stream(),
                     blocks_for(read, narrow_job::threads, std::int64_t{multiprocessors(call)} * 2),
                     narrow_job::threads, narrow_job{what, pass});
        finish(rest, what, passes, shift);
      });
}

/// Sorts numbers where they stand, by the bits from `begin` on.
template <class Policy, class Number>
void sort_numbers(Policy const& policy, char const* call, Number* numbers, std::int64_t n, int begin,
                  int end) {
  run_sort(policy, sort_problem<Number const*, no_values, Number*, no_values, radix_order<Number>>{
                       call, numbers, {}, numbers, {}, n, {{}, begin, end}});
}

/// The first k numbers in order become results.
template <class Number, class Policy, class Problem>
void top_k_by_numbers(Policy const& policy, Problem const& problem) {
  using order = typename Problem::order_type;
  using source_type = numbered_keys<std::remove_cvref_t<decltype(problem.keys_in)>, order, Number>;
  using put_job = put_chosen_job<Problem, Number>;
  auto const call = problem.call;
  auto const n = problem.n, k = problem.k;
  int const index_bits = bits_to_count(n), bits = bits_that_count(problem.order) + index_bits;
  source_type const source{problem.keys_in, counting_bits<order>::of(problem.order), n, index_bits};
  using block_job = select_in_block_job<source_type, Problem>;
  using in_block = typename block_job::selection_type;
  if (n <= most_items_for_block &&
      (n <= in_block::room || (k <= in_block::most_k && k <= n / items_a_chosen<order>)))
    return gather_candidates<true>(policy, call, source, k, bits, 0, [&](auto const&, auto const& what, int) {
      launch_job(call, policy.stream(), 1, block_job::threads, block_job{what, problem});
    });
  if (n < least_items_to_sample || k > n / items_a_chosen<order>) return run_sort(policy, as_sort(problem));
  with_memory<Number>(policy, call, k, [&](auto const& rest, Number* chosen) {
    select_number<true>(
        rest, call, source, k, bits, [&](auto const& others, auto const& what, int passes, int shift) {
          using collect_job = select_collect_job<source_type>;
          // Its tiles are longer than those of the pass before, which began where vectors do.
          launch_job(call, policy.stream(),
                     blocks_for(what.room, collect_job::threads, std::int64_t{multiprocessors(call)} * 2),
                     collect_job::threads, collect_job{what, passes, shift, chosen});
          sort_numbers(others, call, chosen, k, 0, bits);
        });
    launch_job(call, policy.stream(), (k + put_job::threads - 1) / put_job::threads, put_job::threads,
               put_job{problem, chosen, index_bits});
  });
}

/// Orders whose words have room for an index beside them.
template <class Order, class... Tags>
inline constexpr bool selects_by_numbers = [] {
  if constexpr (sorts_by_radix<Order, Tags...>) return Order::bits <= 64;
  else return false;
}();
/// f(Number{}) of the narrowest integers in which there is this room.
template <class Order, class F>
void with_number(std::int64_t n, F f) {
  if constexpr (Order::bits <= 24) {
    f(std::uint64_t{});  // no range has 2^40 items
  } else {
    if constexpr (Order::bits <= 32)
      if (bits_to_count(n) <= 32) return f(std::uint64_t{});
    f(uint128_word{});
  }
}

template <class Scratch, class... Tags, class Problem>
void run_top_k(device_policy<Scratch, Tags...> const& policy, Problem const& problem) {
  using order = typename Problem::order_type;
  if constexpr (sorts_on_device<Problem>() && require_digits<order, Tags...>()) {
    if constexpr (selects_by_numbers<order, Tags...>) {
      auto const& by = problem.order;
      auto const most = problem.k <= few_chosen    ? most_bits_to_sort / 2
                        : problem.k <= many_chosen ? most_bits_to_sort
                                                   : most_bits_to_sort / 2 * 3;
      if (problem.n <= most / order::bits &&
          sort_in_one_kernel<sort_by::order>(without_tags(policy), as_sort(problem),
                                             radix_digits::of_bits(by.begin, by.end)))
        return;
      with_number<order>(
          problem.n, [&](auto number) { top_k_by_numbers<decltype(number)>(without_tags(policy), problem); });
    } else {
      run_sort(policy, as_sort(problem));
    }
  }
}

// ---- The n-th item ----

/// Writes the index at place `nth` of a sort.
struct put_nth_index {
  std::int64_t nth;
  std::int64_t* index;
  SWEEP_HD void operator()(std::int64_t i, std::int64_t x) const {
    if (i == nth) *index = x;
  }
};

/// Copies items, and says on which side of the n-th each belongs: 0, it is the one, or 2.
template <class Keys, class Order>
struct mark_sides_job {
  using key = value_of<Keys>;
  static constexpr int threads = 256, blocks = 1;
  Keys keys;
  std::int64_t n;
  Order order;
  std::int64_t const* index;
  key* copy;
  unsigned char* sides;

  __device__ void operator()() const {
    auto const own = keys;
    auto const before = order;
    auto const at = *index;
    auto const nth = static_cast<key>(own[at]);
    auto const step = std::int64_t{gridDim.x} * threads;
#pragma unroll 4
    for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += step) {
      auto const x = static_cast<key>(own[i]);
      bool const is_first = before(x, nth) || (i < at && !before(nth, x));
      put_bytes(copy[i], x);
      sides[i] = i == at ? 1 : is_first ? 0 : 2;
    }
  }
};
struct select_side {
  static constexpr int parts = 3;
  static constexpr bool looks_left = false;
  SWEEP_HD int operator()(unsigned char side) const { return side; }
};

template <class Policy, class Problem>
void find_nth_index(Policy const& policy, Problem const& problem, std::int64_t* index) {
  using order = typename Problem::order_type;
  auto const given = unwrapped_input(problem.keys);  // so that its kernels are those of top_k
  using keys = std::remove_const_t<decltype(given)>;
  auto const n = problem.n;
  if constexpr (selects_by_numbers<order>) {
    with_number<order>(n, [&](auto number) {
      using source_type = numbered_keys<keys, order, decltype(number)>;
      int const index_bits = bits_to_count(n), bits = bits_that_count(problem.order) + index_bits;
      select_number<false>(
          policy, problem.call, source_type{given, counting_bits<order>::of(problem.order), n, index_bits},
          problem.nth + 1, bits, [&](auto const&, auto const& what, int passes, int) {
            using job = select_index_job<source_type>;
            launch_job(problem.call, policy.stream(), 1, job::threads, job{what, passes, index});
          });
    });
  } else {
    using indices = reader<std::int64_t, identity>;
    using to = writer<std::int64_t, put_nth_index>;
    run_sort(policy, sort_problem<keys, indices, unwritten, to, order>{
                         problem.call, given, {}, {}, to{{problem.nth, index}}, n, problem.order});
  }
}

template <class Scratch, class... Tags, class Problem>
void run_nth(device_policy<Scratch, Tags...> const& given, Problem const& problem) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using keys = decltype(unwrapped_input(problem.keys));
  using mark_job = mark_sides_job<keys, order>;
  auto const n = problem.n;
  auto const* const call = problem.call;
  auto const work = [&](auto const& policy, key* copy, std::byte* memory) {
    auto* const index = reinterpret_cast<std::int64_t*>(memory);
    auto* const sides = reinterpret_cast<unsigned char*>(index + 3);
    find_nth_index(policy, problem, index);
    launch_job(
        call, policy.stream(), blocks_for(n, mark_job::threads * 4, std::int64_t{multiprocessors(call)} * 8),
        mark_job::threads, mark_job{unwrapped_input(problem.keys), n, problem.order, index, copy, sides});
    part_outputs const to{problem.keys, problem.at_nth, problem.behind_nth};
    run_partition(policy, call,
                  partition_problem<placement::out_of_place, unsigned char const*, select_side, key const*,
                                    std::remove_const_t<decltype(to)>, integers>{
                      sides, {}, copy, to, {index + 1, 8}, {n}});
  };
  with_memory_first([&] {
    with_memory<std::byte>(without_tags(given), call, 24 + n, [&](auto const& policy, std::byte* memory) {
      with_memory<key>(policy, call, n, [&](auto const& rest, key* copy) { work(rest, copy, memory); });
    });
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
