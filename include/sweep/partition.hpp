// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PARTITION_HPP
#define SWEEP_PARTITION_HPP

#include <sweep/bits.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/scan/dispatch.hpp>

#include <utility>

/// \file
/// Compactions: the items that a predicate, a flag or their left neighbour selects, close together.
///
/// Common to all of them:
/// - **order**: every output keeps the input's order, that of rejected items too.
/// - **types**: any random-access iterators. A stencil is a range as long as the input, whose item i decides
///   about input item i; `sweep::bits(words)` is one of packed bits. A predicate is any host/device callable
///   whose result is convertible to bool; its answer may depend on its argument alone. On the device items
///   and stencil items must be trivially copyable and default constructible; a block holds at least 32 of
///   them in 48 KiB of shared memory.
/// - **aliasing**: outputs overlap neither the input nor each other, except where the call works in place. A
///   stencil may overlap the input.
/// - **waiting**: what returns a position from a count waits for it on the device. Each such call has a form
///   that ends in `_into`, writes the number of selected items through an iterator (which stands behind the
///   last output, before the predicate), returns the iterator behind what it has written, never waits, and
///   can be captured in a CUDA graph. A call that selects into three outputs writes two counts.
/// - **determinism**: the same items in the same places, always.
/// - **complexity**: the predicate is asked once for every item (three_kernel on the device and the host:
///   twice); each item is read once and written at most once; where a stencil decides, items whose
///   neighbourhood of 16 bytes is dropped are not read. stable_partition writes rejected items twice.
/// - **scratch**: some 16 bytes a tile (three ways: 33) from the policy's source, less than 1 % of the input
///   and 64 KiB unless a stencil is much wider than the items; stable_partition, and all calls in place with
///   three_kernel, need n items more.
/// - **errors**: bad_argument: last before first, a null pointer, scratch too small, with .checked() a
///   pointer that the device cannot reach. cuda_error: what CUDA reports.
/// - **source**: a count is scanned (Blelloch 1990); with variant::three_kernel in three kernels, as in the
///   lecture, else within one, by the look-back of the scans.

