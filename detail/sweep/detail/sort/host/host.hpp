// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_HOST_HPP
#define SWEEP_DETAIL_SORT_HOST_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sort/host/host_counting.hpp>
#include <sweep/detail/sort/host/host_merge.hpp>
#include <sweep/detail/sort/host/host_radix.hpp>
#include <sweep/detail/sort/host/in_place.hpp>
#include <sweep/detail/sort/host/items.hpp>
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tuning.hpp>
#include <sweep/policy.hpp>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Items that a team moves about as bytes. Others, and large ones, are sorted by their indices.
template <class T>
inline constexpr bool may_be_moved = relocatable<T>&& std::is_default_constructible_v<T>;
template <class Problem>
inline constexpr bool moves_items =
    may_be_moved<typename Problem::key>&& may_be_moved<typename Problem::value> &&
    sizeof(typename sort_items<typename Problem::key, typename Problem::value>::type) <= 32;

/// Results to the caller's iterators, or left where they are because that is their place.
template <class Items, class Problem>
struct emit_items {
  using item = typename Items::type;
  static constexpr bool direct = !Problem::has_values &&
                                 Problem::template contiguous<decltype(Problem::keys_out)> &&
                                 std::is_same_v<typename Problem::key_out, typename Problem::key>;
  Problem const& problem;
  void operator()(item const* from, std::int64_t place, std::int64_t n) const {
    if constexpr (direct) {
      if (from != problem.keys_out + place) copy_items(problem.keys_out + place, from, n);
    } else {
      auto const mine = problem;  // a copy: iterators may have a state
      for (std::int64_t i = 0; i < n; ++i) Items::put(mine, place + i, from[i]);
    }
  }
};

/// What is known of a range before it is sorted.
template <class Word>
struct sort_survey {
  bool ascends = true, descends = true;  ///< as it stands; strictly, the other way round
  Word all_ones = static_cast<Word>(~Word{0}), any_ones = 0;
};

inline constexpr std::int64_t sort_tile = std::int64_t{1} << 13;

/// Sorts one problem with a team of so many.
template <class Problem>
class host_sort {
 public:
  using items = sort_items<typename Problem::key, typename Problem::value>;
  using item = typename items::type;
  using order = typename Problem::order_type;
  using emit_type = emit_items<items, Problem>;

  host_sort(Problem const& problem, int threads)
      : problem_{problem},
        n_{problem.n},
        members_(threads),
        parts_{std::max(1, members_.members_for(n_ / sort_tile))},
        emit_{problem} {
    if (parts_ > 1) parts_ *= 4;
  }

  void by_radix() {
    call_array<std::int64_t> const counts(static_cast<std::size_t>(parts_ * 256));
    with_room([&](item* at, item* spare) {
      using word = typename order::word;
      sort_survey<word> found =
          surveyed<word>([&](sort_survey<word>& mine, order const& own, auto const& key) {
            auto const w = own.rank_of(key);
            mine.all_ones = static_cast<word>(mine.all_ones & w);
            mine.any_ones = static_cast<word>(mine.any_ones | w);
          });
      if (is_done(found, at)) return;
      int const bits = bit_width_of(static_cast<word>(found.all_ones ^ found.any_ones));
      host_radix<items, order, emit_type> radix(problem_.order, emit_, members_, parts_, counts->data());
      items_given<items, Problem> const given{problem_};
      if (static_cast<std::size_t>(n_) * sizeof(item) <= sort_cache_bytes) {
        load(at, 0, n_);
        emit_(radix.arranged(problem_.order, at, spare, n_, bits), 0, n_);
      } else {
        radix.split(given, at, spare, n_, bits, 0);
      }
    });
  }

