// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_BOXES_HPP
#define SWEEP_DETAIL_AXES_BOXES_HPP

#include <sweep/detail/axes/composed.hpp>
#include <sweep/detail/axes/dispatch.hpp>
#include <sweep/detail/axes/host_planes.hpp>
#include <sweep/detail/axes/numbered.hpp>
#include <sweep/detail/core/callable.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/strided.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether volumes are scanned along their last three axes at once: layers enough for many blocks to have a
/// tile each, and so many of them that a block's walk is long beside the chains of a layer's tiles.
constexpr bool layers_are_walked(std::int64_t volumes, std::int64_t layers, std::int64_t rows,
                                 std::int64_t columns) {
  constexpr std::int64_t fewest_items = 1 << 18, fewest_layers = 16, many_layers = 64, narrowest = 64,
                         lowest = 32, widest = 1 << 12;
  return layers >= fewest_layers && (layers >= many_layers || (rows <= widest && columns <= widest)) &&
         rows >= lowest && columns >= narrowest && volumes >= (fewest_items / rows + columns - 1) / columns;
}

/// A scan along the last axis, then along the one before it, and of volumes along the one before that,
/// reading and writing each item once: where blocks have tiles, or planes are bands of rows for a host's
/// threads, and what stands in between is of the same type either way. Along how many axes.
template <class Policy, array_like In, array_like Out, class Op>
int scan_planes(char const* call, Policy const& policy, In const& in_array, Out const& out_array, Op op) {
  using in_it = array_iterator<In>;
  using out_it = array_iterator<Out>;
  constexpr int rank = rank_of<Out>;
  if constexpr (rank < 2 || std::is_same_v<Policy, seq_policy> || !std::is_integral_v<place_in<in_it>> ||
                !scan_fits<in_it, out_it, Op, identity>()) {
    return 0;
  } else if constexpr (!scan_fits<out_it, out_it, Op, identity>()) {
    return 0;
  } else {
    using types = accumulation<in_it, out_it, Op, identity>;
    using in_order = typename types::in_order;
    using along_rows = typename types::value;
    using T = typename accumulation<out_it, out_it, Op, identity>::value;
    constexpr bool same_words =
        std::is_integral_v<T> && std::is_integral_v<along_rows> && sizeof(T) == sizeof(along_rows);
    if constexpr (!(std::is_same_v<T, along_rows> || same_words) || sizeof(T) > 16) {
      return 0;
    } else {
      auto const in = as_strided(in_array);
      auto const out = as_strided(out_array);
      if (items_of_scan(call, in, out) == 0) return rank;
      plane_grid grid;
      grid.rows = in.extents[rank - 2];
      grid.columns = in.extents[rank - 1];
      grid.row = {in.strides[rank - 2], out.strides[rank - 2], 0};
      grid.column = {in.strides[rank - 1], out.strides[rank - 1], 0};
      int axes = 2;
      if constexpr (rank > 2 && !on_host<Policy>) {
        constexpr int layer = rank - 3;
        std::int64_t volumes = 1;
        for (int r = 0; r < layer; ++r) volumes *= in.extents[r];
        if (layers_are_walked(volumes, in.extents[layer], grid.rows, grid.columns)) {
          axes = 3;
          grid.layers = in.extents[layer];
          grid.layer = {in.strides[layer], out.strides[layer], 0};
        }
      }
      for (int r = rank - 1 - axes; r >= 0; --r) {
        grid.planes.across[grid.planes.axes++] = {in.extents[r], {in.strides[r], out.strides[r], 0}};
        grid.planes.lines *= in.extents[r];
      }
      require_reproducible<Policy, folding_t<T, typename types::op>, T>();
      auto const callable = require_callable<on_host<Policy>, Op, identity, in_it, out_it>();
      if constexpr (callable && runs_with<on_host<Policy>, T, value_of<in_it>>()) {
        axis_problem<line_result::inclusive, T, unwrapped_t<in_it>, unwrapped_t<out_it>,
                     folding_t<T, typename types::op>, typename types::unary, nothing_before,
                     plane_grid> const problem{unwrapped(in.first),
                                               unwrapped(out.first),
                                               folding<T>(in_order::binary(op, identity{})),
                                               in_order::unary(op, identity{}),
                                               {},
                                               grid};
        if constexpr (rank > 2 && !on_host<Policy>)
          if (axes == 3) {
            run_volumes(policy, call, problem);
            return axes;
          }
        if (!run_planes(policy, call, problem)) return 0;
      }
      return axes;
    }
  }
}