namespace sweep {

/// Copies the items that pred holds for. Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Pred>
Out copy_if(Policy const& policy, In first, In last, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "copy_if", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// Copies the items whose stencil item pred holds for.
template <detail::policy Policy, class In, class Stencil, class Out, class Pred>
Out copy_if(Policy const& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "copy_if", policy, first, last, stencil, detail::select_where(detail::device_functor(pred)),
      detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// copy_if that writes the number of copied items to *count. Returns count + 1.
template <detail::policy Policy, class In, class Out, class Count, class Pred>
Count copy_if_into(Policy const& policy, In first, In last, Out out, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "copy_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}
template <detail::policy Policy, class In, class Stencil, class Out, class Count, class Pred>
Count copy_if_into(Policy const& policy, In first, In last, Stencil stencil, Out out, Count count,
                   Pred pred) {
  detail::partition_to<detail::placement::out_of_place>("copy_if_into", policy, first, last, stencil,
                                                        detail::select_where(detail::device_functor(pred)),
                                                        detail::part_outputs{out}, count);
  return count + 1;
}

/// Copies the items whose flag, any type convertible to bool, is set. Returns the end of the output.
template <detail::policy Policy, class In, class Flags, class Out>
Out pack(Policy const& policy, In first, In last, Flags flags, Out out) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "pack", policy, first, last, flags, detail::select_where(detail::is_set{}), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// pack that writes the number of packed items to *count. Returns count + 1.
template <detail::policy Policy, class In, class Flags, class Out, class Count>
Count pack_into(Policy const& policy, In first, In last, Flags flags, Out out, Count count) {
  detail::partition_to<detail::placement::out_of_place>("pack_into", policy, first, last, flags,
                                                        detail::select_where(detail::is_set{}),
                                                        detail::part_outputs{out}, count);
  return count + 1;
}

/// out[i] = number of set flags before i: where pack would put item i. Returns the end of the output.
/// Never waits. Its variants and plans are those of scans.
template <detail::policy Policy, class Flags, class Out>
Out enumerate(Policy const& policy, Flags first, Flags last, Out out) {
  using written = detail::written_value<Out, std::int64_t>;
  using number = std::conditional_t<std::is_integral_v<written>, written, std::int64_t>;
  return detail::scan<detail::scan_kind::exclusive, forward_t>(
      "enumerate", policy, first, last, out, detail::plus{}, detail::set_as_one<number>{}, number{0});
}

/// Copies the items that pred does not hold for. Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Pred>
Out remove_copy_if(Policy const& policy, In first, In last, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "remove_copy_if", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// Copies the items whose stencil item pred does not hold for.
template <detail::policy Policy, class In, class Stencil, class Out, class Pred>
Out remove_copy_if(Policy const& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "remove_copy_if", policy, first, last, stencil, detail::select_where_not(detail::device_functor(pred)),
      detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// remove_copy_if that writes the number of copied items to *count. Returns count + 1.
template <detail::policy Policy, class In, class Out, class Count, class Pred>
Count remove_copy_if_into(Policy const& policy, In first, In last, Out out, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "remove_copy_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}
template <detail::policy Policy, class In, class Stencil, class Out, class Count, class Pred>
Count remove_copy_if_into(Policy const& policy, In first, In last, Stencil stencil, Out out, Count count,
                          Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "remove_copy_if_into", policy, first, last, stencil,
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}

/// Moves the items that pred does not hold for to the front. Returns the end of what is left; what stands
/// behind it is unspecified.
template <detail::policy Policy, class It, class Pred>
It remove_if(Policy const& policy, It first, It last, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "remove_if", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}
/// The same by a stencil, which stays as it is.
template <detail::policy Policy, class It, class Stencil, class Pred>
It remove_if(Policy const& policy, It first, It last, Stencil stencil, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "remove_if", policy, first, last, stencil, detail::select_where_not(detail::device_functor(pred)),
      detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}
/// remove_if that writes the number of items that are left to *count. Returns count + 1.
template <detail::policy Policy, class It, class Count, class Pred>
Count remove_if_into(Policy const& policy, It first, It last, Count count, Pred pred) {
  detail::partition_to<detail::placement::in_place>(
      "remove_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{first}, count);
  return count + 1;
}
template <detail::policy Policy, class It, class Stencil, class Count, class Pred>
Count remove_if_into(Policy const& policy, It first, It last, Stencil stencil, Count count, Pred pred) {
  detail::partition_to<detail::placement::in_place>("remove_if_into", policy, first, last, stencil,
                                                    detail::select_where_not(detail::device_functor(pred)),
                                                    detail::part_outputs{first}, count);
  return count + 1;
}

/// Copies the first item of every run of neighbours that are equal to each other. eq is an equivalence.
/// Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Eq = detail::equal_to>
Out unique_copy(Policy const& policy, In first, In last, Out out, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "unique_copy", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}
/// unique_copy that writes the number of runs to *count. Returns count + 1.
template <detail::policy Policy, class In, class Out, class Count, class Eq = detail::equal_to>
Count unique_copy_into(Policy const& policy, In first, In last, Out out, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::out_of_place>(
      "unique_copy_into", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out}, count);
  return count + 1;
}

/// Moves the first item of every run to the front. Returns the end of what is left; what stands behind it is
/// unspecified.
template <detail::policy Policy, class It, class Eq = detail::equal_to>
It unique(Policy const& policy, It first, It last, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "unique", policy, first, last, detail::no_stencil{}, detail::first_of_run{detail::device_functor(eq)},
      detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}
/// unique that writes the number of runs to *count. Returns count + 1.
template <detail::policy Policy, class It, class Count, class Eq = detail::equal_to>
Count unique_into(Policy const& policy, It first, It last, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::in_place>("unique_into", policy, first, last, detail::no_stencil{},
                                                    detail::first_of_run{detail::device_functor(eq)},
                                                    detail::part_outputs{first}, count);
  return count + 1;
}

/// Copies the first key of every run of equal keys, and its value. Returns the ends of both outputs.
template <detail::policy Policy, class Keys, class Values, class KeysOut, class ValuesOut,
          class Eq = detail::equal_to>
std::pair<KeysOut, ValuesOut> unique_by_key_copy(Policy const& policy, Keys keys_first, Keys keys_last,
                                                 Values values_first, KeysOut keys_out, ValuesOut values_out,
                                                 Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::out_of_place>(
      "unique_by_key_copy", policy, keys_first, keys_last, values_first, keys_out, values_out, eq);
  return {keys_out + count, values_out + count};
}
/// unique_by_key_copy that writes the number of runs to *count. Returns count + 1.
template <detail::policy Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Eq = detail::equal_to>
Count unique_by_key_copy_into(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                              KeysOut keys_out, ValuesOut values_out, Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::out_of_place>("unique_by_key_copy_into", policy, keys_first,
                                                           keys_last, values_first, keys_out, values_out,
                                                           count, eq);
  return count + 1;
}

/// Moves the first key of every run, and its value, to the front. Returns the ends of what is left.
template <detail::policy Policy, class Keys, class Values, class Eq = detail::equal_to>
std::pair<Keys, Values> unique_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                      Values values_first, Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::in_place>(
      "unique_by_key", policy, keys_first, keys_last, values_first, keys_first, values_first, eq);
  return {keys_first + count, values_first + count};
}
/// unique_by_key that writes the number of runs to *count. Returns count + 1.
template <detail::policy Policy, class Keys, class Values, class Count, class Eq = detail::equal_to>
Count unique_by_key_into(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                         Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::in_place>("unique_by_key_into", policy, keys_first, keys_last,
                                                       values_first, keys_first, values_first, count, eq);
  return count + 1;
}

/// Copies the items that pred holds for to one output and the others to another. Returns both ends.
template <detail::policy Policy, class In, class OutTrue, class OutFalse, class Pred>
std::pair<OutTrue, OutFalse> partition_copy(Policy const& policy, In first, In last, OutTrue out_true,
                                            OutFalse out_false, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "partition_copy", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
}
/// The same by a stencil.
template <detail::policy Policy, class In, class Stencil, class OutTrue, class OutFalse, class Pred>
std::pair<OutTrue, OutFalse> partition_copy(Policy const& policy, In first, In last, Stencil stencil,
                                            OutTrue out_true, OutFalse out_false, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "partition_copy", policy, first, last, stencil, detail::select_where(detail::device_functor(pred)),
      detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
}
/// partition_copy that writes the number of items that pred holds for to *count. Returns count + 1.
template <detail::policy Policy, class In, class OutTrue, class OutFalse, class Count, class Pred>
Count partition_copy_into(Policy const& policy, In first, In last, OutTrue out_true, OutFalse out_false,
                          Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false}, count);
  return count + 1;
}
template <detail::policy Policy, class In, class Stencil, class OutTrue, class OutFalse, class Count,
          class Pred>
Count partition_copy_into(Policy const& policy, In first, In last, Stencil stencil, OutTrue out_true,
                          OutFalse out_false, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>("partition_copy_into", policy, first, last, stencil,
                                                        detail::select_where(detail::device_functor(pred)),
                                                        detail::part_outputs{out_true, out_false}, count);
  return count + 1;
}

/// Thrust's name for partition_copy, which is stable here too.
template <detail::policy Policy, class In, class OutTrue, class OutFalse, class Pred>
std::pair<OutTrue, OutFalse> stable_partition_copy(Policy const& policy, In first, In last, OutTrue out_true,
                                                   OutFalse out_false, Pred pred) {
  return sweep::partition_copy(policy, first, last, out_true, out_false, pred);
}
template <detail::policy Policy, class In, class Stencil, class OutTrue, class OutFalse, class Pred>
std::pair<OutTrue, OutFalse> stable_partition_copy(Policy const& policy, In first, In last, Stencil stencil,
                                                   OutTrue out_true, OutFalse out_false, Pred pred) {
  return sweep::partition_copy(policy, first, last, stencil, out_true, out_false, pred);
}
template <detail::policy Policy, class In, class OutTrue, class OutFalse, class Count, class Pred>
Count stable_partition_copy_into(Policy const& policy, In first, In last, OutTrue out_true,
                                 OutFalse out_false, Count count, Pred pred) {
  return sweep::partition_copy_into(policy, first, last, out_true, out_false, count, pred);
}
template <detail::policy Policy, class In, class Stencil, class OutTrue, class OutFalse, class Count,
          class Pred>
Count stable_partition_copy_into(Policy const& policy, In first, In last, Stencil stencil, OutTrue out_true,
                                 OutFalse out_false, Count count, Pred pred) {
  return sweep::partition_copy_into(policy, first, last, stencil, out_true, out_false, count, pred);
}

/// Moves the items that pred holds for before the others. Returns the first of the others.
template <detail::policy Policy, class It, class Pred>
It stable_partition(Policy const& policy, It first, It last, Pred pred) {
  auto const all =
      detail::stable_partition_counts("stable_partition", policy, first, last, detail::no_stencil{},
                                      detail::select_where(detail::device_functor(pred)));
  return detail::end_of(first, all, 0);
}
/// The same by a stencil, which stays as it is.
template <detail::policy Policy, class It, class Stencil, class Pred>
It stable_partition(Policy const& policy, It first, It last, Stencil stencil, Pred pred) {
  auto const all = detail::stable_partition_counts("stable_partition", policy, first, last, stencil,
                                                   detail::select_where(detail::device_functor(pred)));
  return detail::end_of(first, all, 0);
}
/// stable_partition that writes the number of items that pred holds for to *count. Returns count + 1.
template <detail::policy Policy, class It, class Count, class Pred>
Count stable_partition_into(Policy const& policy, It first, It last, Count count, Pred pred) {
  detail::stable_partition_to("stable_partition_into", policy, first, last, detail::no_stencil{},
                              detail::select_where(detail::device_functor(pred)), count);
  return count + 1;
}
template <detail::policy Policy, class It, class Stencil, class Count, class Pred>
Count stable_partition_into(Policy const& policy, It first, It last, Stencil stencil, Count count,
                            Pred pred) {
  detail::stable_partition_to("stable_partition_into", policy, first, last, stencil,
                              detail::select_where(detail::device_functor(pred)), count);
  return count + 1;
}

/// The ends of three outputs.
template <class Out1, class Out2, class Out3>
struct three_ends {
  Out1 first;
  Out2 second;
  Out3 third;
};

/// Copies the items that pred1 holds for to the first output, of the others those that pred2 holds for to the
/// second, and the rest to the third. pred2 is not asked where pred1 holds. Returns all ends.
template <detail::policy Policy, class In, class Out1, class Out2, class Out3, class Pred1, class Pred2>
three_ends<Out1, Out2, Out3> three_way_partition_copy(Policy const& policy, In first, In last, Out1 out1,
                                                      Out2 out2, Out3 out3, Pred1 pred1, Pred2 pred2) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "three_way_partition_copy", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3});
  return {detail::end_of(out1, all, 0), detail::end_of(out2, all, 1),
          detail::end_of_rest(out3, all, first, last)};
}
/// three_way_partition_copy that writes the numbers of items in the first two outputs to counts[0] and
/// counts[1]. Returns counts + 2.
template <detail::policy Policy, class In, class Out1, class Out2, class Out3, class Counts, class Pred1,
          class Pred2>
Counts three_way_partition_copy_into(Policy const& policy, In first, In last, Out1 out1, Out2 out2, Out3 out3,
                                     Counts counts, Pred1 pred1, Pred2 pred2) {
  detail::partition_to<detail::placement::out_of_place>(
      "three_way_partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3}, counts);
  return counts + 2;
}

}  // namespace sweep

#endif
