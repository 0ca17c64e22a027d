// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to call a device scan: argument forms and orders, types of input, output and sum, lambdas.
#include <support/device_places.hpp>
#include <support/scan_form_laws.hpp>

using namespace sweep_test;

namespace {
/// One kernel a form; scan_integers.cu and scan_products.cu have the tables' plans.
auto const at_plan = half_at(scan_in_registers, "in registers");
}  // namespace

TEST_CASE("device scans: every argument form") {
  for (auto const n : few_sizes()) argument_form_laws(at_plan, n);
}

TEST_CASE("device scans: input, output and sum of different types") {
  for (auto const n : few_sizes()) mixed_type_laws(at_plan, n);
}

TEST_CASE("device scans: transformed items in the standard's and Thrust's argument order") {
  for (auto const n : few_sizes()) transform_laws(at_plan, n);
}

TEST_CASE("device scans: lambdas as operators") {
  random_source random("lambdas");
  auto const x = draw_many<std::uint32_t>(20'000, random);
  device_array<std::uint32_t> const in(x), out(x.size());
  std::uint32_t const mask = 0xffffu;
  auto const op = [mask] __host__ __device__(std::uint32_t a, std::uint32_t b) { return (a ^ b) & mask; };
  auto const low = [mask] __host__ __device__(std::uint32_t a) { return a & mask; };
  sweep::transform_inclusive_scan(at_plan.policy, in.begin(), in.end(), out.begin(), op, low);
  expect_equal(out.read(), scan_oracle<std::uint32_t>(true, false, x, op, std::nullopt, low), "lambdas");
}

TEST_CASE("device scans: on a stream of the caller's, in order with its other work") {
  own_stream const stream;
  random_source random("streams");
  for (auto const n : few_sizes()) {
    if (n == 0) continue;
    auto const x = draw_many<std::uint32_t>(n, random);
    device_array<std::uint32_t> in(std::vector<std::uint32_t>(n, 0));
    device_array<std::uint32_t> const middle(n), out(n);
    auto const policy = scan_in_registers.on(stream);
    succeed(cudaMemcpyAsync(in.begin(), x.data(), n * sizeof(x[0]), cudaMemcpyHostToDevice, stream));
    sweep::inclusive_scan(policy, in.begin(), in.end(), middle.begin());
    sweep::exclusive_scan(policy, middle.begin(), middle.end(), out.begin(), 1u, sweep::backward);
    std::vector<std::uint32_t> got(n);
    succeed(cudaMemcpyAsync(got.data(), out.begin(), n * sizeof(x[0]), cudaMemcpyDeviceToHost, stream));
    stream.wait();
    auto const sums = scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt);
    expect_equal(got, scan_oracle<std::uint32_t>(false, true, sums, add{}, std::optional<std::uint32_t>(1)),
                 "two scans in a row, n = " + std::to_string(n));
  }
}
