// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host policies in a translation unit that nvcc compiles.

#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/host_places.hpp>
#include <support/reduce_laws.hpp>

#include <thrust/execution_policy.h>

#include <memory>

using namespace sweep_test;

TEST_CASE("device build: seq and host scan and reduce") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) {
      transform_laws(places.for_turn(n), n);
      reduce_law(places.for_turn(n), "products", std::vector<heisenberg<std::uint32_t>>(n, {1, 2, 3}),
                 heisenberg_product{}, heisenberg<std::uint32_t>{3, 2, 1});
    }
  });
}

TEST_CASE("device build: Thrust's host policies") {
  random_source random("host policies");
  auto const x = draw_many<std::uint32_t>(20'000, random);
  auto const want = scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt);
  std::vector<std::uint32_t> got(x.size());
  sweep::inclusive_scan(thrust::host, x.begin(), x.end(), got.begin());
  expect_equal(got, want, "thrust::host");
  sweep::inclusive_scan(thrust::host(std::allocator<char>()), x.begin(), x.end(), got.begin());
  expect_equal(got, want, "thrust::host with an allocator");
  sweep::inclusive_scan(thrust::seq, x.begin(), x.end(), got.begin(), add{}, sweep::backward);
  expect_equal(got, scan_oracle<std::uint32_t>(true, true, x, add{}, std::nullopt), "thrust::seq");
}
