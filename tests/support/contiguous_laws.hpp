// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_CONTIGUOUS_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_CONTIGUOUS_LAWS_HPP

// Iterators that calls must take for the pointers that they are, or they miss the wide loads.

#include <sweep/detail/core/iterator.hpp>

#include <cuda/std/span>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/memory.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/device_memory_resource.h>
#include <thrust/universal_vector.h>

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace sweep_test {

template <class Range, class Pointer>
inline constexpr bool is_read_by =
    std::is_same_v<sweep::detail::unwrapped_t<decltype(std::declval<Range&>().begin())>, Pointer>;

static_assert(is_read_by<std::vector<int>, int*> && is_read_by<std::vector<int> const, int const*>);
static_assert(is_read_by<std::span<int>, int*> && is_read_by<std::array<int, 3>, int*> &&
              is_read_by<std::string, char*>);
static_assert(is_read_by<cuda::std::span<int>, int*> && is_read_by<cuda::std::span<int const>, int const*>);
static_assert(is_read_by<thrust::host_vector<int>, int*> &&
              is_read_by<thrust::host_vector<int> const, int const*>);
static_assert(is_read_by<thrust::device_vector<int>, int*> &&
              is_read_by<thrust::device_vector<int> const, int const*>);
static_assert(is_read_by<thrust::universal_vector<int>, int*> &&
              is_read_by<thrust::universal_vector<int> const, int const*>);
#if THRUST_VERSION >= 200300
static_assert(is_read_by<thrust::universal_host_pinned_vector<int>, int*>);
#endif
template <class Resource>
using vector_from = thrust::device_vector<int, thrust::mr::allocator<int, Resource>>;
static_assert(is_read_by<vector_from<thrust::device_memory_resource>, int*>);
static_assert(is_read_by<vector_from<thrust::universal_memory_resource>, int*>);
static_assert(std::is_same_v<sweep::detail::unwrapped_t<thrust::device_ptr<int const>>, int const*>);
static_assert(
    std::is_same_v<sweep::detail::unwrapped_t<thrust::pointer<int, thrust::device_system_tag>>, int*>);
static_assert(sweep::detail::is_reversed_contiguous<std::reverse_iterator<thrust::device_ptr<int>>>);

}  // namespace sweep_test

#endif
