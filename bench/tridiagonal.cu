// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/tridiagonal.hpp>

#include <cuda/std/complex>
#include <cusparse.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>

/// bench_tridiagonal: tridiagonal systems against cuSPARSE's gtsv2 family and the copy's rate. The minimum is
/// one read of the coefficients and right-hand sides, and one write of the solutions. cuSPARSE is opened
/// where it is found.

namespace bench {
namespace {

/// One of cuSPARSE's functions; a library that is not there is said once.
template <class Function>
Function* cusparse(char const* name) {
  static void* const library = [] {
    void* const opened = dlopen("libcusparse.so.12", RTLD_NOW);
    if (!opened) std::fprintf(stderr, "SKIPPED: cuSPARSE was not found, nobody is raced\n");
    return opened;
  }();
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
void check(cusparseStatus_t status, char const* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": status " + std::to_string(status));
}
cusparseHandle_t handle() {
  static cusparseHandle_t const value = [] {
    cusparseHandle_t created{};
    check(cusparse<decltype(cusparseCreate)>("cusparseCreate")(&created), "cusparseCreate");
    check(cusparse<decltype(cusparseSetStream)>("cusparseSetStream")(created, stream()), "cusparseSetStream");
    return created;
  }();
  return value;
}
std::string peer_name(char const* function) {
  int version = 0;
  check(cusparse<decltype(cusparseGetVersion)>("cusparseGetVersion")(handle(), &version),
        "cusparseGetVersion");
  return std::string("cusparse_") + function + " " +
         version_text(version / 1000, version / 100 % 10, version % 100);
}

template <class T>
std::string letter(char const* rest) {
  return std::string("cusparse") +
         (std::is_same_v<T, float>    ? "S"
          : std::is_same_v<T, double> ? "D"
                                      : "C") +
         rest;
}

template <class T>
struct arrays {
  T *lower, *diagonal, *upper, *right, *solution;
};
template <class T>
struct random_coefficient {
  std::uint64_t which;
  T add;
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const bits = elements::random_bits(input_seed + which, i);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1) + add;
    else  // parts of half the size, so that a diagonal outweighs its row as those of real numbers do
      return T(static_cast<float>(bits >> 40) * 0x1p-24f - 0.5f,
               static_cast<float>(bits & 0xffffff) * 0x1p-24f - 0.5f) +
             add;
  }
};

/// The largest |A x - b| of a batch, whose numbers are about one.
template <class T>
__global__ void residual_kernel(arrays<T> a, std::int64_t n, std::int64_t systems, std::int64_t row_stride,
                                std::int64_t system_stride, unsigned* largest) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n * systems;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    auto const row = row_stride == 1 ? i % n : i / systems,
               at = row * row_stride + (row_stride == 1 ? i / n : i % systems) * system_stride;
    T sum = a.diagonal[at] * a.solution[at] - a.right[at];
    if (row > 0) sum += a.lower[at] * a.solution[at - row_stride];
    if (row + 1 < n) sum += a.upper[at] * a.solution[at + row_stride];
    float off;
    if constexpr (std::is_floating_point_v<T>) off = static_cast<float>(sum < 0 ? -sum : sum);
    else off = cuda::std::abs(sum);
    atomicMax(largest, off == off ? __float_as_uint(off) : ~0u);
  }
}

struct batch {
  std::int64_t n, systems;
  bool interleaved;
};

/// cuSPARSE's functions work in place: `own` is theirs.
template <class T>
std::vector<contender> peers_of(batch const& of, arrays<T> const& own) {
  if (!cusparse<decltype(cusparseCreate)>("cusparseCreate")) return {};
  static buffer scratch;
  auto const n = static_cast<int>(of.n), systems = static_cast<int>(of.systems);
  auto const* const dl = own.lower;
  auto const* const d = own.diagonal;
  auto const* const du = own.upper;
  std::vector<contender> all;
  using coefficients = T const*;
  if (of.interleaved) {
    using size_function = cusparseStatus_t(cusparseHandle_t, int, int, coefficients, coefficients,
                                           coefficients, coefficients, int, std::size_t*);
    using function = cusparseStatus_t(cusparseHandle_t, int, int, T*, T*, T*, T*, int, void*);
    std::size_t bytes = 0;
    check(cusparse<size_function>(letter<T>("gtsvInterleavedBatch_bufferSizeExt").c_str())(
              handle(), 0, n, dl, d, du, own.solution, systems, &bytes),
          "gtsvInterleavedBatch_bufferSizeExt");
    auto* const memory = scratch.get<std::byte>(static_cast<std::int64_t>(bytes) + 1);
    auto* const solve = cusparse<function>(letter<T>("gtsvInterleavedBatch").c_str());
    all.push_back(
        {peer_name("gtsvInterleavedBatch"), [=](std::int64_t) {
           check(solve(handle(), 0, n, own.lower, own.diagonal, own.upper, own.solution, systems, memory),
                 "gtsvInterleavedBatch");
         }});
  } else if (of.systems > 1) {
    using size_function = cusparseStatus_t(cusparseHandle_t, int, coefficients, coefficients, coefficients,
                                           coefficients, int, int, std::size_t*);
    using function = cusparseStatus_t(cusparseHandle_t, int, coefficients, coefficients, coefficients, T*,
                                      int, int, void*);
    std::size_t bytes = 0;
    check(cusparse<size_function>(letter<T>("gtsv2StridedBatch_bufferSizeExt").c_str())(
              handle(), n, dl, d, du, own.solution, systems, n, &bytes),
          "gtsv2StridedBatch_bufferSizeExt");
    auto* const memory = scratch.get<std::byte>(static_cast<std::int64_t>(bytes) + 1);
    auto* const solve = cusparse<function>(letter<T>("gtsv2StridedBatch").c_str());
    all.push_back({peer_name("gtsv2StridedBatch"), [=](std::int64_t) {
                     check(solve(handle(), n, dl, d, du, own.solution, systems, n, memory),
                           "gtsv2StridedBatch");
                   }});
  } else {
    for (char const* const name : {"gtsv2", "gtsv2_nopivot"}) {
      using size_function = cusparseStatus_t(cusparseHandle_t, int, int, coefficients, coefficients,
                                             coefficients, coefficients, int, std::size_t*);
      using function = cusparseStatus_t(cusparseHandle_t, int, int, coefficients, coefficients, coefficients,
                                        T*, int, void*);
      std::size_t bytes = 0;
      check(cusparse<size_function>((letter<T>(name) + "_bufferSizeExt").c_str())(handle(), n, 1, dl, d, du,
                                                                                  own.solution, n, &bytes),
            "gtsv2_bufferSizeExt");
      auto* const memory = scratch.get<std::byte>(static_cast<std::int64_t>(bytes) + 1);
      auto* const solve = cusparse<function>(letter<T>(name).c_str());
      all.push_back({peer_name(name), [=](std::int64_t) {
                       check(solve(handle(), n, 1, dl, d, du, own.solution, n, memory), "gtsv2");
                     }});
    }
  }
  return all;
}

