// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of tridiagonal systems on seq and host: segments, blocks of unknowns, bands.
#include <support/banded_laws.hpp>
#include <support/host_places.hpp>
#include <support/tridiagonal_block_laws.hpp>
#include <support/tridiagonal_segment_laws.hpp>

#include <complex>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(300'000);
}  // namespace

TEST_CASE("host tridiagonal systems: segments") {
  segment_laws<float>("f32", place{sweep::seq, "seq"}, sweep::host.threads(1).checked(), most);
  segment_laws<double>("f64", place{sweep::host.threads(3), "host on 3 threads"},
                       sweep::host.threads(2).checked(), most);
}

TEST_CASE("host tridiagonal systems: blocks") {
  block_laws<double, 2>("f64, 2", place{sweep::seq, "seq"}, most);
  block_laws<float, 3>("f32, 3", place{sweep::host.threads(3), "host on 3 threads"}, most);
  block_laws<std::complex<double>, 4>("complex, 4", place{sweep::host.threads(3), "host on 3 threads"}, 500);
  block_segment_laws<double, 2>("f64, 2", place{sweep::host.threads(3), "host on 3 threads"}, most);
}

TEST_CASE("host tridiagonal systems: pentadiagonal and banded") {
  pentadiagonal_laws<double>("f64", place{sweep::host.threads(3), "host on 3 threads"}, most);
  pentadiagonal_laws<std::complex<float>>("complex f32", place{sweep::seq, "seq"}, 2000);
  wide_band_laws<float, 1>("f32, 1", place{sweep::host.threads(3), "host on 3 threads"}, most);
  wide_band_laws<double, 3>("f64, 3", place{sweep::seq, "seq"}, 5000);
  wide_band_laws<float, 4>("f32, 4", place{sweep::host.threads(3), "host on 3 threads"}, 20'000);
}
