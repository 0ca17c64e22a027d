// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_SCRATCH_CUH
#define SWEEP_DETAIL_RUNTIME_SCRATCH_CUH

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/resource.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/detail/runtime/pool.cuh>
#include <sweep/detail/runtime/stream_cache.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

// Device memory for one call, given back in stream order. The source is what the policy says. obtain() may
// give memory that begins before a 256-byte boundary and reaches so far behind it.

inline void* obtain(pool_scratch const&, char const* call, cudaStream_t stream, std::size_t bytes) {
  return pool_allocate(call, stream, bytes);
}
inline void give_back(pool_scratch const&, cudaStream_t stream, void* memory, std::size_t) {
  (void)cudaFreeAsync(memory, stream);  // an error here is one that the next call on this stream reports
}

template <class Resource>
void* obtain(resource_scratch<Resource> const& from, char const*, cudaStream_t stream, std::size_t bytes) {
  return allocate_from(*from.resource, stream, bytes);
}
template <class Resource>
void give_back(resource_scratch<Resource> const& from, cudaStream_t stream, void* memory, std::size_t bytes) {
  deallocate_to(*from.resource, stream, memory, bytes);
}
template <class Resource>
void* obtain(held_resource_scratch<Resource>& from, char const*, cudaStream_t stream, std::size_t bytes) {
  return allocate_from(from.resource, stream, bytes);
}
template <class Resource>
void give_back(held_resource_scratch<Resource>& from, cudaStream_t stream, void* memory, std::size_t bytes) {
  deallocate_to(from.resource, stream, memory, bytes);
}

/// The address behind a pointer or what an allocator has in its place.
template <class Pointer>
void* address_behind(Pointer const& pointer) {
  if constexpr (std::is_pointer_v<Pointer>) return pointer;
  else if constexpr (requires { pointer.get(); }) return address_behind(pointer.get());
  else return std::to_address(pointer);
}
/// Items of an allocator that hold so many bytes from the first 256-byte boundary on.
template <class Allocator>
auto items_for(std::size_t bytes) {
  using traits = std::allocator_traits<Allocator>;
  constexpr std::size_t each = sizeof(typename traits::value_type);
  return static_cast<typename traits::size_type>((with_room_to_align(bytes) + each - 1) / each);
}
template <class Allocator>
void* obtain(allocator_scratch<Allocator> const& from, char const*, cudaStream_t, std::size_t bytes) {
  return address_behind(
      std::allocator_traits<Allocator>::allocate(*from.allocator, items_for<Allocator>(bytes)));
}
template <class Allocator>
void give_back(allocator_scratch<Allocator> const& from, cudaStream_t stream, void* memory,
               std::size_t bytes) {
  using traits = std::allocator_traits<Allocator>;
  if (from.waits) (void)cudaStreamSynchronize(stream);  // its error is the next call's
  traits::deallocate(*from.allocator,
                     static_cast<typename traits::pointer>(static_cast<typename traits::value_type*>(memory)),
                     items_for<Allocator>(bytes));
}

/// What is left of the caller's memory for a call's second piece; all of it where the first was none.
struct rest_of_span_scratch {
  std::span<std::byte> bytes;
  std::size_t used;
};
template <class Source>
Source behind(Source const& source, std::byte*) {
  return source;
}
inline rest_of_span_scratch behind(span_scratch const& source, std::byte* used_end) {
  auto const used = used_end ? static_cast<std::size_t>(used_end - source.bytes.data()) : 0;
  return {source.bytes.subspan(used), used};
}
inline rest_of_span_scratch behind(rest_of_span_scratch const& source, std::byte* used_end) {
  auto const used = used_end ? static_cast<std::size_t>(used_end - source.bytes.data()) : 0;
  return {source.bytes.subspan(used), source.used + used};
}

inline void* obtain(rest_of_span_scratch const& from, char const* call, cudaStream_t, std::size_t bytes) {
  void* memory = from.bytes.data();
  auto space = from.bytes.size();
  if (!std::align(scratch_alignment, bytes, memory, space))
    throw bad_argument(call, "scratch",
                       "has " + std::to_string(from.used + from.bytes.size()) + " bytes, but " +
                           std::to_string(from.used + bytes) + " bytes aligned to 256 are needed (" +
                           std::to_string(from.used + bytes + scratch_alignment - 1) +
                           " serve at any alignment)");
  return memory;
}
inline void* obtain(span_scratch const& from, char const* call, cudaStream_t stream, std::size_t bytes) {
  return obtain(rest_of_span_scratch{from.bytes, 0}, call, stream, bytes);
}
inline void give_back(span_scratch const&, cudaStream_t, void*, std::size_t) {}
inline void give_back(rest_of_span_scratch const&, cudaStream_t, void*, std::size_t) {}

/// So many bytes from a source; none are no memory at all.
template <class Source>
class obtained_bytes {
 public:
  obtained_bytes(Source const& source, char const* call, cudaStream_t stream, std::size_t bytes)
      : source_{source}, stream_{stream}, bytes_{bytes}, kept_{use(call, stream, bytes)} {
    if (bytes == 0) return;
    if (kept_) block_ = kept_.take(call, bytes);
    from_kept_ = block_ != nullptr;
    if (!block_) block_ = obtain(source_, call, stream, bytes);
  }
  obtained_bytes(obtained_bytes const&) = delete;
  obtained_bytes& operator=(obtained_bytes const&) = delete;
  ~obtained_bytes() {
    if (!block_) return;
    if (from_kept_) kept_.give_back(block_);
    else give_back(source_, stream_, block_, bytes_);
  }

  void* memory() const {
    auto const from = reinterpret_cast<std::uintptr_t>(block_);
    return reinterpret_cast<void*>((from + scratch_alignment - 1) / scratch_alignment * scratch_alignment);
  }

 private:
  static kept_use use(char const* call, cudaStream_t stream, std::size_t bytes) {
    if constexpr (std::is_same_v<Source, pool_scratch>)
      if (bytes > 0) return kept_use(call, stream);
    return {};
  }

  Source source_;
  cudaStream_t stream_;
  std::size_t bytes_;
  kept_use kept_;
  bool from_kept_ = false;
  void* block_ = nullptr;
};

/// So many bytes for a part of a call.
template <class Source>
class scratch {
 public:
  scratch(Source const& source, char const* call, cudaStream_t stream, std::size_t bytes)
      : bytes_(source, call, stream, bytes) {}
  void* memory() const { return bytes_->memory(); }

 private:
  piece_of_call<obtained_bytes<Source>> bytes_;
};

/// Zeros in scratch, by the stream.
inline void clear_scratch(char const* call, cudaStream_t stream, void* memory, std::size_t bytes) {
  if (!only_obtains()) check(cudaMemsetAsync(memory, 0, bytes, stream), call, "cudaMemsetAsync");
}

/// The policy for what else a call needs scratch for while the first so many bytes of it are taken.
template <class Source, class... Tags>
auto rest_of(device_policy<Source, Tags...> const& policy, scratch<Source> const& taken, std::size_t bytes) {
  auto const rest = behind(policy.scratch_source(), static_cast<std::byte*>(taken.memory()) + bytes);
  return device_policy<std::remove_const_t<decltype(rest)>, Tags...>(policy.stream(), rest);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
