// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_SIDES_HPP
#define SWEEP_DETAIL_RUNTIME_SIDES_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/segments.hpp>

#include <type_traits>
#include <vector>

#if SWEEP_HAS_THRUST
THRUST_NAMESPACE_BEGIN
struct any_system_tag;
template <typename Iterator>
struct iterator_system;
THRUST_NAMESPACE_END
#endif

namespace sweep::inline SWEEP_ABI::detail {

// Where an argument says that the work belongs. Iterators that compute what they give (counting, constant,
// discard) do not say; raw pointers are the host's unless another iterator is the device's.
enum class side { unsaid, pointer, host, device };

template <class T>
constexpr side side_of() {
  if constexpr (std::is_pointer_v<T>) return side::pointer;
  else if constexpr (!is_iterator<T>) return side::unsaid;
#if SWEEP_HAS_THRUST
  // The trait is complete where Thrust's iterators are, and then knows every iterator.
  else if constexpr (requires { typename thrust::iterator_system<T>::type; }) {
    using system = typename thrust::iterator_system<T>::type;
    if constexpr (std::is_same_v<system, thrust::any_system_tag>) return side::unsaid;
    else if constexpr (std::is_base_of_v<thrust::cuda_cub::execution_policy<system>, system>)
      return side::device;
    else return side::host;
  }
#endif
  else
    return side::host;
}
template <class T>
inline constexpr side side_said = side_of<T>();
template <class It, class Eq>
inline constexpr side side_said<key_segments<It, Eq>> = side_of<It>();
template <class It>
inline constexpr side side_said<flag_segments<It>> = side_of<It>();
template <class It>
inline constexpr side side_said<bit_segments<It>> = side_of<It>();
template <class It>
inline constexpr side side_said<offset_segments<It>> = side_of<It>();
template <>
inline constexpr side side_said<offset_segments<row_offsets>> = side::unsaid;
template <class It>
inline constexpr side side_said<length_segments<It>> = side_of<It>();

/// Whether an iterator's memory is the device's alone: the host would read it as if it were its own.
template <class It>
constexpr bool is_device_memory() {
  if constexpr (std::is_pointer_v<It> || !is_iterator<It>) return false;
  else if constexpr (side_of<It>() == side::device &&
                     (std::is_pointer_v<unwrapped_t<It>> || is_reversed_contiguous<It>))
    return !std::is_reference_v<typename std::iterator_traits<It>::reference>;
  else return false;
}

/// Whether an iterator's memory is certainly the host's. Any other may be such as the device reaches.
template <class It>
constexpr bool is_host_memory() {
  if constexpr (std::is_class_v<It> && std::contiguous_iterator<It>)
    return std::is_same_v<It, typename std::vector<value_of<It>>::iterator> ||
           std::is_same_v<It, typename std::vector<value_of<It>>::const_iterator>;
  else return false;
}

/// What a policy is without what it says of calls.
template <class Policy>
using resolved_policy =
    std::remove_cvref_t<decltype(resolve<any_options>(std::declval<Policy const&>()).policy)>;
/// Whether a policy's work is done by the host.
template <class Policy>
inline constexpr bool runs_on_host = on_host<resolved_policy<Policy>>;

template <class It, class Policy>
constexpr bool can_reach() {
  if constexpr (runs_on_host<Policy>) return !is_device_memory<It>();
  else return !is_host_memory<It>();
}

// What the canonical forms of calls ask of iterators.

template <class It, class Policy>
concept iterator_for = iterator_like<It> && can_reach<It, Policy>();

/// Whether items share words, as those of a std::vector<bool>: no two threads may write neighbours.
template <class It>
constexpr bool shares_words() {
  if constexpr (is_iterator<It>)
    return std::is_same_v<typename std::iterator_traits<It>::reference, std::vector<bool>::reference>;
  else return false;
}
/// Whether one of these iterators may be written by a single thread alone, and a policy has several.
template <class Policy, class... Its>
inline constexpr bool need_one_writer = (shares_words<Its>() || ...) && runs_on_host<Policy> &&
                                        !std::is_same_v<resolved_policy<Policy>, seq_policy>;

template <class It, class Policy>
concept output_for = iterator_for<It, Policy> && !is_read_only<It>() && !need_one_writer<Policy, It>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
