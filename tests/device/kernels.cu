// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sweep::seq in kernels: a thread of every block works on a row of its own, and finds what the host's loop
// finds.
#include <support/device_places.hpp>
#include <support/random.hpp>

#include <sweep/sweep.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace sweep_test;

namespace {

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct affine {  // does not commute
  __host__ __device__ int operator()(int a, int b) const {
    return static_cast<int>(static_cast<unsigned>(a) * 3u + static_cast<unsigned>(b));
  }
};
struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};

constexpr int forms = 22;

/// Every form on one row: form k writes to out + k * n, and says in told[k] how much.
struct work_on_row {
  template <class Policy>
  __host__ __device__ void operator()(Policy const& policy, int const* x, int const* keys, int n, int* out,
                                      int* told) const {
    int k = 0;
    auto const end = x + n;
    int* o = out;
    auto const next = [&](int* to) {
      told[k] = static_cast<int>(to - o);
      o = out + ++k * n;
    };
    next(sweep::inclusive_scan(policy, x, end, o));
    next(sweep::inclusive_scan(policy, x, end, o, affine{}, 5));
    next(sweep::inclusive_scan(policy, x, end, o, affine{}, sweep::backward));
    next(sweep::exclusive_scan(policy, x, end, o, 7, affine{}));
    next(sweep::transform_inclusive_scan(policy, x, end, o, affine{}, negated{}));
    next(sweep::transform_exclusive_scan(policy, x, end, o, 3, affine{}, negated{}));
    next(sweep::adjacent_difference(policy, x, end, o));
    next(sweep::adjacent_difference(policy, x, end, o, affine{}, sweep::backward));
    next(sweep::inclusive_scan_by_key(policy, keys, keys + n, x, o));
    next(sweep::exclusive_scan_by_key(policy, keys, keys + n, x, o, 9));
    next(sweep::segmented_inclusive_scan(policy, x, end, sweep::segments::by_head_flags(keys), o, affine{},
                                         sweep::backward));
    next(sweep::copy_if(policy, x, end, o, is_even{}));
    next(sweep::copy_if(policy, x, end, keys, o, is_even{}));
    next(sweep::remove_copy_if(policy, x, end, o, is_even{}));
    next(sweep::unique_copy(policy, keys, keys + n, o));
    next(sweep::partition_copy(policy, x, end, o, out + forms * n, is_even{}).first);
    next(sweep::enumerate(policy, keys, keys + n, o));
    next(sweep::reduce_into(policy, x, end, o, 4, affine{}));
    o[0] = sweep::reduce(policy, x, end, 4, affine{}) + sweep::reduce(policy, x, end);
    next(o + 1);
    o[0] = sweep::transform_reduce(policy, x, end, 4, affine{}, negated{});
    next(o + 1);
    for (int i = 0; i < n; ++i) o[i] = x[i];
    next(sweep::remove_if(policy, o, o + n, is_even{}));
    for (int i = 0; i < n; ++i) o[i] = keys[i];
    next(sweep::unique(policy, o, o + n));
  }
};

__global__ void work_on_rows(int const* x, int const* keys, int n, int* out, int* told) {
  auto const row = blockIdx.x;
  work_on_row{}(sweep::seq, x + row * n, keys + row * n, n, out + row * (forms + 1) * n, told + row * forms);
}

}  // namespace

TEST_CASE("device kernels: sweep::seq does in a thread what it does on the host") {
  random_source random("kernels");
  constexpr int rows = 37;
  for (int const n : {1, 2, 31, 200}) {
    CAPTURE(n);
    auto const all = static_cast<std::size_t>(rows * n), results = all * (forms + 1);
    std::vector<int> x(all), keys(all);
    for (auto& v : x) v = static_cast<int>(random.between(-50, 50));
    for (auto& v : keys) v = static_cast<int>(random.between(0, 1));
    std::vector<int> want(results, 77), told(rows * forms);
    for (int row = 0; row < rows; ++row)
      work_on_row{}(sweep::seq, x.data() + row * n, keys.data() + row * n, n,
                    want.data() + row * (forms + 1) * n, told.data() + row * forms);
    device_array<int> const on_device_x(x), on_device_keys(keys), got(std::vector<int>(results, 77)),
        got_told(std::vector<int>(told.size(), -1));
    work_on_rows<<<rows, 1>>>(on_device_x.begin(), on_device_keys.begin(), n, got.begin(), got_told.begin());
    succeed(cudaGetLastError());
    CHECK(got_told.read() == told);
    CHECK(got.read() == want);
  }
}
