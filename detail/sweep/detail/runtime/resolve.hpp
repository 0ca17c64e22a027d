// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_RESOLVE_HPP
#define SWEEP_DETAIL_RUNTIME_RESOLVE_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/policy.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/asked_once.cuh>
#include <sweep/detail/runtime/environment.cuh>
#include <sweep/detail/runtime/error.cuh>
#endif

#include <sweep/detail/core/standard.hpp>
#include <type_traits>

#if __has_include(<pstl/execution_defs.h>)
#include <pstl/execution_defs.h>  // libstdc++'s policies without the algorithms of <execution>
#elif __has_include(<execution>)
#include <execution>
#endif

#if __has_include(<thrust/detail/config/config.h>)
#include <thrust/detail/config/config.h>
THRUST_NAMESPACE_BEGIN
namespace cuda_cub {
template <class Derived>
struct execution_policy;
}
namespace system {
namespace detail {
namespace sequential {
template <class Derived>
struct execution_policy;
}
}  // namespace detail
namespace cpp {
namespace detail {
template <class Derived>
struct execution_policy;
}
}  // namespace cpp
}  // namespace system
THRUST_NAMESPACE_END
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// Takes every tag: for the question whether something is a policy.
struct any_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {}
};

/// A policy as algorithms see it, and what is owed to its owner once the work is enqueued.
template <class Policy>
struct resolved {
  Policy policy;
  bool waits = false;  ///< Thrust's synchronous policies promise finished work
};

#if defined(__CUDACC__)
template <class Scratch, class... Tags>
struct resolved<device_policy<Scratch, Tags...>> {
  device_policy<Scratch, Tags...> policy;
  bool waits = false;
  asked_once asked{};  ///< by its call, which it lives as long as
  ~resolved() {}       // of the host: what the compiler declares would be for both sides
};
#endif

// resolve<Options>(policy): the one place where a policy's tags are looked at. Tags that an algorithm does
// not have do not compile, and those that say a default are left out. resolve(policy) asks nothing of tags.

template <class Options = any_options>
SWEEP_HD resolved<seq_policy> resolve(seq_policy const& policy) {
  return {policy};
}
template <class... Tags>
constexpr host_policy<Tags...> retagged(host_policy<> policy, tag_list<Tags...>) {
  return host_policy<Tags...>(policy.threads());
}
template <class Options = any_options, class... Tags>
auto resolve(host_policy<Tags...> const& policy) {
  Options::template require<true, Tags...>();
  auto const same = retagged(host_policy<>(policy.threads()), without_defaults<Tags...>{});
  return resolved<std::remove_const_t<decltype(same)>>{same};
}

#if __has_include(<pstl/execution_defs.h>)
namespace std_policies = __pstl::execution;
#elif defined(__cpp_lib_execution)
namespace std_policies = std::execution;
#endif
#if __has_include(<pstl/execution_defs.h>) || defined(__cpp_lib_execution)
template <class Options = any_options>
resolved<seq_policy> resolve(std_policies::sequenced_policy const&) {
  return {seq};
}
template <class Options = any_options>
resolved<seq_policy> resolve(std_policies::unsequenced_policy const&) {
  return {seq};
}
template <class Options = any_options>
resolved<host_policy<>> resolve(std_policies::parallel_policy const&) {
  return {host};
}
template <class Options = any_options>
resolved<host_policy<>> resolve(std_policies::parallel_unsequenced_policy const&) {
  return {host};
}
#endif

#if __has_include(<thrust/detail/config/config.h>)
/// thrust::seq
template <class Options = any_options, class Derived>
SWEEP_HD resolved<seq_policy> resolve(thrust::system::detail::sequential::execution_policy<Derived> const&) {
  return {seq_policy{}};
}
/// thrust::host, thrust::cpp::par, thrust::omp::par; one with an allocator does not use it
template <class Options = any_options, class Derived>
resolved<host_policy<>> resolve(thrust::system::cpp::detail::execution_policy<Derived> const&) {
  return {host};
}
#endif

