// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DEVICE_CUH
#define SWEEP_DEVICE_CUH

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/error.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

namespace sweep::inline SWEEP_ABI {

/// Where scratch memory comes from: the library's own stream-ordered pool (the default), a resource, or the
/// caller's bytes.
struct pool_scratch {};
template <class Resource>
struct resource_scratch {
  Resource* resource;
};
struct span_scratch {
  std::span<std::byte> bytes;
};

/// A CUDA stream. Calls are ordered with the stream's other work; only those that return a value to the host
/// wait. Results are the same bits on every run unless a variant says otherwise. What never waits can be
/// captured in a graph.
template <class Scratch, class... Tags>
class device_policy {
 public:
  constexpr device_policy() = default;
  /// A policy of all that it is made of.
  ///
  /// \param stream   what calls are ordered on
  /// \param scratch  where scratch memory comes from
  constexpr device_policy(cudaStream_t stream, Scratch scratch) : stream_{stream}, scratch_{scratch} {}

  /// Run on another stream than the default one.
  ///
  /// \param stream  what calls are ordered on
  constexpr device_policy on(cudaStream_t stream) const { return {stream, scratch_}; }

  /// Take scratch memory from a resource with allocate(stream, bytes, alignment) and deallocate(stream,
  /// pointer, bytes, alignment), or the same named allocate_async(bytes, alignment, stream) and
  /// deallocate_async(pointer, bytes, alignment, stream), as in cuda::mr.
  ///
  /// \param resource  must outlive the calls
  template <class Resource>
  constexpr auto scratch(Resource& resource) const {
    return device_policy<resource_scratch<Resource>, Tags...>{stream_, {&resource}};
  }
  /// Take scratch memory from the caller's device memory. Too few bytes are a bad_argument, which says how
  /// many are needed.
  ///
  /// \param bytes  must stay untouched until the stream has passed the call
  constexpr auto scratch(std::span<std::byte> bytes) const {
    return device_policy<span_scratch, Tags...>{stream_, {bytes}};
  }

  /// Check also the preconditions that cost something (pointers reachable from the device, ...).
  constexpr auto checked() const {
    if constexpr (detail::has_checked<Tags...>) return *this;
    else return device_policy<Scratch, Tags..., detail::checked_t>{stream_, scratch_};
  }

  /// Choose a variant (`sweep::variant`) or a plan (`sweep::plan<...>`) instead of the tuning table's.
  ///
  /// \tparam Tag  the type of one of the tags, or of a plan
  template <class Tag>
  constexpr auto with(Tag) const {
    static_assert(detail::policy_tag<Tag>,
                  "sweep: with() takes a tag of sweep::variant or a sweep::plan<...>");
    if constexpr (detail::policy_tag<Tag>) {
      static_assert(!detail::has_axis<typename Tag::axis, Tags...>,
                    "sweep: this policy has a choice on that axis already");
      return device_policy<Scratch, Tags..., Tag>{stream_, scratch_};
    } else {
      return *this;
    }
  }

  /// The stream that calls are ordered on.
  constexpr cudaStream_t stream() const { return stream_; }
  /// Where scratch memory comes from.
  constexpr Scratch const& scratch_source() const { return scratch_; }

 private:
  cudaStream_t stream_ = nullptr;
  Scratch scratch_{};
};
/// Run on the current CUDA device.
inline constexpr device_policy<pool_scratch> device{};

}  // namespace sweep::inline SWEEP_ABI

#endif
