// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of calls on the device: no policy, ranges, ends of another type. Iterators of device_vector and of
// universal_vector choose the device, and calls without a policy return with finished work.
#define CCCL_IGNORE_DEPRECATED_API
#include <support/call_form_laws.hpp>
#include <support/device_places.hpp>

#include <cuda/std/span>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
#include <thrust/universal_vector.h>

#include <span>
#include <tuple>

using namespace sweep_test;

namespace {

struct device_vectors {
  template <class T>
  using of = thrust::device_vector<T>;
  template <class T>
  static std::vector<T> read(thrust::device_vector<T> const& from) {
    std::vector<T> to(from.size());
    thrust::copy(from.begin(), from.end(), to.begin());
    return to;
  }
};

struct row {
  int x;
  bool wanted;
};

/// Writes 1 late.
__global__ void write_late(int volatile* to, long long cycles) {
  auto const start = clock64();
  while (clock64() - start < cycles) {}
  *to = 1;
}

}  // namespace

TEST_CASE("device call forms: every form does what the canonical one does") {
  for (std::size_t const n : {0, 1, 3, 100'000}) call_form_laws<false>(device_vectors{}, sweep::device, n);
}

TEST_CASE("device call forms: where work belongs") {
  thrust::device_vector<int> x(1000, 2), y(1000);
  int* const raw = thrust::raw_pointer_cast(y.data());
  // A raw pointer is the device's where another iterator is.
  CHECK(sweep::inclusive_scan(x.begin(), x.end(), raw) == raw + 1000);
  CHECK(y[999] == 2000);
  // Iterators that compute have no say, and alone they are the device's.
  auto const from = thrust::make_counting_iterator(0);
  sweep::inclusive_scan(from, from + 1000, y.begin());
  CHECK(y[999] == 999 * 500);
  CHECK(sweep::reduce(from, from + 1000) == 999 * 500);
  std::vector<int> on_host(1000);
  sweep::inclusive_scan(from, from + 1000, on_host.begin());
  CHECK(on_host[999] == 999 * 500);
  auto const ends =
      sweep::reduce_by_key(x, thrust::make_constant_iterator(1), thrust::make_discard_iterator(), y);
  CHECK(ends.second == y.begin() + 1);
  CHECK(y[0] == 1000);
  thrust::host_vector<int> host(1000, 3);
  sweep::inclusive_scan(host, host);
  CHECK(host[999] == 3000);
  thrust::universal_vector<int> universal(1000, 3);
  sweep::inclusive_scan(universal, universal);
  CHECK(universal[999] == 3000);
  auto segments = sweep::segments::by_key(x.begin());  // says it for raw pointers
  sweep::segmented_inclusive_scan(raw, raw + 1000, segments, raw);
}

TEST_CASE("device call forms: spans") {
  thrust::device_vector<int> x(1000, 2), y(1000);
  int* const raw = thrust::raw_pointer_cast(x.data());
  sweep::inclusive_scan(sweep::device, std::span(raw, 1000),
                        std::span(thrust::raw_pointer_cast(y.data()), 1000));
  CHECK(y[999] == 2000);
  sweep::exclusive_scan(sweep::device, cuda::std::span<int const>(raw, 1000), y, 5);
  CHECK(y[999] == 5 + 2 * 999);
}

TEST_CASE("device call forms: a call without a policy returns with finished work") {
  // The default stream is held up; host memory that the device can write is read without waiting.
  int *flag = nullptr, *sums = nullptr;
  succeed(cudaMallocManaged(&flag, sizeof(int)));
  succeed(cudaMallocManaged(&sums, 1000 * sizeof(int)));
  *flag = 0;
  thrust::device_vector<int> ones(1000, 1);
  succeed(cudaDeviceSynchronize());
  write_late<<<1, 1>>>(flag, 20'000'000);
  sweep::inclusive_scan(ones.begin(), ones.end(), sums);
  CHECK(*flag == 1);
  CHECK(sums[999] == 1000);
  succeed(cudaFree(flag));
  succeed(cudaFree(sums));
}

TEST_CASE("device call forms: a function of one item may be a pointer to data of it") {
  std::vector<row> given(1000);
  for (int i = 0; i < 1000; ++i) given[static_cast<std::size_t>(i)] = {i, i % 3 == 0};
  thrust::device_vector<row> const rows = given;
  CHECK(sweep::transform_reduce(rows, 0, thrust::plus<int>{}, &row::x) == 499500);
  CHECK(sweep::count_if(rows, &row::wanted) == 334);
}

TEST_CASE("device call forms: a returned pair is Thrust's where a program wants that") {
  thrust::device_vector<int> keys(1000, 3), sums(1000), keys_out(1000);
  auto const run = [&] { return sweep::reduce_by_key(keys, keys, keys_out, sums); };
  using it = thrust::device_vector<int>::iterator;
  thrust::pair<it, it> const of_thrust = run();
  CHECK(of_thrust.second == sums.begin() + 1);
  CHECK(thrust::get<0>(run()) == keys_out.begin() + 1);
  it keys_end, sums_end;
  thrust::tie(keys_end, sums_end) = run();
  CHECK(keys_end == keys_out.begin() + 1);
  std::tie(keys_end, sums_end) = run();
  CHECK(sums_end == sums.begin() + 1);
  auto [a, b] = run();
  CHECK((a == keys_end && b == sums_end));
}
