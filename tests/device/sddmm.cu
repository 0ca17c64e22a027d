// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sampled products on the device.
#include <support/device_places.hpp>
#include <support/sddmm_laws.hpp>

#include <cuda/std/complex>

#include <algorithm>
#include <cmath>

using namespace sweep_test;

TEST_CASE("device sampled products: semirings, orders and shapes") {
  using U = std::uint32_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("sampled products");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 3000), random.between(10'000, 50'000)}) {
      if (sanitizing() && size > 3000) continue;
      auto const shape = draw_pattern(kind, size, random);
      sampled_product_laws<U, U, U>(on_device, "u32", shape, sweep::semirings::plus_times<U>(), random);
      sampled_product_laws<affine<U>, U, std::uint8_t>(on_device, "maps", shape, maps, random);
    }
  auto const shape = draw_pattern(0, 500, random);
  sampled_product_laws<motion, U, std::uint64_t>(
      on_device, "motions", shape, sweep::semiring{motion_then{}, make_motion{}, motion{}}, random);
}

// Where rows of x and columns of y are vectors of memory, of four, of two or of one, one lane or more have an
// entry, several at once; of many entries a warp has several batches, of few ones a part of one.
TEST_CASE("device sampled products: vectors") {
  using U = std::uint32_t;
  using W = std::uint64_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("sampled products of vectors");
  for (std::size_t const depth : {1, 2, 3, 4, 6, 8, 15, 16, 20, 30, 31, 64, 66, 132, 260})
    for (std::int64_t const size : {random.between(30, 3000), random.between(10'000, 40'000)}) {
      if (sanitizing() && size > 3000) continue;
      auto const shape = draw_pattern(static_cast<int>(random() % pattern_kinds), size, random);
      sampled_product_law<U, U, U>(on_device, "u32", shape, depth, sweep::semirings::plus_times<U>(), random,
                                   true);
      sampled_product_law<W, W, W>(on_device, "u64", shape, depth, sweep::semirings::plus_times<W>(), random,
                                   true);
      sampled_product_law<affine<U>, U, U>(on_device, "maps", shape, depth, maps, random, true);
    }
  if (sanitizing()) return;
  for (std::size_t const depth : {2, 4, 12, 13})
    sampled_product_law<U, U, U>(on_device, "u32", draw_pattern(1, random.between(300'000, 500'000), random),
                                 depth, sweep::semirings::plus_times<U>(), random, true);
}

// Sums of numbers are added up lane by lane. Small integers in floating point show what is lost, and products
// that are negative zeros what a sum begins with; a number's parts begin where vectors do, or one part later.
template <class V, class Part>
static void sum_law(std::string const& what, int depth, std::size_t odd, bool zeros, random_source& random) {
  constexpr int rows = 30, columns = 200, parts = static_cast<int>(sizeof(V) / sizeof(Part));
  std::vector<int> offsets{0}, indices;
  for (int r = 0; r < rows; ++r) {
    for (auto c = random.between(0, 9); c < columns; c += random.between(1, 9))
      indices.push_back(static_cast<int>(c));
    offsets.push_back(static_cast<int>(indices.size()));
  }
  auto const n = indices.size();
  auto const lead = static_cast<std::size_t>(depth * parts);
  std::vector<Part> x(odd + rows * lead), y(odd + columns * lead), want;
  for (auto& item : x) item = zeros ? Part{0} : static_cast<Part>(random.between(-5, 5));
  for (auto& item : y) item = static_cast<Part>(zeros ? -1 : random.between(-5, 5));
  for (std::size_t r = 0; r < rows; ++r)
    for (auto k = offsets[r]; k < offsets[r + 1]; ++k) {
      auto const *a = &x[odd + r * lead], *b = &y[odd + static_cast<std::size_t>(indices[k]) * lead];
      Part real = zeros ? -Part{0} : Part{0}, imaginary = 0;
      for (std::size_t i = 0; i < lead; i += parts) {
        real += a[i] * b[i] - (parts > 1 ? a[i + parts - 1] * b[i + parts - 1] : 0);
        imaginary += a[i] * b[i + parts - 1] + a[i + parts - 1] * b[i];
      }
      want.push_back(real);
      if (parts > 1) want.push_back(imaginary);
    }
  device_array<int> const at_rows(offsets), at_columns(indices);
  device_array<Part> const in_x(x), in_y(y), out(n * parts);
  auto const from = [&](device_array<Part> const& all) { return reinterpret_cast<V*>(all.begin() + odd); };
  sweep::csr_view const a(rows, columns, static_cast<std::int64_t>(n), at_rows.begin(), at_columns.begin());
  using view = sweep::strided_view<V*, 2>;
  sweep::sddmm(sweep::device, a, view{from(in_x), {rows, depth}, {depth, 1}},
               view{from(in_y), {depth, columns}, {1, depth}}, reinterpret_cast<V*>(out.begin()));
  auto const title = what + ", " + std::to_string(depth) + " products each" + (zeros ? ", zeros" : "") +
                     (odd > 0 ? ", at an odd place" : "");
  auto const sums = out.read();
  expect_equal(sums, want, title);
  if (zeros) expect(std::all_of(sums.begin(), sums.end(), [](Part s) { return std::signbit(s); }), title);
}

TEST_CASE("device sampled products: sums of numbers") {
  random_source random("sampled sums");
  for (int const depth : {1, 2, 4, 7, 16, 33, 64, 100, 134})
    for (std::size_t const odd : {0, 1}) {
      sum_law<float, float>("f32", depth, odd, false, random);
      sum_law<double, double>("f64", depth, odd, false, random);
      sum_law<cuda::std::complex<float>, float>("complex f32", depth, 2 * odd, false, random);
      sum_law<cuda::std::complex<double>, double>("complex f64", depth, 2 * odd, false, random);
      sum_law<float, float>("f32", depth, odd, true, random);
      sum_law<double, double>("f64", depth, odd, true, random);
    }
}

TEST_CASE("device sampled products: bad input, offsets of any numbers") {
  random_source random("wild samples");
  wild_sample_law(on_device, 3000, random);
  sampled_product_error_laws(on_device, sweep::device.checked());
}
