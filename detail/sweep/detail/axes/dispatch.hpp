// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_DISPATCH_HPP
#define SWEEP_DETAIL_AXES_DISPATCH_HPP

#include <sweep/detail/axes/host.hpp>
#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/strided.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/axes/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The type of an initial value: of one given a line, its items'.
template <class Init>
struct initial_of {
  using type = Init;
};
template <array_like Init>
struct initial_of<Init> {
  using type = value_of<array_iterator<Init>>;
};

/// Whether an initial value is no array, or one of this rank; of the only axis' one line an array of one.
template <class Init, int Rank>
inline constexpr bool init_has_rank = true;
template <array_like Init, int Rank>
inline constexpr bool init_has_rank<Init, Rank> = rank_of<Init> == (Rank > 0 ? Rank : 1);

/// Whether a number says where an item is: not so of arrays that are read as one, nor of what is made of
/// them.
template <class X>
inline constexpr bool is_one_array = true;
template <array_like X>
inline constexpr bool is_one_array<X> = std::is_integral_v<place_in<array_iterator<X>>>;

/// One line where initial values are an array of another rank, or several.
template <int Rank, class... Init>
constexpr bool require_initial_values() {
  static_assert((init_has_rank<Init, Rank> && ...),
                "sweep: an array of initial values has one axis less than the input");
  static_assert((is_one_array<Init> && ...),
                "sweep: what with_index makes is for items: it cannot be the initial values");
  return ((init_has_rank<Init, Rank> && is_one_array<Init>)&&...);
}

template <int Rank>
void require_same_extents(char const* call, char const* argument, std::int64_t const (&got)[Rank],
                          std::int64_t const (&want)[Rank]) {
  for (int r = 0; r < Rank; ++r)
    if (got[r] != want[r])
      throw_bad_argument(call, argument, "has an extent of ", got[r], " where ", want[r],
                         " is needed, along axis ", std::int64_t{r});
}

/// The extents, or the strides, without one of them.
template <int Rank>
void leave_out(std::int64_t const (&all)[Rank], int which, std::int64_t (&rest)[Rank > 1 ? Rank - 1 : 1]) {
  rest[0] = 1;
  for (int r = 0, to = 0; r < Rank; ++r)
    if (r != which) rest[to++] = all[r];
}

/// What is written in place of what is read has the same places.
template <class In, class Out, int Rank>
void require_in_place(char const* call, strided_view<In, Rank> const& in,
                      strided_view<Out, Rank> const& out) {
  if constexpr (std::is_pointer_v<unwrapped_t<In>> && std::is_pointer_v<unwrapped_t<Out>>) {
    void const* const from = unwrapped(in.first);
    void const* const to = unwrapped(out.first);
    if (from != to) return;
    bool const same =
        sizeof(value_of<In>) == sizeof(value_of<Out>) && same_strides(in.extents, in.strides, out.strides);
    if (!same) throw_bad_argument(call, "out", "begins where the input does, and has other strides");
  }
}

/// The items of a scan, whose arrays are looked at first.
template <class In, class Out, int Rank>
std::int64_t items_of_scan(char const* call, strided_view<In, Rank> const& in,
                           strided_view<Out, Rank> const& out) {
  auto const n = items_of_extents(call, "in", in.extents);
  require_same_extents(call, "out", out.extents, in.extents);
  if (n == 0) return 0;
  require_pointer(call, "in", unwrapped(in.first));
  require_pointer(call, "out", unwrapped(out.first));
  if constexpr (arrays_of_place<place_in<Out>> == 1)  // of several, whoever put them together has looked
    require_places_of_their_own(call, out.extents, out.strides);
  require_in_place(call, in, out);
  return n;
}

/// The lines of an array along one axis; `init_strides` are those of what is given a line.
template <int Rank, class In, class Out>
auto grid_along(std::int64_t const (&extents)[Rank], In const (&in)[Rank], Out const& out_stride, int axis,
                std::int64_t const* init_strides) {
  grid_of_lines<In, std::remove_cvref_t<decltype(out_stride(0))>> grid;
  grid.length = extents[axis];
  grid.in = in[axis];
  for (int r = Rank - 1; r >= 0; --r) {
    if (r == axis) continue;
    grid.across[grid.axes++] = {extents[r],
                                {in[r], out_stride(r), init_strides ? init_strides[r - (r > axis)] : 0}};
    grid.lines *= extents[r];
  }
  return grid;
}

/// What stands before lines, as the problem has it.
template <class... Init>
auto before_of(Init const&... init) {
  if constexpr (sizeof...(Init) == 0) {
    return nothing_before{};
  } else if constexpr ((array_like<Init> && ...)) {
    auto const values = (unwrapped(as_strided(init).first), ...);
    return each_before<std::remove_const_t<decltype(values)>>{values};
  } else {
    return one_before<Init...>{init...};
  }
}

