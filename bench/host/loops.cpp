// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/adjacent_difference.hpp>
#include <sweep/extrema.hpp>
#include <sweep/merge.hpp>

#include <algorithm>
#include <numeric>
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#endif

/// What is one loop of the standard library, and small enough to fit a core's caches too: there a call's own
/// work is seen, not memory's.

namespace bench::host {
namespace {

template <class T>
struct input_and_output {
  std::shared_ptr<T[]> in, out;

  work as_work(std::int64_t items, double bytes, std::int64_t written) const {
    work w{items, bytes};
    w.out = reinterpret_cast<std::byte*>(out.get());
    w.out_bytes = sizeof(T) * static_cast<std::size_t>(written);
    w.keep.push_back(in);
    w.keep.push_back(out);
    return w;
  }
};

template <class T, int Log>
work adjacent_difference_work() {
  constexpr auto items = std::int64_t{1} << Log;
  input_and_output<T> const all{made<T>(items, [](std::int64_t i) { return bits(i) >> 33; }),
                                made<T>(items, [](std::int64_t) { return 0; })};
  auto w = all.as_work(items, 2.0 * double(items) * sizeof(T), items);
  w.contenders = [in = static_cast<T const*>(all.in.get()), out = all.out.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> who;
    who.push_back({"std::adjacent_difference", [=] { return std::adjacent_difference(in, end, out) - out; }});
    who.push_back({"sweep", [=] {
                     return sweep::adjacent_difference(sweep::host.threads(threads), in, end, out) - out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    who.push_back({"std::adjacent_difference(par)",
                   [=] { return std::adjacent_difference(std::execution::par, in, end, out) - out; }});
#endif
    return who;
  };
  return w;
}

/// The place is kept.
template <class T, int Log>
work min_element_work() {
  constexpr auto items = std::int64_t{1} << Log;
  auto const x = made<T>(items, bits);
  auto const place = made<std::int64_t>(1, [](std::int64_t) { return 0; });
  work w{items, double(items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(place.get());
  w.out_bytes = sizeof(std::int64_t);
  w.keep.push_back(x);
  w.keep.push_back(place);
  w.contenders = [in = static_cast<T const*>(x.get()), out = place.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> who;
    auto const add = [&](std::string const& name, auto find) {
      who.push_back({name, [=] {
                       *out = find() - in;
                       return std::int64_t{1};
                     }});
    };
    add("std::min_element", [=] { return std::min_element(in, end); });
    add("sweep", [=] { return sweep::min_element(sweep::host.threads(threads), in, end); });
#if defined(SWEEP_BENCH_TBB)
    add("std::min_element(par)", [=] { return std::min_element(std::execution::par, in, end); });
#endif
    return who;
  };
  return w;
}

template <class T, int Log>
work merge_work() {
  constexpr auto items = std::int64_t{1} << Log, half = items / 2;
  input_and_output<T> const all{made<T>(items, bits), made<T>(items, [](std::int64_t) { return 0; })};
  std::sort(all.in.get(), all.in.get() + half);
  std::sort(all.in.get() + half, all.in.get() + items);
  auto w = all.as_work(items, 2.0 * double(items) * sizeof(T), items);
  w.contenders = [in = static_cast<T const*>(all.in.get()), out = all.out.get()](int threads) {
    T const *const middle = in + half, *const end = in + items;
    std::vector<contender> who;
    who.push_back({"std::merge", [=] { return std::merge(in, middle, middle, end, out) - out; }});
    who.push_back({"sweep", [=] {
                     return sweep::merge(sweep::host.threads(threads), in, middle, middle, end, out) - out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    who.push_back({"std::merge(par)",
                   [=] { return std::merge(std::execution::par, in, middle, middle, end, out) - out; }});
#endif
    return who;
  };
  return w;
}

template <class T, int Log>
void add_loops(std::string const& type) {
  constexpr auto items = std::int64_t{1} << Log;
  add("adjacent_difference/" + type, items, adjacent_difference_work<T, Log>);
  add("min_element/" + type, items, min_element_work<T, Log>);
  add("merge/" + type, items, merge_work<T, Log>);
}

}  // namespace

void add_loops() {
  add_loops<std::int32_t, 16>("i32");
  add_loops<std::int32_t, 24>("i32");
  add_loops<std::int64_t, 16>("i64");
  add_loops<std::int64_t, 24>("i64");
}

}  // namespace bench::host