  void by_merges() {
    int blocks = 1, levels = 0;
    while (parts_ > 1 && blocks < parts_) blocks *= 2, ++levels;
    call_array<std::int64_t> const cuts(static_cast<std::size_t>(parts_ + 2 * blocks));
    with_room([&](item* at, item* spare) {
      sort_survey<std::uint8_t> found =
          surveyed<std::uint8_t>([](sort_survey<std::uint8_t>&, order const&, auto const&) {});
      if (is_done(found, at)) return;
      using merges = host_merge<items, order>;
      // After as many merges items stand where they are emitted from: beside the output, if that is memory.
      bool const stays = levels % 2 == (emit_type::direct ? 1 : 0);
      auto const begin = [&](std::int64_t block) { return n_ * block / blocks; };
      members_.for_each_tile(blocks, [&](std::int64_t block) {
        auto const own = problem_.order;
        auto const first = begin(block), size = begin(block + 1) - first;
        load(at, first, size);
        merges::sort(own, at + first, spare + first, size, stays);
      });
      item *from = stays ? at : spare, *to = stays ? spare : at;
      for (std::int64_t merged = 1; merged < blocks; merged *= 2) {
        merge_level<merges>(from, to, blocks, merged, cuts->data());
        std::swap(from, to);
      }
      members_.for_each_tile(parts_, [&](std::int64_t part) {
        auto const first = n_ * part / parts_;
        emit_(from + first, first, n_ * (part + 1) / parts_ - first);
      });
    });
  }

 private:
  /// Room for all items, twice; an output in memory is one of both.
  template <class Work>
  void with_room(Work work) {
    auto const n = static_cast<std::size_t>(n_);
    if constexpr (emit_type::direct) {
      call_array<item> const room(n);
      if (only_obtains()) return;
      work(room->data(), problem_.keys_out);
    } else {
      call_array<item> const room(2 * n);
      if (only_obtains()) return;
      work(room->data(), room->data() + n);
    }
  }

  /// What a look at each key finds, and whether they are sorted; parts end early who only ask that.
  template <class Word, class Look>
  sort_survey<Word> surveyed(Look look) {
    call_zeros<sort_survey<Word>> const of_parts(static_cast<std::size_t>(parts_));
    members_.for_each_tile(parts_, [&](std::int64_t part) {
      auto const mine = problem_;  // a copy: iterators may have a state
      held_in_loop<order> own = mine.order;
      sort_survey<Word> found;
      items_given<items, Problem> const given{mine};
      auto const first = n_ * part / parts_, end = n_ * (part + 1) / parts_;
      auto i = first;
      if (i < end) {
        auto left = given.key(first > 0 ? first - 1 : 0);
        if (first == 0) look(found, own, left), ++i;
        for (; i < end; ++i) {
          auto const x = given.key(i);
          look(found, own, x);
          if (found.ascends || found.descends) {
            if (own(x, left)) found.ascends = false;
            else found.descends = false;
            put_bytes(left, x);
          } else if constexpr (!order::is_radix) {
            break;
          }
        }
      }
      (*of_parts)[static_cast<std::size_t>(part)] = found;
    });
    sort_survey<Word> all;
    for (auto const& part : *of_parts) {
      all.ascends = all.ascends && part.ascends;
      all.descends = all.descends && part.descends;
      all.all_ones = static_cast<Word>(all.all_ones & part.all_ones);
      all.any_ones = static_cast<Word>(all.any_ones | part.any_ones);
    }
    return all;
  }

  /// Sorted ranges stay or are copied, and strictly descending ones are turned.
  template <class Word>
  bool is_done(sort_survey<Word> const& found, item* at) {
    if (!found.ascends && !found.descends) return false;
    bool const turned = !found.ascends;
    bool const stays = problem_.keys_in_place() && (!Problem::has_values || problem_.values_in_place());
    if (!turned && stays) return true;
    for_parts([&](std::int64_t first, std::int64_t end) {
      if (!turned) return load(at, first, end - first);
      auto const mine = problem_;  // a copy: iterators may have a state
      for (auto i = first; i < end; ++i) put_bytes(at[n_ - 1 - i], items::read(mine, i));
    });
    for_parts([&](std::int64_t first, std::int64_t end) { emit_(at + first, first, end - first); });
    return true;
  }
  template <class F>
  void for_parts(F f) {
    members_.for_each_tile(parts_,
                           [&](std::int64_t part) { f(n_ * part / parts_, n_ * (part + 1) / parts_); });
  }

  void load(item* to, std::int64_t first, std::int64_t count) const {
    auto const mine = problem_;  // a copy: iterators may have a state
    for (auto i = first; i < first + count; ++i) put_bytes(to[i], items::read(mine, i));
  }

