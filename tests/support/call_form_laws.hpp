// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_CALL_FORM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_CALL_FORM_LAWS_HPP

#include <support/random.hpp>

#include <sweep/sweep.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// A law for every form of a call: no policy, whole ranges, begin() with cend(). What each writes and returns
// is what the canonical form does on one thread.

namespace sweep_test {

template <std::size_t N>
using int_vectors = std::array<std::vector<int>, N>;

/// One call in all its forms, on N vectors. What forms share is compiled once for each N, not for each call.
/// World: vectors whose iterators say where the work belongs; World::read(vector) is a std::vector.
template <class World, std::size_t N>
class forms_of_call {
 public:
  using vector = typename World::template of<int>;

  /// Calls that work in place have their first output at 0.
  forms_of_call(char const* name, int_vectors<N> const& before, std::size_t first_output)
      : name_{name}, first_output_{first_output}, before_{before} {}

  std::array<vector, N> vectors() const {
    std::array<vector, N> all;
    for (std::size_t i = 0; i < N; ++i) all[i] = vector(before_[i].begin(), before_[i].end());
    return all;
  }
  /// The numbers of items that a result stands for: a value itself, an iterator how far it is from its
  /// output.
  template <class Result, class Vector>
  std::vector<std::int64_t> told(Result const& result, std::array<Vector, N>& all) const {
    auto const begin = [&](std::size_t nth) { return all[first_output_ + nth].begin(); };
    if constexpr (std::is_arithmetic_v<Result>) return {static_cast<std::int64_t>(result)};
    else if constexpr (requires { result.first; }) return {result.first - begin(0), result.second - begin(1)};
    else return {result - begin(0)};
  }
  /// What each form is to do.
  void want(std::vector<std::int64_t> const& numbers, int_vectors<N> const& after) {
    wanted_ = numbers;
    after_ = after;
  }
  /// What one does. Of calls that work in place the items behind the end are left out.
  void check(char const* form, std::vector<std::int64_t> const& numbers,
             std::array<vector, N> const& all) const {
    CAPTURE(name_);
    CAPTURE(form);
    CHECK(numbers == wanted_);
    for (std::size_t i = 0; i < N; ++i) {
      auto got = World::read(all[i]), wanted = after_[i];
      if (first_output_ == 0)
        for (auto* one : {&got, &wanted}) one->resize(static_cast<std::size_t>(wanted_[0]));
      CHECK(got == wanted);
    }
  }

 private:
  char const* name_;
  std::size_t first_output_;
  int_vectors<N> before_, after_;
  std::vector<std::int64_t> wanted_;
};

/// call(policy, first, last, the other inputs, the outputs, extra...) in all its forms.
template <class World, class Policy, class Call, std::size_t In, std::size_t Out, class... Extra>
void same_in_every_form(World, Policy const& policy, char const* name, Call call, int_vectors<In> const& in,
                        int_vectors<Out> const& out, Extra const&... extra) {
  int_vectors<In + Out> before;
  std::copy(in.begin(), in.end(), before.begin());
  std::copy(out.begin(), out.end(), before.begin() + In);
  forms_of_call<World, In + Out> forms(name, before, In);
  auto own = policy;  // not const
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    forms.want(
        forms.told(call(sweep::seq, before[0].begin(), before[0].end(), before[I + 1].begin()..., extra...),
                   before),
        before);
    auto const check = [&](char const* form, auto const& result, auto& all) {
      forms.check(form, forms.told(result, all), all);
    };
    auto x = forms.vectors();
    check("no policy", call(x[0].begin(), x[0].end(), x[I + 1].begin()..., extra...), x);
    x = forms.vectors();
    check("no policy, cbegin() and end(), ranges behind them",
          call(x[0].cbegin(), x[0].end(), x[I + 1]..., extra...), x);
    x = forms.vectors();
    check("no policy, ranges", call(x[0], x[I + 1]..., extra...), x);
    x = forms.vectors();
    check("ranges", call(policy, std::as_const(x[0]), x[I + 1]..., extra...), x);
    x = forms.vectors();
    check("begin() and cend(), ranges behind them",
          call(own, x[0].begin(), x[0].cend(), x[I + 1]..., extra...), x);
  }
  (std::make_index_sequence<In + Out - 1>());
}

