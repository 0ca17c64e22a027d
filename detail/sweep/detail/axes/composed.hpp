// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_COMPOSED_HPP
#define SWEEP_DETAIL_AXES_COMPOSED_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/places.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/pair.hpp>
#include <sweep/strided.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Several arrays of the same extents, whatever the strides of each, read as one: item `at` is read(at), `at`
/// being a place in each of them. Where read(at) is read.make(read.fetch(at), at), what waits for others is
/// what fetch gives.
template <class Value, class Read>
struct composed_input {
  using value_type = Value;
  using difference_type = places<Read::arrays>;
  using pointer = void;
  using reference = Value;
  using iterator_category = std::random_access_iterator_tag;

  Read read;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD Value operator[](difference_type const& at) const { return static_cast<Value>(read(at)); }
  /// Item 0: what calls ask for its type.
  SWEEP_HD Value operator*() const { return (*this)[{}]; }
};

/// The same written: assigning x to item `at` calls write(at, x, write.look(at)). What look() reads can
/// be asked for of several items before the first is written.
template <class Value, class Write>
struct composed_output {
  using value_type = Value;
  using difference_type = places<Write::arrays>;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    Write const* write;
    difference_type at;
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD void operator=(Value const& x) const { (*write)(at, x, write->look(at)); }
  };

  Write write;
  SWEEP_HD reference operator[](difference_type const& at) const { return {&write, at}; }
  SWEEP_HD reference operator*() const { return {&write, {}}; }
};

/// A view of arrays side by side; strides(r) are how far neighbours along axis r lie apart in each of them.
template <class It, int Rank, class Strides>
strided_view<It, Rank> composed_view(It first, std::int64_t const (&extents)[Rank], Strides strides) {
  strided_view<It, Rank> view{first, {}, {}};
  for (int r = 0; r < Rank; ++r) {
    view.extents[r] = extents[r];
    view.strides[r] = strides(r);
  }
  return view;
}

template <class Stride, int Rank>
constexpr void copy_strides(Stride const (&from)[Rank], Stride (&strides)[Rank]) {
  for (int r = 0; r < Rank; ++r) strides[r] = from[r];
}
/// Of what is given a line: an array without the axis.
template <int Rank, class Stride, int LineRank>
constexpr void strides_across(Stride const (&from)[LineRank], int axis, Stride (&strides)[Rank]) {
  for (int r = 0; r < Rank; ++r) strides[r] = r == axis ? Stride{} : from[r - (r > axis)];
}

/// An item of an array, and its index along an axis.
template <class It>
struct item_and_index {
  static constexpr int own = arrays_of_place<place_in<It>>, arrays = own + 1;
  It items;
  SWEEP_HD constexpr It memory() const requires(std::is_pointer_v<It>) { return items; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value_of<It> fetch(places<arrays> const& at) const {
    return items[static_cast<difference_of<It>>(part_of<0, own>(at))];
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD pair<value_of<It>, std::int64_t> make(value_of<It> const& x, places<arrays> const& at) const {
    return {x, at.at[own]};
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD pair<value_of<It>, std::int64_t> operator()(places<arrays> const& at) const {
    return make(fetch(at), at);
  }
};
template <array_like X>
auto indexed_along(char const* call, X const& x, along_axes<1> along) {
  auto const view = as_strided(x);
  (void)items_of_extents(call, "array", view.extents);
  int const axis = checked_axis(call, along.axis[0], rank_of<X>);
  using It = unwrapped_t<array_iterator<X>>;
  using read = item_and_index<It>;
  return composed_view(composed_input<pair<value_of<It>, std::int64_t>, read>{{unwrapped(view.first)}},
                       view.extents,
                       [&](int r) { return joined_places(view.strides[r], index_stride(r, axis)); });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
