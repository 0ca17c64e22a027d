// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>

#include <algorithm>
#include <cstring>
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
#include <thrust/copy.h>
#include <thrust/partition.h>
#endif

namespace bench::host {
namespace {

constexpr std::int64_t items = std::int64_t{1} << 26;

struct is_kept {
  bool operator()(std::int32_t x) const { return (x & 1) != 0; }
};

bool starts_alike(std::byte const* got, std::byte const* want, std::int64_t written) {
  return std::memcmp(got, want, static_cast<std::size_t>(written) * 4) == 0;
}

work copy_if_work() {
  auto const x = made<std::int32_t>(items, bits);
  auto const y = made<std::int32_t>(items, [](std::int64_t) { return 0; });
  work w{items, 1.5 * double(items) * 4};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = 4 * items;
  w.agrees = starts_alike;
  w.keep.push_back(x);
  w.keep.push_back(y);
  w.contenders = [in = static_cast<std::int32_t const*>(x.get()), out = y.get()](int threads) {
    std::int32_t const* const end = in + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     std::int64_t to = 0;
                     for (std::int64_t i = 0; i < items; ++i) {
                       out[to] = in[i];
                       to += is_kept{}(in[i]);
                     }
                     return to;
                   }});
    all.push_back({"sweep", [=] {
                     return sweep::copy_if(sweep::host.threads(threads), in, end, out, is_kept{}) - out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::copy_if(par)",
                   [=] { return std::copy_if(std::execution::par, in, end, out, is_kept{}) - out; }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back(
        {thrust_name, [=] { return thrust::copy_if(thrust::omp::par, in, end, out, is_kept{}) - out; }});
#endif
    return all;
  };
  return w;
}

work partition_work() {
  auto const x = made<std::int32_t>(items, bits);
  auto const y = made<std::int32_t>(2 * items, [](std::int64_t) { return 0; });
  work w{items, 2.0 * double(items) * 4};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = 8 * items;
  w.agrees = [](std::byte const* got, std::byte const* want, std::int64_t written) {
    return starts_alike(got, want, written) &&
           starts_alike(got + 4 * items, want + 4 * items, items - written);
  };
  w.keep.push_back(x);
  w.keep.push_back(y);
  w.contenders = [in = static_cast<std::int32_t const*>(x.get()), out = y.get()](int threads) {
    std::int32_t const* const end = in + items;
    auto* const rest = out + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     std::int64_t to = 0, other = 0;
                     for (std::int64_t i = 0; i < items; ++i) {
                       bool const kept = is_kept{}(in[i]);
                       out[to] = in[i];
                       rest[other] = in[i];
                       to += kept;
                       other += !kept;
                     }
                     return to;
                   }});
    all.push_back(
        {"sweep", [=] {
           return sweep::partition_copy(sweep::host.threads(threads), in, end, out, rest, is_kept{}).first -
                  out;
         }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::partition_copy(par)", [=] {
                     return std::partition_copy(std::execution::par, in, end, out, rest, is_kept{}).first -
                            out;
                   }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back({thrust_name, [=] {
                     return thrust::partition_copy(thrust::omp::par, in, end, out, rest, is_kept{}).first -
                            out;
                   }});
#endif
    return all;
  };
  return w;
}

}  // namespace

void add_selections() {
  add("copy_if/half/i32", items, copy_if_work);
  add("partition_copy/half/i32", items, partition_work);
}

}  // namespace bench::host
