// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/sort.hpp>

#include <algorithm>
#include <functional>
#include <type_traits>
#if defined(_OPENMP)
#include <parallel/algorithm>
#endif
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
#include <thrust/sort.h>
#endif

namespace bench::host {
namespace {

constexpr std::int64_t items = std::int64_t{1} << 24;

/// Sorted by its first half, of which the second is made, so that who is not stable gives the same.
struct entry {
  std::uint64_t key, rest;
  entry() = default;
  explicit entry(std::uint64_t x) : key{x}, rest{~x} {}
};
struct earlier {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_same_v<T, entry>) return a.key < b.key;
    else return a < b;
  }
};

enum class order { random, almost };  ///< almost: of sorted items one in a hundred is another

/// Everybody copies the input and sorts the copy.
template <class T, class Order, order Given = order::random>
work sort_work() {
  auto const x = made<T>(items, [](std::int64_t i) {
    if constexpr (Given == order::almost) return static_cast<double>(bits(i) % 100 ? i : bits(-i) % items);
    else if constexpr (std::is_floating_point_v<T>) return static_cast<double>(bits(i) >> 11) * 0x1p-53;
    else return bits(i);
  });
  auto const y = made<T>(items, [](std::int64_t) { return 0; });
  work w{items, 2.0 * double(items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * items;
  w.keep.push_back(x);
  w.keep.push_back(y);
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    auto const copied = [=](auto sort) {
      return [=] {
        in_parts(threads, items,
                 [=](std::int64_t first, std::int64_t end) { std::copy(in + first, in + end, out + first); });
        sort();
        return items;
      };
    };
    std::vector<contender> all;
    all.push_back({"std::sort", copied([=] { std::sort(out, out + items, earlier{}); })});
    all.push_back(
        {"sweep", copied([=] { sweep::sort(sweep::host.threads(threads), out, out + items, Order{}); })});
#if defined(SWEEP_BENCH_TBB)
    all.push_back(
        {"std::sort(par)", copied([=] { std::sort(std::execution::par, out, out + items, earlier{}); })});
#endif
#if defined(_OPENMP)
    all.push_back(
        {"__gnu_parallel::sort", copied([=] { __gnu_parallel::sort(out, out + items, earlier{}); })});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back(
        {thrust_name, copied([=] { thrust::sort(thrust::omp::par, out, out + items, earlier{}); })});
#endif
    return all;
  };
  return w;
}

}  // namespace

void add_sorts() {
  add("sort/keys/u32", items, sort_work<std::uint32_t, std::less<>>);
  add("sort/keys/f64", items, sort_work<double, std::less<>>);
  add("sort/keys/f64/almost_sorted", items, sort_work<double, std::less<>, order::almost>);
  add("sort/comparison/16_bytes", items, sort_work<entry, earlier>);
}

}  // namespace bench::host
