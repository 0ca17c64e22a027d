// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_RESOURCE_CUH
#define SWEEP_DETAIL_CORE_RESOURCE_CUH

#include <sweep/detail/core/policy_options.hpp>

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstddef>
#include <span>
#include <sweep/detail/core/standard.hpp>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

inline constexpr std::size_t scratch_alignment = 256;

// ---- Streams by whatever handle: cudaStream_t, cuda::stream_ref, cuda::stream, rmm::cuda_stream_view
// ----------

template <class S>
concept stream_with_get = requires(S const& s) {
  { s.get() } -> std::same_as<cudaStream_t>;
};
template <class S>
concept stream_handle = std::is_class_v<S> &&
    (stream_with_get<S> || std::convertible_to<S const&, cudaStream_t>);

constexpr cudaStream_t stream_of(cudaStream_t stream) { return stream; }
template <stream_handle S>
constexpr cudaStream_t stream_of(S const& stream) {
  if constexpr (stream_with_get<S>) return stream.get();
  else return stream;
}

// ---- Memory resources of CCCL's shapes and of RMM's, newer and older
// -------------------------------------------

/// How a resource is asked, the best way first. Those without alignment are asked for more, those without a
/// stream get memory back when the stream is done with it.
enum class resource_shape {
  stream_bytes_alignment,        ///< allocate(stream, bytes, alignment): cuda::mr's, and RMM's newer ones
  async_bytes_alignment_stream,  ///< allocate_async(bytes, alignment, stream): cuda::mr's until CCCL 3.0
  stream_bytes,                  ///< allocate(stream, bytes)
  async_bytes_stream,            ///< allocate_async(bytes, stream)
  bytes_stream,                  ///< allocate(bytes, stream): RMM's
  sync_bytes_alignment,          ///< allocate_sync(bytes, alignment)
  bytes_alignment,               ///< allocate(bytes, alignment): synchronous ones of cuda::mr until CCCL 3.0
  none
};

template <class R>
constexpr resource_shape shape_of_resource() {
  using enum resource_shape;
  using stream = cudaStream_t;
  using size = std::size_t;
  constexpr bool newer = requires(R & r, stream s, size n, void* p) {
    { r.allocate(s, n, n) } -> std::same_as<void*>;
    r.deallocate(s, p, n, n);
  };
  constexpr bool older = requires(R & r, stream s, size n, void* p) {
    { r.allocate_async(n, n, s) } -> std::same_as<void*>;
    r.deallocate_async(p, n, n, s);
  };
  constexpr bool first = requires(R & r, stream s, size n, void* p) {
    { r.allocate(s, n) } -> std::same_as<void*>;
    r.deallocate(s, p, n);
  };
  constexpr bool async = requires(R & r, stream s, size n, void* p) {
    { r.allocate_async(n, s) } -> std::same_as<void*>;
    r.deallocate_async(p, n, s);
  };
  constexpr bool last = requires(R & r, stream s, size n, void* p) {
    { r.allocate(n, s) } -> std::same_as<void*>;
    r.deallocate(p, n, s);
  };
  constexpr bool sync = requires(R & r, size n, void* p) {
    { r.allocate_sync(n, n) } -> std::same_as<void*>;
    r.deallocate_sync(p, n, n);
  };
  constexpr bool plain = requires(R & r, size n, void* p) {
    { r.allocate(n, n) } -> std::same_as<void*>;
    r.deallocate(p, n, n);
  };
  constexpr bool on_host = requires(R & r) { r.is_equal(r); };  // std::pmr's
  if constexpr (newer) return stream_bytes_alignment;
  else if constexpr (older) return async_bytes_alignment_stream;
  else if constexpr (first) return stream_bytes;
  else if constexpr (async) return async_bytes_stream;
  else if constexpr (last) return bytes_stream;
  else if constexpr (sync) return sync_bytes_alignment;
  else if constexpr (plain && !on_host) return bytes_alignment;
  else return none;
}

template <class R>
concept memory_resource = shape_of_resource<R>()
!= resource_shape::none;

/// As many bytes as hold so many from the first 256-byte boundary on.
constexpr std::size_t with_room_to_align(std::size_t bytes) { return bytes + scratch_alignment - 1; }

template <memory_resource R>
void* allocate_from(R& from, cudaStream_t stream, std::size_t bytes) {
  using enum resource_shape;
  constexpr auto shape = shape_of_resource<R>();
  auto const more = with_room_to_align(bytes);
  if constexpr (shape == stream_bytes_alignment) return from.allocate(stream, bytes, scratch_alignment);
  else if constexpr (shape == async_bytes_alignment_stream)
    return from.allocate_async(bytes, scratch_alignment, stream);
  else if constexpr (shape == stream_bytes) return from.allocate(stream, more);
  else if constexpr (shape == async_bytes_stream) return from.allocate_async(more, stream);
  else if constexpr (shape == bytes_stream) return from.allocate(more, stream);
  else if constexpr (shape == sync_bytes_alignment) return from.allocate_sync(bytes, scratch_alignment);
  else return from.allocate(bytes, scratch_alignment);
}

/// What allocate_from gave for so many bytes.
template <memory_resource R>
void deallocate_to(R& from, cudaStream_t stream, void* memory, std::size_t bytes) {
  using enum resource_shape;
  constexpr auto shape = shape_of_resource<R>();
  auto const more = with_room_to_align(bytes);
  if constexpr (shape == stream_bytes_alignment) from.deallocate(stream, memory, bytes, scratch_alignment);
  else if constexpr (shape == async_bytes_alignment_stream)
    from.deallocate_async(memory, bytes, scratch_alignment, stream);
  else if constexpr (shape == stream_bytes) from.deallocate(stream, memory, more);
  else if constexpr (shape == async_bytes_stream) from.deallocate_async(memory, more, stream);
  else if constexpr (shape == bytes_stream) from.deallocate(memory, more, stream);
  else {
    (void)cudaStreamSynchronize(stream);  // an error here is one that the next call on this stream reports
    if constexpr (shape == sync_bytes_alignment) from.deallocate_sync(memory, bytes, scratch_alignment);
    else from.deallocate(memory, bytes, scratch_alignment);
  }
}

/// std::span and cuda::std::span of bytes, by whatever name.
template <class S>
concept span_of_bytes = requires(S const& s) {
  S::extent;
  requires sizeof(*s.data()) == 1 && std::is_trivial_v<std::remove_pointer_t<decltype(s.data())>>;
  requires !std::is_const_v<std::remove_pointer_t<decltype(s.data())>>;
  { s.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
