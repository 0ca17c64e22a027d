// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of expansion and run-length decoding on seq and host; calls without a policy and of whole ranges.
#include <support/expand_laws.hpp>
#include <support/host_places.hpp>

#include <cstdint>
#include <limits>
#include <vector>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 20'000;
}

TEST_CASE("host expansion: types, counts and sizes") {
  on_every_host_place([](auto const& places) {
    expand_laws_of<std::uint8_t, std::uint16_t>("u8", most, 60'000, places);
    expand_laws_of<std::int32_t, std::int32_t>("i32", most, 200'000, places);
    expand_laws_of<float, std::int64_t, double>("f32 to f64", most, 100'000, places);
    expand_laws_of<motion, std::uint32_t>("48 bytes", most, 20'000, places);
  });
}

TEST_CASE("host expansion: decoding undoes encoding") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) run_length_decode_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host expansion: bad input") {
  expand_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  expand_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

TEST_CASE("host expansion and histograms: whole ranges, without a policy") {
  std::vector<std::string> const words{"a", "b", "c"};
  std::vector<int> const counts{2, 0, 1};
  std::vector<std::string> out(3);
  CHECK(sweep::expand(words, counts, out) == out.end());
  CHECK(out == std::vector<std::string>{"a", "a", "c"});
  std::vector<int> back(3), lengths(3);
  CHECK(sweep::run_length_decode(sweep::host, counts, counts, back) == back.end());
  CHECK(back == std::vector<int>{2, 2, 1});
}

TEST_CASE("host expansion: inputs that are const") {
  std::vector<int> const values{7, 8}, lengths{2, 1}, offsets{0, 1, 3};
  std::vector<int> out(3), total(1);
  auto const at = [](std::vector<int> const& v) { return v.data(); };
  sweep::expand(sweep::host, at(values), at(values) + 2, at(lengths), out.begin());
  CHECK(out == std::vector<int>{7, 7, 8});
  sweep::expand_into(sweep::host, at(values), at(values) + 2,
                     sweep::segments::by_offsets(at(offsets), at(offsets) + 3), out.data(), 3, total.data());
  CHECK(out == std::vector<int>{7, 8, 8});
  sweep::run_length_decode(sweep::host, at(values), at(values) + 2, at(lengths), out.data());
  CHECK(out == std::vector<int>{7, 7, 8});
  sweep::run_length_decode_into(sweep::host, at(values), at(values) + 2, at(lengths), out.data(), 2,
                                total.data());
  CHECK(total[0] == 3);
}

TEST_CASE("host expansion: counts that add up to more than 64 bits hold") {
  auto const half = std::int64_t{1} << 62;
  std::vector<int> const x{3, 5, 7, 9};
  std::vector<std::int64_t> const counts{1, half, half, half};
  auto const on = [&](auto policy) {
    std::vector<int> out(4, -1);
    std::vector<std::int64_t> total(1);
    sweep::expand_into(policy, x, counts, out, 4, total);
    CHECK(out == std::vector<int>{3, 5, 5, 5});
    CHECK(total[0] == std::numeric_limits<std::int64_t>::max());
    expect_throw<sweep::bad_argument>({"sweep::expand: counts repeat more items than 63 bits count"},
                                      [&] { sweep::expand(policy, x, counts, out.begin()); });
    CHECK(out == std::vector<int>{3, 5, 5, 5});
  };
  on(sweep::seq);
  on(sweep::host);
  on(sweep::host.threads(3));
}
