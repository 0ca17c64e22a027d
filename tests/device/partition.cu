// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions over types, sizes, alignments, stencils, iterators, variants and plans.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/iterator_laws.hpp>
#include <support/partition_form_laws.hpp>
#include <support/partition_laws.hpp>
#include <support/partition_stencil_laws.hpp>

#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <span>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

/// Sizes that the plans for large inputs see too: more than 12 MiB, more than 96 MiB.
template <class X>
void large_selection_law(std::string const& what, std::size_t mebibytes = 13) {
  if (sanitizing()) return;
  random_source random("large " + what);
  auto const n = (mebibytes << 20) / sizeof(X) + 12'345;
  auto const x = draw_bytes<X>(n, random);
  for (auto const share : shares)
    selection_law(on_device, what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, share % 3,
                  share % 2);
  unique_law(on_device, what, draw_runs<X>(n, 3, random), 1);
}

/// Small tiles in stages, so that small inputs have many of them.
template <sweep::partition_plan Plan>
void laws_of_stages(char const* name) {
  static_assert(Plan.stages > 0);
  random_source random(name);
  auto const at = half_at(sweep::device.with(sweep::plan<Plan>), name);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 1025, 6'000}
                                  : std::vector<std::size_t>{1, 31, 1'024, 20'011, 400'003};
  auto const laws = [&]<class X>(char const* what, X, std::size_t n) {
    for (std::uint32_t const share : {0, 10, 500, 1024})
      selection_law(at, what, draw_bytes<X>(n, random), some_of_1024{share},
                    static_cast<std::size_t>(random.between(0, 3)),
                    static_cast<std::size_t>(random.between(0, 17)));
    unique_law(at, what, draw_runs<X>(n, 3, random), static_cast<std::size_t>(random.between(0, 3)));
    three_way_law(at, what, draw_bytes<X>(n, random), 300, 300);
  };
  for (auto const n : sizes) {
    laws("u8", std::uint8_t{}, n);
    laws("u16", std::uint16_t{}, n);
    laws("u32", std::uint32_t{}, n);
    laws("u64", std::uint64_t{}, n);
    laws("12 bytes", parcel<12, std::uint32_t>{}, n);
    for (std::uint32_t const share : {10, 500}) {
      stencil_law(at, "u32", draw_bytes<std::uint32_t>(n, random), share, n % 5, random);
      stencil_law(at, "u8", draw_bytes<std::uint8_t>(n, random), share, n % 5, random);
    }
  }
}

}  // namespace

TEST_CASE("device compactions: items of 1 to 16 bytes, from none to all selected") {
  selection_laws_of<std::uint8_t>("u8", most, on_device);
  selection_laws_of<std::uint32_t>("u32", most, on_device);
  selection_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, on_device);
  selection_laws_of<uint128>("u128", most, on_device);
}

