// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPLIT_DISPATCH_HPP
#define SWEEP_DETAIL_SPLIT_DISPATCH_HPP

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A stable split of every segment, in two scans that scatter. Item i of those that go first moves down by the
// number of others before it in its segment; any other moves up by the number of first ones after it.

/// 1 for an item of the one kind, 0 for one of the other.
template <class Goes>
struct counted_kind {
  Goes goes;
  bool which;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return goes(i) == which ? 1 : 0; }
};

/// Moves an item of one kind: by as many places as there are items of the other kind on the side that it
/// moves to. Notes the kind where the item has gone.
template <class Goes, class In, class Out, class Kinds>
struct move_item {
  Goes goes;
  bool which;
  In in;
  Out out;
  Kinds kinds;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i, std::int64_t by) const {
    if (goes(i) != which) return;
    auto const to = which ? i - by : i + by;
    out[to] = in[i];
    kinds(to, which);
  }
};

template <class In, class Pred>
struct goes_first {
  In stencil;
  mutable Pred pred;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t i) const { return static_cast<bool>(pred(stencil[i])); }
};

struct forget_kind {
  SWEEP_HD void operator()(std::int64_t, bool) const {}
};
struct keep_kind {
  unsigned char* kinds;
  SWEEP_HD void operator()(std::int64_t i, bool first) const { kinds[i] = first ? 1 : 0; }
};

/// A segment starts where one did, and where the first kind ends.
template <class Source, class Out>
struct write_split_head {
  Source source;
  unsigned char const* kinds;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    bool const head = i == 0 || source(i) || (kinds[i - 1] != 0 && kinds[i] == 0);
    out[i] = static_cast<written_value<Out, bool>>(head);
  }
};

template <class Policy, class Segments, class In, class Goes, class Out, class Kinds>
void split_segments(Policy const& policy, char const* call, Segments const& segments, In in, std::int64_t n,
                    Goes goes, Out out, Kinds kinds) {
  using read = reader<std::int64_t, counted_kind<Goes>>;
  using move = move_item<Goes, In, Out, Kinds>;
  using write = writer<std::int64_t, move>;
  with_heads(
      policy, call, segments, n, sizeof(std::int64_t), [&](auto const& rest, auto const& source, auto size) {
        using heads = segment_heads<std::decay_t<decltype(source)>, std::int64_t, true>;
        auto const pass = [&](auto towards, bool which) {
          run_scan<size()>(
              rest, call,
              scan_problem<scan_kind::exclusive, towards(), flagged<std::int64_t>, read, write,
                           segmented_op<plus>, identity, heads>{read{{goes, !which}},
                                                                write{move{goes, which, in, out, kinds}},
                                                                {},
                                                                {},
                                                                {},
                                                                {n, 1, 0, towards()},
                                                                heads{source, 0}});
        };
        pass(std::integral_constant<direction, direction::forward>{}, true);
        pass(std::integral_constant<direction, direction::backward>{}, false);
      });
}

/// From a public call to the two scans.
template <class Policy, class In, class Segments, class Out, class Pred>
Out split(char const* call, Policy const& given, In first, In last, Segments const& segments, Out out,
          Pred pred) {
  auto const target = resolve<scan_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Pred, In, Out, Segments>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  require_storage(call, in, to);
  require_segments(target.policy, call, segments, n);
  with_memory_first([&] {
    split_segments(target.policy, call, segments, in, n,
                   goes_first<std::remove_const_t<decltype(in)>, Pred>{in, pred}, to, forget_kind{});
  });
  finish(call, target);
  return out + n;
}

/// The same; the scans leave the kind of each item of the output behind, from which the new heads are made.
template <class Policy, class In, class Segments, class Out, class HeadsOut, class Pred>
Out split_and_segment(char const* call, Policy const& given, In first, In last, Segments const& segments,
                      Out out, HeadsOut heads, Pred pred) {
  auto const target = resolve<scan_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Pred, In, Out, Segments>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  auto const heads_to = unwrapped(heads);
  require_storage(call, in, to);
  require_pointer(call, "heads", heads_to);
  require_segments(target.policy, call, segments, n);
  with_memory_first([&] {
    with_memory<unsigned char>(target.policy, call, n, [&](auto const& rest, unsigned char* kinds) {
      split_segments(rest, call, segments, in, n,
                     goes_first<std::remove_const_t<decltype(in)>, Pred>{in, pred}, to, keep_kind{kinds});
      with_heads(
          rest, call, segments, n, sizeof(std::int64_t),
          [&](auto const& last_policy, auto const& source, auto) {
            using write =
                write_split_head<std::decay_t<decltype(source)>, std::remove_const_t<decltype(heads_to)>>;
            for_each_index(last_policy, call, n, write{source, kinds, heads_to});
          });
    });
  });
  finish(call, target);
  return out + n;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
