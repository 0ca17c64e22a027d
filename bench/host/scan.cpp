// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <functional>
#include <numeric>
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
#include <thrust/reduce.h>
#include <thrust/scan.h>
#endif

namespace bench::host {
namespace {

constexpr std::int64_t items = std::int64_t{1} << 26;

#if defined(SWEEP_BENCH_TBB)
template <class U, class T>
void tbb_scan(T const* in, U* out, std::int64_t n) {
  tbb::parallel_scan(
      tbb_range(0, n), U{},
      [=](tbb_range const& r, U sum, bool is_final) {
        for (auto i = r.begin(); i < r.end(); ++i) {
          sum += static_cast<U>(in[i]);
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      [](U left, U right) { return left + right; });
}
#endif

template <class T, class U>
work scan_work() {
  auto const x = made<T>(items, [](std::int64_t i) {
    if constexpr (sizeof(T) == 1) return bits(i) & 7u;
    else return static_cast<int>(bits(i) % 3) - 1;  // sums of floats are exact in any brackets
  });
  auto const y = made<U>(items, [](std::int64_t) { return 0; });
  work w{items, double(items) * (sizeof(T) + sizeof(U))};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(U) * items;
  w.keep.push_back(x);
  w.keep.push_back(y);
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     U sum{};
                     for (std::int64_t i = 0; i < items; ++i) out[i] = sum = static_cast<U>(sum + in[i]);
                     return items;
                   }});
    all.push_back({"sweep", [=] {
                     return sweep::inclusive_scan(sweep::host.threads(threads), in, end, out, std::plus<U>{},
                                                  U{}) -
                            out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::inclusive_scan(par)", [=] {
                     return std::inclusive_scan(std::execution::par, in, end, out, std::plus<U>{}, U{}) - out;
                   }});
    all.push_back({"tbb::parallel_scan" + tbb_version, [=] {
                     tbb_scan(in, out, items);
                     return items;
                   }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back({thrust_name, [=] {
                     return thrust::inclusive_scan(thrust::omp::par, in, end, out, U{}, thrust::plus<U>{}) -
                            out;
                   }});
#endif
    return all;
  };
  return w;
}

template <class T>
work reduce_work() {
  auto const x = made<T>(items, [](std::int64_t i) { return static_cast<int>(bits(i) % 3) - 1; });
  auto const y = made<T>(1, [](std::int64_t) { return 0; });
  work w{items, double(items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T);
  w.keep.push_back(x);
  w.keep.push_back(y);
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> all;
    auto const add = [&](std::string const& name, auto fold) {
      all.push_back({name, [=] {
                       *out = fold();
                       return std::int64_t{1};
                     }});
    };
    add("plain loop", [=] {
      T sum{};
      for (std::int64_t i = 0; i < items; ++i) sum += in[i];
      return sum;
    });
    add("sweep", [=] { return sweep::reduce(sweep::host.threads(threads), in, end, T{}); });
#if defined(SWEEP_BENCH_TBB)
    add("std::reduce(par)", [=] { return std::reduce(std::execution::par, in, end, T{}); });
    add("tbb::parallel_reduce" + tbb_version, [=] {
      return tbb::parallel_reduce(
          tbb_range(0, items), T{},
          [=](tbb_range const& r, T sum) {
            for (auto i = r.begin(); i < r.end(); ++i) sum += in[i];
            return sum;
          },
          std::plus<T>{});
    });
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    add(thrust_name, [=] { return thrust::reduce(thrust::omp::par, in, end, T{}); });
#endif
    return all;
  };
  return w;
}

}  // namespace

void add_scans() {
  add("scan/inclusive_sum/f32", items, scan_work<float, float>);
  add("scan/inclusive_sum/i32", items, scan_work<std::int32_t, std::int32_t>);
  add("scan/inclusive_sum/i64", items, scan_work<std::int64_t, std::int64_t>);
  add("scan/inclusive_sum/u8_to_u32", items, scan_work<std::uint8_t, std::uint32_t>);
  add("reduce/sum/f32", items, reduce_work<float>);
  add("reduce/sum/i32", items, reduce_work<std::int32_t>);
}

}  // namespace bench::host
