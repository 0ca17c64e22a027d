// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of run lengths on the device: types, sizes, alignments, iterators, graphs, errors.
#include <support/device_places.hpp>
#include <support/run_length_laws.hpp>
#include <support/runs_in_stages.hpp>

using namespace sweep_test;

namespace {
/// Runs of `each` items, as many lengths as there are.
__global__ void count_wrong_lengths(std::uint32_t const* lengths, std::int64_t runs, std::int64_t n,
                                    std::int64_t each, unsigned long long* wrong) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < runs;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (lengths[i] != (i + 1 < runs ? each : n - i * each)) atomicAdd(wrong, 1ull);
}
}  // namespace

TEST_CASE("device run lengths: types of 1 to 48 bytes") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_length_laws_of<std::uint8_t>("u8", most, on_device);
    run_length_laws_of<std::int32_t, std::int64_t>("i32", most, on_device);
    run_length_laws_of<heisenberg<std::uint8_t>, std::uint32_t>("3 bytes", most, on_device);
    run_length_laws_of<double>("f64", most, on_device);
    run_length_laws_of<motion>("48 bytes", most, on_device);
  });
}

TEST_CASE("device run lengths: large enough for large tiles") {
  std::size_t const n = sanitizing() ? 6'000 : 4'000'001;
  random_source random("run lengths, large tiles");
  for (std::int64_t const mean : {1, 8, 1000, 10'000'000}) {
    run_length_law<int>(on_device, "u32", draw_runs<std::uint32_t>(n, mean, random), equal_items{}, 1, 3);
    run_length_law<int>(on_device, "u8", draw_runs<std::uint8_t>(n, mean, random), equal_items{}, 5, 0);
    run_length_law<int>(on_device, "f64", draw_runs<double>(n, mean, random), equal_items{}, 0, 1);
  }
}

TEST_CASE("device run lengths: neighbours alone are compared") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_length_laws_of<std::int16_t, int>("i16", most, on_device, neighbours_differ_by_one{});
  });
}

TEST_CASE("device run lengths: iterators") {
  in_tiles_of_both_kinds([](std::size_t) {
    for (auto const n : few_sizes()) run_length_iterator_laws(on_device, std::min<std::size_t>(n, 30'000));
  });
}

TEST_CASE("device run lengths: bad input") {
  run_length_error_laws(on_device);
  device_array<int> const x(std::vector<int>(1000, 1)), out(1000), count(1);
  device_array<std::byte> const memory(4096);
  auto const few = sweep::device.scratch(std::span(memory.begin(), 8));
  expect_throw<sweep::bad_argument>({"sweep::run_length_encode_into", "scratch", "8 bytes"}, [&] {
    sweep::run_length_encode_into(few, x.begin(), x.end(), out.begin(), out.begin(), count.begin());
  });
  auto const enough = sweep::device.checked().scratch(std::span(memory.begin(), memory.end()));
  device_array<int> const values(1000);
  sweep::run_length_encode_into(enough, x.begin(), x.end(), values.begin(), out.begin(), count.begin());
  CHECK(count.read()[0] == 1);
  CHECK(out.read()[0] == 1000);
}

TEST_CASE("device run lengths: captured in a graph and replayed with other inputs") {
  random_source random("run lengths graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint32_t> in(draw_runs<std::uint32_t>(n, 3, random));
  device_array<std::uint32_t> const values(n);
  device_array<int> const lengths(n), count(1);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::run_length_encode_into(sweep::device.on(stream), in.begin(), in.end(), values.begin(),
                                  lengths.begin(), count.begin());
  });
  for (std::int64_t const mean : {1, 100, 7}) {
    auto const x = draw_runs<std::uint32_t>(n, mean, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    auto const want = run_length_oracle<int>(x, equal_items{});
    auto const runs = want.values.size();
    CHECK(count.read()[0] == static_cast<int>(runs));
    auto got = values.read();
    auto got_lengths = lengths.read();
    got.resize(runs);
    got_lengths.resize(runs);
    expect_equal(got, want.values, "replay, values, mean " + std::to_string(mean));
    expect_equal(got_lengths, want.lengths, "replay, lengths, mean " + std::to_string(mean));
  }
}

TEST_CASE("device run lengths: 2^32 + 3 items that are made up") {
  auto const n = sanitizing() ? std::int64_t{100'003} : (std::int64_t{1} << 32) + 3;
  auto const runs = (n + 2) / 3;
  if (!has_free_memory(static_cast<std::size_t>(runs) * 12 + (std::size_t{512} << 20))) return;
  device_array<std::uint32_t> const values(static_cast<std::size_t>(runs)),
      lengths(static_cast<std::size_t>(runs));
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  auto const ends =
      sweep::run_length_encode(sweep::device, thirds{0}, thirds{n}, values.begin(), lengths.begin());
  CHECK(ends.first == values.end());
  count_wrong_lengths<<<4096, 256>>>(lengths.begin(), runs, n, 3, wrong.begin());
  succeed(cudaGetLastError());
  CHECK(wrong.read()[0] == 0);
}
