// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device compactions: every form, iterators, graphs, scratch and bad input.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/iterator_laws.hpp>
#include <support/partition_form_laws.hpp>
#include <support/partition_laws.hpp>
#include <support/sizes.hpp>

#include <sweep/variant.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <span>

using namespace sweep_test;

namespace {
/// One kernel a call; partition_items.cu has the tables' plans.
auto const planned = sweep::device.with(compact_in_registers);
}  // namespace

TEST_CASE("device compactions: every form of every call") {
  for (auto const n : few_sizes()) partition_form_laws(half_at(planned, "in registers"), n);
}

TEST_CASE("device compactions: iterators") {
  for (auto const n : few_sizes())
    partition_iterator_laws(half_at(planned, "in registers"), n, std_reversed{});
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
  auto const ends = sweep::partition_copy(planned, numbers, numbers + n, discard, discard, pred);
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
  auto const on = planned.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::copy_if_into(on, in.begin(), in.end(), out.begin(), counts.begin(), pred);
    sweep::remove_copy_if_into(sweep::device.on(stream).with(sweep::variant::three_kernel), in.begin(),
                               in.end(), rest.begin(), counts.begin() + 1, pred);
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
  law(planned, stable);
  law(sweep::device.with(sweep::variant::three_kernel), stable);
  // Room for the items, but not for the tiles' state behind them.
  expect_throw<sweep::bad_argument>({"scratch", "are needed"}, [&] {
    stable(planned.scratch(std::span(memory.begin(), n * sizeof(U) + 300)));
  });
  expect_equal(in.read(), x, "nothing is written");
}

TEST_CASE("device compactions: bad input") {
  using U = std::uint32_t;
  guarded<U, device_memory> const in(1000), out(1000);
  U* const none = nullptr;
  some_of_1024 const pred{300}, all{1024};
  expect_throw<sweep::bad_argument>({"sweep::copy_if", "last", "3 items before first"}, [&] {
    sweep::copy_if(planned, in.begin() + 5, in.begin() + 2, out.begin(), pred);
  });
  expect_throw<sweep::bad_argument>({"sweep::copy_if", "out", "null"},
                                    [&] { sweep::copy_if(planned, in.begin(), in.end(), none, all); });
  expect_throw<sweep::bad_argument>({"sweep::pack", "flags", "null"},
                                    [&] { sweep::pack(planned, in.begin(), in.end(), none, out.begin()); });
  int pageable = 0;
  succeed(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (!pageable) {
    std::vector<U> host(1000);
    auto const checked = planned.checked();
    expect_throw<sweep::bad_argument>({"sweep::copy_if", "first", "host memory"}, [&] {
      sweep::copy_if(checked, host.data(), host.data() + host.size(), out.begin(), pred);
    });
    expect_throw<sweep::bad_argument>({"sweep::pack", "flags", "host memory"}, [&] {
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
  CHECK(sweep::copy_if(planned, none, none, none, pred) == nullptr);
  CHECK(sweep::stable_partition(planned, none, none, pred) == nullptr);
  device_array<U> const count(std::vector<U>{9});
  sweep::remove_if_into(planned, none, none, count.begin(), pred);
  CHECK(count.read()[0] == 0);
}
