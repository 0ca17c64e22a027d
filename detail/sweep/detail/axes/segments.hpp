// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_SEGMENTS_HPP
#define SWEEP_DETAIL_AXES_SEGMENTS_HPP

#include <sweep/detail/axes/composed.hpp>
#include <sweep/detail/axes/dispatch.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/segments.hpp>
#include <sweep/strided.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A segmented scan along an axis is a scan of flagged values. What starts a segment in scan order: forward
// its first item, backward its last one. A notation says of the item with index i of a line, `at` being where
// its own array has that item, whether there is one, and whether it starts a segment.

struct segment_item {
  bool exists, starts;
};

template <class It>
struct flags_of_lines {
  static constexpr bool may_lack_items = false;
  It flags;
  std::int64_t first, behind;  ///< the first index in scan order; to the flag that says where it ends

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD segment_item look(std::int64_t at, std::int64_t i) const {
    bool const is_first = i == first;  // read all the same: there is nothing to wait for between items
    return {true, static_cast<bool>(
                      is_first |
                      static_cast<bool>(flags[static_cast<difference_of<It>>(is_first ? at : at + behind)]))};
  }
};
template <class Notation>
inline constexpr bool starts_at_flags = false;
template <class It>
inline constexpr bool starts_at_flags<flags_of_lines<It>> = true;

template <class V>
using flagged_item = flagged<V, flag_beside<V>>;

/// An item and its flag, as a flagged value.
template <class V, class Unary>
struct flagged_pair {
  mutable Unary unary;
  SWEEP_NO_EXEC_CHECK
  template <class Pair>
  SWEEP_HD flagged_item<V> operator()(Pair const& x) const {
    return {static_cast<V>(unary(x.first)), x.second};
  }
};
template <class V>
inline constexpr bool is_free<flagged_pair<V, identity>> = true;

template <class It, class Eq>
struct keys_of_lines {
  static constexpr bool may_lack_items = false;
  It keys;
  mutable Eq equal;                    ///< the caller's function need not be const
  std::int64_t first, before, behind;  ///< to the keys of the two items that it may part

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD segment_item look(std::int64_t at, std::int64_t i) const {
    bool const is_first = i == first;
    value_of<It> const a = keys[static_cast<difference_of<It>>(is_first ? at : at + before)],
                       b = keys[static_cast<difference_of<It>>(is_first ? at : at + behind)];
    return {true, is_first || !equal(a, b)};
  }
};
template <class It, bool Backward>
struct lengths_of_lines {
  static constexpr bool may_lack_items = true;
  It lengths;
  std::int64_t most;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD segment_item look(std::int64_t at, std::int64_t i) const {
    auto length = static_cast<std::int64_t>(lengths[static_cast<difference_of<It>>(at)]);
    if (length > most) length = most;
    return {i < length, i == (Backward ? length - 1 : 0)};
  }
};

