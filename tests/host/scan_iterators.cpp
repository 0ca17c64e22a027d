// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans through the standard library's, Thrust's and a user's own iterators, on seq and host.
#if __has_include(<thrust/iterator/counting_iterator.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#include <support/contiguous_laws.hpp>
#include <support/thrust_iterator_laws.hpp>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#endif
#include <support/host_places.hpp>
#include <support/iterator_laws.hpp>

#include <sweep/reduce.hpp>
#include <sweep/segmented_scan.hpp>

#include <deque>
#include <ranges>

using namespace sweep_test;

TEST_CASE("host scans: a user's own strided iterator") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes())
      strided_laws(places.for_turn(n), n, "hand-written strides", hand_written_strides{});
  });
}

TEST_CASE("host scans: std::reverse_iterator") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) {
      reverse_laws(places.for_turn(n), n, "std::reverse_iterator", std_reversed{});
      one_sided_reverse_laws(places.for_turn(n), n, "std::reverse_iterator", std_reversed{});
    }
  });
}

TEST_CASE("host scans: vector, deque, array and span") {
  random_source random("containers");
  auto const x = draw_many<std::uint32_t>(40'000, random);
  auto const want = scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt);
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    std::deque<std::uint32_t> const from(x.begin(), x.end());
    std::deque<std::uint32_t> to(x.size());
    expect(sweep::inclusive_scan(policy, from.begin(), from.end(), to.begin()) == to.end(),
           "deque: returns the end");
    expect_equal(std::vector<std::uint32_t>(to.begin(), to.end()), want, "deque to deque");
    std::vector<std::uint32_t> got(x.size());
    expect(sweep::inclusive_scan(policy, from.cbegin(), from.cend(), got.begin()) == got.end(),
           "vector: returns the end");
    expect_equal(got, want, "deque to vector");
    got = x;
    sweep::inclusive_scan(policy, got.rbegin(), got.rend(), got.rbegin(), add{}, sweep::backward);
    expect_equal(got, want, "vector in place, reversed twice");
    std::vector<bool> const flags(x.size(), true);
    sweep::inclusive_scan(policy, flags.begin(), flags.end(), got.begin());
    expect(got.front() == 1 && got.back() == x.size(), "vector<bool> is counted");
  });
}

// Clang before 16 cannot compile libstdc++'s views.
#if !defined(__clang__) || __clang_major__ >= 16
TEST_CASE("host scans and reductions: std::views::iota over 64 bits, whose differences no integer holds") {
  on_every_host_place([](auto const& places) {
    std::int64_t const n = 40'000;
    auto const policy = places.for_turn(2).policy;
    auto const all = std::views::iota(std::int64_t{0}, n + 1);
    std::vector<std::int64_t> got(static_cast<std::size_t>(n + 1)), want(got.size());
    for (std::int64_t i = 0; i <= n; ++i) want[static_cast<std::size_t>(i)] = i * (i + 1) / 2;
    expect(sweep::reduce(policy, all.begin(), all.end()) == want.back(), "reduced");
    expect(sweep::reduce(policy, all.begin(), all.end(), std::int64_t{1}) == want.back() + 1, "from 1");
    sweep::inclusive_scan(policy, all.begin(), all.end(), got.begin());
    expect_equal(got, want, "scanned");
    sweep::inclusive_scan(policy, all.begin(), all.end(), got.begin(), std::int64_t{0},
                          add{});  // Thrust's order
    expect_equal(got, want, "scanned from 0");
    got.assign(got.size(), 3);
    got.pop_back();
    auto const threes = got;
    sweep::segmented_inclusive_scan(policy, got.begin(), got.end(),
                                    sweep::segments::by_offsets(all.begin(), all.end()), got.begin());
    expect_equal(got, threes, "segments of an item each");
  });
}
#endif

#if __has_include(<thrust/iterator/counting_iterator.h>)
TEST_CASE("host scans: Thrust's iterators") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) {
      auto const at = places.for_turn(n);
      fancy_input_laws(at, n);
      zip_laws(at, n);
      fancy_output_laws(at, n);
      strided_laws(at, n, "strides on iterator_adaptor", adapted_strides{});
      reverse_laws(at, n, "thrust::reverse_iterator", thrust_reversed{});
      one_sided_reverse_laws(at, n, "thrust::reverse_iterator", thrust_reversed{});
    }
  });
}

TEST_CASE("host scans: Thrust's host policies and vector") {
  random_source random("thrust policies");
  auto const x = draw_many<std::uint32_t>(40'000, random);
  auto const want = scan_oracle<std::uint32_t>(true, true, x, add{}, std::nullopt);
  thrust::host_vector<std::uint32_t> const in(x.begin(), x.end());
  auto const law = [&](auto const& policy, char const* what) {
    thrust::host_vector<std::uint32_t> out(x.size());
    auto const end = sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), sweep::backward);
    expect(end == out.end(), std::string(what) + ": returns the end of the output");
    expect_equal(std::vector<std::uint32_t>(out.begin(), out.end()), want, what);
  };
  law(thrust::host, "thrust::host");
  law(thrust::seq, "thrust::seq");
}
#endif
