// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_HOST_COUNTING_HPP
#define SWEEP_DETAIL_SORT_HOST_HOST_COUNTING_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sort/key_bins.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A counting sort on threads, each of which counts a part of the keys, and writes a part of the results.
template <class Problem>
class host_counting {
  using order = typename Problem::order_type;
  using key = typename Problem::key;
  static constexpr std::int64_t bins = bins_of_keys<order>::count;
  /// A key is counted in one table, the next in another: a count need not wait for the one before it.
  static constexpr int tables = order::bits <= 8 ? 4 : 2;
  /// Of so many keys what is done for bins is a small part, and a member is worth its start.
  static constexpr std::int64_t least = 4 * tables * bins,
                                least_of_part = std::max(least, std::int64_t{1} << 16);

 public:
  static bool is_worth_it(Problem const& problem) {
    return problem.n >= least && takes_whole_keys(problem.order);
  }

  host_counting(Problem const& problem, int threads)
      : problem_{problem},
        members_(threads),
        parts_{members_.members_for_shares(problem.n / least_of_part)} {}

  void sort() {
    call_array<std::int64_t> const room(static_cast<std::size_t>(parts_ * tables * bins));
    if (only_obtains()) return;
    auto* const counts = room->data();
    members_.for_each_share(parts_, [&](std::int64_t part) { count(part, counts + part * tables * bins); });
    for (int part = 1; part < parts_; ++part)
      for (std::int64_t bin = 0; bin < bins; ++bin) counts[bin] += counts[part * tables * bins + bin];
    std::int64_t end = 0;
    for (std::int64_t bin = 0; bin < bins; ++bin) counts[bin] = end += counts[bin];
    members_.for_each_share(parts_, [&](std::int64_t part) { write(part, counts); });
  }

 private:
  std::int64_t begin_of(std::int64_t part) const { return problem_.n * part / parts_; }

  void count(std::int64_t part, std::int64_t* counts) const {
    auto const mine = problem_;  // a copy: iterators may have a state
    bins_of_keys<order> const of{mine.order};
    std::fill(counts, counts + tables * bins, 0);
    auto i = begin_of(part);
    auto const end = begin_of(part + 1);
    auto const take = [&](std::int64_t at, int table) {
      ++counts[table * bins + of.bin_of(static_cast<key>(mine.keys_in[at]))];
    };
    for (; i + tables <= end; i += tables)
      for (int table = 0; table < tables; ++table) take(i + table, table);
    for (; i < end; ++i) take(i, 0);
    for (int table = 1; table < tables; ++table)
      for (std::int64_t bin = 0; bin < bins; ++bin) counts[bin] += counts[table * bins + bin];
  }

  /// Bin b ends where ends[b] says.
  void write(std::int64_t part, std::int64_t const* ends) const {
    auto const mine = problem_;
    auto i = begin_of(part);
    auto const end = begin_of(part + 1);
    for (auto bin = std::upper_bound(ends, ends + bins, i) - ends; i < end; ++bin) {
      auto const x = key_of_bin<order>{}(bin);
      for (auto const last = std::min(end, ends[bin]); i < last; ++i) mine.put_key(i, x);
    }
  }

  Problem const& problem_;
  team members_;
  int parts_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