  /// Pairs of `merged` neighbouring blocks, each by all members. Where parts begin is found first, so that
  /// they are all items once, whatever the comparison says.
  template <class Merges>
  void merge_level(item const* from, item* to, int blocks, std::int64_t merged, std::int64_t* cuts) {
    auto const pairs = blocks / (2 * merged);
    auto const parts = std::max<std::int64_t>(1, parts_ / pairs);
    auto const begin = [&](std::int64_t block) { return n_ * block / blocks; };
    auto const place = [](std::int64_t all, std::int64_t part, std::int64_t of) { return all * part / of; };
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      auto const a = begin(2 * pair * merged), b = begin((2 * pair + 1) * merged),
                 end = begin((2 * pair + 2) * merged);
      auto* const mine = cuts + pair * (parts + 1);
      mine[0] = 0;
      mine[parts] = b - a;
      for (std::int64_t part = 1; part < parts; ++part) {
        auto const at = place(end - a, part, parts), before = place(end - a, part - 1, parts);
        auto const found = Merges::taken_from_first(problem_.order, from + a, b - a, from + b, end - b, at);
        mine[part] = std::max(mine[part - 1], std::min(found, mine[part - 1] + (at - before)));
      }
      // What is left must hold the last part of both.
      for (auto part = parts - 1; part > 0; --part) {
        auto const at = place(end - a, part, parts), behind = place(end - a, part + 1, parts);
        mine[part] = std::min(mine[part + 1], std::max(mine[part], mine[part + 1] - (behind - at)));
      }
    }
    members_.for_each_tile(pairs * parts, [&](std::int64_t tile) {
      auto const own = problem_.order;
      auto const pair = tile / parts, part = tile % parts;
      auto const a = begin(2 * pair * merged), b = begin((2 * pair + 1) * merged),
                 end = begin((2 * pair + 2) * merged);
      auto const first = place(end - a, part, parts), last = place(end - a, part + 1, parts);
      auto const a_first = cuts[pair * (parts + 1) + part], a_last = cuts[pair * (parts + 1) + part + 1];
      Merges::merge(own, from + a + a_first, a_last - a_first, from + b + (first - a_first),
                    (last - first) - (a_last - a_first), to + a + first);
    });
  }

  Problem const& problem_;
  std::int64_t n_;
  team members_;
  int parts_;
  emit_type emit_;
};

/// The word of the item that an index stands for.
template <class Keys, class Order>
struct rank_at {
  Keys keys;
  Order order;
  typename Order::word operator()(std::int64_t i) const { return order.rank_of(keys[i]); }
};

/// Items to the places of a permutation: out[i] = in[from[i]].
template <class In, class Out>
void move_by_indices(team& members, In const& in, Out const& out, std::int64_t n, std::int64_t const* from,
                     bool in_place) {
  using T = value_of<In>;
  using U = written_value<Out, T>;
  auto const tiles = (n + sort_tile - 1) / sort_tile;
  auto const for_all = [&](auto const& f) {
    members.for_each_tile(tiles, [&](std::int64_t tile) {
      auto const source = in;  // copies: iterators may have a state
      auto const to = out;
      for (auto i = tile * sort_tile; i < std::min(n, (tile + 1) * sort_tile); ++i) f(source, to, i);
    });
  };
  if constexpr (may_be_moved<T>) {
    call_array<T> const room(static_cast<std::size_t>(in_place ? n : 0));
    if (in_place) {
      for_all([&](auto const& source, auto const&, std::int64_t i) {
        put_bytes((*room).data()[i], static_cast<T>(source[from[i]]));
      });
      return for_all(
          [&](auto const&, auto const& to, std::int64_t i) { to[i] = static_cast<U>((*room).data()[i]); });
    }
  } else if constexpr (requires(Out const& items, T& held) {
                         T(std::move(items[0]));
                         items[0] = std::move(held);
                       }) {
    // Through the output, which stands where the items do: these may be const to who reads them. What cannot
    // be assigned is no output.
    if (in_place) {
      call_zeros<bool> const done(static_cast<std::size_t>(n));
      if (only_obtains()) return;
      for (std::int64_t first = 0; first < n; ++first) {
        if ((*done)[static_cast<std::size_t>(first)] || from[first] == first) continue;
        T held(std::move(out[first]));
        auto i = first;
        for (; from[i] != first; i = from[i]) {
          out[i] = std::move(out[from[i]]);
          (*done)[static_cast<std::size_t>(i)] = true;
        }
        out[i] = std::move(held);
        (*done)[static_cast<std::size_t>(i)] = true;
      }
      return;
    }
  }
  if constexpr (std::is_copy_constructible_v<T>)
    for_all(
        [&](auto const& source, auto const& to, std::int64_t i) { to[i] = static_cast<U>(source[from[i]]); });
}

