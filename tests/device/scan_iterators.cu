// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device scans through Thrust's, the standard library's and a user's own iterators, and by Thrust's policies.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/contiguous_laws.hpp>
#include <support/device_places.hpp>
#include <support/thrust_iterator_laws.hpp>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

using namespace sweep_test;

namespace {

/// One kernel a call; plain pointers meet the tables' plans.
auto const at_plan = half_at(scan_in_registers, "in registers");

std::vector<std::size_t> sizes() {
  if (sanitizing()) return {0, 1, 1025};
  return {0, 1, 33, 1025, 3000, 100'003};
}

}  // namespace

TEST_CASE("device scans: iterators that make or fetch their items") {
  for (auto const n : sizes()) fancy_input_laws(at_plan, n);
}
TEST_CASE("device scans: zip_iterator") {
  for (auto const n : sizes()) zip_laws(at_plan, n);
}
TEST_CASE("device scans: discard_iterator and transform_output_iterator") {
  for (auto const n : sizes()) fancy_output_laws(at_plan, n);
}
TEST_CASE("device scans: strided iterators, hand-written and adapted") {
  auto const staged = staged_at(scan_in_stages, "in stages");
  for (auto const n : sizes()) {
    strided_laws(at_plan, n, "hand-written strides", hand_written_strides{});
    strided_laws(at_plan, n, "strides on iterator_adaptor over a pointer", adapted_strides{});
    if (staged.skipped) continue;
    strided_laws(staged, n, "strides on iterator_adaptor over device_ptr",
                 [](std::uint32_t* p, std::ptrdiff_t stride) {
                   return adapted_stride<thrust::device_ptr<std::uint32_t>>(thrust::device_pointer_cast(p),
                                                                            stride);
                 });
  }
}
TEST_CASE("device scans: reverse iterators") {
  for (auto const n : sizes()) {
    reverse_laws(at_plan, n, "std::reverse_iterator", std_reversed{});
    reverse_laws(at_plan, n, "thrust::reverse_iterator", thrust_reversed{});
    one_sided_reverse_laws(at_plan, n, "thrust::reverse_iterator", thrust_reversed{});
    one_sided_reverse_laws(at_plan, n, "std::reverse_iterator", std_reversed{});
    reverse_laws(at_plan, n, "thrust::reverse_iterator over device_ptr",
                 [](auto* p) { return thrust::make_reverse_iterator(thrust::device_pointer_cast(p)); });
  }
}

TEST_CASE("device scans: device_vector, and all of Thrust's device policies") {
  using U = std::uint32_t;
  random_source random("device_vector");
  auto const x = draw_many<U>(sanitizing() ? 3'000 : 100'003, random);
  thrust::device_vector<U> const in(x.begin(), x.end());
  auto const want = scan_oracle<U>(true, true, x, add{}, std::nullopt);
  own_stream const stream;
  auto const law = [&](auto const& policy, char const* what, bool waits) {
    thrust::device_vector<U> out(x.size());
    succeed(cudaDeviceSynchronize());
    auto const end = sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), sweep::backward);
    if (waits) {
      // Thrust's synchronous policies return when the work is done: nothing is left on the stream.
      expect(cudaStreamQuery(stream) == cudaSuccess && cudaStreamQuery(nullptr) == cudaSuccess,
             std::string(what) + " waits");
    }
    succeed(cudaDeviceSynchronize());
    expect(end == out.end(), std::string(what) + ": returns the end of the output");
    std::vector<U> got(x.size());
    thrust::copy(out.begin(), out.end(), got.begin());
    expect_equal(got, want, what);
  };
  law(sweep::device, "sweep::device", false);
  law(thrust::device, "thrust::device", true);
  law(thrust::cuda::par, "thrust::cuda::par", true);
  law(thrust::cuda::par.on(stream), "thrust::cuda::par.on", true);
  law(thrust::cuda::par_nosync, "thrust::cuda::par_nosync", false);
  law(thrust::cuda::par_nosync.on(stream), "thrust::cuda::par_nosync.on", false);
}
