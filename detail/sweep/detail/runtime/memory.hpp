// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_MEMORY_HPP
#define SWEEP_DETAIL_RUNTIME_MEMORY_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/wait.cuh>
#endif

#include <cstdint>

namespace sweep::detail {

/// Memory for so many values during a call, and the policy for the rest of it.
template <class T, class Policy, class F>
  requires on_host<Policy>
void with_memory(Policy const& policy, char const*, std::int64_t count, F f) {
  auto const memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
  f(policy, memory.get());
}
#if defined(__CUDACC__)
template <class T, class Source, class... Choices, class F>
void with_memory(device_policy<Source, Choices...> const& policy, char const* call, std::int64_t count, F f) {
  auto const bytes = (static_cast<std::size_t>(count) * sizeof(T) + scratch_alignment - 1) /
                     scratch_alignment * scratch_alignment;
  scratch<Source> memory(policy.scratch_source(), call, policy.stream(), bytes);
  f(rest_of(policy, memory, bytes), static_cast<T*>(memory.memory()));
}
#endif

/// The value that write(pointer) leaves behind, on the host.
template <class T, class Policy, class Write>
  requires on_host<Policy> T value_through(Policy const&, char const*, Write write) {
    T value{};
    write(&value);
    return value;
  }

}  // namespace sweep::detail

#endif
