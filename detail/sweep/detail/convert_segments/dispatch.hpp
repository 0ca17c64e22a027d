// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CONVERT_SEGMENTS_DISPATCH_HPP
#define SWEEP_DETAIL_CONVERT_SEGMENTS_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// One flag an item, one word of flags for 32 items.
template <class Source, class Out>
struct flag_head {
  Source source;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    out[i] = static_cast<written_value<Out, bool>>(i == 0 || source(i));
  }
};

template <class Source, class Out>
struct word_of_heads {
  Source source;
  std::int64_t n;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t word) const {
    std::uint32_t bits = 0;
    for (int k = 0; k < 32; ++k) {
      auto const i = word * 32 + k;
      if (i < n && (i == 0 || source(i))) bits |= std::uint32_t{1} << k;
    }
    out[word] = bits;
  }
};

template <class Source, class Out>
flag_head(Source, Out) -> flag_head<Source, Out>;
template <class Source, class Out>
word_of_heads(Source, std::int64_t, Out) -> word_of_heads<Source, Out>;

SWEEP_HD inline void require_not_negative(char const* call, std::int64_t n) {
  if (n < 0) refuse_argument(call, "n", "is negative: ", n);
}

/// write(source, to)(i) for i in [0, count): flags or words of heads, from any notation.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out, class Write>
SWEEP_HD Out write_heads(char const* call, char const* argument, Policy const& given, Segments const& from,
                         std::int64_t n, Out out, std::int64_t count, Write write) {
  auto const target = resolve<scan_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Segments, Out>();
  require_not_negative(call, n);
  if (n == 0) return out;
  auto const to = unwrapped(out);
  require_pointer(call, argument, to);
  require_segments(target.policy, call, from, n);
  with_heads(target.policy, call, from, n, 1, [&](auto const& rest, auto const& source, auto) {
    for_each_index(rest, call, count, write(source, to));
  });
  finish(call, target);
  return out + count;
}

/// Exclusive scan of head flags. At a head its rank is the sum before it, so its index goes to offsets[rank];
/// the last item also writes n behind them, and how many there are.
template <class Source>
struct head_count {
  Source source;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return i == 0 || source(i) ? 1 : 0; }
};
template <class Source, class Out>
struct offset_writer {
  head_count<Source> heads;
  std::int64_t n;
  Out out;
  std::int64_t* count;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i, std::int64_t before) const {
    using U = written_value<Out, std::int64_t>;
    auto const with = before + heads(i);
    if (with > before) out[before] = static_cast<U>(i);
    if (i == n - 1) {
      out[with] = static_cast<U>(n);
      *count = with;
    }
  }
};

template <class In, class Out>
struct copy_value {
  In in;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    out[i] = static_cast<written_value<Out, std::int64_t>>(in[i]);
  }
};
template <class Out>
struct zero_value {
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const { out[i] = 0; }
};

/// Offsets from the scan of lengths.
template <class In, class Out>
struct begin_writer {
  In lengths;
  std::int64_t count;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t s, std::int64_t before) const {
    using U = written_value<Out, std::int64_t>;
    out[s] = static_cast<U>(before);
    if (s == count - 1)
      out[count] = static_cast<U>(wrapping_plus{}(before, static_cast<std::int64_t>(lengths[s])));
  }
};

template <class In, class Out>
struct difference_writer {
  In offsets;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t s) const {
    auto const from = static_cast<std::uint64_t>(offsets[s]), to = static_cast<std::uint64_t>(offsets[s + 1]);
    out[s] = static_cast<written_value<Out, std::int64_t>>(static_cast<std::int64_t>(to - from));
  }
};

struct one_each {
  SWEEP_HD constexpr std::int64_t operator()(std::int64_t) const { return 1; }
};
/// As many ones as are asked for.
using ones = reader<std::int64_t, one_each>;

// write_offsets: offsets of any notation. Each returns how many segments there are.

SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class Out>
SWEEP_HD std::int64_t write_offsets(char const* call, Policy const& policy, offset_segments<It> const& from,
                                    std::int64_t, Out out) {
  for_each_index(policy, call, from.count + 1,
                 copy_value<unwrapped_t<It>, Out>{unwrapped(from.offsets), out});
  return from.count;
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class Out>
SWEEP_HD std::int64_t write_offsets(char const* call, Policy const& policy, length_segments<It> const& from,
                                    std::int64_t, Out out) {
  using in = unwrapped_t<It>;
  using write = begin_writer<in, Out>;
  using to = writer<std::int64_t, write>;
  if (from.count == 0) for_each_index(policy, call, 1, zero_value<Out>{out});
  else
    run_scan(
        policy, call,
        scan_problem<scan_kind::exclusive, direction::forward, std::int64_t, in, to, wrapping_plus, identity>{
            unwrapped(from.lengths),
            to{write{unwrapped(from.lengths), from.count, out}},
            {},
            {},
            {0, true},
            {from.count}});
  return from.count;
}

/// Of other notations, and how many there are to `count`; there is an item.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out>
SWEEP_HD void write_counted_offsets(char const* call, Policy const& policy, Segments const& from,
                                    std::int64_t n, Out out, std::int64_t* count) {
  with_heads(policy, call, from, n, 1, [&](auto const& rest, auto const& source, auto size) {
    using S = std::decay_t<decltype(source)>;
    using in = reader<std::int64_t, head_count<S>>;
    using write = offset_writer<S, Out>;
    using to = writer<std::int64_t, write>;
    run_scan<decltype(size)::value>(
        rest, call,
        scan_problem<scan_kind::exclusive, direction::forward, std::int64_t, in, to, plus, identity>{
            in{{source}}, to{write{{source}, n, out, count}}, {}, {}, {0, true}, {n}});
  });
}
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out>
SWEEP_HD std::int64_t write_offsets(char const* call, Policy const& policy, Segments const& from,
                                    std::int64_t n, Out out) {
  if (n <= 0) {
    for_each_index(policy, call, 1, zero_value<Out>{out});
    return 0;
  }
  auto result = host_result_of<std::int64_t>(policy, call);
  write_counted_offsets(call, result.rest(), from, n, out, result.pointer());
  return result.value();
}

/// From a public call to write_offsets.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out>
SWEEP_HD Out to_offsets(char const* call, Policy const& given, Segments const& from, std::int64_t n,
                        Out offsets) {
  auto const target = resolve<scan_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Segments, Out>();
  require_not_negative(call, n);
  auto const to = unwrapped(offsets);
  require_pointer(call, "offsets", to);
  require_segments(target.policy, call, from, n);
  auto const count = write_offsets(call, target.policy, from, n, to);
  finish(call, target);
  return offsets + count + 1;
}

// Lengths of segments whose number is known; of others they are a segmented sum of ones.

SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class Out>
SWEEP_HD void write_lengths(char const* call, Policy const& policy, offset_segments<It> const& from,
                            Out out) {
  for_each_index(policy, call, from.count,
                 difference_writer<unwrapped_t<It>, Out>{unwrapped(from.offsets), out});
}
SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class Out>
SWEEP_HD void write_lengths(char const* call, Policy const& policy, length_segments<It> const& from,
                            Out out) {
  for_each_index(policy, call, from.count, copy_value<unwrapped_t<It>, Out>{unwrapped(from.lengths), out});
}

/// From a public call to write_lengths.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out>
SWEEP_HD Out to_lengths(char const* call, Policy const& given, Segments const& from, std::int64_t n,
                        Out lengths) {
  auto const target = resolve<scan_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Segments, Out>();
  auto const to = unwrapped(lengths);
  if (from.count > 0) require_pointer(call, "lengths", to);
  require_segments(target.policy, call, from, n);
  write_lengths(call, target.policy, from, to);
  finish(call, target);
  return lengths + from.count;
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