/// A scan along each axis, the last one first, all but the first scan in place: item (i, j, ...) becomes the
/// fold of all items whose indices are none greater, in the order of their indices.
template <class Policy, array_like In, array_like Out, class Op>
Out scan_along_all(char const* call, Policy const& given, In const& in, Out const& out, Op op) {
  constexpr int rank = rank_of<Out>;
  static_assert(rank_of<In> == rank, "sweep: the input and the output must have as many axes");
  if constexpr (std::is_void_v<value_of<array_iterator<Out>>>) {
    static_assert(!std::is_void_v<value_of<array_iterator<Out>>>,
                  "sweep: a summed-area table is read again along every axis but one: give it memory");
  } else if constexpr (rank_of<In> == rank) {
    auto const target = resolve<no_options>(given);
    auto const work = [&] {
      int axis = rank - 1 - scan_planes(call, target.policy, in, out, op);
      if (axis == rank - 1)
        scan_along<line_result::inclusive, forward_t>(call, target.policy, in, out, along(axis--), op,
                                                      identity{});
      for (; axis >= 0; --axis)
        scan_along<line_result::inclusive, forward_t>(call, target.policy, out, out, along(axis), op,
                                                      identity{});
    };
    if constexpr (rank > 1 && !std::is_same_v<std::remove_cvref_t<decltype(target.policy)>, seq_policy>)
      with_memory_first(work);
    else work();
    finish(call, target);
  }
  return out;
}

SWEEP_BEGIN_LOOPS

/// A summed-area table, read: the fold of a box is what is left of the fold up to its last corner when along
/// each axis that of what is before the box is taken away.
template <class It, int Rank, class Minus>
struct summed_area {
  using value = value_of<It>;
  It first;
  std::int64_t extents[Rank], strides[Rank];
  mutable Minus minus;  ///< a caller's function need not be const

  SWEEP_NO_EXEC_CHECK
  template <int Axis>
  SWEEP_HD value up_to(std::int64_t at, box<Rank> const& of) const {
    if constexpr (Axis == Rank) {
      return static_cast<value>(first[static_cast<typename std::iterator_traits<It>::difference_type>(at)]);
    } else {
      // Where nothing is before the box the same is read again: no corner waits for another.
      bool const begins = of.first[Axis] == 0;
      value const whole = up_to<Axis + 1>(at + (of.last[Axis] - 1) * strides[Axis], of);
      value const before =
          up_to<Axis + 1>(at + ((begins ? of.last[Axis] : of.first[Axis]) - 1) * strides[Axis], of);
      return begins ? whole : static_cast<value>(minus(whole, before));
    }
  }
  /// Of what of the box is in the table.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value operator()(box<Rank> of) const {
    bool empty = false;
    for (int r = 0; r < Rank; ++r) {
      if (extents[r] == 0) return value{};
      if (of.first[r] < 0) of.first[r] = 0;
      if (of.last[r] > extents[r]) of.last[r] = extents[r];
      if (of.first[r] >= of.last[r]) {
        empty = true;
        of.first[r] = 0;
        of.last[r] = 1;
      }
    }
    value const all = up_to<0>(0, of);
    return empty ? value{} : all;
  }
};