/// From a public call to a problem: types complete, iterators unwrapped, direction folded in; then to where
/// it runs.
template <line_result What, class Dir, class Policy, array_like In, array_like Out, class Op, class Unary,
          class... Init>
Out scan_along(char const* call, Policy const& given, In const& in_array, Out const& out_array,
               along_axes<1> along, Op op, Unary unary, Init const&... init) {
  static_assert(rank_of<In> == rank_of<Out>, "sweep: the input and the output must have as many axes");
  using in_it = array_iterator<In>;
  using out_it = array_iterator<Out>;
  if constexpr (!require_initial_values<rank_of<In> - 1, Init...>()) return out_array;
  else if constexpr (!scan_fits<in_it, out_it, Op, Unary, typename initial_of<Init>::type...>())
    return out_array;
  else {
    auto const target = resolve<no_options>(given);
    auto const in = as_strided(in_array);
    auto const out = as_strided(out_array);
    constexpr int rank = rank_of<In>;
    int const axis = checked_axis(call, along.axis[0], rank);
    auto const n = items_of_scan(call, in, out);
    std::int64_t init_strides[most_axes] = {};
    [[maybe_unused]] auto const look_at_init = [&](auto const& one) {
      if constexpr (array_like<std::remove_cvref_t<decltype(one)>>) {
        auto const view = as_strided(one);
        std::int64_t want[rank > 1 ? rank - 1 : 1];
        leave_out(in.extents, axis, want);
        require_same_extents(call, "init", view.extents, want);
        for (int r = 0; r < rank - 1; ++r) init_strides[r] = view.strides[r];
        if (n > 0) require_pointer(call, "init", unwrapped(view.first));
      }
    };
    (look_at_init(init), ...);
    if (n == 0) return out_array;

    using types = accumulation<in_it, out_it, Op, Unary, typename initial_of<Init>::type...>;
    using in_order = typename types::in_order;
    using T = typename types::value;
    using policy_type = std::remove_cvref_t<decltype(target.policy)>;
    require_reproducible<Policy, folding_t<T, typename types::op>, T>();
    auto const callable = require_callable<on_host<policy_type>, Op, Unary, in_it, out_it>();
    auto grid = grid_along(
        in.extents, in.strides, [&](int r) { return out.strides[r]; }, axis, init_strides);
    grid.out = out.strides[axis];
    if constexpr (std::is_same_v<Dir, backward_t>) {
      grid.first.in = (grid.length - 1) * grid.in;
      grid.first.out = (grid.length - 1) * grid.out;
      grid.in = -1 * grid.in;
      grid.out = -1 * grid.out;
    }
    simplify(grid);
    auto const before = before_of(init...);
    axis_problem<What, T, unwrapped_t<in_it>, unwrapped_t<out_it>, folding_t<T, typename types::op>,
                 typename types::unary, std::remove_const_t<decltype(before)>>
        problem{unwrapped(in.first),
                unwrapped(out.first),
                folding<T>(in_order::binary(op, unary)),
                in_order::unary(op, unary),
                before,
                grid};
    if constexpr (callable && runs_with<on_host<policy_type>, T, value_of<in_it>>())
      run_axis(target.policy, call, problem);
    finish(call, target);
    return out_array;
  }
}

/// The place of an axis among those that are left when others are folded away.
template <int Count>
constexpr bool is_among(int axis, int const (&axes)[Count]) {
  for (int const a : axes)
    if (a == axis) return true;
  return false;
}

/// One axis folded away; `out_strides` has a stride for each axis of the input.
template <class T, class Policy, class In, class Out, int Rank, class Op, class Unary, class Before>
void fold_axis(Policy const& policy, char const* call, In in, Out out, std::int64_t const (&extents)[Rank],
               place_in<In> const (&in_strides)[Rank], std::int64_t const (&out_strides)[Rank], int axis,
               Op op, Unary unary, Before before) {
  auto grid = grid_along(
      extents, in_strides, [&](int r) { return out_strides[r]; }, axis, nullptr);
  // Sums and products of integers are the same from either end.
  if constexpr (is_exact<Op, T> && std::is_integral_v<place_in<In>>)
    if (grid.in < 0 && grid.length > 0) {
      grid.first.in += (grid.length - 1) * grid.in;
      grid.in = -grid.in;
    }
  // Neighbours are those in what is read; but where that is longer pieces of single lines, results may be.
  constexpr std::int64_t long_piece = 256;  // bytes
  bool in_pieces = grid.length * static_cast<std::int64_t>(sizeof(value_of<In>)) >= long_piece;
  for (int r = 0; r < grid.axes; ++r)
    in_pieces = in_pieces && (grid.across[r].extent == 1 ||
                              magnitude(leading(grid.across[r].stride.in)) > magnitude(leading(grid.in)));
  simplify(grid, !in_pieces);
  run_axis(policy, call,
           axis_problem<line_result::total, T, In, Out, Op, Unary, Before>{in, out, op, unary, before, grid});
}