template <class T>
void compare_solvers(benchmark::State& state, std::string const& name, batch const& of) {
  static buffer mine_memory, peer_memory;
  auto const items = of.n * of.systems;
  auto* const first = mine_memory.get<T>(5 * items);
  arrays<T> const mine{first, first + items, first + 2 * items, first + 3 * items, first + 4 * items};
  fill(mine.lower, items, random_coefficient<T>{1, 0}, seed());
  fill(mine.diagonal, items, random_coefficient<T>{2, 5}, seed());
  fill(mine.upper, items, random_coefficient<T>{3, 0}, seed());
  fill(mine.right, items, random_coefficient<T>{4, 0}, seed());
  auto const system =
      sweep::tridiagonal(mine.lower, mine.diagonal, mine.upper, mine.right, mine.solution, of.n);
  auto const systems = of.interleaved ? system.interleaved(of.systems) : system.batch(of.systems);
  auto const pivoting = [=](std::int64_t) { sweep::tridiagonal_solve(sweep::device.on(stream()), systems); };
  auto const plain = [=](std::int64_t) {
    sweep::tridiagonal_solve(sweep::device.on(stream()).with(sweep::variant::no_pivoting), systems);
  };
  auto* const largest = memory().verdict.get<unsigned>(1);
  for (auto const& solve :
       {std::function<void(std::int64_t)>(pivoting), std::function<void(std::int64_t)>(plain)}) {
    bench::check(cudaMemsetAsync(mine.solution, 0xff, static_cast<std::size_t>(items) * sizeof(T), stream()),
                 "memset");
    bench::check(cudaMemsetAsync(largest, 0, sizeof *largest, stream()), "memset");
    solve(0);
    residual_kernel<<<1056, 256, 0, stream()>>>(mine, of.n, of.systems, of.interleaved ? of.systems : 1,
                                                of.interleaved ? 1 : of.n, largest);
    float off = 0;
    bench::check(cudaMemcpyAsync(&off, largest, sizeof off, cudaMemcpyDeviceToHost, stream()), "copy");
    wait();
    if (!(off <= (std::is_same_v<T, double> ? 1e-13f : 1e-5f)))
      return fail(state, name, "a residual of " + std::to_string(off));
  }
  std::vector<contender> all{{"sweep", pivoting}, {"no_pivoting", plain, true}};
  if (items <= std::int64_t{1} << 27) {  // cuSPARSE asks for more memory than there is for twice as many
    auto* const theirs = peer_memory.get<T>(4 * items);
    bench::check(cudaMemcpyAsync(theirs, first, static_cast<std::size_t>(4 * items) * sizeof(T),
                                 cudaMemcpyDeviceToDevice, stream()),
                 "cudaMemcpyAsync");
    for (auto& peer :
         peers_of<T>(of, {theirs, theirs + items, theirs + 2 * items, nullptr, theirs + 3 * items}))
      all.push_back(peer);
  }
  auto const bytes = 5.0 * static_cast<double>(items) * sizeof(T);
  compare(state,
          {.name = name, .items = items, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = all});
}

template <class T>
void add(std::string const& type, batch const& of) {
  auto const name = "tridiagonal/" + type + (of.interleaved ? "/interleaved_" : "/batch_") +
                    std::to_string(of.systems) + "/" + std::to_string(of.n);
  add_case(name, [=](benchmark::State& state, std::string const& case_name) {
    compare_solvers<T>(state, case_name, of);
  });
}

void add_cases() {
  for (batch const& of : {batch{512, 512, false},
                          {1024, 16384, false},
                          {64, 262144, false},
                          {1 << 20, 16, false},
                          {8192, 2048, false},
                          {1 << 20, 1, false},
                          {1 << 25, 1, false},
                          {64, 1 << 20, true},
                          {1024, 1 << 16, true}})
    add<float>("f32", of);
  for (batch const& of : {batch{512, 512, false},
                          {1024, 8192, false},
                          {1 << 20, 8, false},
                          {1 << 24, 1, false},
                          {64, 1 << 19, true},
                          {1024, 1 << 15, true}}) {
    add<double>("f64", of);
    add<cuda::std::complex<float>>("complex_f32", of);
  }
  for (int const exponent : {27, 28}) add<float>("f32", {std::int64_t{1} << exponent, 1, false});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
