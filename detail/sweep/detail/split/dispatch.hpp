// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPLIT_DISPATCH_HPP
#define SWEEP_DETAIL_SPLIT_DISPATCH_HPP

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>

namespace sweep::detail {

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

/// Where to an item of one kind goes, and that it is of that kind.
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
  with_heads(policy, call, segments, n, sizeof(std::int64_t), [&](auto const& rest, auto const& source) {
    using heads = segment_heads<std::decay_t<decltype(source)>, std::int64_t, true>;
    auto const pass = [&](auto towards, bool which) {
      run_scan(rest, call,
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

}  // namespace sweep::detail

#endif
