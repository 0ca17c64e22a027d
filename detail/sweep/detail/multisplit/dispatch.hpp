// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_DISPATCH_HPP
#define SWEEP_DETAIL_MULTISPLIT_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/multisplit/host.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/multisplit/device.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// i where item i has no part, or else n.
template <class In, class BucketOf>
struct item_without_part {
  In in;
  mutable BucketOf bucket_of;
  std::int64_t parts, n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    auto const part = static_cast<std::int64_t>(bucket_of(static_cast<value_of<In>>(in[i])));
    return part < 0 || part >= parts ? i : n;
  }
};

/// What a function of items gives, as items.
template <class In, class BucketOf>
struct part_of_item {
  In in;
  mutable BucketOf bucket_of;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(bucket_of(static_cast<value_of<In>>(in[i])));
  }
};

/// Whether a function gives the parts of items; one line where it does not.
template <class BucketOf, class Item>
SWEEP_HD constexpr bool require_buckets() {
  if constexpr (!std::is_invocable_v<BucketOf&, Item>) {
    static_assert(std::is_invocable_v<BucketOf&, Item>,
                  "sweep: bucket_of cannot be called with an item (with a key, where there are values)");
    return false;
  } else if constexpr (hides_result<BucketOf>()) {
    return true;
  } else {
    using part = std::decay_t<std::invoke_result_t<BucketOf&, Item>>;
    constexpr bool fits = std::is_integral_v<part> || std::is_enum_v<part>;
    static_assert(fits, "sweep: bucket_of must return an integer, which says the part of an item");
    return fits;
  }
}

SWEEP_HD inline void require_parts(char const* call, std::int64_t parts) {
  if (parts < 1 || parts > most_parts)
    refuse_argument(call, "parts", "is ", parts, ", but there may be 1 to ", most_parts);
}

/// Where there are no items, every part begins at 0.
template <class Problem>
struct write_no_offset {
  Problem problem;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t part) const { problem.write_offset(part, 0); }
};

/// From a public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Offsets,
          class BucketOf>
SWEEP_HD void multisplit_to(char const* call, Policy const& given, Keys first, Keys last, Values values,
                            KeysOut keys_out, ValuesOut values_out, Offsets offsets, std::int64_t parts,
                            BucketOf bucket_of) {
  constexpr bool by_key = !std::is_same_v<Values, keys_alone>;
  auto const target = resolve<no_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, BucketOf, Keys, KeysOut>();
  auto const n = by_key ? checked_distance(call, first, last, "keys_last", "keys_first")
                        : checked_distance(call, first, last);
  require_parts(call, parts);
  auto const unwrap = [](auto const& it) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(it)>, keys_alone>) return keys_alone{};
    else return unwrapped(it);
  };
  using bucket = decltype(device_functor(bucket_of));
  if constexpr (callable && require_buckets<bucket, value_of<Keys>>() &&
                require_becomes<KeysOut, value_of<Keys>>()) {
    multisplit_problem<unwrapped_t<Keys>, decltype(unwrap(values)), unwrapped_t<KeysOut>,
                       decltype(unwrap(values_out)), unwrapped_t<Offsets>, bucket> const problem{
        unwrapped(first),
        unwrap(values),
        unwrapped(keys_out),
        unwrap(values_out),
        unwrapped(offsets),
        n,
        parts,
        device_functor(bucket_of)};
    require_range(target.policy, call, "offsets", problem.offsets);
    if constexpr (requires { problem.bucket_of.splitters_first; })
      if (problem.bucket_of.count > 0)
        require_range(target.policy, call, "splitters", problem.bucket_of.splitters_first);
    if (n > 0) {
      require_range(target.policy, call, by_key ? "keys_first" : "first", problem.keys);
      require_range(target.policy, call, by_key ? "keys_out" : "out", problem.keys_out);
      if constexpr (by_key) {
        require_range(target.policy, call, "values_first", problem.values);
        require_range(target.policy, call, "values_out", problem.values_out);
      }
      if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
        using in = unwrapped_t<Keys>;
        auto const plain = without_tags(target.policy);
        auto const bad =
            fold_of(plain, call, item_without_part<in, bucket>{problem.keys, problem.bucket_of, parts, n}, n,
                    n, lesser{});
        if (bad < n) {
          using part_reader = reader<std::int64_t, part_of_item<in, bucket>>;
          refuse_argument(call, "bucket_of", "gives the part ",
                          value_at(plain, call, part_reader{{problem.keys, problem.bucket_of}}, bad).c_str(),
                          " for the item at index ", bad, ", but there are ", parts);
        }
      }
    }
    if (n > 0) run_multisplit(target.policy, call, problem);
    else
      for_each_index(without_tags(target.policy), call, parts + 1,
                     write_no_offset<std::remove_const_t<decltype(problem)>>{problem});
  }
  finish(call, target);
}

SWEEP_END_LOOPS

#if defined(__CUDACC__)
/// Values of the device's memory, on the host.
template <class T, class Source, class... Tags>
void bring_to_host(device_policy<Source, Tags...> const& policy, char const* call, T const* from,
                   std::vector<T>& to) {
  check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost, policy.stream()),
        call, "cudaMemcpyAsync");
  check(cudaStreamSynchronize(policy.stream()), call, "cudaStreamSynchronize");
}
#endif

/// The same where the offsets are returned.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class BucketOf>
std::vector<std::int64_t> multisplit_counted(char const* call, Policy const& given, Keys first, Keys last,
                                             Values values, KeysOut keys_out, ValuesOut values_out,
                                             std::int64_t parts, BucketOf bucket_of) {
  require_parts(call, parts);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(parts + 1));
  auto const target = resolve<no_options>(given);
  using resolved_policy = std::remove_cvref_t<decltype(target.policy)>;
  if constexpr (on_host<resolved_policy>) {
    multisplit_to(call, given, first, last, values, keys_out, values_out, offsets.data(), parts, bucket_of);
  } else {
#if defined(__CUDACC__)
    with_memory<std::int64_t>(target.policy, call, parts + 1, [&](auto const& rest, std::int64_t* memory) {
      multisplit_to(call, rest, first, last, values, keys_out, values_out, memory, parts, bucket_of);
      bring_to_host(rest, call, memory, offsets);
    });
#endif
  }
  return offsets;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
