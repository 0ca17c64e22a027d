// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans over floating point numbers of 16 to 64 bits and complex ones.
#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

#include <cuda/std/complex>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <functional>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

template <class X>
auto const walk = [](std::size_t n, random_source& random) { return draw_walk<X>(n, random); };

/// Operators of the 16-bit types, which g++ alone does not have.
struct add_halves {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x, T const& y) const {
    return T(static_cast<float>(x) + static_cast<float>(y));
  }
};

}  // namespace

TEST_CASE("device scans: exact sums of f32 and f64") {
  scan_laws_of("f32 walk", most, add{}, 3.0f, walk<float>, scans_in_turn<0, true>());
  scan_laws_of("f64 walk", most, add{}, 3.0, walk<double>, scans_in_turn<1>());
}

TEST_CASE("device scans: exact sums of f16 and bf16") {
  scan_laws_of("f16 walk", most, add_halves{}, __half(3.0f), walk<__half>, scans_in_turn<2>());
  scan_laws_of("bf16 walk", most, add_halves{}, __nv_bfloat16(3.0f), walk<__nv_bfloat16>, scans_in_turn<3>());
}

TEST_CASE("device scans: exact sums of complex<float>") {
  using complex = cuda::std::complex<float>;
  scan_laws_of("complex walk", most, add{}, complex(1, 2), walk<complex>, scans_in_turn<4>());
}

TEST_CASE("device scans: f32 summed and written as f16, f16 summed as f32") {
  random_source random("f16 mixed");
  auto const at = half_at(scan_in_registers, "in registers");
  for (auto const n : few_sizes()) {
    scan_law<__half>(form::inclusive, at, "f32 to f16", draw_walk<float>(n, random), add{}, 0.0f,
                     sweep::forward, 1, 2);
    scan_law<__half>(form::exclusive, at, "f16 from an f32", draw_walk<__half>(n, random), std::plus<float>{},
                     1.0f, sweep::backward, 2, 1);
  }
}

TEST_CASE("device scans: the default operator on f16") {
  random_source random("f16 default");
  auto const x = draw_walk<__half>(50'001, random);
  device_array<__half> const in(x), out(x.size());
  sweep::inclusive_scan(scan_in_registers, in.begin(), in.end(), out.begin());
  expect_equal(out.read(), scan_oracle<__half>(true, false, x, add_halves{}, std::nullopt), "f16, plus");
}
