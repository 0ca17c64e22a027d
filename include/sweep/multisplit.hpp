// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_MULTISPLIT_HPP
#define SWEEP_MULTISPLIT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/multisplit/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/// \file
/// Multisplits: one stable partition into many parts.

/// \defgroup multisplit Multisplit
/// `#include <sweep/multisplit.hpp>`: a stable partition into up to 65,536 parts. Any function of an item
/// says which part it goes to. Below x[i] is item i of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators; items are converted to the output's value type. On the device
///   items must be trivially copyable and default constructible.
/// - **bucket_of** is asked of an item more than once, and always answers the same. Its answer is an integer.
/// - **items without a part**, whose answer is negative or not less than parts, go to the last part. With
///   `.checked()` they are refused.
/// - **offsets**: part p stands at [offsets[p], offsets[p + 1]) of the output; offsets[parts] is n.
/// - **two forms**: what returns offsets waits for them on the device. The form that ends in `_into` writes
///   them, and never waits.
/// - **exceptions** of an iterator or a function on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup multisplit
/// @{

/// What splitters() makes: a function that gives the number of splitters that are not greater than an item.
///
/// \tparam It    where the splitters are
/// \tparam Comp  the order
template <class It, class Comp>
struct splitter_buckets {
  It splitters_first;  ///< the first of them
  std::int64_t count;  ///< how many
  mutable Comp comp;   ///< a caller's function need not be const

