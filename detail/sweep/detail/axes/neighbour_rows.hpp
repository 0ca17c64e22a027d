// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_NEIGHBOUR_ROWS_HPP
#define SWEEP_DETAIL_AXES_NEIGHBOUR_ROWS_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/zip.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Arrays that all lie in memory as one does: one number says where an item is in each of them, its neighbours
// along the axis lie a row further or a row before, and whether it has such can be told from that number. So
// neighbouring lines are vectors in all of them. The same of arrays with the axis innermost, whose lines are
// runs, equally far apart: neighbours along the axis are neighbours in memory.

/// How an array lies along an axis, its places counted from the lowest, which is `lowest` from its first
/// item: what lies within a step along the axis is less than the step, and blocks of all steps are equally
/// far apart, one behind the other; and 32 bits count all places.
struct layout_along {
  std::int64_t lowest = 0, reach = 1;  ///< how far all items reach
  std::int64_t step = 1, block = 0;    ///< block: 0 where there is one
  bool regular = true;
};
template <int Rank>
constexpr layout_along lies_along(std::int64_t const (&extents)[Rank], std::int64_t const (&strides)[Rank],
                                  int axis) {
  layout_along found;
  found.step = magnitude(strides[axis]);
  bool const steps = extents[axis] > 1;
  std::int64_t within = 1;
  for (int r = 0; r < Rank; ++r) {
    if (extents[r] <= 1) continue;
    auto const stride = magnitude(strides[r]), all = (extents[r] - 1) * stride;
    if (strides[r] < 0) found.lowest -= all;
    found.reach += all;
    if (r == axis || !steps) continue;
    if (stride < found.step) within += all;
    else if (found.block == 0 || stride < found.block) found.block = stride;
  }
  found.regular = found.reach >> 32 == 0;
  if (!steps) return found;
  found.regular = found.regular && within <= found.step;
  if (found.block == 0) return found;
  found.regular = found.regular && found.block >= extents[axis] * found.step;
  for (int r = 0; r < Rank; ++r)
    if (extents[r] > 1 && magnitude(strides[r]) > found.step)
      found.regular = found.regular && magnitude(strides[r]) % found.block == 0;
  return found;
}

/// From an item to its neighbour a row on or back.
class row_step {
 public:
  /// `step` is that to the neighbour, forth or back in memory.
  row_step(layout_along const& lies, std::int64_t step, std::int64_t length)
      : step_{step},
        first_{static_cast<std::uint32_t>(lies.lowest)},
        without_{step < 0 ? static_cast<std::uint32_t>(lies.step) : 0},
        with_{length > 1 ? static_cast<std::uint32_t>((length - 1) * lies.step) : 0},
        block_{static_cast<std::uint32_t>(lies.block)},
        blocks_{lies.block > 0 ? word_divisor(block_) : word_divisor{}} {}
  /// The neighbour's place; the item's own where there is none.
  SWEEP_HD constexpr std::int64_t from(std::int64_t at) const { return exists(at) ? at + step_ : at; }
  SWEEP_HD constexpr bool exists(std::int64_t at) const {
    auto const place = static_cast<std::uint32_t>(at) - first_;
    return place - blocks_.quotient(place) * block_ - without_ < with_;
  }

 private:
  std::int64_t step_;
  std::uint32_t first_;           ///< the lowest place
  std::uint32_t without_, with_;  ///< in a block places that have no neighbour, if before those that have one
  std::uint32_t block_;
  word_divisor blocks_;
};

/// From an item of a line to the one behind or before it, where lines are runs.
class item_step {
 public:
  item_step(layout_along const& lies, std::int64_t step, std::int64_t length)
      : step_{static_cast<int>(step)},
        pitch_{static_cast<std::uint32_t>(lies.block)},
        end_{step > 0 ? static_cast<std::uint32_t>(length) - 1 : 0},
        first_{static_cast<std::uint32_t>(lies.lowest)},
        last_{lies.lowest + (step > 0 ? lies.reach - 1 : 0)},
        lines_{pitch_} {}
  /// The neighbour's place, be it in another line or between lines; the item's own where memory ends.
  SWEEP_HD constexpr std::int64_t from(std::int64_t at) const { return at != last_ ? at + step_ : at; }
  SWEEP_HD constexpr bool exists(std::int64_t at) const {
    auto const n = static_cast<std::uint32_t>(at) - first_;
    return n - lines_.quotient(n) * pitch_ != end_;
  }

 private:
  int step_;
  std::uint32_t pitch_, end_;  ///< of lines; the index in a line of the item that has none
  std::uint32_t first_;        ///< the lowest place
  std::int64_t last_;          ///< the place behind which, or before which, memory ends
  word_divisor lines_;
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

/// Whether what is read or written are such arrays, whose neighbours along the axis lie rows apart.
template <class It>
inline constexpr bool is_rows = false;
template <class A, class B>
inline constexpr bool is_rows<row_before_beside<A, B>> = true;
template <class T, class Before, class Sums, class Products, class Init>
inline constexpr bool is_rows<product_with_row_before<T, Before, Sums, Products, Init>> = true;
/// The same of lines that are runs.
template <class It>
inline constexpr bool is_run_of_lines = false;
template <class A, class B>
inline constexpr bool is_run_of_lines<row_before_beside<A, B, item_step>> = true;
template <class T, class Before, class Sums, class Products, class Init>
inline constexpr bool is_run_of_lines<product_with_row_before<T, Before, Sums, Products, Init, item_step>> =
    true;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
