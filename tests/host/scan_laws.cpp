// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of scans over types, operators, sizes and alignments, on seq and host.
#include <support/host_places.hpp>
#include <support/scan_laws.hpp>

#include <complex>

using namespace sweep_test;

namespace {

constexpr std::size_t most = host_items(100'000);

template <class X>
auto const walk = [](std::size_t n, random_source& random) { return draw_walk<X>(n, random); };

}  // namespace

TEST_CASE("host scans: unsigned integers under operators chosen at run time") {
  on_every_host_place([](auto const& at) {
    scan_laws_of_operators<std::uint8_t>("u8", most, at);
    scan_laws_of_operators<std::uint32_t>("u32", most, at);
  });
}

TEST_CASE("host scans: integers of 16 to 128 bits") {
  on_every_host_place([](auto const& at) {
    scan_laws_of<std::int16_t>("i16", most, add{}, at);
    scan_laws_of<std::uint64_t>("u64", most, add{}, at);
    scan_laws_of<uint128>("u128", most, add{}, at);
  });
}

TEST_CASE("host scans: sums of floating point numbers, exact ones") {
  on_every_host_place([](auto const& at) {
    scan_laws_of("f32 walk", most, add{}, 3.0f, walk<float>, at);
    scan_laws_of("f64 walk", most, add{}, 3.0, walk<double>, at);
    scan_laws_of("complex walk", most, add{}, std::complex<double>(1, 2), walk<std::complex<double>>, at);
  });
}

TEST_CASE("host scans: products that do not commute, of 3 to 48 bytes") {
  on_every_host_place([](auto const& at) {
    scan_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{}, at);
    scan_laws_of<affine<std::uint32_t>>("affine maps", most, affine_then{}, at);
    scan_laws_of<brackets>("brackets", most, brackets_join{}, at);
    scan_laws_of<heisenberg<std::uint32_t>>("12 bytes", most, heisenberg_product{}, at);
    scan_laws_of<matrix2>("2x2 matrices", most, matrix2_product{}, at);
    scan_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, heisenberg_product{}, at);
    scan_laws_of<motion>("48 bytes", most, motion_then{}, at);
  });
}

TEST_CASE("host scans: every alignment of input and output") {
  on_every_host_place([](auto const& at) {
    scan_laws_of_offsets<std::uint8_t>("u8", add{}, at);
    scan_laws_of_offsets<heisenberg<std::uint8_t>>("3 bytes", heisenberg_product{}, at);
    scan_laws_of_offsets<std::uint32_t>("u32", add{}, at);
    scan_laws_of_offsets<matrix2>("2x2 matrices", matrix2_product{}, at);
  });
}

TEST_CASE("host scans: every variant across tiles") {
  on_every_host_variant([](auto const& at) {
    scan_laws_of<affine<std::uint8_t>>("2 bytes", most / 2, affine_then{}, at);
    scan_laws_of<heisenberg<std::uint64_t>>("24 bytes", most / 2, heisenberg_product{}, at);
  });
}

TEST_CASE("host scans: more tiles than a supergroup holds") {
  random_source random("many tiles");
  auto const x = draw_many<heisenberg<std::uint64_t>>(
      static_cast<std::size_t>(sanitizing() ? 400'000 : host_items(3'000'000)), random);  // 1,100 tiles
  auto const init = draw<heisenberg<std::uint64_t>>(random);
  auto const law = [&](auto const& at) {
    scan_law<heisenberg<std::uint64_t>>(form::exclusive, at, "24 bytes", x, heisenberg_product{}, init,
                                        sweep::forward);
  };
  law(place{sweep::host.threads(4), "host on 4 threads"});
  on_every_host_variant(law);
}

TEST_CASE("host scans: random floating point numbers are near the sums in double") {
  on_every_host_place([](auto const& places) {
    auto const at = places.for_turn(1);
    random_source random("near");
    auto const x = draw_many<float>(200'000, random);
    std::vector<double> const wide(x.begin(), x.end());
    auto const want = scan_oracle<double>(true, false, wide, add{}, std::nullopt);
    std::vector<float> got(x.size());
    sweep::inclusive_scan(at.policy, x.begin(), x.end(), got.begin());
    expect_near(got, want, want, std::string(at.name) + ": f32 sums");
  });
}
