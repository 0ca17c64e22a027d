// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_KEPT_ARRAYS_HPP
#define SWEEP_DETAIL_RUNTIME_KEPT_ARRAYS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/scratch.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Arrays that outlive the call that makes them, in a policy's memory: get<K>() has so many items of type
/// number K, which nobody has written yet. They can be moved, not copied.
template <class Policy, class... T>
class kept_arrays {
 public:
  template <class... Counts>
  kept_arrays(Policy const&, char const*, Counts... counts)
      : arrays_(heap_array<T>(static_cast<std::size_t>(counts))...) {}
  template <std::size_t K>
  auto* get() const {
    return std::get<K>(arrays_).data();
  }
  /// The policy for what else needs memory while these live.
  Policy const& rest(Policy const& policy) const { return policy; }

 private:
  std::tuple<heap_array<T>...> arrays_;
};

#if defined(__CUDACC__)
/// On the device one block of the policy's source, given back in the order of the policy's stream.
template <class Source, class... T>
class kept_arrays<device_policy<Source>, T...> {
 public:
  template <class... Counts>
  kept_arrays(device_policy<Source> const& policy, char const* call, Counts... counts)
      : source_{policy.scratch_source()}, stream_{policy.stream()} {
    std::size_t at = 0, k = 0;
    ((begins_[k++] = at, at += (static_cast<std::size_t>(counts) * sizeof(T) + scratch_alignment - 1) /
                               scratch_alignment * scratch_alignment),
     ...);
    bytes_ = at;
    if (bytes_ > 0) block_ = obtain(source_, call, stream_, bytes_);
  }
  kept_arrays(kept_arrays&& other) noexcept
      : source_{other.source_}, stream_{other.stream_}, bytes_{other.bytes_}, block_{other.block_} {
    std::copy(std::begin(other.begins_), std::end(other.begins_), begins_);
    other.block_ = nullptr;
  }
  kept_arrays(kept_arrays const&) = delete;
  kept_arrays& operator=(kept_arrays const&) = delete;
  ~kept_arrays() {
    if (block_) give_back(source_, stream_, block_, bytes_);
  }
  template <std::size_t K>
  auto* get() const {
    using type = std::tuple_element_t<K, std::tuple<T...>>;
    auto const from = (reinterpret_cast<std::uintptr_t>(block_) + scratch_alignment - 1) / scratch_alignment *
                      scratch_alignment;
    return reinterpret_cast<type*>(from + begins_[K]);
  }
  auto rest(device_policy<Source> const& policy) const {
    auto* const end = block_ ? reinterpret_cast<std::byte*>(get<0>()) + bytes_ : nullptr;
    auto const source = behind(policy.scratch_source(), end);
    return device_policy<std::remove_const_t<decltype(source)>>(policy.stream(), source);
  }

 private:
  Source source_;
  cudaStream_t stream_;
  std::size_t begins_[sizeof...(T)] = {}, bytes_ = 0;
  void* block_ = nullptr;
};
#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