#if defined(__CUDACC__)
template <class Scratch, class... Tags>
constexpr device_policy<Scratch, Tags...> retagged(device_policy<Scratch> const& policy, tag_list<Tags...>) {
  return {policy.stream(), policy.scratch_source()};
}
template <class Options = any_options, class Scratch, class... Tags>
auto resolve(device_policy<Scratch, Tags...> const& policy) {
  Options::template require<false, Tags...>();
  auto const same =
      retagged(device_policy<Scratch>(policy.stream(), policy.scratch_source()), without_defaults<Tags...>{});
  return resolved<std::remove_const_t<decltype(same)>>{same};
}
/// What a call without a policy runs with on the device: the default stream, and finished work on return, as
/// Thrust has it.
struct waiting_device {};
template <class Options = any_options>
resolved<device_policy<pool_scratch>> resolve(waiting_device const&) {
  return {device, true};
}
/// thrust::device, thrust::cuda::par, par.on(stream), par_nosync, par_nosync.on(stream); and what these are
/// with an allocator, which rmm::exec_policy is derived from: scratch comes from it then.
template <class Options = any_options, class Derived>
auto resolve(thrust::cuda_cub::execution_policy<Derived> const& policy) {
  auto& derived = const_cast<Derived&>(static_cast<Derived const&>(policy));  // Thrust asks no const policies
  auto const stream = get_stream(derived);
  bool const waits = must_perform_optional_stream_synchronization(derived);
  if constexpr (requires { derived.get_allocator(); }) {
    auto& allocator = derived.get_allocator();
    using source = allocator_scratch<std::remove_reference_t<decltype(allocator)>>;
    return resolved<device_policy<source>>{{stream, source{std::addressof(allocator), waits}}, waits};
  } else {
    return resolved<device_policy<pool_scratch>>{device.on(stream), waits};
  }
}
/// cuda::stream_ref, cuda::stream, and environments with a stream, a memory resource, a requirement.
template <class Options = any_options, class Env>
  requires(environment<Env> || (std::is_class_v<Env> && stream_with_get<Env>))
auto resolve(Env const& env) {
  if constexpr (stream_with_get<Env>) {
    return resolved<device_policy<pool_scratch>>{device.on(env)};
  } else {
    auto const source = source_in(env);
    using policy = device_policy<std::remove_const_t<decltype(source)>>;
    return resolved<policy>{policy(stream_in(env), source)};
  }
}
#endif

/// What a fold in T by Op owes to a caller who requires more of its results than that every run gives the
/// same.
template <class Given, class Op, class T>
SWEEP_HD constexpr void require_reproducible() {
#if defined(__CUDACC__)
  if constexpr (environment<Given>) require_determinism<is_exact<Op, T>, Given>();
#endif
}

/// Policies whose memory is the host's and whose calls return when all is done.
template <class Policy>
inline constexpr bool on_host = false;
template <>
inline constexpr bool on_host<seq_policy> = true;
template <class... Tags>
inline constexpr bool on_host<host_policy<Tags...>> = true;

/// Whether a call checks the preconditions that cost something.
template <class Policy>
inline constexpr bool is_checked = false;
template <class... Tags>
inline constexpr bool is_checked<host_policy<Tags...>> = has_checked<Tags...>;
#if defined(__CUDACC__)
template <class Scratch, class... Tags>
inline constexpr bool is_checked<device_policy<Scratch, Tags...>> = has_checked<Tags...>;
#endif

/// The same policy without tags, for what a call does beside its own work.
SWEEP_HD inline seq_policy without_tags(seq_policy const& policy) { return policy; }
template <class... Tags>
host_policy<> without_tags(host_policy<Tags...> const& policy) {
  return host_policy<>(policy.threads());
}
#if defined(__CUDACC__)
template <class Scratch, class... Tags>
device_policy<Scratch> without_tags(device_policy<Scratch, Tags...> const& policy) {
  return {policy.stream(), policy.scratch_source()};
}
#endif

/// The same policy for a call whose preconditions have been checked.
template <class... Tags>
auto without_checks(host_policy<Tags...> const& policy) {
  return retagged(host_policy<>(policy.threads()), without_axis<checked_t, Tags...>{});
}
#if defined(__CUDACC__)
template <class Scratch, class... Tags>
auto without_checks(device_policy<Scratch, Tags...> const& policy) {
  return retagged(without_tags(policy), without_axis<checked_t, Tags...>{});
}
#endif

#if defined(__CUDACC__)
/// Waits where the policy's owner expects finished work.
template <class Scratch, class... Tags>
void finish(char const* call, resolved<device_policy<Scratch, Tags...>> const& target) {
  if (target.waits) check(cudaStreamSynchronize(target.policy.stream()), call, "cudaStreamSynchronize");
}
#endif
/// On the host work is finished when the call returns.
template <class Policy>
requires on_host<Policy> SWEEP_HD void finish(char const*, resolved<Policy> const&) {}

template <class Policy>
concept policy = requires(Policy const& p) {
  detail::resolve<any_options>(p);
};

/// Whether a policy means one loop, which any thread can run, in a kernel too.
template <class Policy>
inline constexpr bool runs_in_one_loop = false;
template <policy Policy>
inline constexpr bool runs_in_one_loop<Policy> =
    std::is_same_v<std::remove_cvref_t<decltype(resolve<any_options>(std::declval<Policy const&>()).policy)>,
                   seq_policy>;

/// The same loop for calls that do more about it on the host than in a kernel.
struct loop_on_host {};
template <class Options = any_options>
resolved<seq_policy> resolve(loop_on_host const&) {
  return {seq_policy{}};
}
template <>
inline constexpr bool runs_in_one_loop<loop_on_host> = false;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
