// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_CALL_FORM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_CALL_FORM_LAWS_HPP

#include <support/random.hpp>

#include <sweep/sweep.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// A law for every form of a call: no policy, whole ranges, begin() with cend(). What each writes and returns
// is what the canonical form does on one thread.

namespace sweep_test {

/// The numbers of items that a result stands for: a value itself, an iterator how far it is from its output.
template <class Result, class... Outs>
std::vector<std::int64_t> told(Result const& result, Outs const&... outs) {
  if constexpr (std::is_arithmetic_v<Result>) {
    return {static_cast<std::int64_t>(result)};
  } else {
    auto const all = std::tie(outs...);
    if constexpr (requires { result.first; })
      return {result.first - std::get<0>(all).begin(), result.second - std::get<1>(all).begin()};
    else return {result - std::get<0>(all).begin()};
  }
}

template <class Vector, class T>
using vector_like = typename Vector::template of<T>;

/// call(policy, first, last, the other inputs, the outputs, extra...) in all its forms. World: vectors whose
/// iterators say where the work belongs; World::read(vector) is a std::vector.
template <class World, class Policy, class Call, class... In, class... Out, class... Extra>
void same_in_every_form(World, Policy const& policy, char const* name, Call call, std::tuple<In...> const& in,
                        std::tuple<Out...> const& out, Extra const&... extra) {
  CAPTURE(name);
  auto wanted = std::tuple(in, out);
  auto const want = std::apply(
      [&](auto& first, auto&... others) {
        return std::apply(
            [&](auto&... outs) {
              return told(
                  call(sweep::seq, first.begin(), first.end(), others.begin()..., outs.begin()..., extra...),
                  outs...);
            },
            std::get<1>(wanted));
      },
      std::get<0>(wanted));

  auto const check = [&](char const* form, auto run) {
    CAPTURE(form);
    std::apply(
        [&](auto const& from, auto const&... others_from) {
          std::apply(
              [&](auto const&... outs_from) {
                vector_like<World, typename std::decay_t<decltype(from)>::value_type> first(from.begin(),
                                                                                            from.end());
                std::tuple others{
                    vector_like<World, typename std::decay_t<decltype(others_from)>::value_type>(
                        others_from.begin(), others_from.end())...};
                std::tuple outs{vector_like<World, typename std::decay_t<decltype(outs_from)>::value_type>(
                    outs_from.begin(), outs_from.end())...};
                std::apply(
                    [&](auto&... other) {
                      std::apply(
                          [&](auto&... to) {
                            CHECK(told(run(first, std::tie(other...), std::tie(to...)), to...) == want);
                            CHECK(std::tuple(World::read(to)...) == std::get<1>(wanted));
                          },
                          outs);
                    },
                    others);
              },
              out);
        },
        in);
  };
  auto const with = [&](auto others, auto outs, auto f) {
    return std::apply(
        [&](auto&... other) { return std::apply([&](auto&... to) { return f(other..., to...); }, outs); },
        others);
  };
  check("no policy", [&](auto& first, auto others, auto outs) {
    return with(others, outs,
                [&](auto&... all) { return call(first.begin(), first.end(), all.begin()..., extra...); });
  });
  check("no policy, cbegin() and end(), ranges behind them", [&](auto& first, auto others, auto outs) {
    return with(others, outs,
                [&](auto&... all) { return call(first.cbegin(), first.end(), all..., extra...); });
  });
  check("no policy, ranges", [&](auto& first, auto others, auto outs) {
    return with(others, outs, [&](auto&... all) { return call(first, all..., extra...); });
  });
  check("ranges", [&](auto& first, auto others, auto outs) {
    return with(others, outs,
                [&](auto&... all) { return call(policy, std::as_const(first), all..., extra...); });
  });
  check("begin() and cend(), ranges behind them", [&](auto& first, auto others, auto outs) {
    auto own = policy;  // not const
    return with(others, outs,
                [&](auto&... all) { return call(own, first.begin(), first.cend(), all..., extra...); });
  });
}

/// The same for calls that work in place, on (first range, the others...); the items behind the end are left
/// out.
template <class World, class Policy, class Call, class... Items, class... Extra>
void same_in_place(World, Policy const& policy, char const* name, Call call,
                   std::tuple<Items...> const& items, Extra const&... extra) {
  CAPTURE(name);
  auto const check = [&](char const* form, auto run) {
    CAPTURE(form);
    auto want = items;
    auto const ends = std::apply(
        [&](auto& first, auto&... others) {
          return told(call(sweep::seq, first.begin(), first.end(), others.begin()..., extra...), first,
                      others...);
        },
        want);
    std::apply(
        [&](auto const&... from) {
          std::tuple own{vector_like<World, typename std::decay_t<decltype(from)>::value_type>(
              from.begin(), from.end())...};
          std::apply([&](auto&... all) { CHECK(told(run(all...), all...) == ends); }, own);
          auto got = std::apply([&](auto const&... all) { return std::tuple(World::read(all)...); }, own);
          auto const cut = [&](auto&... all) { (all.resize(static_cast<std::size_t>(ends[0])), ...); };
          std::apply(cut, got);
          std::apply(cut, want);
          CHECK(got == want);
        },
        items);
  };
  check("no policy", [&](auto& first, auto&... others) {
    return call(first.begin(), first.end(), others.begin()..., extra...);
  });
  check("no policy, begin() and cend()", [&](auto& first, auto&... others) {
    return call(first.begin(), first.cend(), others.begin()..., extra...);
  });
  check("no policy, ranges", [&](auto& first, auto&... others) { return call(first, others..., extra...); });
  check("ranges", [&](auto& first, auto&... others) { return call(policy, first, others..., extra...); });
}

struct is_even {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      bool
      operator()(int x) const {
    return x % 2 == 0;
  }
};
struct negated {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      int
      operator()(int x) const {
    return -x;
  }
};

/// Data of the calls.
struct form_data {
  std::vector<int> x, keys, flags, empty, other;
  explicit form_data(std::size_t n) : x(n), keys(n), flags(n), empty(n), other(n) {
    random_source random("call forms");
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<int>(random.between(-9, 9));
      keys[i] = static_cast<int>(i / 3);
      flags[i] = static_cast<int>(random.between(0, 1));
    }
  }
};

