// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_VALIDATE_HPP
#define SWEEP_DETAIL_SEGMENTED_SCAN_VALIDATE_HPP

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/segments/preconditions.hpp>

#include <cstdint>
#include <string>

namespace sweep::inline SWEEP_ABI::detail {

// What .checked() asks of offsets and lengths: one reduction over them, and the call waits for it.

struct lesser {
  SWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b < a ? b : a; }
};

/// s where offset s does not fit, or else more than any.
template <class It>
struct bad_offset {
  It offsets;
  std::int64_t count, n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t s) const {
    auto const here = static_cast<std::int64_t>(offsets[s]);
    bool const bad = s == 0 ? here != 0 : here < static_cast<std::int64_t>(offsets[s - 1]);
    return bad || (s == count && here != n) ? s : count + 1;
  }
};
template <class It>
struct bad_length {
  It lengths;
  std::int64_t count;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t s) const {
    return static_cast<std::int64_t>(lengths[s]) < 0 ? s : count;
  }
};
template <class It>
struct wide_value {
  It values;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t s) const { return static_cast<std::int64_t>(values[s]); }
};

/// init op read(0) op ... op read(count - 1), on the host.
template <class Policy, class Read, class Op>
std::int64_t fold_of(Policy const& policy, char const* call, Read read, std::int64_t count, std::int64_t init,
                     Op op) {
  using in = reader<std::int64_t, Read>;
  auto result = host_result_of<std::int64_t>(policy, call);
  run_reduce(result.rest(), call,
             reduce_problem<std::int64_t, in, std::int64_t*, Op, identity>{
                 in{read}, count, result.pointer(), init, op, {}});
  return result.value();
}

/// values[s], on the host.
template <class It>
struct fetch_value {
  It values;
  std::int64_t s;
  std::int64_t* to;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t) const { *to = static_cast<std::int64_t>(values[s]); }
};
template <class Policy, class It>
std::string value_at(Policy const& policy, char const* call, It values, std::int64_t s) {
  auto result = host_result_of<std::int64_t>(policy, call);
  for_each_index(result.rest(), call, 1, fetch_value<It>{values, s, result.pointer()});
  return std::to_string(result.value());
}

template <class Policy, class Segments>
void check_segments(Policy const&, char const*, Segments const&, std::int64_t) {}

template <class Policy, class It>
void check_segments(Policy const& policy, char const* call, offset_segments<It> const& from, std::int64_t n) {
  auto const offsets = unwrapped(from.offsets);
  using in = std::remove_const_t<decltype(offsets)>;
  auto const bad =
      fold_of(policy, call, bad_offset<in>{offsets, from.count, n}, from.count + 1, from.count + 1, lesser{});
  if (bad > from.count) return;
  auto const here = value_at(policy, call, offsets, bad);
  if (bad == 0 && here != "0")
    throw bad_argument(call, "offsets", "start at " + here + " (index 0), not at 0");
  if (bad > 0) {
    auto const before = value_at(policy, call, offsets, bad - 1);
    if (std::stoll(here) < std::stoll(before))
      throw bad_argument(call, "offsets",
                         "decrease at index " + std::to_string(bad) + ": " + here + " after " + before);
  }
  throw bad_argument(call, "offsets",
                     "end at " + here + " (index " + std::to_string(bad) + "), but there are " +
                         std::to_string(n) + " items");
}

template <class Policy, class It>
void check_segments(Policy const& policy, char const* call, length_segments<It> const& from, std::int64_t n) {
  auto const lengths = unwrapped(from.lengths);
  using in = std::remove_const_t<decltype(lengths)>;
  auto const bad =
      fold_of(policy, call, bad_length<in>{lengths, from.count}, from.count, from.count, lesser{});
  if (bad < from.count)
    throw bad_argument(call, "lengths",
                       "are negative at index " + std::to_string(bad) + ": " +
                           value_at(policy, call, lengths, bad));
  auto const sum = fold_of(policy, call, wide_value<in>{lengths}, from.count, 0, saturating_plus{});
  if (sum != n)
    throw bad_argument(call, "lengths",
                       "add up to " + std::string(sum == largest_sum ? "at least " : "") +
                           std::to_string(sum) + ", but there are " + std::to_string(n) + " items");
}

/// Preconditions of segments: those that cost nothing always, the others under .checked().
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments>
SWEEP_HD void require_segments(Policy const& policy, char const* call, Segments const& from, std::int64_t n) {
  require_cheap(call, from, n);
  if constexpr (is_checked<Policy>) check_segments(without_tags(policy), call, from, n);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
