// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to call a scan: argument forms and orders, types of input, output and sum, on seq and host.
#include <support/host_places.hpp>
#include <support/scan_form_laws.hpp>

#include <functional>
#include <numeric>

using namespace sweep_test;

TEST_CASE("host scans: every argument form") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) argument_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host scans: input, output and sum of different types") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) mixed_type_laws(places.for_turn(n), n);
  });
}

TEST_CASE("host scans: transformed items in the standard's and Thrust's argument order") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) transform_laws(places.for_turn(n), n);
  });
}

TEST_CASE("host scans: the standard's results, call by call") {
  random_source random("standard");
  auto const x = draw_many<std::uint32_t>(70'001, random);
  std::vector<std::uint32_t> got(x.size()), want(x.size());
  auto const twice = [](std::uint32_t v) { return 2 * v; };
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    std::inclusive_scan(x.begin(), x.end(), want.begin(), std::bit_xor<>{}, 5u);
    sweep::inclusive_scan(policy, x.begin(), x.end(), got.begin(), std::bit_xor<>{}, 5u);
    expect_equal(got, want, "inclusive_scan with init");
    std::exclusive_scan(x.begin(), x.end(), want.begin(), 5u, std::multiplies<>{});
    sweep::exclusive_scan(policy, x.begin(), x.end(), got.begin(), 5u, std::multiplies<>{});
    expect_equal(got, want, "exclusive_scan");
    std::transform_inclusive_scan(x.begin(), x.end(), want.begin(), std::plus<>{}, twice);
    sweep::transform_inclusive_scan(policy, x.begin(), x.end(), got.begin(), std::plus<>{}, twice);
    expect_equal(got, want, "transform_inclusive_scan");
    std::transform_exclusive_scan(x.begin(), x.end(), want.begin(), 5u, std::plus<>{}, twice);
    sweep::transform_exclusive_scan(policy, x.begin(), x.end(), got.begin(), 5u, std::plus<>{}, twice);
    expect_equal(got, want, "transform_exclusive_scan");
  });
}

TEST_CASE("host scans: strings, whose concatenation does not commute") {
  random_source random("strings");
  for (std::size_t const n : {0, 1, 2, 63, 64, 65, 1500}) {
    std::vector<std::string> x(n);
    for (auto& s : x) s = std::string(1, static_cast<char>('a' + random.between(0, 25)));
    on_every_host_place([&](auto const& places) {
      auto const policy = places.for_turn(n).policy;
      std::vector<std::string> got(n);
      sweep::inclusive_scan(policy, x.begin(), x.end(), got.begin());
      expect_equal(got, scan_oracle<std::string>(true, false, x, std::plus<>{}, std::nullopt),
                   "strings, inclusive");
      sweep::exclusive_scan(policy, x.begin(), x.end(), got.begin(), std::string("^"), std::plus<>{},
                            sweep::backward);
      expect_equal(got,
                   scan_oracle<std::string>(false, true, x, std::plus<>{}, std::optional<std::string>("^")),
                   "strings, exclusive backward");
    });
  }
}
