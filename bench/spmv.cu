// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cusparse.cuh"
#include "device_support.cuh"
#include "file_matrices.hpp"
#include "matrices.hpp"

#include <sweep/convert_csr.hpp>
#include <sweep/policy.hpp>
#include <sweep/sddmm.hpp>
#include <sweep/spmv.hpp>
#include <sweep/spmv_plan.hpp>

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// bench_spmv: sparse products against cuSPARSE's, both of its algorithms for CSR, preprocessed, and the
/// copy's rate. The minimum is one read of offsets, indices, values and the vector, and one write of the
/// result. Beside them what such bytes take without sums of rows, and the gathers alone; what a plan saves,
/// and what making one costs; the forms of a matrix; sampled products; products with dense matrices; and the
/// patterns of files (SWEEP_BENCH_MATRICES), as they are and, of small ones, repeated on the diagonal to 2^24
/// entries.

namespace bench {
namespace {

/// The matrix of the cases at hand, made once for all types.
struct device_matrix {
  std::string name;
  matrix host;
  buffer offsets, indices;

  void make(std::string const& of, std::function<matrix()> const& draw) {
    if (name == of) return;
    host = draw();
    name = of;
    upload(offsets, host.offsets);
    upload(indices, host.indices);
  }
  static void upload(buffer& to, std::vector<int> const& items) {
    auto const n = static_cast<std::int64_t>(items.size());
    check(cudaMemcpyAsync(to.get<int>(n + 1), items.data(), items.size() * sizeof(int),
                          cudaMemcpyHostToDevice, stream()),
          "cudaMemcpyAsync");
    wait();
  }
};
device_matrix& current() {
  static device_matrix value;
  return value;
}

/// So small that sums are exact.
struct whole_number {
  __host__ __device__ float operator()(std::uint64_t input_seed, std::int64_t i) const {
    return static_cast<float>(elements::random_bits(input_seed, i) >> 62) - 1.0f;
  }
};
template <class T>
struct signed_fraction {
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    return static_cast<T>(static_cast<float>(elements::random_bits(input_seed, i) >> 40) * 0x1p-24f - 0.5f);
  }
};

/// Empty where some rows are what a sum in double says, otherwise what to print.
template <class A, class T, class Semiring>
std::string wrong_rows(matrix const& m, A const* values, T const* x, T const* y, Semiring const& by) {
  std::vector<A> a(m.indices.size());
  std::vector<T> in(static_cast<std::size_t>(m.columns)), out(static_cast<std::size_t>(m.rows));
  check(cudaMemcpy(a.data(), values, a.size() * sizeof(A), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaMemcpy(in.data(), x, in.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaMemcpy(out.data(), y, out.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  int const step = m.rows / 100'000 + 1;
  for (int r = 0; r < m.rows; r += step) {
    double sum = by.zero, magnitude = 1e-30;
    for (int k = m.offsets[static_cast<std::size_t>(r)]; k < m.offsets[static_cast<std::size_t>(r) + 1];
         ++k) {
      auto const i = static_cast<std::size_t>(k), c = static_cast<std::size_t>(m.indices[i]);
      double const product =
          by.times(static_cast<double>(static_cast<float>(a[i])), static_cast<double>(in[c]));
      sum = k == m.offsets[static_cast<std::size_t>(r)] ? product : by.plus(sum, product);
      magnitude += std::abs(product);
    }
    double const got = out[static_cast<std::size_t>(r)];
    if (!(got == sum || std::abs(got - sum) <= 1e-5 * magnitude))
      return "row " + std::to_string(r) + " is " + std::to_string(got) + ", not " + std::to_string(sum);
  }
  return {};
}

struct sums {
  template <class T>
  static constexpr auto of() {
    return sweep::semirings::plus_times<T>();
  }
};
struct paths {
  template <class T>
  static constexpr auto of() {
    return sweep::semirings::min_plus<T>();
  }
};

/// What a product reads and writes, but for sums of rows: entries pass, what they lead to in the vector is
/// gathered, and as many rows are read of the offsets and written as belong to them. Gathers alone leave out
/// values and rows. Shape: (blocks, turns, 8 entries, 256 threads).
template <bool GathersAlone, class A, class T>
__global__ void __launch_bounds__(256)
    bytes_of_product(std::int64_t rows, std::int64_t n, int const* offsets, int const* indices,
                     A const* values, T const* x, T* y) {
  constexpr int entries = 8, threads = 256, turns = 8;
  T sum{};
  for (int t = 0; t < turns; ++t) {
    auto const turn = std::int64_t{blockIdx.x} * turns + t, all = std::int64_t{gridDim.x} * turns;
    auto const first = turn * entries * threads + threadIdx.x;
    int column[entries];
    T value[entries];
    for (int k = 0; k < entries; ++k) {
      auto const i = min(first + k * threads, n - 1);
      column[k] = __ldcs(indices + i);
      value[k] = GathersAlone ? T{1} : static_cast<T>(__ldcs(values + i));
    }
    for (int k = 0; k < entries; ++k) sum += value[k] * x[column[k]];
    if constexpr (!GathersAlone)
      for (auto r = rows * turn / all + threadIdx.x; r < rows * (turn + 1) / all; r += threads)
        y[r] = static_cast<T>(offsets[r]) + sum;
  }
  if (GathersAlone && sum == T(0x1.23456p-100)) *y = sum;  // so that they are not left out
}
/// A are the entries, T the vectors and sums.
template <class A, class T, class Ring>
void compare_products(benchmark::State& state, std::string const& name, std::string const& kind,
                      std::function<matrix()> const& draw) {
  auto& at = current();
  at.make(kind, draw);
  auto const& m = at.host;
  auto const n = static_cast<std::int64_t>(m.indices.size());
  auto* const values = memory().input.get<A>(n);
  static buffer vector_memory;
  auto* const x = vector_memory.get<T>(m.columns);
  auto* const y = memory().output.get<T>(m.rows);
  auto* const expected = memory().peer_output.get<T>(m.rows);
  fill(values, n, signed_fraction<A>{}, seed());
  fill(x, m.columns, signed_fraction<T>{}, seed() + 1);
  auto const* const offsets = at.offsets.get<int>(0);
  auto const* const indices = at.indices.get<int>(0);
  sweep::csr_view const a(m.rows, m.columns, n, offsets, indices, static_cast<A const*>(values));
  constexpr auto ring = Ring::template of<T>();
  auto const mine = [=](std::int64_t) { sweep::spmv(sweep::device.on(stream()), a, x, y, ring); };
  auto const by_rows = [=](std::int64_t) {
    sweep::spmv(sweep::device.on(stream()).with(sweep::variant::row_vector), a, x, y, ring);
  };
  auto const by_path = [=](std::int64_t) {
    sweep::spmv(sweep::device.on(stream()).with(sweep::variant::merge_path), a, x, y, ring);
  };
  auto const plan = sweep::spmv_plan(sweep::device.on(stream()), a);
  auto const narrow_plan = sweep::spmv_plan(sweep::device.on(stream()), a, sweep::narrow_columns);
  auto const narrow = [&, ring](std::int64_t) {
    sweep::spmv(sweep::device.on(stream()), narrow_plan, x, y, ring);
  };
  auto const planned = [&, ring](std::int64_t) { sweep::spmv(sweep::device.on(stream()), plan, x, y, ring); };
  memory().output.poison(m.rows * static_cast<std::int64_t>(sizeof(T)));
  planned(0);
  wait();
  if (auto const why = wrong_rows(m, values, x, y, Ring::template of<double>()); !why.empty())
    return fail(state, name, "with a plan " + why);
  memory().output.poison(m.rows * static_cast<std::int64_t>(sizeof(T)));
  mine(0);
  wait();
  if (auto const why = wrong_rows(m, values, x, y, Ring::template of<double>()); !why.empty())
    return fail(state, name, why);
  std::vector<contender> all{{"sweep", mine},
                             {"plan", planned, true},
                             {"narrow", narrow, true},
                             {"row_vector", by_rows, true},
                             {"merge_path", by_path, true}};
  if constexpr (std::is_same_v<Ring, sums>) {
    auto const blocks = static_cast<unsigned>((n + 16383) / 16384);
    all.push_back({"bytes",
                   [=, rows = m.rows](std::int64_t) {
                     bytes_of_product<false>
                         <<<blocks, 256, 0, stream()>>>(rows, n, offsets, indices, values, x, expected);
                   },
                   true});
    all.push_back({"gathers",
                   [=, rows = m.rows](std::int64_t) {
                     bytes_of_product<true>
                         <<<blocks, 256, 0, stream()>>>(rows, n, offsets, indices, values, x, expected);
                   },
                   true});
  }
  if constexpr (std::is_same_v<Ring, sums> && std::is_same_v<A, T>)
    for (auto& peer : cusparse_peers(m.rows, m.columns, n, offsets, indices, static_cast<A const*>(values),
                                     static_cast<T const*>(x), expected))
      all.push_back(std::move(peer));
  auto const bytes = static_cast<double>(n) * (sizeof(A) + sizeof(int)) + 4.0 * m.rows +
                     static_cast<double>(sizeof(T)) * (static_cast<double>(m.rows) + m.columns);
  compare(
      state,
      {.name = name, .items = n, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = std::move(all)});
}

/// What is done once for a matrix of floats, beside a product with it: a plan, a plan for the transpose, the
/// transpose, rows of entries, and entries of rows.
void compare_forms(benchmark::State& state, std::string const& name, std::string const& kind,
                   std::function<matrix()> const& draw) {
  auto& at = current();
  at.make(kind, draw);
  auto const& m = at.host;
  auto const n = static_cast<std::int64_t>(m.indices.size());
  auto* const values = memory().input.get<float>(n);
  static buffer row_memory, offset_memory, index_memory, vector_memory;
  auto* const rows = row_memory.get<int>(n);
  auto* const offsets = offset_memory.get<int>(std::max(m.rows, m.columns) + 1);
  auto* const indices = index_memory.get<int>(n);
  auto* const to = memory().output.get<float>(std::max<std::int64_t>(n, m.rows));
  auto* const x = vector_memory.get<float>(m.columns);
  fill(values, n, signed_fraction<float>{}, seed());
  fill(x, m.columns, signed_fraction<float>{}, seed() + 1);
  auto const on = [] { return sweep::device.on(stream()); };
  sweep::csr_view const a(m.rows, m.columns, n, static_cast<int const*>(at.offsets.get<int>(0)),
                          static_cast<int const*>(at.indices.get<int>(0)), static_cast<float const*>(values));
  auto const entries = sweep::csr_to_coo(on(), a, rows);
  sweep::coo_view const turned(m.columns, m.rows, n, a.indices, static_cast<int const*>(rows), a.values);
  std::vector<contender> all{
      {"sweep", [=](std::int64_t) { sweep::transpose_csr(on(), a, offsets, indices, to); }},
      {"coo_to_csr", [=](std::int64_t) { sweep::coo_to_csr(on(), turned, offsets, indices, to); }, true},
      {"ordered", [=](std::int64_t) { sweep::coo_to_csr(on(), entries, offsets); }, true},
      {"csr_to_coo", [=](std::int64_t) { sweep::csr_to_coo(on(), a, rows); }, true},
      {"plan", [=](std::int64_t) { sweep::spmv_plan const made(on(), a); }, true},
      {"narrow_plan", [=](std::int64_t) { sweep::spmv_plan const made(on(), a, sweep::narrow_columns); },
       true},
      {"transposed_plan", [=](std::int64_t) { sweep::spmv_plan const made(on(), a, sweep::transposed); },
       true},
      {"product", [=](std::int64_t) { sweep::spmv(on(), a, x, to); }, true}};
  auto const bytes = 16.0 * static_cast<double>(n) + 4.0 * (m.rows + m.columns);
  compare(
      state,
      {.name = name, .items = n, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = std::move(all)});
}

/// Products of floats where a matrix has entries, of so many each.
void compare_samples(benchmark::State& state, std::string const& name, std::string const& kind,
                     std::function<matrix()> const& draw, int depth) {
  auto& at = current();
  at.make(kind, draw);
  auto const& m = at.host;
  auto const n = static_cast<std::int64_t>(m.indices.size());
  static buffer x_memory, y_memory;
  auto* const x = x_memory.get<float>(std::int64_t{m.rows} * depth);
  auto* const y = y_memory.get<float>(std::int64_t{m.columns} * depth);
  auto* const out = memory().output.get<float>(n);
  fill(x, std::int64_t{m.rows} * depth, signed_fraction<float>{}, seed());
  fill(y, std::int64_t{m.columns} * depth, signed_fraction<float>{}, seed() + 1);
  sweep::csr_view const a(m.rows, m.columns, n, static_cast<int const*>(at.offsets.get<int>(0)),
                          static_cast<int const*>(at.indices.get<int>(0)));
  auto const by_rows = sweep::strided(static_cast<float const*>(x), {m.rows, depth});
  auto const by_columns = sweep::strided(static_cast<float const*>(y), {depth, m.columns}, {1, depth});
  auto const bytes =
      8.0 * static_cast<double>(n) + 4.0 * m.rows + 4.0 * depth * (static_cast<double>(m.rows) + m.columns);
  std::vector<contender> all{{"sweep", [=](std::int64_t) {
                                sweep::sddmm(sweep::device.on(stream()), a, by_rows, by_columns, out);
                              }}};
  compare(
      state,
      {.name = name, .items = n, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = std::move(all)});
}

/// A sparse matrix of floats times a dense one, by rows, beside one product with a vector.
void compare_dense(benchmark::State& state, std::string const& name, std::string const& kind,
                   std::function<matrix()> const& draw, int columns) {
  auto& at = current();
  at.make(kind, draw);
  auto const& m = at.host;
  auto const n = static_cast<std::int64_t>(m.indices.size());
  static buffer x_memory;
  auto* const values = memory().input.get<float>(n);
  auto* const x = x_memory.get<float>(std::int64_t{m.columns} * columns);
  auto* const y = memory().output.get<float>(std::int64_t{m.rows} * columns);
  auto* const expected = memory().peer_output.get<float>(std::int64_t{m.rows} * columns);
  fill(values, n, whole_number{}, seed());
  fill(x, std::int64_t{m.columns} * columns, whole_number{}, seed() + 1);
  auto const* const offsets = at.offsets.get<int>(0);
  auto const* const indices = at.indices.get<int>(0);
  sweep::csr_view const a(m.rows, m.columns, n, offsets, indices, static_cast<float const*>(values));
  auto const from = sweep::strided(static_cast<float const*>(x), {m.columns, columns});
  auto const to = sweep::strided(y, {m.rows, columns});
  std::vector<contender> all{
      {"sweep", [=](std::int64_t) { sweep::spmm(sweep::device.on(stream()), a, from, to); }},
      {"one_column", [=](std::int64_t) { sweep::spmv(sweep::device.on(stream()), a, x, expected); }, true}};
  for (auto& peer :
       cusparse_dense_peers(m.rows, m.columns, n, offsets, indices, static_cast<float const*>(values),
                            static_cast<float const*>(x), expected, columns)) {
    memory().output.poison(std::int64_t{m.rows} * columns * 4);
    all.front().run(0);
    peer.run(0);
    wait();
    if (auto const why = differences(y, expected, std::int64_t{m.rows} * columns); !why.empty())
      return fail(state, name, "against " + peer.name + ": " + why);
    all.push_back(std::move(peer));
  }
  auto const bytes =
      8.0 * static_cast<double>(n) + 4.0 * m.rows + 4.0 * columns * (static_cast<double>(m.rows) + m.columns);
  compare(
      state,
      {.name = name, .items = n, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = std::move(all)});
}

struct kind {
  std::string name;
  std::int64_t entries;  // about
  std::function<matrix()> draw;
};
constexpr int million = 1 << 20;
kind const kinds[] = {
    {"poisson_4096", 83'869'696, [] { return poisson(4096); }},
    {"power_law", 12'800'000, [] { return power_law(million, 12.2, draws(seed())); }},
    {"rows_of_3_and_a_dense_one", 4'194'301, [] { return rows_of_three_and_a_dense_one(million); }},
    {"band_81", 10'615'192, [] { return band(128 << 10, 81); }},
    {"nine_of_ten_empty", 8'000'000, [] { return mostly_empty(10'000'000, draws(seed())); }},
    {"uniform_16", 16'777'216, [] { return uniform(million, 16, draws(seed())); }},
    {"poisson_512", 1'308'672, [] { return poisson(512); }},
    {"small_band_129", 260'032, [] { return band(2048, 129); }},
    {"small_power_law", 262'144, [] { return power_law(1 << 14, 16, draws(seed())); }},
};

template <class A, class T, class Ring>
void add(kind const& of, char const* what) {
  add_case(case_name(std::string("spmv/") + what + "/" + of.name, of.entries),
           [=](benchmark::State& state, std::string const& name) {
             compare_products<A, T, Ring>(state, name, of.name, of.draw);
           });
}
void add_cases() {
  for (auto const& one : kinds) {
    add<float, float, sums>(one, "sums/f32");
    add<double, double, sums>(one, "sums/f64");
    add<__half, float, sums>(one, "sums/f16_in_f32");
    add<float, float, paths>(one, "min_plus/f32");
    add_case(case_name(std::string("spmv/forms/") + one.name, one.entries),
             [=](benchmark::State& state, std::string const& name) {
               compare_forms(state, name, one.name, one.draw);
             });
  }
  for (int const columns : {8, 32})
    for (auto const* const one : {&kinds[0], &kinds[1], &kinds[3]})
      add_case(case_name("spmv/columns " + std::to_string(columns) + "/f32/" + one->name, one->entries),
               [=](benchmark::State& state, std::string const& name) {
                 compare_dense(state, name, one->name, one->draw, columns);
               });
  static std::vector<kind> files;
  for (auto const& file : file_matrices()) {
    files.push_back({"file " + file.name, file.entries, [=] { return matrix_of_file(file.path, 1); }});
    if (file.times > 1)
      files.push_back({"file " + file.name + " repeated", file.entries * file.times,
                       [=] { return matrix_of_file(file.path, file.times); }});
  }
  for (auto const& one : files) add<float, float, sums>(one, "sums/f32");
  for (int const depth : {16, 64})
    add_case(case_name("spmv/samples_of_" + std::to_string(depth) + "/" + kinds[1].name, kinds[1].entries),
             [=](benchmark::State& state, std::string const& name) {
               compare_samples(state, name, kinds[1].name, kinds[1].draw, depth);
             });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
