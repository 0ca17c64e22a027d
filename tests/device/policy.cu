// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies of others: Thrust's with an allocator, CCCL's environments and streams; streams and scratch by any
// name.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's policies are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>

#include <sweep/partition.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cuda/std/span>
#include <cuda/stream_ref>

#if __has_include(<cuda/std/execution>) && __has_include(<cuda/execution>)
#define SWEEP_TEST_ENVIRONMENTS
#include <cuda/execution>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream>
#endif

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

using namespace sweep_test;

namespace {

struct counts {
  std::size_t taken = 0, given_back = 0;
  std::size_t bytes = 0;
  bool stream_idle = true;  ///< whenever something was given back
  cudaStream_t stream = nullptr;

  void* take(std::size_t size) {
    void* memory = nullptr;
    succeed(cudaMallocAsync(&memory, size, stream));
    ++taken;
    bytes += size;
    return memory;
  }
  void give_back(void* memory, std::size_t size) {
    stream_idle = stream_idle && cudaStreamQuery(stream) == cudaSuccess;
    ++given_back;
    bytes -= size;
    succeed(cudaFreeAsync(memory, stream));
  }
  bool balanced() const { return taken > 0 && taken == given_back && bytes == 0; }
};

/// An allocator of the plainest kind, which cannot be rebound. Its memory begins nowhere in particular.
struct odd_allocator {
  using value_type = char;
  counts* all;
  char* allocate(std::size_t n) { return static_cast<char*>(all->take(n + 24)) + 24; }
  void deallocate(char* memory, std::size_t n) { all->give_back(memory - 24, n + 24); }
};
/// One of wide items and fancy pointers.
struct wide {
  double x, y;
};
struct wide_allocator {
  using value_type = wide;
  using pointer = thrust::device_ptr<wide>;
  counts* all;
  pointer allocate(std::size_t n) { return pointer(static_cast<wide*>(all->take(n * sizeof(wide)))); }
  void deallocate(pointer memory, std::size_t n) { all->give_back(memory.get(), n * sizeof(wide)); }
};
/// As rmm::exec_policy is made.
struct derived_policy
    : thrust::detail::execute_with_allocator<odd_allocator, thrust::cuda_cub::execute_on_stream_base> {
  using base =
      thrust::detail::execute_with_allocator<odd_allocator, thrust::cuda_cub::execute_on_stream_base>;
  derived_policy(cudaStream_t stream, odd_allocator allocator)
      : base(thrust::cuda::par(odd_allocator(allocator)).on(stream)) {}
};

constexpr std::uint32_t most = 30'000;

struct is_odd {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> x(most);
  std::iota(x.begin(), x.end(), 1u);
  return x;
}

/// A scan, a compaction of three kernels' worth of scratch and a reduction to the host.
template <class Policy>
void calls_law(Policy const& policy, std::string const& what) {
  auto const x = numbers();
  device_array<std::uint32_t> const in(x), out(most);
  sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin());
  succeed(cudaDeviceSynchronize());
  std::vector<std::uint32_t> want(most);
  std::partial_sum(x.begin(), x.end(), want.begin());
  expect_equal(out.read(), want, what + ": scan");
  expect(sweep::reduce(policy, in.begin(), in.end()) == want.back(), what + ": reduce");
  auto const end = sweep::stable_partition(policy, in.begin(), in.end(), is_odd{});
  expect(end - in.begin() == most / 2, what + ": stable_partition");
  expect(in.read()[most / 2] == 2, what + ": its second part");
}

template <class Make>
void allocator_law(bool waits, std::string const& what, Make make) {
  own_stream const stream;
  counts all;
  all.stream = stream;
  calls_law(make(stream, all), what);
  stream.wait();
  expect(all.balanced(), what + ": " + std::to_string(all.taken) + " taken, " +
                             std::to_string(all.given_back) + " given back");
  if (waits) expect(all.stream_idle, what + ": memory is given back when the stream is done");
}

