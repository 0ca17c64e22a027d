// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of tridiagonal systems on the device: types, batches, matrices, singular ones, scratch, graphs,
// errors.
#include <support/device_places.hpp>
#include <support/tridiagonal_isolation_laws.hpp>
#include <support/tridiagonal_laws.hpp>

#include <cuda/std/complex>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;
auto const nobody = [](auto const&...) {};

/// What a device with less shared memory would do.
struct less_shared_memory {
  explicit less_shared_memory(std::size_t bytes) { sweep::detail::most_shared_bytes = bytes; }
  less_shared_memory(less_shared_memory const&) = delete;
  less_shared_memory& operator=(less_shared_memory const&) = delete;
  ~less_shared_memory() { sweep::detail::most_shared_bytes = ~std::size_t{0}; }
};

}  // namespace

TEST_CASE("device tridiagonal systems: batches, strides, right-hand sides, cyclic, in place") {
  batch_laws_of<float>("f32", most, on_device);
  batch_laws_of<double>("f64", most, on_device);
  batch_laws_of<cuda::std::complex<float>>("complex f32", most / 2, on_device);
}

TEST_CASE("device tridiagonal systems: side by side, where they do not fit into clusters of blocks") {
  less_shared_memory const less(100'000);
  random_source random("two passes");
  for (std::size_t const n : {131, 600})
    for (bool const cyclic : {false, true}) {
      batch_shape shape{n, 34, 1, true};
      shape.cyclic = cyclic;
      batch_law<float>(on_device.for_turn(0), shape, matrix_kind::random, random);
    }
}

TEST_CASE("device tridiagonal systems: chains of relations in two levels") {
  random_source random("two levels");
  batch_shape shape{300'001};
  for (bool const cyclic : {false, true}) {
    shape.cyclic = cyclic;
    batch_law<double>(on_device.for_turn(0), shape, matrix_kind::random, random);
  }
  // A column of zeros between two tiles of rows, and between two of their relations.
  constexpr std::size_t tile = 32 * 18, of_chain = 256;
  shape.cyclic = false;
  for (std::size_t const zero : {100 * tile - 1, 100 * tile, of_chain * tile - 1, of_chain * tile}) {
    tridiagonal_batch<double> batch(shape, matrix_kind::dominant, random);
    batch.upper[zero - 1] = batch.diagonal[zero] = batch.lower[zero + 1] = 0;
    device_array<double> const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper),
        right(batch.right), solution(shape.n);
    device_array<std::int64_t> const first(1);
    sweep::tridiagonal_solve_into(sweep::device,
                                  sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                     right.begin(), solution.begin(),
                                                     static_cast<std::int64_t>(shape.n)),
                                  first.begin());
    expect(first.read()[0] == static_cast<std::int64_t>(zero), "column " + std::to_string(zero));
  }
}

TEST_CASE("device tridiagonal systems: the literature's matrices") {
  matrix_laws_of<float>("f32", on_device, nobody);
  matrix_laws_of<double>("f64", on_device, nobody);
  matrix_laws_of<cuda::std::complex<float>>("complex f32", on_device, nobody);
}

TEST_CASE("device tridiagonal systems: singular matrices") {
  singular_laws<float>("f32", on_device, sweep::device.checked());
}

// Of complex numbers, too: products of these are sums, which compilers may round in several ways.
TEST_CASE("device tridiagonal systems: each as if it were alone") {
  isolation_laws<float>("f32", on_device);
  isolation_laws<double>("f64", on_device);
  isolation_laws<cuda::std::complex<float>>("complex f32", on_device);
}

TEST_CASE("device tridiagonal systems: without pivoting") {
  dominant_laws<float>("f32", most, half_at(sweep::device.with(sweep::variant::no_pivoting), "no pivoting"));
}

TEST_CASE("device tridiagonal systems: the variants that choose no pivots") {
  using namespace sweep::variant;
  reduction_laws<float>("f32", half_at(sweep::device.with(cyclic_reduction), "cyclic_reduction"), 2048);
  reduction_laws<double>("f64", half_at(sweep::device.with(parallel_cyclic_reduction), "parallel"), 1024);
  reduction_laws<float>("f32, again", half_at(sweep::device.with(hybrid), "hybrid"), 2048);
  reduction_laws<float>("f32, row by row", half_at(sweep::device.with(thomas), "thomas"), 5000);
  device_array<float> const x(5000);
  expect_throw<sweep::bad_argument>({"sweep::tridiagonal_solve:", "n is 5000", "2048 rows"}, [&] {
    sweep::tridiagonal_solve(sweep::device.with(hybrid),
                             sweep::tridiagonal(1, 4, 1, x.begin(), x.begin(), 5000));
  });
  expect_throw<sweep::bad_argument>({"sweep::tridiagonal_solve:", "system is cyclic"}, [&] {
    sweep::tridiagonal_solve(sweep::device.with(thomas),
                             sweep::tridiagonal(1, 4, 1, x.begin(), x.begin(), 50).cyclic());
  });
}

TEST_CASE("device tridiagonal systems: numbers for coefficients") {
  for (std::size_t const n : {1u, 10u, 80'000u}) constant_law(on_device, n);
}

TEST_CASE("device tridiagonal systems: bad input") { tridiagonal_error_laws(on_device); }

TEST_CASE("device tridiagonal systems: captured in a graph and replayed, with the caller's scratch") {
  random_source random("tridiagonal graph");
  std::size_t const n = sanitizing() ? 37'001 : 100'001;
  batch_shape const shape{n};
  tridiagonal_batch<float> const first(shape, matrix_kind::random, random);
  device_array<float> const lower(first.lower), diagonal(first.diagonal), upper(first.upper), x(n);
  device_array<float> right(first.right);
  device_array<std::byte> const memory(100'000);
  own_stream const stream;
  auto const on = sweep::device.on(stream).scratch(std::span(memory.begin(), memory.end()));
  captured_graph const graph(stream, [&] {
    sweep::tridiagonal_solve(on, sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                    right.begin(), x.begin(), static_cast<std::int64_t>(n)));
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const b = draw_right<float>(n, random);
    right.write(b);
    graph.launch(stream);
    stream.wait();
    expect(backward_error(first.matrices[0], b, x.read(), false) <= 500 * unit_of<float>(),
           "replay " + std::to_string(replay));
  }
  device_array<std::byte> const few(100);
  expect_throw<sweep::bad_argument>({"sweep::tridiagonal_solve:", "scratch", "100 bytes"}, [&] {
    sweep::tridiagonal_solve(
        on.scratch(std::span(few.begin(), few.end())),
        sweep::tridiagonal(1, 3, 1, right.begin(), x.begin(), static_cast<std::int64_t>(n)));
  });
}