/// The same for calls that work in place, on (first range, the others...).
template <class World, class Policy, class Call, std::size_t N, class... Extra>
void same_in_place(World, Policy const& policy, char const* name, Call call, int_vectors<N> const& items,
                   Extra const&... extra) {
  forms_of_call<World, N> forms(name, items, 0);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto after = items;
    auto const numbers = forms.told(
        call(sweep::seq, after[0].begin(), after[0].end(), after[I + 1].begin()..., extra...), after);
    forms.want(numbers, after);
    auto const check = [&](char const* form, auto const& result, auto& all) {
      forms.check(form, forms.told(result, all), all);
    };
    auto x = forms.vectors();
    check("no policy", call(x[0].begin(), x[0].end(), x[I + 1].begin()..., extra...), x);
    x = forms.vectors();
    check("no policy, begin() and cend()", call(x[0].begin(), x[0].cend(), x[I + 1].begin()..., extra...), x);
    x = forms.vectors();
    check("no policy, ranges", call(x[0], x[I + 1]..., extra...), x);
    x = forms.vectors();
    check("ranges", call(policy, x[0], x[I + 1]..., extra...), x);
  }
  (std::make_index_sequence<N - 1>());
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
  std::array const in{d.x}, out{d.empty}, only_keys{d.keys}, only_flags{d.flags};
  std::array const keyed{d.keys, d.x}, stencilled{d.x, d.flags}, outs{d.empty, d.other};
  int_vectors<0> const nothing{};
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
  same("reduce", SWEEP_TEST_CALL(reduce), in, nothing);
  same("reduce, init, op", SWEEP_TEST_CALL(reduce), in, nothing, 7, plus);
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
    same("transform_reduce", SWEEP_TEST_CALL(transform_reduce), in, nothing, 7, plus, negated{});
    same("transform_reduce, Thrust's order", SWEEP_TEST_CALL(transform_reduce), in, nothing, negated{}, 7,
         plus);
    same("transform_reduce, two ranges", SWEEP_TEST_CALL(transform_reduce), stencilled, nothing, 7);
    same("reduce_by_key, equal, op", SWEEP_TEST_CALL(reduce_by_key), keyed, outs, std::equal_to<>{}, plus);
    same("pack", SWEEP_TEST_CALL(pack), stencilled, out);
    same("enumerate", SWEEP_TEST_CALL(enumerate), only_flags, out);
    same("remove_copy_if", SWEEP_TEST_CALL(remove_copy_if), in, out, is_even{});
    same("remove_copy_if, stencil", SWEEP_TEST_CALL(remove_copy_if), stencilled, out, is_even{});
    same("unique_copy", SWEEP_TEST_CALL(unique_copy), only_keys, out);
    same("unique_by_key_copy", SWEEP_TEST_CALL(unique_by_key_copy), keyed, outs);
    same("partition_copy, stencil", SWEEP_TEST_CALL(partition_copy), stencilled, outs, is_even{});
    same("stable_partition_copy", SWEEP_TEST_CALL(stable_partition_copy), in, outs, is_even{});
    same("distribute", SWEEP_TEST_CALL(distribute), in, out);
    in_place(
        "remove_if, stencil",
        [](auto&&... all) { return sweep::remove_if(std::forward<decltype(all)>(all)...); }, stencilled,
        is_even{});
    in_place("unique", SWEEP_TEST_CALL(unique), only_keys);
    in_place("stable_partition", SWEEP_TEST_CALL(stable_partition), in, is_even{});
    in_place("stable_partition, stencil", SWEEP_TEST_CALL(stable_partition), stencilled, is_even{});
  }
}
#undef SWEEP_TEST_CALL

}  // namespace sweep_test

#endif