/// A resource whose calls take what they take in the order `Take` says.
template <int Shape>
struct shaped {
  counts* all;
  void* allocate(cudaStream_t, std::size_t n, std::size_t) requires(Shape == 0) { return all->take(n); }
  void deallocate(cudaStream_t, void* p, std::size_t n, std::size_t) requires(Shape == 0) {
    all->give_back(p, n);
  }
  void* allocate_async(std::size_t n, std::size_t, ::cuda::stream_ref) requires(Shape == 1) {
    return all->take(n);
  }
  void deallocate_async(void* p, std::size_t n, std::size_t, ::cuda::stream_ref) requires(Shape == 1) {
    all->give_back(p, n);
  }
  void* allocate(::cuda::stream_ref, std::size_t n) requires(Shape == 2) {
    return static_cast<char*>(all->take(n + 8)) + 8;
  }
  void deallocate(::cuda::stream_ref, void* p, std::size_t n) requires(Shape == 2) {
    all->give_back(static_cast<char*>(p) - 8, n + 8);
  }
  void* allocate(std::size_t n, ::cuda::stream_ref) requires(Shape == 3) {
    return static_cast<char*>(all->take(n + 8)) + 8;
  }
  void deallocate(void* p, std::size_t n, ::cuda::stream_ref) requires(Shape == 3) {
    all->give_back(static_cast<char*>(p) - 8, n + 8);
  }
  void* allocate_async(std::size_t n, ::cuda::stream_ref) requires(Shape == 4) { return all->take(n); }
  void deallocate_async(void* p, std::size_t n, ::cuda::stream_ref) requires(Shape == 4) {
    all->give_back(p, n);
  }
  void* allocate_sync(std::size_t n, std::size_t) requires(Shape == 5) { return all->take(n); }
  void deallocate_sync(void* p, std::size_t n, std::size_t) requires(Shape == 5) { all->give_back(p, n); }
  void* allocate(std::size_t n, std::size_t) requires(Shape == 6) { return all->take(n); }
  void deallocate(void* p, std::size_t n, std::size_t) requires(Shape == 6) { all->give_back(p, n); }
};

template <int Shape>
void resource_law() {
  auto const what = "a resource of shape " + std::to_string(Shape);
  own_stream const stream;
  counts all;
  all.stream = stream;
  shaped<Shape> resource{&all};
  calls_law(sweep::device.on(stream).scratch(resource), what + " by reference");
  calls_law(sweep::device.on(stream).scratch(&resource), what + " by pointer");
  calls_law(sweep::device.on(stream).scratch(shaped<Shape>{&all}), what + " as a temporary");
  calls_law(sweep::device.on(stream).scratch(std::as_const(resource)), what + " that is const");
  expect(all.balanced(), what + ": all is given back");
  if (Shape >= 5) expect(all.stream_idle, what + ": memory is given back when the stream is done");
}

/// A stream's owner as RMM has it: it converts, and has no get().
struct stream_view {
  cudaStream_t stream;
  operator cudaStream_t() const { return stream; }
};

}  // namespace

TEST_CASE("device policy: Thrust's policies with an allocator") {
  allocator_law(true, "par(allocator).on(stream)", [](cudaStream_t stream, counts& all) {
    return thrust::cuda::par(odd_allocator{&all}).on(stream);
  });
  allocator_law(false, "par_nosync(allocator).on(stream)", [](cudaStream_t stream, counts& all) {
    return thrust::cuda::par_nosync(odd_allocator{&all}).on(stream);
  });
  allocator_law(true, "wide items and fancy pointers", [](cudaStream_t stream, counts& all) {
    return thrust::cuda::par(wide_allocator{&all}).on(stream);
  });
  allocator_law(true, "a policy derived as RMM's",
                [](cudaStream_t stream, counts& all) { return derived_policy(stream, odd_allocator{&all}); });
  counts all;
  odd_allocator allocator{&all};
  calls_law(thrust::cuda::par(allocator), "par(allocator)");
  calls_law(thrust::device(allocator), "thrust::device(allocator)");
  expect(all.balanced() && all.stream_idle, "on the default stream: all is given back");
}

