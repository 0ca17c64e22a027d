// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the emulated GPU, copies and fills.
#include "runtime.hpp"

#include <cstdio>
#include <cstring>
#include <new>

using namespace emulator;

struct CUmemPoolHandle_st {
  std::uint64_t threshold = 0, used = 0;
};

namespace {

struct pool_piece {
  CUmemPoolHandle_st* pool;
  std::size_t bytes;
};
std::unordered_map<void*, pool_piece>& pools_of() {
  static auto& all = *new std::unordered_map<void*, pool_piece>;
  return all;
}

cudaError_t give(void** p, std::size_t bytes, memory_kind what) {
  guard const lock(machine_lock());
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (!p) return report(cudaErrorInvalidValue);
  *p = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > memory_bytes || allocated_bytes() + bytes > memory_bytes)
    return report(cudaErrorMemoryAllocation);
  *p = allocate(bytes, what);
  return *p ? cudaSuccess : report(cudaErrorMemoryAllocation);
}
/// Waits for everything, as whoever frees memory does that is not of a stream.
cudaError_t take_back(void* p) {
  guard const lock(machine_lock());
  if (!p) return cudaSuccess;
  if (auto const result = wait_for_all(); result != cudaSuccess) return result;
  return release(p) ? cudaSuccess : report(cudaErrorInvalidValue);
}

/// Whether device memory that the range begins in goes on as far as it.
bool lies_within(void const* p, std::size_t bytes) {
  auto const address = reinterpret_cast<std::uint64_t>(p);
  auto const* const found = find(address);
  return !found || found->where.holds(address, bytes);
}

bool is_host_memory(void const* p) { return find(reinterpret_cast<std::uint64_t>(p)) == nullptr; }

/// What the host's pageable memory holds is read at once; what is copied into such memory is there on return.
cudaError_t copy(void* to, void const* from, std::size_t bytes, cudaStream_t stream, bool waits) {
  guard const lock(machine_lock());
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (bytes == 0) return cudaSuccess;
  if (!to || !from || !lies_within(to, bytes) || !lies_within(from, bytes))
    return report(cudaErrorInvalidValue);
  bool const captured = stream_of(stream).capture != nullptr;
  task what;
  if (is_host_memory(from) && !captured) {
    auto const* const first = static_cast<std::byte const*>(from);
    what.act = [=, kept = std::vector<std::byte>(first, first + bytes)] {
      std::memcpy(to, kept.data(), bytes);
    };
  } else {
    what.act = [=] { std::memmove(to, from, bytes); };
  }
  if (auto const result = submit(stream, std::move(what)); result != cudaSuccess || captured) return result;
  return waits || is_host_memory(to) ? wait_for(stream_of(stream).last) : cudaSuccess;
}
cudaError_t fill(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  guard const lock(machine_lock());
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (bytes == 0) return cudaSuccess;
  if (!find(reinterpret_cast<std::uint64_t>(to)) || !lies_within(to, bytes))
    return report(cudaErrorInvalidValue);
  return submit(stream, {[=] { std::memset(to, value, bytes); }, {}});
}

/// Of a stream: the memory of a captured allocation belongs to its graph, and is used by each of its
/// launches.
cudaError_t give_in_order(void** p, std::size_t bytes, CUmemPoolHandle_st* pool, cudaStream_t stream) {
  guard const lock(machine_lock());
  if (auto const result = give(p, bytes, memory_kind::device); result != cudaSuccess) return result;
  if (pool) {
    pool->used += bytes;
    pools_of()[*p] = {pool, bytes};
  }
  if (stream_of(stream).capture)
    return submit(stream, {[p = *p, bytes] { std::memset(p, 0xa5, bytes); }, {}});
  return cudaSuccess;
}
cudaError_t take_back_in_order(void* p, cudaStream_t stream) {
  guard const lock(machine_lock());
  if (!p || stream_of(stream).capture) return cudaSuccess;
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (is_host_memory(p)) return report(cudaErrorInvalidValue);
  if (auto const found = pools_of().find(p); found != pools_of().end()) {
    found->second.pool->used -= found->second.bytes;
    pools_of().erase(found);
  }
  return submit(stream, {[p] { (void)release(p); }, {}});
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  if (forbidden_by_capture()) return report(cudaErrorStreamCaptureUnsupported);
  return give(p, bytes, memory_kind::device);
}
cudaError_t cudaFree(void* p) {
  if (p && forbidden_by_capture()) return report(cudaErrorStreamCaptureUnsupported);
  return take_back(p);
}
cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) {
  return give(p, bytes, memory_kind::managed);
}
cudaError_t cudaMallocHost(void** p, std::size_t bytes) { return give(p, bytes, memory_kind::pinned); }
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
  return give(p, bytes, memory_kind::pinned);
}
cudaError_t cudaFreeHost(void* p) { return take_back(p); }
cudaError_t cudaHostRegister(void* p, std::size_t bytes, unsigned) {
  guard const lock(machine_lock());
  adopt(p, bytes, memory_kind::pinned);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* p) { return take_back(p); }