TEST_CASE("device compactions: items of 7 to 200 bytes") {
  selection_laws_of<parcel<7, std::uint8_t>>("7 bytes", most, on_device);
  selection_laws_of<motion>("48 bytes", most, on_device);
  selection_laws_of<parcel<200>>("200 bytes", 30'000, on_device);
  selection_laws_of<parcel<1000>>("1000 bytes", 3'000, on_device);
}

TEST_CASE("device compactions: runs") {
  unique_laws_of<std::uint8_t>("u8", most, on_device);
  unique_laws_of<std::uint32_t>("u32", most, on_device);
  unique_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, on_device);
  for (auto const n : few_sizes())
    for (std::int64_t const mean : {1, 7, 3000}) unique_by_key_law(on_device, n, mean);
}

TEST_CASE("device compactions: more than the small inputs") {
  large_selection_law<std::uint8_t>("u8");
  large_selection_law<std::uint32_t>("u32");
  large_selection_law<std::uint64_t>("u64");
  large_selection_law<motion>("48 bytes");
  large_selection_law<std::uint32_t>("u32", 97);
  large_selection_law<uint128>("u128", 97);
}

TEST_CASE("device compactions: stencils of bytes, wide items and bits") {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.insert(sizes.end(), {4'000'001, 26'000'001});
  stencil_laws_of<std::uint32_t>("u32", sizes, on_device);
  stencil_laws_of<std::uint8_t>("u8", few_sizes(), on_device);
  stencil_laws_of<motion>("48 bytes", few_sizes(), on_device);
}

TEST_CASE("device compactions: every form of every call") {
  for (auto const n : few_sizes()) partition_form_laws(on_device, n);
}

TEST_CASE("device compactions: variants and plans") {
  random_source random("compaction variants");
  auto const law = [&](auto const& policy, char const* name) {
    auto const at = half_at(policy, name);
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{1025}, std::size_t{100'003}}) {
      if (sanitizing() && n > 5000) continue;
      selection_law(at, "u32", draw_bytes<std::uint32_t>(n, random), some_of_1024{500}, n % 5, n % 3);
      unique_law(at, "u16", draw_runs<std::uint16_t>(n, 3, random), n % 7);
    }
    three_way_law(at, "u32", draw_bytes<std::uint32_t>(sanitizing() ? 3'000 : 100'003, random), 300, 300);
    if (!sanitizing())
      selection_law(at, "u32, large", draw_bytes<std::uint32_t>(4'000'003, random), some_of_1024{500});
  };
  using namespace sweep::variant;
  law(sweep::device.with(ordered_lookback), "ordered_lookback");
  law(sweep::device.with(decoupled_lookback), "decoupled_lookback");
  law(sweep::device.with(chained), "chained");
  law(sweep::device.with(three_kernel), "three_kernel");
  law(sweep::device.with(sweep::plan<sweep::partition_plan{.threads = 64, .rows = 1}>),
      "a plan of 64 threads");
  law(sweep::device.with(sweep::plan<sweep::partition_plan{
                             .threads = 1024, .rows = 2, .blocks = 1, .load = sweep::access::cached}>),
      "a plan of 1024 threads");
}

TEST_CASE("device compactions: stages of shared memory") {
  if (racechecking()) {
    MESSAGE("skipped: racecheck does not know barriers at which one lane stands for its warp");
    return;
  }
  using plan = sweep::partition_plan;
  laws_of_stages<plan{.threads = 32 * (1 + 3 + 4), .rows = 16, .blocks = 1, .stages = 3}>("3 stages");
  laws_of_stages<plan{.threads = 32 * (1 + 1 + 6), .rows = 32, .blocks = 1, .stages = 1, .loads = 1}>(
      "1 stage");
}

TEST_CASE("device compactions: iterators") {
  for (auto const n : few_sizes()) partition_iterator_laws(on_device, n, std_reversed{});
}

TEST_CASE("device compactions: Thrust's iterators, vectors and policies") {
  using U = std::uint32_t;
  std::ptrdiff_t const n = sanitizing() ? 3'000 : 100'003;
  thrust::counting_iterator<U> const numbers(0);
  some_of_1024 const pred{300};
  std::vector<U> want;
  for (U i = 0; i < static_cast<U>(n); ++i)
    if (pred(i)) want.push_back(i);
  own_stream const stream;
  auto const law = [&](auto const& policy, char const* what) {
    thrust::device_vector<U> out(want.size());
    succeed(cudaDeviceSynchronize());
    auto const end = sweep::copy_if(policy, numbers, numbers + n, out.begin(), pred);
    expect(end == out.end(), std::string(what) + ": returns the end of the output");
    std::vector<U> got(want.size());
    thrust::copy(out.begin(), out.end(), got.begin());
    expect_equal(got, want, what);
    auto const kept = sweep::unique(policy, out.begin(), out.end());
    expect(kept == out.end(), std::string(what) + ": nothing to remove");
  };
  law(sweep::device, "sweep::device");
  law(sweep::device.on(stream), "sweep::device.on");
  law(thrust::device, "thrust::device");
  law(thrust::cuda::par.on(stream), "thrust::cuda::par.on");
  law(thrust::cuda::par_nosync, "thrust::cuda::par_nosync");
  auto const discard = thrust::make_discard_iterator();
  auto const ends = sweep::partition_copy(sweep::device, numbers, numbers + n, discard, discard, pred);
  CHECK(ends.first - discard == static_cast<std::ptrdiff_t>(want.size()));
  CHECK(ends.second - discard == n - static_cast<std::ptrdiff_t>(want.size()));
}

TEST_CASE("device compactions: captured in a graph and replayed with other inputs") {
  using U = std::uint32_t;
  random_source random("compaction graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  some_of_1024 const pred{400};
  device_array<U> in(draw_bytes<U>(n, random)), in_place(n);
  device_array<U> const out(n), rest(n), runs(n), counts(5);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::copy_if_into(on, in.begin(), in.end(), out.begin(), counts.begin(), pred);
    sweep::remove_copy_if_into(on.with(sweep::variant::three_kernel), in.begin(), in.end(), rest.begin(),
                               counts.begin() + 1, pred);
    sweep::unique_copy_into(on, in.begin(), in.end(), runs.begin(), counts.begin() + 2);
    sweep::stable_partition_into(on, in_place.begin(), in_place.end(), counts.begin() + 3, pred);
    sweep::remove_if_into(on, in_place.begin(), in_place.end(), counts.begin() + 4, pred);
  });
  for (int replay = 0; replay < 4; ++replay) {
    auto const x = draw_runs<U>(n, 2, random);
    in.write(x);
    in_place.write(x);
    graph.launch(stream);
    stream.wait();
    sides_of<U, some_of_1024> const want(x, pred);
    auto const unique = heads_of_runs(x);
    auto const title = "replay " + std::to_string(replay);
    auto const kept = static_cast<U>(want.yes.size()), left = static_cast<U>(want.no.size());
    expect_equal(counts.read(), {kept, left, static_cast<U>(unique.size()), kept, left}, title + ", counts");
    expect_equal(first_items(out.read(), kept), want.yes, title + ", copy_if_into");
    expect_equal(first_items(rest.read(), left), want.no, title + ", remove_copy_if_into");
    expect_equal(first_items(runs.read(), unique.size()), unique, title + ", unique_copy_into");
    expect_equal(first_items(in_place.read(), left), want.no, title + ", in place");
  }
}

