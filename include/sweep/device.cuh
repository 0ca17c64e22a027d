// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DEVICE_CUH
#define SWEEP_DEVICE_CUH

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/resource.cuh>
#include <sweep/error.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <sweep/detail/core/standard.hpp>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI {

/// Where scratch memory comes from: the library's own stream-ordered pool (the default), a resource of the
/// caller's or one that the policy holds, an allocator, or the caller's bytes.
struct pool_scratch {};
template <class Resource>
struct resource_scratch {
  Resource* resource;
};
template <class Resource>
struct held_resource_scratch {
  Resource resource;
};
template <class Allocator>
struct allocator_scratch {
  Allocator* allocator;
  bool waits;  ///< memory is given back when the stream is done with it, else as soon as the work is enqueued
};
struct span_scratch {
  std::span<std::byte> bytes;
};

namespace detail {

/// The source that .scratch(from) means.
template <class From>
constexpr auto scratch_source_of(From&& from) {
  using bare = std::remove_cvref_t<From>;
  using target = std::remove_reference_t<From>;
  if constexpr (span_of_bytes<bare>) {
    return span_scratch{std::span(reinterpret_cast<std::byte*>(from.data()), from.size())};
  } else if constexpr (std::is_pointer_v<bare> && memory_resource<std::remove_pointer_t<bare>>) {
    return resource_scratch<std::remove_pointer_t<bare>>{from};
  } else if constexpr (std::is_lvalue_reference_v<From> && memory_resource<target>) {
    return resource_scratch<target>{std::addressof(from)};
  } else if constexpr (memory_resource<bare> && std::is_constructible_v<bare, From> &&
                       std::is_copy_constructible_v<bare>) {
    return held_resource_scratch<bare>{std::forward<From>(from)};
  } else {
    static_assert(
        never<From>,
        "sweep: a scratch resource needs allocate(stream, bytes, alignment) and deallocate(stream, "
        "pointer, bytes, alignment), or the like of cuda::mr and RMM; memory of your own goes in as "
        "a std::span of bytes");
    return pool_scratch{};
  }
}

}  // namespace detail

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
  /// The same for a stream by another name.
  ///
  /// \param stream  `cuda::stream_ref`, `cuda::stream`, `rmm::cuda_stream_view`: what has `get()` or
  ///                converts to `cudaStream_t`; an owner must outlive the work
  template <detail::stream_handle Stream>
  constexpr device_policy on(Stream const& stream) const {
    return {detail::stream_of(stream), scratch_};
  }

  /// Take scratch memory from a resource or from device memory of your own. A resource is one of `cuda::mr`,
  /// of RMM, or anything with their `allocate(stream, bytes, alignment)` and `deallocate(stream, pointer,
  /// bytes, alignment)`, or one of the older forms of these: `allocate_async(bytes, alignment, stream)`,
  /// `allocate(bytes, stream)`, ... One without a stream (`allocate_sync(bytes, alignment)`,
  /// `allocate(bytes, alignment)`) gets its memory back when the stream is done with it: such calls wait.
  ///
  /// \param from  a resource, or a pointer to one, which must outlive the calls; a temporary resource, which
  ///              is copied into the policy; or a span of bytes, which must stay untouched until the stream
  ///              has passed the call. Too few bytes are a bad_argument, which says how many are needed.
  template <class From>
  constexpr auto scratch(From&& from) const {
    auto const source = detail::scratch_source_of(std::forward<From>(from));
    return device_policy<std::remove_const_t<decltype(source)>, Tags...>{stream_, source};
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

#include <sweep/detail/macros/back.hpp>

#endif
