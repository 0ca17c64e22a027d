// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every call with each allocation of its scratch failing in turn, with a resource; some with Thrust's policy
// with an allocator too, of which the calls of the other families would be as many functions again.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's policies are tested whatever their future
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/failing_laws.hpp>

#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

using namespace sweep_test;

namespace {

struct failing_resource {
  failure* when;
  void* allocate(cudaStream_t stream, std::size_t bytes, std::size_t) {
    if (when->next_fails()) throw std::bad_alloc();
    void* memory = nullptr;
    succeed(cudaMallocAsync(&memory, bytes, stream));
    return memory;
  }
  void deallocate(cudaStream_t stream, void* memory, std::size_t, std::size_t) {
    succeed(cudaFreeAsync(memory, stream));
  }
};
struct failing_allocator {
  using value_type = char;
  failing_resource from;
  char* allocate(std::size_t bytes) { return static_cast<char*>(from.allocate(nullptr, bytes, 0)); }
  void deallocate(char* memory, std::size_t bytes) { from.deallocate(nullptr, memory, bytes, 0); }
};

struct only_segmented_sorts {
  template <class Policy>
  void operator()(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) const {
    segmented_sorts(policy, f, t, h, n);
  }
};

}  // namespace

TEST_CASE("device memory: a call whose scratch fails has written nothing") {
  calls_memory<device_memory> memory(sanitizing() ? 2'000 : 20'000);
  failure failing;
  failing_resource resource{&failing};
  failing_law(sweep::device.scratch(resource), failing, memory, all_calls{}, 150, "a resource");
  failing_law(thrust::cuda::par_nosync(failing_allocator{resource}), failing, memory, calls_of_few_families{},
              20, "an allocator");
}

TEST_CASE("device memory: segmented sorts of many windows") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0);
  calls_memory<device_memory> memory(sanitizing() ? 20'000 : 200'000);
  failure failing;
  failing_resource resource{&failing};
  failing_law(sweep::device.scratch(resource), failing, memory, only_segmented_sorts{}, 4, "a resource");
}
