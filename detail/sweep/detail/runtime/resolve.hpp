// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_RESOLVE_HPP
#define SWEEP_DETAIL_RUNTIME_RESOLVE_HPP

#include <sweep/policy.hpp>

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

namespace sweep::detail {

/// A policy as algorithms see it, and what is owed to its owner once the work is enqueued.
template <class Policy>
struct resolved {
  Policy policy;
  bool waits = false;  ///< Thrust's synchronous policies promise finished work
};

inline resolved<seq_policy> resolve(seq_policy const& policy) { return {policy}; }
template <class... Choices>
resolved<host_policy<Choices...>> resolve(host_policy<Choices...> const& policy) {
  return {policy};
}

#if __has_include(<thrust/detail/config/config.h>)
/// thrust::seq
template <class Derived>
resolved<seq_policy> resolve(thrust::system::detail::sequential::execution_policy<Derived> const&) {
  return {seq};
}
/// thrust::host, thrust::cpp::par, thrust::omp::par
template <class Derived>
resolved<host_policy<>> resolve(thrust::system::cpp::detail::execution_policy<Derived> const&) {
  return {host};
}
#endif

#if defined(__CUDACC__)
template <class Scratch, class... Choices>
resolved<device_policy<Scratch, Choices...>> resolve(device_policy<Scratch, Choices...> const& policy) {
  return {policy};
}
/// thrust::device, thrust::cuda::par, par.on(stream), par_nosync, par_nosync.on(stream)
template <class Derived>
auto resolve(thrust::cuda_cub::execution_policy<Derived> const& policy) {
  auto derived = static_cast<Derived const&>(policy);
  return resolved{device.on(get_stream(derived)), must_perform_optional_stream_synchronization(derived)};
}
#endif

/// Policies whose memory is the host's and whose calls return when all is done.
template <class Policy>
inline constexpr bool on_host = false;
template <>
inline constexpr bool on_host<seq_policy> = true;
template <class... Choices>
inline constexpr bool on_host<host_policy<Choices...>> = true;

/// The same policy without variants and plans, for what a call does beside its own work.
inline seq_policy without_choices(seq_policy const& policy) { return policy; }
template <class... Choices>
host_policy<> without_choices(host_policy<Choices...> const& policy) {
  return host_policy<>(policy.threads());
}
#if defined(__CUDACC__)
template <class Scratch, class... Choices>
device_policy<Scratch> without_choices(device_policy<Scratch, Choices...> const& policy) {
  return {policy.stream(), policy.scratch_source(), false};
}
#endif

/// On the host work is finished when the call returns.
template <class Policy>
  requires on_host<Policy>
void finish(char const*, resolved<Policy> const&) {}

template <class Policy>
concept policy = requires(Policy const& p) {
  detail::resolve(p);
};

}  // namespace sweep::detail

#endif