/// An item as a flagged value. A segment that begins with an initial value has it folded into its first item.
/// Of what does not exist nothing is made, and it starts a segment, so that no operator is called on it.
template <class V, class In, class Notation, class Op, class Unary, class Init>
struct read_flagged {
  /// Those of the items, the notation's, and the index along the axis.
  static constexpr int own = arrays_of_place<place_in<In>>, arrays = own + 2;
  In in;
  Notation notation;
  mutable Op op;
  mutable Unary unary;
  Init init;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD flagged_item<V> operator()(places<arrays> const& at) const {
    auto const found = notation.look(at.at[own], at.at[own + 1]);
    if constexpr (Notation::may_lack_items)
      if (!found.exists) return {V{}, true};
    V const item = static_cast<V>(unary(in[static_cast<difference_of<In>>(part_of<0, own>(at))]));
    if constexpr (!std::is_same_v<Init, nothing_before>)
      if (found.starts) return {static_cast<V>(op(init.value, item)), true};
    return {item, found.starts};
  }
};
/// Writes what exists; of an exclusive scan the initial value where a segment starts.
template <class V, class Out, class Notation, class Init>
struct write_of_segments {
  static constexpr int arrays = 3;
  Out out;
  Notation notation;
  Init init;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD segment_item look(places<arrays> const& at) const { return notation.look(at.at[1], at.at[2]); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(places<arrays> const& at, V const& result, segment_item const& found) const {
    if (!found.exists) return;
    using W = written_value<Out, V>;
    if constexpr (!std::is_same_v<Init, nothing_before>)
      if (found.starts) return put_item(out, at.at[0], static_cast<W>(init.value));
    put_item(out, at.at[0], static_cast<W>(result));
  }
};

/// What a notation is along an axis; writes the strides of its array.
template <array_like Array, int Rank>
auto checked_notation(char const* call, char const* argument, Array const& array,
                      std::int64_t const (&extents)[Rank], std::int64_t (&strides)[Rank]) {
  static_assert(rank_of<Array> == Rank, "sweep: flags and keys must have as many axes as the input");
  auto const view = as_strided(array);
  if constexpr (rank_of<Array> == Rank && is_one_array<Array>) {
    require_same_extents(call, argument, view.extents, extents);
    copy_strides(view.strides, strides);
    if (items_of_extents(call, argument, view.extents) > 0)
      require_pointer(call, argument, unwrapped(view.first));
  }
  return unwrapped(view.first);
}
template <bool Backward, array_like Array, int Rank>
auto notation_along(char const* call, flag_segments<Array> const& segments,
                    std::int64_t const (&extents)[Rank], int axis, std::int64_t (&strides)[Rank]) {
  auto const flags = checked_notation(call, "flags", segments.flags, extents, strides);
  return flags_of_lines<std::remove_const_t<decltype(flags)>>{flags, Backward ? extents[axis] - 1 : 0,
                                                              Backward ? strides[axis] : 0};
}
template <bool Backward, array_like Array, class Eq, int Rank>
auto notation_along(char const* call, key_segments<Array, Eq> const& segments,
                    std::int64_t const (&extents)[Rank], int axis, std::int64_t (&strides)[Rank]) {
  auto const keys = checked_notation(call, "keys", segments.keys, extents, strides);
  auto const equal = device_functor(segments.equal);
  return keys_of_lines<std::remove_const_t<decltype(keys)>, std::remove_const_t<decltype(equal)>>{
      keys, equal, Backward ? extents[axis] - 1 : 0, Backward ? 0 : -strides[axis],
      Backward ? strides[axis] : 0};
}
template <bool Backward, array_like Array, int Rank>
auto notation_along(char const* call, line_segments<Array> const& segments,
                    std::int64_t const (&extents)[Rank], int axis, std::int64_t (&strides)[Rank]) {
  constexpr int lines = Rank > 1 ? Rank - 1 : 1;
  static_assert(rank_of<Array> == lines, "sweep: an array of lengths has one axis less than the input");
  auto const view = as_strided(segments.lengths);
  auto const lengths = unwrapped(view.first);
  std::int64_t want[lines];
  leave_out(extents, axis, want);
  require_same_extents(call, "lengths", view.extents, want);
  if constexpr (Rank > 1 && is_one_array<Array>) strides_across<Rank>(view.strides, axis, strides);
  else strides[0] = 0;
  if (items_of_extents(call, "lengths", want) > 0) require_pointer(call, "lengths", lengths);
  return lengths_of_lines<std::remove_const_t<decltype(lengths)>, Backward>{lengths, extents[axis]};
}
/// Whether what tells segments is one array.
template <class Segments>
inline constexpr bool is_told_by_one_array = true;
template <class Array>
inline constexpr bool is_told_by_one_array<flag_segments<Array>> = is_one_array<Array>;
template <class Array, class Eq>
inline constexpr bool is_told_by_one_array<key_segments<Array, Eq>> = is_one_array<Array>;
template <class Array>
inline constexpr bool is_told_by_one_array<line_segments<Array>> = is_one_array<Array>;

template <bool Backward, class Segments, int Rank>
inline constexpr bool has_notation_along = requires(Segments const& segments,
                                                    std::int64_t const (&extents)[Rank],
                                                    std::int64_t (&strides)[Rank]) {
  notation_along<Backward>("", segments, extents, 0, strides);
};

template <class Dir, class Policy, array_like In, class Segments, array_like Out, class Op, class Unary,
          class... Init>
Out segmented_scan_along(char const* call, Policy const& given, In const& in_array, Segments const& segments,
                         Out const& out_array, along_axes<1> along, Op op, Unary unary, Init const&... init) {
  constexpr bool backward = std::is_same_v<Dir, backward_t>, exclusive = sizeof...(Init) > 0;
  constexpr int rank = rank_of<In>;
  static_assert(rank_of<Out> == rank, "sweep: the input and the output must have as many axes");
  static_assert(has_notation_along<backward, Segments, rank>,
                "sweep: segments along an axis are by_head_flags or by_key of an array, or of_lines");
  static_assert(is_told_by_one_array<Segments>,
                "sweep: what with_index makes is for items: it cannot be flags, keys or lengths");
  using in_it = array_iterator<In>;
  using out_it = array_iterator<Out>;
  if constexpr (rank_of<Out> == rank && has_notation_along<backward, Segments, rank> &&
                is_told_by_one_array<Segments> && scan_fits<in_it, out_it, Op, Unary, Init...>()) {
    using types = accumulation<in_it, out_it, Op, Unary, Init...>;
    using V = typename types::value;
    using policy_type = std::remove_cvref_t<decltype(resolve<no_options>(given).policy)>;
    require_reproducible<Policy, folding_t<V, typename types::op>, V>();
    auto const callable = require_callable<on_host<policy_type>, Op, Unary, in_it, out_it>();
    auto const in = as_strided(in_array);
    auto const out = as_strided(out_array);
    int const axis = checked_axis(call, along.axis[0], rank);
    auto const n = items_of_extents(call, "in", in.extents);
    require_same_extents(call, "out", out.extents, in.extents);
    std::int64_t strides[rank] = {};
    auto const notation = notation_along<backward>(call, segments, in.extents, axis, strides);
    if (n == 0) return out_array;
    require_pointer(call, "in", unwrapped(in.first));
    require_pointer(call, "out", unwrapped(out.first));
    require_places_of_their_own(call, out.extents, out.strides);
    require_in_place(call, in, out);

    auto const functor = folding<V>(types::in_order::binary(op, unary));
    auto const before = [&] {
      if constexpr (exclusive) return one_before<V>{static_cast<V>(init)...};
      else return nothing_before{};
    }();
    auto const made = types::in_order::unary(op, unary);
    using before_type = std::remove_const_t<decltype(before)>;
    using functor_type = std::remove_const_t<decltype(functor)>;
    using notation_type = std::remove_const_t<decltype(notation)>;
    using read = read_flagged<V, unwrapped_t<in_it>, notation_type, functor_type,
                              std::remove_const_t<decltype(made)>, before_type>;
    using write = write_of_segments<V, unwrapped_t<out_it>, notation_type, before_type>;
    // Flags that lie as the items do are read beside them; that a line's first item starts a segment need not
    // be said where nothing comes before it.
    if constexpr (starts_at_flags<notation_type> && !exclusive && !backward && callable &&
                  std::is_integral_v<place_in<in_it>>) {
      if (same_strides(in.extents, in.strides, strides)) {
        scan_along<line_result::inclusive, Dir>(
            call, given, strided(zipped(in.first, notation.flags), in.extents, in.strides), out, along,
            segmented_op<functor_type>{functor}, flagged_pair<V, std::remove_const_t<decltype(made)>>{made});
        return out_array;
      }
    }
    auto const items = composed_view(
        composed_input<flagged_item<V>, read>{{unwrapped(in.first), notation, functor, made, before}},
        in.extents, [&](int r) { return joined_places(in.strides[r], strides[r], index_stride(r, axis)); });
    auto const to = composed_view(
        composed_output<V, write>{{unwrapped(out.first), notation, before}}, out.extents,
        [&](int r) { return joined_places(out.strides[r], strides[r], index_stride(r, axis)); });
    constexpr auto what = exclusive ? line_result::exclusive : line_result::inclusive;
    if constexpr (callable) {
      segmented_op<functor_type> const fold{functor};
      if constexpr (exclusive)
        scan_along<what, Dir>(call, given, items, to, along, fold, identity{},
                              flagged_item<V>{before.value, false});
      else if constexpr (notation_type::may_lack_items)
        scan_along<what, Dir>(call, given, items, to, along, fold, identity{});
      else scan_along<what, Dir>(call, given, items, out, along, fold, identity{});
    }
  }
  return out_array;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