/// Sorts indices, and then moves each item once. Until then nothing has been written.
template <bool ByRadix, class Problem>
void sort_by_indices(Problem const& problem, int threads) {
  using keys = decltype(problem.keys_in);
  using order = typename Problem::order_type;
  auto const n = problem.n;
  with_memory_first([&] {
    call_array<std::int64_t> const indices(static_cast<std::size_t>(n));
    auto* const to = (*indices).data();
    reader<std::int64_t, identity> const every{};
    if constexpr (ByRadix) {
      using word = typename order::word;
      using ranks = reader<word, rank_at<keys, order>>;
      auto const width = std::max(0, problem.order.end - problem.order.begin);
      sort_problem<ranks, decltype(every), unwritten, std::int64_t*, radix_order<word>> const of_words{
          problem.call, ranks{{problem.keys_in, problem.order}}, every, {}, to, n, {{}, 0, width}};
      host_sort(of_words, threads).by_radix();
    } else {
      using comparison = comparison_order<compare_at<keys, order>>;
      sort_problem<decltype(every), no_values, std::int64_t*, no_values, comparison> const of_indices{
          problem.call, every, {}, to, {}, n, {{problem.keys_in, problem.order}}};
      host_sort(of_indices, threads).by_merges();
    }
    team members(threads);
    if constexpr (Problem::has_values)
      move_by_indices(members, problem.values_in, problem.values_out, n, to, problem.values_in_place());
    if constexpr (Problem::keeps_keys)
      move_by_indices(members, problem.keys_in, problem.keys_out, n, to, problem.keys_in_place());
  });
}

/// Sorts on so many threads.
template <bool ByRadix, class Problem>
void sort_on_threads(Problem const& problem, int threads) {
  if constexpr (!moves_items<Problem>) {
    sort_by_indices<ByRadix>(problem, threads);
  } else {
    using items = sort_items<typename Problem::key, typename Problem::value>;
    if (problem.n <= (ByRadix ? sort_few / 2 : sort_few)) {
      if (only_obtains()) return;
      typename items::type few[sort_few];
      for (std::int64_t i = 0; i < problem.n; ++i) put_bytes(few[i], items::read(problem, i));
      if constexpr (ByRadix) {
        insert_in_order<items>(few, problem.n, problem.order);
      } else {
        typename items::type room[sort_few];
        host_merge<items, typename Problem::order_type>::sort(problem.order, few, room, problem.n, true);
      }
      emit_items<items, Problem>{problem}(few, 0, problem.n);
    } else if constexpr (ByRadix) {
      if constexpr (!Problem::has_values && has_counted_keys<Problem>)
        if (host_counting<Problem>::is_worth_it(problem))
          return host_counting<Problem>(problem, threads).sort();
      host_sort<Problem>(problem, threads).by_radix();
    } else {
      host_sort<Problem>(problem, threads).by_merges();
    }
  }
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_sort(seq_policy const&, Problem const& problem) {
#if defined(__CUDA_ARCH__)
  sort_without_memory(problem);
#else
  sort_on_threads<Problem::order_type::is_radix>(problem, 1);
#endif
}

template <class... Tags, class Problem>
void run_sort(host_policy<Tags...> const& policy, Problem const& problem) {
  using order = typename Problem::order_type;
  if constexpr (require_digits<order, Tags...>())
    sort_on_threads<sorts_by_radix<order, Tags...>>(problem, policy.threads());
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