TEST_CASE("device policy: resources of every shape, however they are given") {
  resource_law<0>();
  resource_law<1>();
  resource_law<2>();
  resource_law<3>();
  resource_law<4>();
  resource_law<5>();
  resource_law<6>();
}

TEST_CASE("device policy: spans of bytes by any name") {
  std::size_t const bytes = 8 << 20;
  device_array<unsigned char> const memory(bytes);
  auto* const chars = reinterpret_cast<char*>(memory.begin());
  calls_law(sweep::device.scratch(std::span(memory.begin(), bytes)), "std::span<unsigned char>");
  calls_law(sweep::device.scratch(std::span(chars, bytes)), "std::span<char>");
  calls_law(sweep::device.scratch(std::as_writable_bytes(std::span(chars, bytes))), "std::span<std::byte>");
  calls_law(sweep::device.scratch(cuda::std::span<char>(chars, bytes)), "cuda::std::span<char>");
  cuda::std::span<unsigned char> const named(memory.begin(), bytes);
  calls_law(sweep::device.scratch(named), "a named cuda::std::span");
}

TEST_CASE("device policy: streams by any name, which calls then run on") {
  own_stream const stream;
  CHECK(sweep::device.on(stream).stream() == stream);
  CHECK(sweep::device.on(cuda::stream_ref(stream)).stream() == stream);
  CHECK(sweep::device.on(stream_view{stream}).stream() == stream);
  CHECK(sweep::device.on(nullptr).stream() == nullptr);
  calls_law(sweep::device.on(cuda::stream_ref(stream)), "on(stream_ref)");
  calls_law(cuda::stream_ref(stream), "a stream_ref as policy");
  CHECK(sweep::detail::resolve<sweep::detail::any_options>(cuda::stream_ref(stream)).policy.stream() ==
        stream);
}

#if defined(SWEEP_TEST_ENVIRONMENTS)
TEST_CASE("device policy: environments") {
  namespace ex = cuda::execution;
  own_stream const own;
  cuda::stream_ref const stream(own);
  auto const seen = [](auto const& env) {
    return sweep::detail::resolve<sweep::detail::any_options>(env).policy;
  };
  CHECK(seen(cuda::std::execution::env{stream}).stream() == own);
  CHECK(seen(cuda::std::execution::prop{cuda::get_stream, stream}).stream() == own);
  calls_law(cuda::std::execution::env{}, "nothing is asked for");
  calls_law(cuda::std::execution::env{stream}, "a stream");
  calls_law(cuda::std::execution::env{stream, ex::require(ex::determinism::run_to_run)}, "run_to_run");
  calls_law(ex::require(ex::determinism::not_guaranteed), "not_guaranteed");
  {  // what is exact is the same on every GPU
    device_array<int> const x(std::vector<int>{3, 4, -9, 5}), y(4);
    auto const same = ex::require(ex::determinism::gpu_to_gpu);
    sweep::reduce_into(same, x.begin(), x.end(), y.begin());
    CHECK(y.read()[0] == 3);
    sweep::inclusive_scan(same, x.begin(), x.end(), y.begin());
    CHECK(y.read() == std::vector<int>{3, 7, -2, 3});
  }

  // a property whose query answers with a resource
  counts all;
  all.stream = own;
  shaped<0> resource{&all};
  auto const from = cuda::std::execution::prop{cuda::mr::get_memory_resource, resource};
  auto const by_value = cuda::std::execution::env{from, stream};
  calls_law(by_value, "a resource by value");
  expect(all.balanced(), "a resource of an environment: all is given back");

  cuda::stream const owner(cuda::device_ref(0));
  CHECK(seen(owner).stream() == owner.get());
  CHECK(sweep::device.on(owner).stream() == owner.get());
  calls_law(owner, "a cuda::stream as policy");
  auto pool = cuda::device_default_memory_pool(cuda::device_ref(0));
  calls_law(cuda::std::execution::env{stream, pool}, "a pool of CCCL's");
  calls_law(sweep::device.on(stream).scratch(pool), "a pool of CCCL's as scratch");
}
#endif