cudaError_t cudaHostGetDevicePointer(void** on_device, void* p, unsigned) {
  *on_device = p;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  guard const lock(machine_lock());
  *total = memory_bytes;
  *free_bytes = memory_bytes - std::min(memory_bytes, allocated_bytes());
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* p) {
  guard const lock(machine_lock());
  *attributes = {};
  auto const* const found = find(reinterpret_cast<std::uint64_t>(p));
  attributes->device = found ? 0 : -2;
  attributes->type = cudaMemoryTypeUnregistered;
  if (!found) return cudaSuccess;
  auto* const same = const_cast<void*>(p);
  attributes->type = found->what == memory_kind::pinned    ? cudaMemoryTypeHost
                     : found->what == memory_kind::managed ? cudaMemoryTypeManaged
                                                           : cudaMemoryTypeDevice;
  attributes->devicePointer = same;
  attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? nullptr : same;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind) {
  if (waits_for_capture(nullptr)) return report(cudaErrorStreamCaptureImplicit);
  return copy(to, from, bytes, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, stream, false);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return fill(to, value, bytes, nullptr); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill(to, value, bytes, stream);
}
cudaError_t cudaMemPrefetchAsync(void const*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void** p, void const* symbol) {
  guard const lock(machine_lock());
  std::size_t bytes = 0;
  *p = address_of_symbol(symbol, bytes);
  return *p ? cudaSuccess : report(cudaErrorInvalidSymbol);
}
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind) {
  guard const lock(machine_lock());
  std::size_t has = 0;
  auto* const to = static_cast<std::byte*>(address_of_symbol(symbol, has));
  if (!to || offset + bytes > has) return report(cudaErrorInvalidSymbol);
  return copy(to + offset, from, bytes, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind) {
  guard const lock(machine_lock());
  std::size_t has = 0;
  auto* const from = static_cast<std::byte*>(address_of_symbol(symbol, has));
  if (!from || offset + bytes > has) return report(cudaErrorInvalidSymbol);
  return copy(to, from + offset, bytes, nullptr, true);
}

// ---- In a stream's order, from pools ----
cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
  return give_in_order(p, bytes, nullptr, stream);
}
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return give_in_order(p, bytes, reinterpret_cast<CUmemPoolHandle_st*>(pool), stream);
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) { return take_back_in_order(p, stream); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  *pool = reinterpret_cast<cudaMemPool_t>(new CUmemPoolHandle_st);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  delete reinterpret_cast<CUmemPoolHandle_st*>(pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  if (which == cudaMemPoolAttrReleaseThreshold)
    std::memcpy(&reinterpret_cast<CUmemPoolHandle_st*>(pool)->threshold, value, 8);
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  auto const& of = *reinterpret_cast<CUmemPoolHandle_st*>(pool);
  std::uint64_t const word = which == cudaMemPoolAttrReleaseThreshold  ? of.threshold
                             : which > cudaMemPoolAttrReleaseThreshold ? of.used
                                                                       : 0;
  std::memcpy(value, &word, which < cudaMemPoolAttrReleaseThreshold ? 4 : 8);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  static CUmemPoolHandle_st one;
  *pool = reinterpret_cast<cudaMemPool_t>(&one);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

}  // extern "C"