#define SWEEP_TEST_CALL(name) [](auto&&... all) { return sweep::name(std::forward<decltype(all)>(all)...); }

/// Calls of every shape; EveryName: all the names that have it.
template <bool EveryName, class World, class Policy>
void call_form_laws(World world, Policy const& policy, std::size_t n) {
  CAPTURE(n);
  form_data const d(n);
  std::tuple const in(d.x), out(d.empty);
  std::tuple const keyed(d.keys, d.x), stencilled(d.x, d.flags), outs(d.empty, d.other);
  std::plus<> const plus{};
  auto const back = sweep::backward;
  auto const same = [&](auto... all) { same_in_every_form(world, policy, all...); };
  auto const in_place = [&](auto... all) { same_in_place(world, policy, all...); };

  same("inclusive_scan", SWEEP_TEST_CALL(inclusive_scan), in, out);
  same("inclusive_scan, op", SWEEP_TEST_CALL(inclusive_scan), in, out, plus);
  same("inclusive_scan, op, init", SWEEP_TEST_CALL(inclusive_scan), in, out, plus, 7);
  same("inclusive_scan, init, op", SWEEP_TEST_CALL(inclusive_scan), in, out, 7, plus);
  same("exclusive_scan", SWEEP_TEST_CALL(exclusive_scan), in, out);
  same("exclusive_scan, init", SWEEP_TEST_CALL(exclusive_scan), in, out, 7);
  same("reduce", SWEEP_TEST_CALL(reduce), in, std::tuple());
  same("reduce, init, op", SWEEP_TEST_CALL(reduce), in, std::tuple(), 7, plus);
  same("inclusive_scan_by_key", SWEEP_TEST_CALL(inclusive_scan_by_key), keyed, out);
  same("reduce_by_key", SWEEP_TEST_CALL(reduce_by_key), keyed, outs);
  same("copy_if", SWEEP_TEST_CALL(copy_if), in, out, is_even{});
  same("copy_if, stencil", SWEEP_TEST_CALL(copy_if), stencilled, out, is_even{});
  same("partition_copy", SWEEP_TEST_CALL(partition_copy), in, outs, is_even{});
  same("adjacent_difference", SWEEP_TEST_CALL(adjacent_difference), in, out);
  in_place("remove_if", SWEEP_TEST_CALL(remove_if), in, is_even{});
  in_place("unique_by_key", SWEEP_TEST_CALL(unique_by_key), keyed);
  if constexpr (EveryName) {
    same("inclusive_scan, backward", SWEEP_TEST_CALL(inclusive_scan), in, out, back);
    same("inclusive_scan, op, backward", SWEEP_TEST_CALL(inclusive_scan), in, out, plus, back);
    same("exclusive_scan, init, op, backward", SWEEP_TEST_CALL(exclusive_scan), in, out, 7, plus, back);
    same("transform_inclusive_scan", SWEEP_TEST_CALL(transform_inclusive_scan), in, out, plus, negated{});
    same("transform_inclusive_scan, Thrust's order", SWEEP_TEST_CALL(transform_inclusive_scan), in, out,
         negated{}, plus);
    same("transform_exclusive_scan", SWEEP_TEST_CALL(transform_exclusive_scan), in, out, 7, plus, negated{});
    same("transform_exclusive_scan, Thrust's order", SWEEP_TEST_CALL(transform_exclusive_scan), in, out,
         negated{}, 7, plus);
    same("exclusive_scan_by_key", SWEEP_TEST_CALL(exclusive_scan_by_key), keyed, out);
    same("exclusive_scan_by_key, init, equal, op", SWEEP_TEST_CALL(exclusive_scan_by_key), keyed, out, 7,
         std::equal_to<>{}, plus);
    same("segmented_scan_by_key", SWEEP_TEST_CALL(segmented_scan_by_key), keyed, out, plus, back);
    same("transform_reduce", SWEEP_TEST_CALL(transform_reduce), in, std::tuple(), 7, plus, negated{});
    same("transform_reduce, Thrust's order", SWEEP_TEST_CALL(transform_reduce), in, std::tuple(), negated{},
         7, plus);
    same("transform_reduce, two ranges", SWEEP_TEST_CALL(transform_reduce), stencilled, std::tuple(), 7);
    same("reduce_by_key, equal, op", SWEEP_TEST_CALL(reduce_by_key), keyed, outs, std::equal_to<>{}, plus);
    same("pack", SWEEP_TEST_CALL(pack), stencilled, out);
    same("enumerate", SWEEP_TEST_CALL(enumerate), std::tuple(d.flags), out);
    same("remove_copy_if", SWEEP_TEST_CALL(remove_copy_if), in, out, is_even{});
    same("remove_copy_if, stencil", SWEEP_TEST_CALL(remove_copy_if), stencilled, out, is_even{});
    same("unique_copy", SWEEP_TEST_CALL(unique_copy), std::tuple(d.keys), out);
    same("unique_by_key_copy", SWEEP_TEST_CALL(unique_by_key_copy), keyed, outs);
    same("partition_copy, stencil", SWEEP_TEST_CALL(partition_copy), stencilled, outs, is_even{});
    same("stable_partition_copy", SWEEP_TEST_CALL(stable_partition_copy), in, outs, is_even{});
    same("distribute", SWEEP_TEST_CALL(distribute), in, out);
    in_place(
        "remove_if, stencil",
        [](auto&&... all) { return sweep::remove_if(std::forward<decltype(all)>(all)...); }, stencilled,
        is_even{});
    in_place("unique", SWEEP_TEST_CALL(unique), std::tuple(d.keys));
    in_place("stable_partition", SWEEP_TEST_CALL(stable_partition), in, is_even{});
    in_place("stable_partition, stencil", SWEEP_TEST_CALL(stable_partition), stencilled, is_even{});
  }
}
#undef SWEEP_TEST_CALL

}  // namespace sweep_test

#endif
