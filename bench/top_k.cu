// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/segmented_top_k.hpp>
#include <sweep/top_k.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#endif
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cuda/iterator>
#endif

/// bench_top_k: selections from a range and from rows, against CUB's, which promise neither an order of their
/// results nor the same ones on every run, against a sort of everything, and one read of the input.

namespace bench {
namespace {

enum class values { uniform, few };

template <class T>
void fill_keys(T* in, std::int64_t n, values how) {
  bool const few = how == values::few;
  fill(
      in, n,
      [few] __host__ __device__(std::uint64_t input_seed, std::int64_t i) {
        auto const bits = elements::random_bits(input_seed, i);
        if constexpr (std::is_floating_point_v<T>)
          return static_cast<T>(static_cast<double>(few ? bits % 16 : bits >> 11) * 0x1p-53);
        else return static_cast<T>(few ? bits % 16 : bits >> (64 - 8 * sizeof(T)));
      },
      seed());
}

template <class T>
void select(benchmark::State& state, std::string const& name, std::int64_t n, std::int64_t k, values how) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  fill_keys(in, n, how);
  auto const mine = [=](std::int64_t) { sweep::top_k(sweep::device.on(stream()), in, in + n, k, out); };
  auto const sort = with_scratch([=](void* scratch, std::size_t& size) {
    check(cub::DeviceRadixSort::SortKeysDescending(scratch, size, in, expected, n, 0,
                                                   static_cast<int>(sizeof(T)) * 8, stream()),
          "cub::DeviceRadixSort::SortKeysDescending");
  });
  mine(0);
  sort(0);
  wait();
  if (auto const why = differences(out, expected, k); !why.empty())
    return fail(state, name, "against a sort: " + why);
  auto const bytes = static_cast<double>(n) * sizeof(T);
  std::vector<contender> all{{"sweep", mine}};
#if __has_include(<cub/device/device_topk.cuh>)
  auto const loose = with_scratch([=](void* scratch, std::size_t& size) {
    auto const requirements = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                       cuda::execution::output_ordering::unsorted);
    auto const on = cuda::std::execution::env{cuda::stream_ref{stream()}, requirements};
    check(cub::DeviceTopK::MaxKeys(scratch, size, in, expected, n, k, on), "cub::DeviceTopK::MaxKeys");
  });
  all.push_back({cccl_peer("cub_any_order"), loose});
#endif
  all.push_back({cccl_peer("cub_sort"), sort});
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = all});
}

template <class T>
void nth(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  fill_keys(in, n, values::uniform);
  auto const at = n / 3;
  auto const bytes = static_cast<double>(n) * 2 * sizeof(T);
  auto const mine = [=](std::int64_t) {
    copy_bytes(out, in, bytes);
    sweep::nth_element(sweep::device.on(stream()), out, out + at, out + n);
  };
  auto const sort = with_scratch([=](void* scratch, std::size_t& size) {
    check(cub::DeviceRadixSort::SortKeys(scratch, size, in, expected, n, 0, static_cast<int>(sizeof(T)) * 8,
                                         stream()),
          "cub::DeviceRadixSort::SortKeys");
  });
  mine(0);
  sort(0);
  wait();
  if (auto const why = differences(out + at, expected + at, 1); !why.empty())
    return fail(state, name, "against a sort: " + why);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub_sort"), sort}}});
}

