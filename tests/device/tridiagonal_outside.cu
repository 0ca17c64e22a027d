// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of tridiagonal systems on the device: what lies outside of arrays is not read, numbers near the ends
// of their range, and numbers of 16 bytes, of which none shares its 16 bytes with another.
#include <support/device_places.hpp>
#include <support/tridiagonal_isolation_laws.hpp>
#include <support/tridiagonal_range_laws.hpp>

#include <cuda/std/complex>

using namespace sweep_test;

TEST_CASE("device tridiagonal systems: nothing around coefficients is read") {
  bare_laws<float, device_array>(sweep::device);
  bare_laws<cuda::std::complex<double>, device_array>(sweep::device);
}

TEST_CASE("device tridiagonal systems: rows whose products leave the numbers' range") {
  large_row_laws<float>(on_device);
  large_row_laws<cuda::std::complex<double>>(on_device);
}

TEST_CASE("device tridiagonal systems: numbers of 16 bytes") {
  batch_laws_of<cuda::std::complex<double>>("complex f64", 100'000, on_device);
  isolation_laws<cuda::std::complex<double>>("complex f64", on_device);
}