template <class Sums, class Place>
struct write_box {
  Sums sums;
  Place place;
  box<sizeof(Sums::extents) / sizeof(std::int64_t)> of;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t) const { *place = sums(of); }
};
template <class Sums, class Boxes, class Out>
struct write_boxes {
  Sums sums;
  Boxes boxes;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    put_item(out, i, sums(boxes[static_cast<typename std::iterator_traits<Boxes>::difference_type>(i)]));
  }
};
/// The windows around a few neighbours along one axis, across which memory is gone through: their place is
/// found once, and all that they read is asked for before the first of them is written.
template <class Sums, class Out, int Rank>
struct write_windows {
  static constexpr int together = Rank == 2 ? 4 : Rank == 3 ? 2 : 1;
  Sums sums;
  Out out;
  box_window<Rank> window;
  int axis;                                             ///< the one along which neighbours are
  std::int64_t step;                                    ///< from one result to the next along it
  side_by_side<Rank + 1, axes_of_places<Rank>> places;  ///< of the results, and the indices along each axis
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t k) const {
    using value = typename Sums::value;
    std::int64_t at[Rank + 1];
    places.find(k, at);
    std::int64_t here = 0, extent = 0;
    for (int r = 0; r < Rank; ++r)
      if (r == axis) {
        here = at[r + 1];
        extent = sums.extents[r];
      }
    value result[together];
    for (int i = 0; i < together; ++i) {
      box<Rank> of;
      for (int r = 0; r < Rank; ++r) {
        auto const index = r != axis ? at[r + 1] : here + i < extent ? here + i : extent - 1;
        of.first[r] = index - window.before[r];
        of.last[r] = index + window.behind[r] + 1;
      }
      result[i] = sums(of);
    }
    for (int i = 0; i < together; ++i)
      if (here + i < extent) put_item(out, at[0] + i * step, result[i]);
  }
};

SWEEP_END_LOOPS

/// What is asked of a table and of what undoes its operator.
template <class Policy, array_like Table, class Minus, class... Callers>
constexpr bool require_summed_area() {
  using V = value_of<array_iterator<Table>>;
  if constexpr (!is_one_array<Table>) {
    static_assert(is_one_array<Table>,
                  "sweep: what with_index makes is for items: it cannot be a table of sums");
    return false;
  } else {
    static_assert(makes<V, decltype(device_functor(std::declval<Minus>())), V&, V&>(),
                  "sweep: the difference cannot be called with two values of the table, or does not make "
                  "another of them");
    return decltype(require_callable<on_host<Policy>, Minus, array_iterator<Table>, Callers...>())::value &&
           runs_with<on_host<Policy>, V, V>();
  }
}
template <class Policy, array_like Table, class Minus>
auto summed_area_of(Policy const& policy, char const* call, Table const& table, Minus minus) {
  require_callable<on_host<Policy>, Minus>();  // which requires it of nvcc, too
  constexpr int rank = rank_of<Table>;
  auto const view = as_strided(table);
  auto const n = items_of_extents(call, "table", view.extents);
  auto const functor = device_functor(minus);
  summed_area<unwrapped_t<array_iterator<Table>>, rank, std::remove_const_t<decltype(functor)>> sums{
      unwrapped(view.first), {}, {}, functor};
  copy_strides(view.extents, sums.extents);
  copy_strides(view.strides, sums.strides);
  if (n > 0) require_range(policy, call, "table", sums.first);
  return sums;
}

/// The fold of one box, brought to the host.
template <class Policy, array_like Table, int Rank, class Minus>
value_of<array_iterator<Table>> sum_of_box(char const* call, Policy const& given, Table const& table,
                                           box<Rank> const& of, Minus minus) {
  static_assert(rank_of<Table> == Rank, "sweep: a box must have as many axes as the table");
  using V = value_of<array_iterator<Table>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  if constexpr (rank_of<Table> == Rank && require_summed_area<policy_type, Table, Minus>()) {
    auto const sums = summed_area_of(target.policy, call, table, minus);
    returned_value<V, policy_type> result(target.policy, call);
    auto const place = result.place();
    for_each_index(result.rest(), call, 1,
                   write_box<std::remove_const_t<decltype(sums)>, std::remove_const_t<decltype(place)>>{
                       sums, place, of});
    return result.value();
  } else {
    return V{};
  }
}