/// A block for each row: whether its k results are its k greatest items, in order, the first ones first.
__global__ void look_at_rows(float const* in, float const* out, std::int32_t const* indices, int length,
                             int k, unsigned long long* wrong) {
  auto const row = std::int64_t{blockIdx.x};
  in += row * length, out += row * k, indices += row * k;
  auto const t = static_cast<int>(threadIdx.x);
  bool bad = false;
  for (int j = t; j < k; j += static_cast<int>(blockDim.x)) {
    auto const at = indices[j];
    bad = bad || at < 0 || at >= length || in[at] != out[j];
    if (j > 0) bad = bad || out[j - 1] < out[j] || (out[j - 1] == out[j] && indices[j - 1] >= at);
  }
  int before = 0;  // items that belong before the last result
  for (int i = t; i < length; i += static_cast<int>(blockDim.x))
    before += in[i] > out[k - 1] || (in[i] == out[k - 1] && i < indices[k - 1]) ? 1 : 0;
  __shared__ int all;
  if (t == 0) all = 0;
  __syncthreads();
  atomicAdd(&all, before);
  if (__syncthreads_or(bad) || (t == 0 && all != k - 1)) atomicAdd(wrong, 1ull);
}
std::string wrong_rows(float const* in, float const* out, std::int32_t const* indices, std::int64_t rows,
                       int length, int k) {
  auto* const wrong = memory().verdict.get<unsigned long long>(2);
  check(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream()), "cudaMemsetAsync");
  look_at_rows<<<static_cast<unsigned>(rows), 128, 0, stream()>>>(in, out, indices, length, k, wrong);
  unsigned long long count = 0;
  check(cudaMemcpyAsync(&count, wrong, sizeof count, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  wait();
  return count == 0 ? "" : "rows are wrong";
}

/// Rows of `Length` items, and where their k results stand.
template <int Length, int K>
void select_in_rows(benchmark::State& state, std::string const& name, std::int64_t n) {
  using T = float;
  auto* const in = memory().input.get<T>(n);
  auto const rows = n / Length;
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  static buffer of_indices, of_peer;
  auto* const indices = of_indices.get<std::int32_t>(2 * rows * K);
  auto* const expected_indices = indices + rows * K;
  fill_keys(in, n, values::uniform);
  auto const bytes = static_cast<double>(n) * sizeof(T);
  auto const mine = [=](std::int64_t) {
    sweep::segmented_top_k_with_indices(sweep::device.on(stream()), in, in + n,
                                        sweep::segments::by_rows(rows, Length), K, out, indices);
  };
  std::vector<contender> all{{"sweep", mine}};
#if __has_include(<cub/device/device_batched_topk.cuh>)
  std::size_t size = 0;
  auto const peer = [=](void* scratch, std::size_t& wanted) {
    auto const requirements = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                       cuda::execution::tie_break::unspecified,
                                                       cuda::execution::output_ordering::unsorted);
    auto const on = cuda::std::execution::env{cuda::stream_ref{stream()}, requirements};
    check(cub::DeviceBatchedTopK::MaxPairs(
              scratch, wanted, cuda::make_strided_iterator(cuda::make_counting_iterator(in), Length),
              cuda::make_strided_iterator(cuda::make_counting_iterator(expected), K),
              cuda::make_constant_iterator(cuda::make_counting_iterator(std::int32_t{0})),
              cuda::make_strided_iterator(cuda::make_counting_iterator(expected_indices), K),
              cuda::args::constant<Length>{}, cuda::args::constant<K>{}, rows, on),
          "cub::DeviceBatchedTopK::MaxPairs");
  };
  peer(nullptr, size);
  void* const memory_of_peer = of_peer.get<std::byte>(static_cast<std::int64_t>(size) + 1);
  all.push_back({cccl_peer("cub_any_order"), [=](std::int64_t) {
                   auto same = size;
                   peer(memory_of_peer, same);
                 }});
#endif
  mine(0);
  wait();
  if (auto const why = wrong_rows(in, out, indices, rows, Length, K); !why.empty())
    return fail(state, name, why);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(expected, in, bytes); }},
                  .contenders = all});
}

template <class T>
void add_select(std::string const& type, values how, std::vector<int> const& powers,
                std::vector<int> const& ks) {
  for (int const power_of_n : powers)
    for (int const k : ks)
      if (k + 3 <= power_of_n)
        add_case(case_name("top_k/" + std::string(how == values::few ? "few/" : "keys/") + type + "/k_2^" +
                               std::to_string(k),
                           power(power_of_n)),
                 [=](benchmark::State& state, std::string const& name) {
                   select<T>(state, name, power(power_of_n), power(k), how);
                 });
}
template <int Length, int K>
void add_rows() {
  add_case(case_name("top_k/rows_" + std::to_string(Length) + "/f32/k_" + std::to_string(K), power(28)),
           [](benchmark::State& state, std::string const& name) {
             select_in_rows<Length, K>(state, name, power(28));
           });
}

void add_cases() {
  add_select<float>("f32", values::uniform, {16, 20, 24, 28}, {5, 10, 16, 20});
  add_select<float>("f32", values::few, {28}, {10});
  add_select<std::uint8_t>("u8", values::uniform, {28}, {10});
  add_select<std::uint32_t>("u32", values::uniform, {28}, {10});
  add_select<double>("f64", values::uniform, {27}, {10});
  add_case(case_name("top_k/nth_element/f32/third", power(28)),
           [](benchmark::State& state, std::string const& name) { nth<float>(state, name, power(28)); });
  add_rows<256, 8>();
  add_rows<1024, 8>();
  add_rows<1024, 32>();
  add_rows<1024, 128>();
  add_rows<8192, 32>();
  add_rows<8192, 256>();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
