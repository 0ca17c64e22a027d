// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_HOST_HPP
#define SWEEP_DETAIL_MULTISPLIT_HOST_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// The meaning of a multisplit: parts are counted, and items go behind those of their part that stand before
/// them.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_multisplit(seq_policy const& policy, char const* call, Problem const& problem) {
  with_memory<std::int64_t>(policy, call, problem.parts, [&](auto const&, std::int64_t* ends) {
    if (only_obtains()) return;
    for (std::int64_t part = 0; part < problem.parts; ++part) ends[part] = 0;
    for (std::int64_t i = 0; i < problem.n; ++i) ++ends[problem.part_at(i)];
    std::int64_t begin = 0;
    for (std::int64_t part = 0; part < problem.parts; ++part) {
      auto const count = ends[part];
      problem.write_offset(part, begin);
      ends[part] = begin;
      begin += count;
    }
    problem.write_offset(problem.parts, begin);
    for (std::int64_t i = 0; i < problem.n; ++i) problem.move(i, ends[problem.part_at(i)]++);
  });
}

SWEEP_END_LOOPS

/// The same by chunks of the items: counted side by side, begun where the same part of the chunks before
/// ends, and moved side by side.
template <class... Tags, class Problem>
void run_multisplit(host_policy<Tags...> const& policy, char const* call, Problem const& problem) {
  team members(policy.threads());
  auto const n = problem.n, parts = problem.parts;
  // A chunk is worth its row of counts, and a member has some of them, for members are not alike.
  auto const least = std::max<std::int64_t>(host_tile_items(sizeof(typename Problem::key)), 4 * parts);
  constexpr std::int64_t most_chunks = 256;
  auto const chunks = std::max<std::int64_t>(1, std::min(most_chunks, n / least));
  auto const each = (n + chunks - 1) / chunks;
  with_memory<std::int64_t>(policy, call, chunks * parts, [&](auto const&, std::int64_t* counts) {
    if (only_obtains()) return;
    members.for_each_tile(chunks, [&](std::int64_t chunk) {
      auto const mine = problem;  // a copy: functors may have a state
      auto* const row = counts + chunk * parts;
      std::fill_n(row, parts, 0);
      for (auto i = chunk * each; i < std::min(n, (chunk + 1) * each); ++i) ++row[mine.part_at(i)];
    });
    std::int64_t begin = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      problem.write_offset(part, begin);
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        auto const count = counts[chunk * parts + part];
        counts[chunk * parts + part] = begin;
        begin += count;
      }
    }
    problem.write_offset(parts, begin);
    members.for_each_tile(chunks, [&](std::int64_t chunk) {
      auto const mine = problem;
      auto* const next = counts + chunk * parts;
      for (auto i = chunk * each; i < std::min(n, (chunk + 1) * each); ++i)
        mine.move(i, next[mine.part_at(i)]++);
    });
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
