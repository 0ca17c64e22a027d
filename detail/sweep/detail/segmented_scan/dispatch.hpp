// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_DISPATCH_HPP
#define SWEEP_DETAIL_SEGMENTED_SCAN_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/host.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/segments/heads.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/segmented_scan/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// f(policy, source) where source says of items whether they are heads; results may take the place of `out`.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Out, class F>
requires on_host<Policy> SWEEP_HD void with_head_source(Policy const& policy, char const* call,
                                                        Segments const& segments, std::int64_t n,
                                                        Out const& out, F f) {
#if defined(__CUDA_ARCH__)
  with_heads(policy, call, segments, n, sizeof(value_of<Out>),
             [&](auto const& rest, auto const& source, auto) { f(rest, source); });
  (void)out;
#else
  with_memory_first([&] {
    with_heads(
        policy, call, segments, n, sizeof(value_of<Out>),
        [&](auto const& rest, auto const& source, auto) { f(rest, source); }, overwrites(out, segments, n));
  });
#endif
}
#if defined(__CUDACC__)
/// On the device always bits: a policy with a choice is not asked to look at flags or keys themselves.
template <class Scratch, class... Tags, class Segments, class Out, class F>
void with_head_source(device_policy<Scratch, Tags...> const& policy, char const* call,
                      Segments const& segments, std::int64_t n, Out const&, F f) {
  with_heads(without_tags(policy).with(variant::merge), call, segments, n, sizeof(value_of<Out>),
             [&](auto const& rest, auto const& source, auto) {
               f(without_tags(rest),
                 bit_source<std::uint32_t const*>{source.words, source.from_previous_kernel, source.skip});
             });
}
#endif

/// From a public call to a scan of flagged values, whose initial values stand at segment starts.
SWEEP_NO_EXEC_CHECK
template <scan_kind Kind, class Dir, class Policy, class In, class Segments, class Out, class Op, class Unary,
          class... Init>
SWEEP_HD Out segmented_scan(char const* call, Policy const& given, In first, In last,
                            Segments const& segments, Out out, Op op, Unary unary, Init... init) {
  auto const target = resolve<scan_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;
  using types = accumulation<In, Out, Op, Unary, Init...>;
  using in_order = typename types::in_order;
  using V = typename types::value;
  require_reproducible<Policy, folding_t<V, typename types::op>, V>();
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Op, Unary, In, Out, Segments>();
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  require_storage(call, in, to);
  require_segments(target.policy, call, segments, n);

  constexpr auto towards = std::is_same_v<Dir, forward_t> ? direction::forward : direction::backward;
  constexpr bool starts = sizeof...(Init) == 1;
  if constexpr (callable &&
                runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, V, value_of<In>>() &&
                require_becomes<Out, V>())
    with_heads<true>(
        target.policy, call, segments, n, sizeof(value_of<In>),
        [&](auto const& policy, auto const& source, auto size) {
          using heads = segment_heads<std::decay_t<decltype(source)>, V, starts>;
          using problem =
              scan_problem<Kind, towards, flagged<V>, std::remove_const_t<decltype(in)>,
                           std::remove_const_t<decltype(to)>, segmented_op<folding_t<V, typename types::op>>,
                           typename types::unary, heads>;
          run_scan<decltype(size)::value>(policy, call,
                                          problem{in,
                                                  to,
                                                  {folding<V>(in_order::binary(op, unary))},
                                                  in_order::unary(op, unary),
                                                  {},
                                                  {n, 1, 0, towards},
                                                  heads{source, static_cast<V>(init)...}});
        },
        overwrites(to, segments, n));
  finish(call, target);
  return out + n;
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