/// The folds of many boxes.
template <class Policy, array_like Table, class Boxes, class Out, class Minus>
Out sums_of_boxes(char const* call, Policy const& given, Table const& table, Boxes first, Boxes last, Out out,
                  Minus minus) {
  constexpr bool fits = std::is_same_v<value_of<Boxes>, box<rank_of<Table>>>;
  static_assert(fits, "sweep: the boxes must be sweep::box of as many axes as the table has");
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;
  if constexpr (fits && require_summed_area<policy_type, Table, Minus, Boxes, Out>()) {
    auto const sums = summed_area_of(target.policy, call, table, minus);
    auto const boxes = unwrapped(first);
    auto const to = unwrapped(out);
    require_range(target.policy, call, "first", boxes);
    require_range(target.policy, call, "out", to);
    for_each_index(target.policy, call, n,
                   write_boxes<std::remove_const_t<decltype(sums)>, std::remove_const_t<decltype(boxes)>,
                               std::remove_const_t<decltype(to)>>{sums, boxes, to});
  }
  finish(call, target);
  return out + n;
}

/// The folds of the windows around all items.
template <class Policy, array_like Table, int Rank, array_like Out, class Minus>
Out sums_of_windows(char const* call, Policy const& given, Table const& table, box_window<Rank> window,
                    Out const& out_array, Minus minus) {
  constexpr bool fits = rank_of<Table> == Rank && rank_of<Out> == Rank;
  static_assert(fits, "sweep: a window and the output must have as many axes as the table");
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  if constexpr (fits && require_summed_area<policy_type, Table, Minus, array_iterator<Out>>()) {
    auto const sums = summed_area_of(target.policy, call, table, minus);
    auto const out = as_strided(out_array);
    require_same_extents(call, "out", out.extents, sums.extents);
    auto const n = items_of_extents(call, "out", out.extents);
    if (n == 0) return out_array;
    auto const to = unwrapped(out.first);
    require_range(target.policy, call, "out", to);
    require_places_of_their_own(call, out.extents, out.strides);
    if constexpr (std::is_pointer_v<std::remove_const_t<decltype(to)>> &&
                  std::is_pointer_v<decltype(sums.first)>)
      if (static_cast<void const*>(to) == static_cast<void const*>(sums.first))
        throw_bad_argument(call, "out", "begins where the table does, which other windows still read");
    // Neighbours along the axis whose steps in the output are the longest, of those that have neighbours.
    using write = write_windows<std::remove_const_t<decltype(sums)>, std::remove_const_t<decltype(to)>, Rank>;
    int axis = 0;
    for (int r = 1; r < Rank; ++r)
      if (out.extents[r] > 1 &&
          (out.extents[axis] == 1 || magnitude(out.strides[r]) > magnitude(out.strides[axis])))
        axis = r;
    std::int64_t strides[Rank + 1][Rank] = {}, groups[Rank], count = 1;
    copy_strides(out.strides, strides[0]);
    strides[0][axis] *= write::together;
    for (int r = 0; r < Rank; ++r) {
      groups[r] = r == axis ? (out.extents[r] + write::together - 1) / write::together : out.extents[r];
      count *= groups[r];
      strides[r + 1][r] = r == axis ? write::together : 1;
      // No further than the table, so that nothing overflows.
      auto const most = sums.extents[r];
      window.before[r] = std::max(-most, std::min(window.before[r], most));
      window.behind[r] = std::max(-most, std::min(window.behind[r], most));
    }
    for_each_index(target.policy, call, count,
                   write{sums, to, window, axis, out.strides[axis], numbered(groups, out.strides, strides)});
  }
  finish(call, target);
  return out_array;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