TEST_CASE("device compactions: the caller's scratch, enough and too little") {
  using U = std::uint32_t;
  random_source random("compaction scratch");
  std::size_t const n = 50'000;
  auto const x = draw_bytes<U>(n, random);
  some_of_1024 const pred{400};
  device_array<U> const in(x);
  device_array<std::byte> const memory(2 * n * sizeof(U) + 70'000);
  auto const law = [&](auto const& policy, auto call) {
    expect_throw<sweep::bad_argument>({"scratch", "bytes", "are needed"},
                                      [&] { call(policy.scratch(std::span(memory.begin(), 1000))); });
    expect_equal(in.read(), x, "nothing is written");
    call(policy.scratch(std::span(memory.begin(), memory.end())));
    expect_equal(in.read(), sides_of<U, some_of_1024>(x, pred).joined(),
                 "stable_partition in the caller's scratch");
    succeed(cudaMemcpy(in.begin(), x.data(), n * sizeof(U), cudaMemcpyHostToDevice));
  };
  auto const stable = [&](auto const& policy) {
    sweep::stable_partition(policy, in.begin(), in.end(), pred);
  };
  law(sweep::device, stable);
  law(sweep::device.with(sweep::variant::three_kernel), stable);
  // Room for the items, but not for the tiles' state behind them.
  expect_throw<sweep::bad_argument>({"scratch", "are needed"}, [&] {
    stable(sweep::device.scratch(std::span(memory.begin(), n * sizeof(U) + 300)));
  });
  expect_equal(in.read(), x, "nothing is written");
}

TEST_CASE("device compactions: bad input") {
  using U = std::uint32_t;
  guarded<U, device_memory> const in(1000), out(1000);
  U* const none = nullptr;
  truth const pred;
  expect_throw<sweep::bad_argument>({"sweep::copy_if", "last", "3 items before first"}, [&] {
    sweep::copy_if(sweep::device, in.begin() + 5, in.begin() + 2, out.begin(), pred);
  });
  expect_throw<sweep::bad_argument>({"sweep::copy_if", "out", "null"},
                                    [&] { sweep::copy_if(sweep::device, in.begin(), in.end(), none, pred); });
  expect_throw<sweep::bad_argument>({"sweep::pack", "stencil", "null"}, [&] {
    sweep::pack(sweep::device, in.begin(), in.end(), none, out.begin());
  });
  int pageable = 0;
  succeed(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (!pageable) {
    std::vector<U> host(1000);
    auto const checked = sweep::device.checked();
    expect_throw<sweep::bad_argument>({"sweep::copy_if", "first", "host memory"}, [&] {
      sweep::copy_if(checked, host.begin(), host.end(), out.begin(), pred);
    });
    expect_throw<sweep::bad_argument>({"sweep::pack", "stencil", "host memory"}, [&] {
      sweep::pack(checked, in.begin(), in.end(), sweep::bits(host.data()), out.begin());
    });
    expect_throw<sweep::bad_argument>({"sweep::unique_by_key_copy", "out", "host memory"}, [&] {
      sweep::unique_by_key_copy(checked, in.begin(), in.end(), in.begin(), out.begin(), host.data());
    });
    expect_throw<sweep::bad_argument>({"sweep::copy_if_into", "count", "host memory"}, [&] {
      sweep::copy_if_into(checked, in.begin(), in.end(), out.begin(), host.data(), pred);
    });
  }
  expect(out.all_untouched(), "nothing is written");
  CHECK(sweep::copy_if(sweep::device, none, none, none, pred) == nullptr);
  CHECK(sweep::stable_partition(sweep::device, none, none, pred) == nullptr);
  device_array<U> const count(std::vector<U>{9});
  sweep::remove_if_into(sweep::device, none, none, count.begin(), pred);
  CHECK(count.read()[0] == 0);
}
