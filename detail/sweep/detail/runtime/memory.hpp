// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_MEMORY_HPP
#define SWEEP_DETAIL_RUNTIME_MEMORY_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/result_place.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/host_cells.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#endif

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Memory for so many values during a call, and the policy for the rest of it.
SWEEP_NO_EXEC_CHECK
template <class T, class Policy, class F>
  requires(on_host<Policy>)
SWEEP_HD void with_memory([[maybe_unused]] Policy const& policy, [[maybe_unused]] char const* call,
                          [[maybe_unused]] std::int64_t count, [[maybe_unused]] F f) {
#if defined(__CUDA_ARCH__)
  end_kernel(call, "these arguments", "need memory, which a kernel has not");
#else
  // The count was checked where the call began; a compiler that forgets it warns of a negative one.
  auto const values = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  call_array<T> const memory(values);
  f(policy, memory->data());
#endif
}
#if defined(__CUDACC__)
template <class T, class Source, class... Tags, class F>
void with_memory(device_policy<Source, Tags...> const& policy, char const* call, std::int64_t count, F f) {
  auto const bytes = (static_cast<std::size_t>(count) * sizeof(T) + scratch_alignment - 1) /
                     scratch_alignment * scratch_alignment;
  scratch<Source> memory(policy.scratch_source(), call, policy.stream(), bytes);
  f(rest_of(policy, memory, bytes), static_cast<T*>(memory.memory()));
}
#endif

/// A value that a call leaves at pointer() and brings to the host: value() waits for it. rest() is the policy
/// for what else the call does.
template <class T, class Policy>
class host_result {
 public:
  SWEEP_HD host_result(Policy const& policy, char const*) : policy_{policy} {}
  SWEEP_HD T* pointer() { return __builtin_addressof(value_); }
  SWEEP_HD Policy const& rest() const { return policy_; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T value() const { return value_; }

 private:
  Policy policy_;
  T value_{};
};
#if defined(__CUDACC__)
template <class T, class Source, class... Tags>
class host_result<T, device_policy<Source, Tags...>> {
 public:
  host_result(device_policy<Source, Tags...> const& policy, char const* call)
      : policy_{policy}, call_{call}, memory_(policy.scratch_source(), call, policy.stream(), bytes) {}
  host_result(host_result const&) = delete;
  host_result& operator=(host_result const&) = delete;
  ~host_result() {}  // of the host: what the compiler declares would be for both sides
  T* pointer() { return static_cast<T*>(memory_.memory()); }
  auto rest() const { return rest_of(policy_, memory_, bytes); }
  T value() {
    T value{};
    check(cudaMemcpyAsync(static_cast<void*>(__builtin_addressof(value)), pointer(), sizeof(T),
                          cudaMemcpyDeviceToHost, policy_.stream()),
          call_, "cudaMemcpyAsync");
    check(cudaStreamSynchronize(policy_.stream()), call_, "cudaStreamSynchronize");
    return value;
  }

 private:
  static constexpr std::size_t bytes =
      (sizeof(T) + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  device_policy<Source, Tags...> policy_;
  char const* call_;
  scratch<Source> memory_;
};
#endif
SWEEP_NO_EXEC_CHECK
template <class T, class Policy>
SWEEP_HD host_result<T, Policy> host_result_of(Policy const& policy, char const* call) {
  return {policy, call};
}

/// A T* as such a place on the device, where one kernel serves those who wait for a value and those who do
/// not.
SWEEP_NO_EXEC_CHECK
template <class T, class Policy, class Out>
SWEEP_HD auto place_of_result(Out const& out) {
  if constexpr (!on_host<Policy> && relocatable<T> && std::is_same_v<Out, T*>) return result_place<T>(out);
  else return out;
}

/// A value that the last kernel of a call writes through place(), once, and that value() waits for: on the
/// device in words that the host polls, so that nothing is copied.
template <class T, class Policy>
class returned_value {
 public:
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD returned_value(Policy const& policy, char const*) : policy_{policy} {}
  SWEEP_HD result_place<T> place() { return result_place<T>(__builtin_addressof(value_)); }
  SWEEP_HD Policy const& rest() const { return policy_; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T value() const { return value_; }

 private:
  Policy policy_;
  T value_{};
};
#if defined(__CUDACC__)
template <class T, class Source, class... Tags>
class returned_value<T, device_policy<Source, Tags...>> {
 public:
  returned_value(device_policy<Source, Tags...> const& policy, char const* call)
      : policy_{policy},
        call_{call},
        cell_{can_be_polled ? host_cells::instance().take() : host_cell{}},
        memory_(policy.scratch_source(), call, policy.stream(), bytes()) {}
  returned_value(returned_value const&) = delete;
  returned_value& operator=(returned_value const&) = delete;
  ~returned_value() {
    if (cell_.at) host_cells::instance().give_back(cell_);
  }

  result_place<T> place() {
    return cell_.at ? result_place<T>(cell_.at, cell_.stamp)
                    : result_place<T>(static_cast<T*>(memory_.memory()));
  }
  auto rest() const { return rest_of(policy_, memory_, bytes()); }
  T value() {
    T value{};
    if (only_obtains()) return value;  // nothing was launched
    if constexpr (can_be_polled)
      if (cell_.at) {
        polled_value<T> const polled(cell_.at, cell_.stamp);
        for (int i = 0; i < most_polls; ++i, pause_polling())
          if (polled.try_read(0, value)) return value;
        check(cudaStreamSynchronize(policy_.stream()), call_, "cudaStreamSynchronize");
        if (!polled.try_read(0, value)) check(cudaErrorUnknown, call_, "cudaStreamSynchronize");
        return value;
      }
    check(cudaMemcpyAsync(static_cast<void*>(__builtin_addressof(value)), memory_.memory(), sizeof(T),
                          cudaMemcpyDeviceToHost, policy_.stream()),
          call_, "cudaMemcpyAsync");
    check(cudaStreamSynchronize(policy_.stream()), call_, "cudaStreamSynchronize");
    return value;
  }

 private:
  static constexpr bool can_be_polled = relocatable<T> && sizeof(T) <= host_cells::most_bytes;
  std::size_t bytes() const {
    return cell_.at ? 0 : (sizeof(T) + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  }
  device_policy<Source, Tags...> policy_;
  char const* call_;
  host_cell cell_;
  scratch<Source> memory_;
};
#endif

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