  /// The part of an item.
  ///
  /// \param x  the item
  /// \return   the number of splitters that are not greater than x
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t operator()(X const& x) const {
    std::int64_t low = 0;
    for (auto length = count; length > 0;) {
      auto const half = length / 2;
      if (!static_cast<bool>(comp(x, splitters_first[low + half]))) {
        low += half + 1;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    return low;
  }
};

/// Splitters as a function of items: the part of x is the number of splitters that are not greater than x. So
/// m splitters make m + 1 parts.
///
/// \param first,last  the splitters, which do not decrease; they are read while a call works
/// \param comp        comp(a, b): whether a comes before b; by default <
/// \return            a bucket_of, for host and device
template <detail::iterator_like It, class Comp = detail::less>
auto splitters(It first, It last, Comp comp = {}) {
  return splitter_buckets<detail::unwrapped_t<It>, decltype(detail::device_functor(comp))>{
      detail::unwrapped(first), detail::checked_distance("splitters", first, last),
      detail::device_functor(comp)};
}

/// Moves every item to its part: those of part 0 first, and in each part in their order.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param out         n items, part after part
/// \param parts       how many parts there are, 1 to 65,536
/// \param bucket_of   bucket_of(x): the part of an item, 0 to parts - 1
/// \return            parts + 1 offsets: part p is [out + offsets[p], out + offsets[p + 1])
///
/// \par Promises
/// - order: stable: a part has its items in their order.
/// - aliasing: out overlaps nothing else.
/// - waiting: for the offsets, which multisplit_into does not.
/// - determinism: always.
/// - complexity: up to 256 parts: each item is read twice and written once, and bucket_of asked twice; more
///   parts: twice as often, for there are two passes.
/// - scratch: on the device up to 1 MiB; with more than 256 parts 1.5 MiB and room for n items more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   parts that are not 1 to 65,536, offsets that are a range and have fewer than parts + 1 places, too
///   little scratch, with .checked() an item without a part and a pointer that the device cannot reach.
/// - source: chunks counted, then ranks by ballots (multisplit, Ashkiani et al. 2016; docs/multisplit.md).
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class Parts,
          detail::function_like BucketOf>
  requires(std::is_integral_v<Parts>)
std::vector<std::int64_t> multisplit(Policy const& policy, In first, In last, Out out, Parts parts,
                                     BucketOf bucket_of) {
  return detail::multisplit_counted("multisplit", policy, first, last, detail::keys_alone{}, out,
                                    detail::keys_alone{}, static_cast<std::int64_t>(parts), bucket_of);
}

/// multisplit that writes the offsets, and never waits: it can be captured in a graph. Other promises as
/// multisplit.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param out         n items, part after part
/// \param offsets     parts + 1 integers: part p is [out + offsets[p], out + offsets[p + 1])
/// \param parts       how many parts there are, 1 to 65,536
/// \param bucket_of   bucket_of(x): the part of an item, 0 to parts - 1
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Offsets, class Parts, detail::function_like BucketOf>
  requires(std::is_integral_v<Parts>)
SWEEP_HD Out multisplit_into(Policy const& policy, In first, In last, Out out, Offsets offsets, Parts parts,
                             BucketOf bucket_of) {
  detail::multisplit_to("multisplit_into", policy, first, last, detail::keys_alone{}, out,
                        detail::keys_alone{}, offsets, static_cast<std::int64_t>(parts), bucket_of);
  return out + static_cast<std::ptrdiff_t>(last - first);
}

/// Moves every key to its part, and its value with it. Other promises as multisplit.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              n keys, part after part
/// \param values_out            their values
/// \param parts                 how many parts there are, 1 to 65,536
/// \param bucket_of             bucket_of(key): the part of a key, 0 to parts - 1
/// \return                      parts + 1 offsets: part p is [out + offsets[p], out + offsets[p + 1])
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut, class Parts,
          detail::function_like BucketOf>
  requires(std::is_integral_v<Parts>)
std::vector<std::int64_t> multisplit_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                            Values values_first, KeysOut keys_out, ValuesOut values_out,
                                            Parts parts, BucketOf bucket_of) {
  return detail::multisplit_counted("multisplit_by_key", policy, keys_first, keys_last, values_first,
                                    keys_out, values_out, static_cast<std::int64_t>(parts), bucket_of);
}

/// multisplit_by_key that writes the offsets, and never waits: it can be captured in a graph. Other promises
/// as multisplit.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              n keys, part after part
/// \param values_out            their values
/// \param offsets               parts + 1 integers: part p is [out + offsets[p], out + offsets[p + 1])
/// \param parts                 how many parts there are, 1 to 65,536
/// \param bucket_of             bucket_of(key): the part of a key, 0 to parts - 1
/// \return                      keys_out and values_out, each + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::output_for<Policy> Offsets, class Parts, detail::function_like BucketOf>
  requires(std::is_integral_v<Parts>)
SWEEP_HD pair<KeysOut, ValuesOut> multisplit_by_key_into(Policy const& policy, Keys keys_first,
                                                         Keys keys_last, Values values_first,
                                                         KeysOut keys_out, ValuesOut values_out,
                                                         Offsets offsets, Parts parts, BucketOf bucket_of) {
  detail::multisplit_to("multisplit_by_key_into", policy, keys_first, keys_last, values_first, keys_out,
                        values_out, offsets, static_cast<std::int64_t>(parts), bucket_of);
  auto const n = static_cast<std::ptrdiff_t>(keys_last - keys_first);
  return {keys_out + n, values_out + n};
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto multisplit = [](auto const&... all) -> decltype(sweep::multisplit(all...)) {
  return sweep::multisplit(all...);
};
inline constexpr auto multisplit_into = [](auto const&... all) -> decltype(sweep::multisplit_into(all...)) {
  return sweep::multisplit_into(all...);
};
inline constexpr auto multisplit_by_key =
    [](auto const&... all) -> decltype(sweep::multisplit_by_key(all...)) {
  return sweep::multisplit_by_key(all...);
};
inline constexpr auto multisplit_by_key_into =
    [](auto const&... all) -> decltype(sweep::multisplit_by_key_into(all...)) {
  return sweep::multisplit_by_key_into(all...);
};

/// Outputs that are ranges have a place for each item, and offsets one for each part and one behind them.
inline constexpr auto has_offsets = [](auto const& input, auto& offsets, auto const& parts) {
  if (static_cast<std::int64_t>(parts) <= most_parts)
    input.require_room("offsets", offsets, static_cast<std::int64_t>(parts) + 1);
};
inline constexpr auto has_parts = [](auto const& input, auto& out, auto& offsets,
                                     std::integral auto const& parts, auto&...) {
  input.require_room("out", out, input.n);
  has_offsets(input, offsets, parts);
};
inline constexpr auto has_parts_by_key = [](auto const& input, auto& values, auto& keys_out, auto& values_out,
                                            auto& offsets, std::integral auto const& parts, auto&...) {
  input.require_room("values_first", values, input.n);
  input.require_room("keys_out", keys_out, input.n);
  input.require_room("values_out", values_out, input.n);
  has_offsets(input, offsets, parts);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto multisplit(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("multisplit", detail::canonical::multisplit, first, rest...);
}
template <class First, class... Rest>
auto multisplit_into(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2>("multisplit_into", detail::canonical::has_parts,
                                          detail::canonical::multisplit_into, first, rest...);
}
template <class First, class... Rest>
auto multisplit_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3>("multisplit_by_key", detail::canonical::multisplit_by_key, first,
                                        rest...);
}
template <class First, class... Rest>
auto multisplit_by_key_into(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<4>("multisplit_by_key_into", detail::canonical::has_parts_by_key,
                                          detail::canonical::multisplit_by_key_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
