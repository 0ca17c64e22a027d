// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_NEIGHBOUR_ROWS_HPP
#define SWEEP_DETAIL_AXES_NEIGHBOUR_ROWS_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/zip.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Arrays that all lie in memory as one does, dense, with the axis outermost: one number says where an item is
// in each of them, its neighbours along the axis lie a row further or a row before, and whether it has such
// can be told from that number. So neighbouring lines are vectors in all of them. The same of arrays with the
// axis innermost, whose lines follow each other: neighbours along the axis are neighbours in memory.

/// Whether arrays of these extents lie so along an axis.
template <int Rank>
constexpr bool axis_is_outermost(std::int64_t const (&extents)[Rank], std::int64_t const (&strides)[Rank],
                                 int axis) {
  std::int64_t row = 1, reach = 1;
  for (int r = 0; r < Rank; ++r)
    if (r != axis && extents[r] > 1) {
      if (strides[r] < 0) return false;
      row *= extents[r];
      reach += (extents[r] - 1) * strides[r];
    }
  return row == reach && (strides[axis] == row || extents[axis] == 1);
}

/// Whether arrays of these extents have their lines along an axis one behind the other, each a run, and no
/// more items than 32 bits count.
template <int Rank>
constexpr bool axis_is_innermost(std::int64_t const (&extents)[Rank], std::int64_t const (&strides)[Rank],
                                 int axis) {
  std::int64_t items = 1, reach = 1;
  for (int r = 0; r < Rank; ++r)
    if (extents[r] > 1) {
      if (strides[r] < 0 || (r != axis && strides[r] % extents[axis] != 0)) return false;
      items *= extents[r];
      reach += (extents[r] - 1) * strides[r];
    }
  return items == reach && strides[axis] == 1 && extents[axis] > 1 && items >> 32 == 0;
}

/// From an item to its neighbour a row on or back.
struct row_step {
  std::int64_t step, items;  ///< items of the whole array
  /// The neighbour's place; the item's own where there is none.
  SWEEP_HD constexpr std::int64_t from(std::int64_t at) const { return exists(at) ? at + step : at; }
  SWEEP_HD constexpr bool exists(std::int64_t at) const {
    return static_cast<std::uint64_t>(at + step) < static_cast<std::uint64_t>(items);
  }
};

/// From an item of a line to the one behind or before it, where lines follow each other in memory.
class item_step {
 public:
  item_step(std::int64_t step, std::int64_t items, std::int64_t length)
      : step_{static_cast<int>(step)},
        length_{static_cast<std::uint32_t>(length)},
        end_{step > 0 ? length_ - 1 : 0},
        items_{items},
        inverse_{~std::uint64_t{0} / length_ + 1} {}
  /// The neighbour's place, be it in another line; the item's own where memory ends.
  SWEEP_HD constexpr std::int64_t from(std::int64_t at) const {
    auto const next = at + step_;
    return static_cast<std::uint64_t>(next) < static_cast<std::uint64_t>(items_) ? next : at;
  }
  SWEEP_HD constexpr bool exists(std::int64_t at) const {
    auto const n = static_cast<std::uint32_t>(at);
    // Of numbers of 32 bits 64 of the inverse give the exact quotient.
    auto const line = static_cast<std::uint32_t>(((inverse_ >> 32) * n + ((inverse_ & ~0u) * n >> 32)) >> 32);
    return n - line * length_ != end_;
  }

 private:
  int step_;
  std::uint32_t length_, end_;  ///< the index in a line of the item that has none
  std::int64_t items_;          ///< of the whole array
  std::uint64_t inverse_;       ///< 2^64 / length
};

/// An item of one array beside the one before it, in scan order, of another. The first item of a line has
/// none before it: it stands beside its own place there, or another line's item, of which no result is made.
template <class A, class B, class Step = row_step>
struct row_before_beside {
  using value_type = item_pair<std::remove_const_t<A>, std::remove_const_t<B>>;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = value_type;
  using iterator_category = std::random_access_iterator_tag;

  A* behind;
  B* items;
  Step step;
  SWEEP_HD value_type operator[](std::int64_t at) const { return {behind[step.from(at)], items[at]}; }
  SWEEP_HD value_type operator*() const { return (*this)[0]; }
  SWEEP_HD B* first_array() const { return items; }
  template <class Asks>
  bool each_array(Asks const& asks) const {
    return asks(behind) && asks(items);
  }
};

/// Writes an item to one array, and to another its product with what stands before it in a third.
template <class T, class Before, class Sums, class Products, class Init, class Step = row_step>
struct product_with_row_before {
  using value_type = T;
  using difference_type = std::int64_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  using looked_at = Before;
  static constexpr bool begins_with_value = !std::is_same_v<Init, nothing_before>;

  struct seen {
    Before before;
    bool begins;
  };
  struct writer {
    Before const* results;
    Sums* sums;
    Products* products;
    Init init;
    Step step;
    SWEEP_HD Before value_before() const { return static_cast<Before>(init.template of<T>(0).value); }
    /// What look() reads of an item, and what it finds in that.
    SWEEP_HD Before const* looks_at(std::int64_t at) const { return results + step.from(at); }
    SWEEP_HD seen found(Before const& read, std::int64_t at) const {
      seen found{read, !step.exists(at)};
      if constexpr (begins_with_value)
        if (found.begins) found.before = value_before();
      return found;
    }
    SWEEP_HD seen look(std::int64_t at) const { return found(*looks_at(at), at); }
    SWEEP_HD Products product(T const& x, Before const& before, bool begins) const {
      if (!begins_with_value && begins) return Products{};
      return static_cast<Products>(x * before);
    }
    SWEEP_HD void operator()(std::int64_t at, T const& x, seen const& found) const {
      put_item(sums, at, T(x));
      put_item(products, at, product(x, found.before, found.begins));
    }
  };
  struct reference {
    writer const* write;
    std::int64_t at;
    SWEEP_HD void operator=(T const& x) const { (*write)(at, x, write->look(at)); }
  };
  writer write;
  SWEEP_HD reference operator[](std::int64_t at) const { return {&write, at}; }
  SWEEP_HD reference operator*() const { return {&write, 0}; }
  SWEEP_HD Sums* first_array() const { return write.sums; }
  template <class Asks>
  bool each_array(Asks const& asks) const {
    return asks(write.results) && asks(write.sums) && asks(write.products);
  }
};

/// Whether what is read or written are such arrays with the axis outermost.
template <class It>
inline constexpr bool is_rows = false;
template <class A, class B>
inline constexpr bool is_rows<row_before_beside<A, B>> = true;
template <class T, class Before, class Sums, class Products, class Init>
inline constexpr bool is_rows<product_with_row_before<T, Before, Sums, Products, Init>> = true;
/// The same of lines that follow each other.
template <class It>
inline constexpr bool is_run_of_lines = false;
template <class A, class B>
inline constexpr bool is_run_of_lines<row_before_beside<A, B, item_step>> = true;
template <class T, class Before, class Sums, class Products, class Init>
inline constexpr bool is_run_of_lines<product_with_row_before<T, Before, Sums, Products, Init, item_step>> =
    true;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