/// The first so many of several axes, the last one first, so that items are folded in the order of their
/// indices; what is left after each but the first of them stands dense in memory of the call.
template <int Left, class T, class Policy, class In, class Out, int Rank, int Count, class Op, class Unary,
          class Before>
void fold_axes(Policy const& policy, char const* call, In in, Out out, std::int64_t (&extents)[Rank],
               place_in<In> const (&in_strides)[Rank], std::int64_t const (&out_strides)[Rank],
               int const (&axes)[Count], Op op, Unary unary, Before before) {
  int const axis = axes[Left - 1];
  if constexpr (Left == 1) {
    fold_axis<T>(policy, call, in, out, extents, in_strides, out_strides, axis, op, unary, before);
  } else {
    auto rest = extents[axis];
    std::int64_t all = 1, strides[Rank];
    extents[axis] = 1;
    for (int r = Rank - 1; r >= 0; --r) {
      strides[r] = all;
      all *= extents[r];
    }
    extents[axis] = rest;
    with_memory<T>(policy, call, all, [&](auto const& with, T* memory) {
      fold_axis<T>(with, call, in, memory, extents, in_strides, strides, axis, op, unary, nothing_before{});
      extents[axis] = 1;
      fold_axes<Left - 1, T>(with, call, static_cast<T const*>(memory), out, extents, strides, out_strides,
                             axes, op, identity{}, before);
    });
  }
}

template <class Policy, array_like In, array_like Out, int Count, class Init, class Op, class Unary>
Out reduce_along(char const* call, Policy const& given, In const& in_array, Out const& out_array,
                 along_axes<Count> along, Init init, Op op, Unary unary) {
  constexpr int rank = rank_of<In>;
  static_assert(Count <= rank, "sweep: an array is reduced along as many axes as it has at most");
  static_assert(rank_of<Out> == (rank > Count ? rank - Count : 1),
                "sweep: the output has the axes of the input that it is not reduced along, or one where none "
                "is left");
  using in_it = array_iterator<In>;
  using types = reduction<in_it, Op, Unary, Init>;
  using T = typename types::value;
  auto const target = resolve<no_options>(given);
  auto in = as_strided(in_array);
  auto const out = as_strided(out_array);
  int axes[Count];
  for (int k = 0; k < Count; ++k) {
    axes[k] = checked_axis(call, along.axis[k], rank);
    for (int j = 0; j < k; ++j)
      if (axes[j] == axes[k]) throw_bad_argument(call, "axis", "is named twice: ", std::int64_t{axes[k]});
  }
  for (int k = 1; k < Count; ++k)
    for (int j = k; j > 0 && axes[j] < axes[j - 1]; --j) std::swap(axes[j], axes[j - 1]);

  std::int64_t out_strides[rank] = {}, want[rank_of<Out>], folded = 1;
  want[0] = 1;
  for (int r = 0, to = 0; r < rank; ++r) {
    if (is_among(r, axes)) folded = folded == 0 ? 0 : in.extents[r] == 0 ? 0 : 1;
    else {
      want[to] = in.extents[r];
      out_strides[r] = out.strides[to++];
    }
  }
  auto const n = items_of_extents(call, "in", in.extents);
  require_same_extents(call, "out", out.extents, want);
  if (items_of_extents(call, "out", out.extents) == 0) return out_array;
  if (n > 0) require_pointer(call, "in", unwrapped(in.first));
  require_pointer(call, "out", unwrapped(out.first));
  require_places_of_their_own(call, out.extents, out.strides);
  if (folded == 0)  // nothing to fold: every result is the initial value
    for (int const axis : axes) in.extents[axis] = axis == axes[0] ? 0 : 1;

  using op_type = folding_t<T, typename types::op>;
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  using in_order = typename types::in_order;
  require_reproducible<Policy, op_type, T>();
  auto const callable = require_callable<on_host<policy_type>, Op, Unary, in_it>();
  if constexpr (callable && runs_with<on_host<policy_type>, T, value_of<in_it>>() &&
                require_becomes<array_iterator<Out>, T>()) {
    one_before<T> const before{static_cast<T>(init)};
    auto const work = [&] {
      auto extents = in;
      auto const fold = [&]<int left>(std::integral_constant<int, left>) {
        fold_axes<left, T>(target.policy, call, unwrapped(in.first), unwrapped(out.first), extents.extents,
                           in.strides, out_strides, axes, folding<T>(in_order::binary(op, unary)),
                           in_order::unary(op, unary), before);
      };
      if (Count > 1 && folded == 0) fold(std::integral_constant<int, 1>{});
      else fold(std::integral_constant<int, Count>{});
    };
    if constexpr (Count > 1 && !std::is_same_v<policy_type, seq_policy>) with_memory_first(work);
    else work();
  }
  finish(call, target);
  return out_array;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
