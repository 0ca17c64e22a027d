// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of differences of neighbours on the device: types, sizes, alignments, plans, graphs, errors.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/adjacent_difference_laws.hpp>
#include <support/device_places.hpp>

#include <sweep/plan.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;
using tuned = sweep::adjacent_difference_plan;
/// Tiles of 128 words, of two rows a warp.
auto const in_small_tiles =
    half_at(sweep::device.with(sweep::plan<tuned{.threads = 64, .rows = 2, .load = sweep::access::cached}>),
            "in small tiles");

struct square {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return x * x; }
};

/// Differences of the differences of 3 i + i^2 are 2, but for the first two.
__global__ void count_wrong_second_differences(std::uint32_t const* got, std::int64_t n,
                                               unsigned long long* wrong) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (got[i] != (i == 0 ? 0 : i == 1 ? 4 : 2)) atomicAdd(wrong, 1ull);
}

}  // namespace

TEST_CASE("device adjacent differences: values of 1 to 48 bytes") {
  adjacent_difference_laws_of<std::uint8_t>("u8", most, subtract{}, on_device);
  adjacent_difference_laws_of<std::uint32_t>("u32", most, subtract{}, in_small_tiles);
  adjacent_difference_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{},
                                                        in_small_tiles);
  adjacent_difference_laws_of<heisenberg<std::uint32_t>>("12 bytes", most, heisenberg_product{}, on_device);
  adjacent_difference_laws_of<motion>("48 bytes", most, motion_then{}, on_device);
}

TEST_CASE("device adjacent differences: results of another type") {
  adjacent_difference_laws_of<std::uint8_t, std::int64_t>("u8 to i64", most, std::minus<>{}, in_small_tiles);
  adjacent_difference_laws_of<double, float>("f64 to f32", most, std::minus<>{}, on_device);
}

TEST_CASE("device adjacent differences: every argument form, and iterators") {
  for (auto const n : few_sizes()) adjacent_difference_form_laws(on_device, n);
}

TEST_CASE("device adjacent differences: Thrust's iterators") {
  using U = std::uint32_t;
  random_source random("adjacent_difference, Thrust");
  std::size_t const n = 10'001;
  auto const x = draw_many<U>(n, random);
  std::vector<U> squares(n), counted(n, 1);
  for (std::size_t i = 0; i < n; ++i) squares[i] = x[i] * x[i];
  counted[0] = 7;
  guarded<U, device_memory> const in(x, 1), out(n, 1);
  auto const& p = in_small_tiles.policy;
  sweep::adjacent_difference(p, thrust::counting_iterator<U>(7),
                             thrust::counting_iterator<U>(7) + static_cast<std::ptrdiff_t>(n), out.begin());
  expect_equal(out.read(), counted, "counting_iterator");
  auto const from = thrust::make_transform_iterator(in.begin(), square{});
  sweep::adjacent_difference(p, from, from + static_cast<std::ptrdiff_t>(n), out.begin(), sweep::backward);
  expect_equal(out.read(), adjacent_difference_oracle<U>(true, squares, subtract{}), "transform_iterator");
  auto const discard = thrust::make_discard_iterator();
  expect(sweep::adjacent_difference(p, in.begin(), in.end(), discard) - discard ==
             static_cast<std::ptrdiff_t>(n),
         "discard_iterator");
  using reverse = thrust::reverse_iterator<U*>;
  reverse const first(in.end()), last(in.begin());
  expect(sweep::adjacent_difference(p, first, last, first) == last,
         "reverse_iterator returns the end of the output");
  expect_equal(in.read(), adjacent_difference_oracle<U>(true, x, subtract{}), "reverse_iterator, in place");
  expect(in.guards_intact() && out.guards_intact(), "writes the output only");
}

TEST_CASE("device adjacent differences: captured in a graph and replayed with other inputs") {
  using item = heisenberg<std::uint32_t>;
  random_source random("adjacent_difference graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<item> in(draw_many<item>(n, random));
  device_array<item> const out(n);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::adjacent_difference(on, in.begin(), in.end(), out.begin(), heisenberg_product{});
    sweep::adjacent_difference(on, in.begin(), in.end(), in.begin(), heisenberg_product{}, sweep::backward);
  });
  for (int replay = 0; replay < 4; ++replay) {
    auto const x = draw_many<item>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    auto const title = "replay " + std::to_string(replay);
    expect_equal(out.read(), adjacent_difference_oracle<item>(false, x, heisenberg_product{}), title);
    expect_equal(in.read(), adjacent_difference_oracle<item>(true, x, heisenberg_product{}),
                 title + ", in place");
  }
}

TEST_CASE("device adjacent differences: the caller's scratch, and what is said where it does not suffice") {
  using U = std::uint32_t;
  random_source random("adjacent_difference scratch");
  std::size_t const n = 100'000;
  auto const x = draw_many<U>(n, random);
  device_array<U> const in(x);
  device_array<std::byte> const memory(4096);
  auto const few = sweep::device.checked().scratch(std::span(memory.begin(), 16));
  expect_throw<sweep::bad_argument>({"sweep::adjacent_difference", "scratch", "16 bytes"}, [&] {
    sweep::adjacent_difference(few, in.begin(), in.end(), in.begin());
  });
  expect_equal(in.read(), x, "nothing is written");
  auto const enough = sweep::device.checked().scratch(std::span(memory.begin(), memory.end()));
  sweep::adjacent_difference(enough, in.begin(), in.end(), in.begin());
  expect_equal(in.read(), adjacent_difference_oracle<U>(false, x, subtract{}), "the caller's scratch");
}

TEST_CASE("device adjacent differences: 2^32 + 3 numbers that are made up, then in place") {
  using U = std::uint32_t;
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  if (!has_free_memory(static_cast<std::size_t>(n) * sizeof(U) + (std::size_t{256} << 20))) return;
  device_array<U> const out(static_cast<std::size_t>(n));
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  sweep::adjacent_difference(sweep::device, made_up{0}, made_up{n}, out.begin());
  sweep::adjacent_difference(sweep::device, out.begin(), out.end(), out.begin());
  count_wrong_second_differences<<<4096, 256>>>(out.begin(), n, wrong.begin());
  succeed(cudaGetLastError());
  CHECK(wrong.read()[0] == 0);
}
