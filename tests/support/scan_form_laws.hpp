// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SCAN_FORM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SCAN_FORM_LAWS_HPP

#include <support/scan_laws.hpp>

#include <functional>

namespace sweep_test {

/// All ways to leave arguments out, with the default operator and the standard's.
template <class Place>
void argument_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("argument forms");
  auto const x = draw_many<U>(n, random);
  typename Place::template array<U> const in(x);
  typename Place::template array<U> const out(n);
  auto const want = [&](bool inclusive, bool backward, U init) {
    return scan_oracle<U>(inclusive, backward, x, add{}, std::optional<U>(init));
  };
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const got = [&](U* end, char const* what, std::vector<U> const& wanted) {
    expect(end == out.end(), title + what + " returns the end of the output");
    expect_equal(out.read(), wanted, title + what);
  };
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end(), to = out.begin();
  using sweep::backward, sweep::forward, std::plus;
  got(sweep::inclusive_scan(p, first, last, to), "inclusive_scan()", want(true, false, 0));
  got(sweep::inclusive_scan(p, first, last, to, backward), "inclusive_scan(backward)", want(true, true, 0));
  got(sweep::inclusive_scan(p, first, last, to, plus<>{}), "inclusive_scan(op)", want(true, false, 0));
  got(sweep::inclusive_scan(p, first, last, to, plus<>{}, backward), "inclusive_scan(op, backward)",
      want(true, true, 0));
  got(sweep::inclusive_scan(p, first, last, to, plus<>{}, 9u), "inclusive_scan(op, init)",
      want(true, false, 9));
  got(sweep::inclusive_scan(p, first, last, to, plus<>{}, 9u, forward), "inclusive_scan(op, init, forward)",
      want(true, false, 9));
  got(sweep::exclusive_scan(p, first, last, to), "exclusive_scan()", want(false, false, 0));
  got(sweep::exclusive_scan(p, first, last, to, backward), "exclusive_scan(backward)", want(false, true, 0));
  got(sweep::exclusive_scan(p, first, last, to, 9u), "exclusive_scan(init)", want(false, false, 9));
  got(sweep::exclusive_scan(p, first, last, to, 9u, backward), "exclusive_scan(init, backward)",
      want(false, true, 9));
  got(sweep::exclusive_scan(p, first, last, to, 9u, plus<>{}), "exclusive_scan(init, op)",
      want(false, false, 9));
  got(sweep::exclusive_scan(p, first, last, to, 9u, plus<>{}, backward), "exclusive_scan(init, op, backward)",
      want(false, true, 9));
  expect(out.guards_intact(), title + "writes the output only");
}

/// Items, sums and results of three types: the sum's is what the operator makes of (initial value or item,
/// item).
template <class Place>
void mixed_type_laws(Place const& at, std::size_t n) {
  random_source random("mixed types");
  auto const bytes = draw_many<std::uint8_t>(n, random);
  scan_law<std::int32_t>(form::inclusive, at, "u8 summed as int, written as i32", bytes, std::plus<>{}, 0,
                         sweep::forward, 1, 3);
  auto const ints = draw_many<std::int32_t>(n, random);
  auto const far = std::int64_t{1} << 40;
  scan_law<std::int64_t>(form::exclusive, at, "i32 from an i64", ints, std::plus<>{}, far, sweep::backward, 3,
                         1);
  scan_law<std::int64_t>(form::inclusive_with_init, at, "i32 from an i64", ints, std::plus<>{}, far,
                         sweep::forward);
  auto const walk = draw_walk<float>(n, random);
  scan_law<double>(form::exclusive, at, "f32 written as f64", walk, std::plus<>{}, 0.0f, sweep::backward, 0,
                   1);
}

struct count_bits {
  SWEEP_TEST_HD std::uint32_t operator()(std::uint8_t x) const {
    std::uint32_t bits = 0;
    for (; x != 0; x = static_cast<std::uint8_t>(x & (x - 1))) ++bits;
    return bits;
  }
};
struct as_map {
  SWEEP_TEST_HD affine<std::uint32_t> operator()(std::uint8_t x) const { return {2u * x + 1u, x ^ 85u}; }
};

/// Transformed scans; unary functions change the type, so that a swapped argument could not compile or would
/// show.
template <class Place>
void transform_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  using map = affine<U>;
  random_source random("transform");
  auto const x = draw_many<std::uint8_t>(n, random);
  typename Place::template array<std::uint8_t> const in(x);
  typename Place::template array<U> const counts(n);
  typename Place::template array<map> const maps(n);
  map const start{3, 4};
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end();
  auto const counted = [&](U* end, char const* what, bool inclusive, bool backward, U init) {
    expect(end == counts.end(), title + what + " returns the end of the output");
    expect_equal(counts.read(),
                 scan_oracle<U>(inclusive, backward, x, add{}, std::optional<U>(init), count_bits{}),
                 title + what);
  };
  auto const mapped = [&](map* end, char const* what, bool inclusive, bool backward,
                          std::optional<map> init) {
    expect(end == maps.end(), title + what + " returns the end of the output");
    expect_equal(maps.read(), scan_oracle<map>(inclusive, backward, x, affine_then{}, init, as_map{}),
                 title + what);
  };
  using sweep::backward;
  counted(sweep::transform_inclusive_scan(p, first, last, counts.begin(), std::plus<>{}, count_bits{}),
          "(op, unary)", true, false, 0);
  counted(sweep::transform_inclusive_scan(p, first, last, counts.begin(), count_bits{}, std::plus<>{}),
          "(unary, op)", true, false, 0);
  counted(sweep::transform_exclusive_scan(p, first, last, counts.begin(), 8u, std::plus<>{}, count_bits{}),
          "(init, op, unary)", false, false, 8);
  counted(sweep::transform_exclusive_scan(p, first, last, counts.begin(), count_bits{}, 8u, std::plus<>{}),
          "(unary, init, op)", false, false, 8);
  mapped(sweep::transform_inclusive_scan(p, first, last, maps.begin(), affine_then{}, as_map{}, start),
         "(op, unary, init)", true, false, start);
  mapped(sweep::transform_inclusive_scan(p, first, last, maps.begin(), as_map{}, start, affine_then{}),
         "(unary, init, op)", true, false, start);
  mapped(sweep::transform_inclusive_scan(p, first, last, maps.begin(), affine_then{}, as_map{}, backward),
         "(op, unary, backward)", true, true, std::nullopt);
  mapped(
      sweep::transform_exclusive_scan(p, first, last, maps.begin(), start, affine_then{}, as_map{}, backward),
      "(init, op, unary, backward)", false, true, start);
}

}  // namespace sweep_test

#endif
