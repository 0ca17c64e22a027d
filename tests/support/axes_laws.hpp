// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_AXES_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_AXES_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/values.hpp>

#include <sweep/axes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// The laws of calls along an axis, for any place: against loops over indices, for arrays of any rank, extents
// and strides, whose items are drawn at random and whose gaps nobody may touch.
namespace sweep_test {

inline constexpr int most_rank = 4;
using extents_of_array = std::vector<std::int64_t>;

/// x -> a x + b, both in the halves of an integer: one after the other, exact, and not the other way round.
struct halves_then {
  template <class T>
  SWEEP_TEST_HD T operator()(T x, T y) const {
    constexpr int half = 4 * sizeof(T);
    auto const low = [](T v) { return static_cast<std::uint64_t>(v & ((T{1} << half) - 1)); };
    auto const high = [](T v) { return static_cast<std::uint64_t>(v) >> half; };
    auto const a = static_cast<T>(low(y) * low(x)), b = static_cast<T>(low(y) * high(x) + high(y));
    return static_cast<T>(low(a) | static_cast<std::uint64_t>(b) << half);
  }
};

/// Where the items of an array lie in a buffer.
struct array_layout {
  extents_of_array extents, strides;
  std::int64_t first = 0, size = 0;

  std::int64_t items() const {
    std::int64_t all = 1;
    for (auto const extent : extents) all *= extent;
    return all;
  }
  /// Of the k-th item, the last axis' neighbours being neighbours.
  std::int64_t place(std::int64_t k) const {
    auto at = first;
    for (auto r = extents.size(); r-- > 0; k /= extents[r]) at += k % extents[r] * strides[r];
    return at;
  }
};

/// Axes in any order, with gaps between what lies along them, in any direction; or dense.
inline array_layout draw_layout(extents_of_array const& extents, bool dense, random_source& random) {
  array_layout layout{extents, extents_of_array(extents.size()), 0, 0};
  std::vector<std::size_t> order(extents.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = order.size() - 1 - r;
  if (!dense)
    for (auto r = order.size(); r > 1; --r)
      std::swap(order[r - 1], order[static_cast<std::size_t>(random.between(0, static_cast<int>(r) - 1))]);
  std::int64_t span = 1;
  for (auto const r : order) {
    layout.strides[r] = span;
    if (!dense && random.between(0, 2) == 0) layout.strides[r] += random.between(1, 5);
    auto const reach = extents[r] > 0 ? (extents[r] - 1) * layout.strides[r] : 0;
    if (!dense && random.between(0, 3) == 0) {
      layout.first += reach;
      layout.strides[r] = -layout.strides[r];
    }
    span += reach;
  }
  layout.size = span + (dense ? 0 : random.between(0, 3));
  return layout;
}

/// Rank, extents and axis, of at most about so many items. Lines of all lengths at which something changes.
struct array_shape {
  extents_of_array extents;
  int axis;
};
inline array_shape draw_shape(std::int64_t most, random_source& random) {
  static constexpr std::int64_t lengths[] = {1,  2,  3,   7,   16,  17,  31,  33,  63,
                                             64, 65, 127, 257, 511, 512, 513, 1025};
  array_shape shape{extents_of_array(static_cast<std::size_t>(random.between(1, most_rank)), 1), 0};
  shape.axis = static_cast<int>(random.between(0, static_cast<int>(shape.extents.size()) - 1));
  auto left = most;
  for (int turn = 0; turn < static_cast<int>(shape.extents.size()); ++turn) {
    // The axis first, so that lines of any length are met, and then the rest in turn.
    auto const r = static_cast<std::size_t>((shape.axis + turn) % static_cast<int>(shape.extents.size()));
    auto extent = random.between(0, 3) == 0
                      ? random.between(1, turn == 0 ? left : 100)
                      : lengths[random.between(0, static_cast<int>(std::size(lengths)) - 1)];
    if (random.between(0, 40) == 0) extent = 0;
    shape.extents[r] = std::min(extent, left);
    left /= std::max<std::int64_t>(1, shape.extents[r]);
  }
  return shape;
}

/// Calls f(view) with a view of the layout's rank.
template <int Rank = 1, class It, class F>
void with_view(It memory, array_layout const& layout, F f) {
  if constexpr (Rank <= most_rank) {
    if (layout.extents.size() != static_cast<std::size_t>(Rank))
      return with_view<Rank + 1>(memory, layout, f);
    std::int64_t extents[Rank], strides[Rank];
    for (int r = 0; r < Rank; ++r) {
      extents[r] = layout.extents[static_cast<std::size_t>(r)];
      strides[r] = layout.strides[static_cast<std::size_t>(r)];
    }
    f(sweep::strided(memory + layout.first, extents, strides));
  }
}

/// The first item of line k of those along the axis, and how far apart its items are, as numbers of items.
struct lines_of_items {
  std::int64_t length = 1, lines = 1, step = 1;
  lines_of_items(extents_of_array const& extents, int axis) {
    for (std::size_t r = 0; r < extents.size(); ++r) {
      if (static_cast<int>(r) == axis) length = extents[r];
      else lines *= extents[r];
      if (static_cast<int>(r) > axis) step *= extents[r];
    }
  }
  std::int64_t item(std::int64_t line, std::int64_t i) const {
    return line / step * step * length + line % step + i * step;
  }
};

/// The results of every line, in the order of the items; `inits` has one a line, one for all, or none.
template <class T, class Op>
std::vector<T> axis_oracle(bool inclusive, bool backward, std::vector<T> const& x,
                           extents_of_array const& extents, int axis, Op op, std::vector<T> const& inits) {
  lines_of_items const all(extents, axis);
  std::vector<T> out(x.size());
  if (x.empty()) return out;
  for (std::int64_t line = 0; line < all.lines; ++line) {
    bool begun = !inits.empty();
    T sum = begun ? inits[inits.size() == 1 ? 0 : static_cast<std::size_t>(line)] : T{};
    for (std::int64_t i = 0; i < all.length; ++i) {
      auto const at = static_cast<std::size_t>(all.item(line, backward ? all.length - 1 - i : i));
      if (!inclusive) out[at] = sum;
      sum = begun ? op(sum, x[at]) : x[at];
      begun = true;
      if (inclusive) out[at] = sum;
    }
  }
  return out;
}

/// Items put in their places, what is between them given.
template <class T>
std::vector<T> laid_out(std::vector<T> buffer, array_layout const& layout, std::vector<T> const& items) {
  for (std::int64_t k = 0; k < layout.items(); ++k)
    buffer[static_cast<std::size_t>(layout.place(k))] = items[static_cast<std::size_t>(k)];
  return buffer;
}
template <class T>
std::vector<T> items_of(std::vector<T> const& buffer, array_layout const& layout) {
  std::vector<T> items(static_cast<std::size_t>(layout.items()));
  for (std::int64_t k = 0; k < layout.items(); ++k)
    items[static_cast<std::size_t>(k)] = buffer[static_cast<std::size_t>(layout.place(k))];
  return items;
}

inline std::string text_of(array_shape const& shape, array_layout const& in, array_layout const& out) {
  std::string text = "axis " + std::to_string(shape.axis) + " of";
  for (auto const extent : shape.extents) text += " " + std::to_string(extent);
  for (auto const* layout : {&in, &out}) {
    text += ", strides";
    for (auto const stride : layout->strides) text += " " + std::to_string(stride);
  }
  return text;
}

enum class given_before { nothing, one, each };

/// One scan of one array. Kind and what is given before are types, since each is a kernel.
template <bool Inclusive, given_before Before, class T, class Op, class Place>
void axis_scan_law(Place const& at, array_shape const& shape, bool dense, bool in_place, bool backward, Op op,
                   random_source& random) {
  auto const in = draw_layout(shape.extents, dense, random);
  auto const out = in_place ? in : draw_layout(shape.extents, dense, random);
  lines_of_items const lines(shape.extents, shape.axis);
  auto const title = std::string(at.name) + ": " + text_of(shape, in, out) + (backward ? ", backward" : "") +
                     (in_place ? ", in place" : "");
  auto const x = draw_many<T>(static_cast<std::size_t>(in.size), random);
  auto const gaps = in_place ? x : draw_many<T>(static_cast<std::size_t>(out.size), random);
  auto cross = shape.extents;
  cross.erase(cross.begin() + shape.axis);
  if (cross.empty()) cross = {1};
  auto const init_layout = draw_layout(cross, dense, random);
  auto const inits = draw_many<T>(static_cast<std::size_t>(init_layout.size), random);
  std::vector<T> befores;
  if (Before == given_before::one) befores = {inits[0]};
  if (Before == given_before::each) befores = items_of(inits, init_layout);
  auto const want = laid_out(
      gaps, out, axis_oracle(Inclusive, backward, items_of(x, in), shape.extents, shape.axis, op, befores));

  auto const offset = static_cast<std::size_t>(random.between(0, 5));
  typename Place::template array<T> const from(x, in_place ? offset : 0), each(inits);
  typename Place::template array<T> const other(gaps, offset);
  auto const& to = in_place ? from : other;
  auto const call = [&](auto in_view, auto out_view, auto... init) {
    auto const with = [&](auto dir) {
      if constexpr (Inclusive)
        sweep::inclusive_scan(at.policy, in_view, out_view, sweep::along(shape.axis), op, init..., dir);
      else sweep::exclusive_scan(at.policy, in_view, out_view, sweep::along(shape.axis), init..., op, dir);
    };
    if (backward) with(sweep::backward);
    else with(sweep::forward);
  };
  with_view(static_cast<T const*>(from.begin()), in, [&](auto in_view) {
    with_view(to.begin(), out, [&](auto out_view) {
      if constexpr (std::size(decltype(in_view.extents){}) == std::size(decltype(out_view.extents){})) {
        [[maybe_unused]] constexpr int rank = static_cast<int>(std::size(decltype(in_view.extents){}));
        if constexpr (Before == given_before::nothing) call(in_view, out_view);
        else if constexpr (Before == given_before::one) call(in_view, out_view, inits[0]);
        else
          with_view(static_cast<T const*>(each.begin()), init_layout, [&](auto init_view) {
            if constexpr (std::size(decltype(init_view.extents){}) == (rank > 1 ? rank - 1 : 1))
              call(in_view, out_view, init_view);
          });
      }
    });
  });
  expect_equal(to.read(), want, title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

template <bool Inclusive, given_before Before, class T, class Op, class Place>
void axis_scan_laws(char const* name, int arrays, std::int64_t most, Op op, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k) {
    auto const shape = draw_shape(random.between(0, 9) == 0 ? most : most / 50, random);
    axis_scan_law<Inclusive, Before, T>(places.for_turn(static_cast<std::size_t>(k)), shape,
                                        random.between(0, 1) == 0, random.between(0, 3) == 0,
                                        random.between(0, 1) == 0, op, random);
  }
}

/// Bits of sums depend on extents alone: the same items in any layout, and by chunks shared out in any way.
template <class Place>
void axis_bits_law(Place const& at, array_shape const& shape, random_source& random) {
  std::int64_t n = 1;
  for (auto const extent : shape.extents) n *= extent;
  std::vector<float> items(static_cast<std::size_t>(n)), first;
  for (auto& x : items) x = draw<float>(random) - 0.3f;
  for (int turn = 0; turn < 4; ++turn) {
    auto const in = draw_layout(shape.extents, turn == 0, random),
               out = draw_layout(shape.extents, turn == 0, random);
    typename Place::template array<float> const from(
        laid_out(std::vector<float>(static_cast<std::size_t>(in.size)), in, items),
        static_cast<std::size_t>(turn));
    typename Place::template array<float> const to(static_cast<std::size_t>(out.size));
    with_view(static_cast<float const*>(from.begin()), in, [&](auto in_view) {
      with_view(to.begin(), out, [&](auto out_view) {
        if constexpr (std::size(decltype(in_view.extents){}) == std::size(decltype(out_view.extents){}))
          sweep::inclusive_scan(at.policy, in_view, out_view, sweep::along(shape.axis));
      });
    });
    auto const got = items_of(to.read(), out);
    if (turn == 0) first = got;
    else
      expect(got.empty() || std::memcmp(got.data(), first.data(), got.size() * sizeof(float)) == 0,
             std::string(at.name) + ": the same bits: " + text_of(shape, in, out));
  }
}

/// Several axes folded away, in the order of the items' indices.
template <class T, class Op, class Place>
void axis_reduce_law(Place const& at, array_shape const& shape, std::vector<int> axes, bool dense, Op op,
                     random_source& random) {
  auto const in = draw_layout(shape.extents, dense, random);
  extents_of_array left;
  auto const folded = [&](std::size_t r) {
    return std::find(axes.begin(), axes.end(), static_cast<int>(r)) != axes.end();
  };
  for (std::size_t r = 0; r < shape.extents.size(); ++r)
    if (!folded(r)) left.push_back(shape.extents[r]);
  if (left.empty()) left = {1};
  auto const out = draw_layout(left, dense, random);
  auto const title =
      std::string(at.name) + ": reduce, " + std::to_string(axes.size()) + " axes, " + text_of(shape, in, out);
  auto const x = draw_many<T>(static_cast<std::size_t>(in.size), random),
             gaps = draw_many<T>(static_cast<std::size_t>(out.size), random);
  T const init = draw<T>(random);
  auto const items = items_of(x, in);
  std::vector<T> results(static_cast<std::size_t>(out.items()), init);
  for (std::size_t k = 0; k < items.size(); ++k) {
    std::int64_t to = 0;
    auto nth = static_cast<std::int64_t>(k);
    std::int64_t step = 1;
    for (auto r = shape.extents.size(); r-- > 0; nth /= shape.extents[r])
      if (!folded(r)) {
        to += nth % shape.extents[r] * step;
        step *= shape.extents[r];
      }
    auto& result = results[static_cast<std::size_t>(to)];
    result = op(result, items[k]);
  }
  typename Place::template array<T> const from(x), to(gaps, 1);
  with_view(static_cast<T const*>(from.begin()), in, [&](auto in_view) {
    with_view(to.begin(), out, [&](auto out_view) {
      constexpr int rank = static_cast<int>(std::size(decltype(in_view.extents){}));
      constexpr int out_rank = static_cast<int>(std::size(decltype(out_view.extents){}));
      auto const call = [&](auto which) {
        if constexpr (out_rank == std::max(1, rank - static_cast<int>(std::size(which.axis))))
          sweep::reduce(at.policy, in_view, out_view, which, init, op);
      };
      if (axes.size() == 1) call(sweep::along(axes[0]));
      if constexpr (rank >= 2)
        if (axes.size() == 2) call(sweep::along(axes[0], axes[1]));
      if constexpr (rank >= 3)
        if (axes.size() == 3) call(sweep::along(axes[0], axes[1], axes[2]));
    });
  });
  expect_equal(to.read(), laid_out(gaps, out, results), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

template <class T, class Op, class Place>
void axis_reduce_laws(char const* name, int arrays, std::int64_t most, Op op, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k) {
    auto const shape = draw_shape(random.between(0, 9) == 0 ? most : most / 50, random);
    std::vector<int> named{shape.axis};
    auto const count = random.between(1, std::min<std::int64_t>(3, static_cast<int>(shape.extents.size())));
    while (static_cast<std::int64_t>(named.size()) < count) {
      auto const next = static_cast<int>(random.between(0, static_cast<int>(shape.extents.size()) - 1));
      if (std::find(named.begin(), named.end(), next) == named.end()) named.push_back(next);
    }
    axis_reduce_law<T>(places.for_turn(static_cast<std::size_t>(k)), shape, named, random.between(0, 1) == 0,
                       op, random);
  }
}

/// Every argument that can be left out, and every mistake.
template <class Place>
void axis_form_laws(Place const& at) {
  using U = std::uint32_t;
  random_source random("axis forms");
  extents_of_array const extents{5, 70, 9};
  auto const n = std::size_t{5 * 70 * 9};
  auto const x = draw_many<U>(n, random);
  typename Place::template array<U> const from(x), to(n), few(45);
  auto const in = sweep::strided(static_cast<U const*>(from.begin()), {5, 70, 9});
  auto const out = sweep::strided(to.begin(), {5, 70, 9});
  auto const sums = sweep::strided(few.begin(), {5, 9});
  auto const twice = [] SWEEP_TEST_HD(U v) { return 2 * v; };
  auto const xor_of = [] SWEEP_TEST_HD(U a, U b) { return a ^ b; };
  auto const same = [&](auto const& want, char const* what) {
    expect_equal(to.read(), want, std::string(at.name) + ": " + what);
  };
  auto const oracle = [&](bool inclusive, bool backward, auto op, std::vector<U> const& inits, bool doubled) {
    auto items = x;
    if (doubled)
      for (auto& v : items) v *= 2;
    return axis_oracle(inclusive, backward, items, extents, 1, op, inits);
  };
  auto const axis = sweep::along(1), counted_back = sweep::along(-2);
  auto const& p = at.policy;
  sweep::inclusive_scan(p, in, out, counted_back);
  same(oracle(true, false, add{}, {}, false), "inclusive_scan()");
  sweep::inclusive_scan(p, in, out, axis, sweep::backward);
  same(oracle(true, true, add{}, {}, false), "inclusive_scan(backward)");
  sweep::inclusive_scan(p, in, out, axis, std::plus<>{}, 5u);
  same(oracle(true, false, add{}, {5}, false), "inclusive_scan(op, init)");
  sweep::inclusive_scan(p, in, out, axis, 5u, std::plus<>{});
  same(oracle(true, false, add{}, {5}, false), "inclusive_scan(init, op)");
  sweep::exclusive_scan(p, in, out, axis);
  same(oracle(false, false, add{}, {0}, false), "exclusive_scan()");
  sweep::exclusive_scan(p, in, out, axis, 7u, sweep::backward);
  same(oracle(false, true, add{}, {7}, false), "exclusive_scan(init, backward)");
  sweep::transform_inclusive_scan(p, in, out, axis, std::plus<>{}, twice);
  same(oracle(true, false, add{}, {}, true), "transform_inclusive_scan(op, unary)");
  sweep::transform_inclusive_scan(p, in, out, axis, xor_of, twice, 3u, sweep::backward);
  same(oracle(true, true, xor_of, {3}, true), "transform_inclusive_scan(op, unary, init, backward)");
  sweep::transform_exclusive_scan(p, in, out, axis, 3u, xor_of, twice);
  same(oracle(false, false, xor_of, {3}, true), "transform_exclusive_scan(init, op, unary)");
  std::vector<U> want(45, 0);
  for (std::size_t k = 0; k < n; ++k) want[k / 630 * 9 + k % 9] += x[k];
  sweep::reduce(p, in, sums, axis);
  expect_equal(few.read(), want, std::string(at.name) + ": reduce()");
  for (auto& v : want) v = 2 * v + 4;
  sweep::transform_reduce(p, in, sums, axis, 4u, std::plus<>{}, twice);
  expect_equal(few.read(), want, std::string(at.name) + ": transform_reduce");
}

/// Every mistake, and arrays of nothing.
template <class Place>
void axis_refusal_laws(Place const& at) {
  using U = affine<std::uint32_t>;
  random_source random("axis refusals");
  auto const n = std::size_t{5 * 70 * 9};
  typename Place::template array<U> const from(draw_many<U>(n, random)), to(n), few(45);
  auto const in = sweep::strided(static_cast<U const*>(from.begin()), {5, 70, 9});
  auto const out = sweep::strided(to.begin(), {5, 70, 9});
  auto const sums = sweep::strided(few.begin(), {5, 9});
  auto const axis = sweep::along(1);
  auto const& p = at.policy;
  auto const refused = [&](std::vector<std::string> const& words, auto call) {
    auto const before = to.read();
    expect_throw<sweep::bad_argument>(words, call);
    expect_equal(to.read(), before, std::string(at.name) + ": a refused call writes nothing");
  };
  refused({"inclusive_scan", "axis", "is 3", "3 axes"},
          [&] { sweep::inclusive_scan(p, in, out, sweep::along(3), affine_then{}); });
  refused({"axis", "is -4"}, [&] { sweep::inclusive_scan(p, in, out, sweep::along(-4), affine_then{}); });
  refused({"out", "extent of 71", "70", "axis 1"}, [&] {
    sweep::inclusive_scan(p, in, sweep::strided(to.begin(), {5, 71, 9}), axis, affine_then{});
  });
  refused({"out", "same places"}, [&] {
    sweep::inclusive_scan(p, in, sweep::strided(to.begin(), {5, 70, 9}, {630, 8, 1}), axis, affine_then{});
  });
  refused({"out", "same places"}, [&] {
    sweep::inclusive_scan(p, in, sweep::strided(to.begin(), {5, 70, 9}, {0, 9, 1}), axis, affine_then{});
  });
  refused({"in", "negative", "-1"}, [&] {
    sweep::inclusive_scan(p, sweep::strided(static_cast<U const*>(from.begin()), {5, -1, 9}),
                          sweep::strided(to.begin(), {5, -1, 9}), axis, affine_then{});
  });
  refused({"in", "null pointer"}, [&] {
    sweep::inclusive_scan(p, sweep::strided(static_cast<U const*>(nullptr), {5, 70, 9}), out, axis,
                          affine_then{});
  });
  refused({"in", "2^63"}, [&] {
    auto const far = std::int64_t{1} << 32;
    sweep::inclusive_scan(p, sweep::strided(static_cast<U const*>(from.begin()), {far, far}),
                          sweep::strided(to.begin(), {far, far}), sweep::along(0), affine_then{});
  });
  refused({"out", "other strides"}, [&] {
    sweep::inclusive_scan(p, sweep::strided(static_cast<U const*>(to.begin()), {5, 70}, {1, 5}),
                          sweep::strided(to.begin(), {5, 70}), axis, affine_then{});
  });
  refused({"init", "extent of 8"}, [&] {
    sweep::exclusive_scan(p, in, out, axis, sweep::strided(static_cast<U const*>(few.begin()), {5, 8}),
                          affine_then{});
  });
  refused({"reduce", "axis", "twice"}, [&] {
    sweep::reduce(p, in, sweep::strided(few.begin(), {5}), sweep::along(1, -2), U{1, 0}, affine_then{});
  });
  // Where there is nothing to fold results are what was given; where there is nothing to write nothing is.
  sweep::reduce(p, sweep::strided(static_cast<U const*>(nullptr), {5, 0, 9}), sums, axis, U{8, 2},
                affine_then{});
  expect_equal(few.read(), std::vector<U>(45, U{8, 2}), std::string(at.name) + ": reduce of nothing");
  sweep::reduce(p, sweep::strided(static_cast<U const*>(nullptr), {45, 0}), sweep::strided(few.begin(), {45}),
                axis, U{7, 1}, affine_then{});
  expect_equal(few.read(), std::vector<U>(45, U{7, 1}),
               std::string(at.name) + ": reduce of nothing along the last axis");
  sweep::reduce(p, sweep::strided(static_cast<U const*>(nullptr), {45, 0, 9}),
                sweep::strided(few.begin(), {45}), sweep::along(1, 2), U{9, 3}, affine_then{});
  expect_equal(few.read(), std::vector<U>(45, U{9, 3}),
               std::string(at.name) + ": reduce of nothing, two axes");
  sweep::inclusive_scan(p, sweep::strided(static_cast<U const*>(nullptr), {5, 0, 9}),
                        sweep::strided(static_cast<U*>(nullptr), {5, 0, 9}), axis, affine_then{});
}

}  // namespace sweep_test

#endif
