// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sparse products on the device: semirings, shapes, variants, masks, iterators, graphs, errors,
// sizes.
#include <support/device_places.hpp>
#include <support/spmv_laws.hpp>

using namespace sweep_test;

namespace {

using U = std::uint32_t;
auto const by_rows = half_at(sweep::device.with(sweep::variant::row_vector), "row_vector");
auto const by_path = half_at(sweep::device.with(sweep::variant::merge_path), "merge_path");
auto const by_scan = half_at(sweep::device.with(sweep::variant::segmented_scan), "segmented_scan");
constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};

/// law(pattern, random) for every kind of matrix, at several sizes.
template <class Law>
void on_every_pattern(char const* name, Law law) {
  random_source random(name);
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 5000), random.between(100'000, 600'000)}) {
      if (sanitizing() && size > 5000) continue;
      law(draw_pattern(kind, size, random), random);
    }
}

/// law(place) both ways: whole rows, and the path where it is asked for.
template <class Law>
void by_rows_and_by_path(Law law) {
  law(on_device);
  law(by_path);
}

/// 0, a, b, n: rows that no memory could hold.
struct giant_offsets {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  std::int64_t a, b, n;
  __host__ __device__ std::int64_t operator[](std::ptrdiff_t i) const {
    return i == 0 ? 0 : i == 1 ? a : i == 2 ? b : n;
  }
};

}  // namespace

TEST_CASE("device sparse products: semirings, types and shapes") {
  namespace rings = sweep::semirings;
  on_every_pattern("sparse products", [](pattern const& shape, random_source& random) {
    by_rows_and_by_path([&](auto const& place) {
      product_law<affine<U>, U, U, std::int32_t, std::int32_t>(place, "maps", shape, maps, random);
      product_law<motion, U, std::uint64_t, std::int32_t, std::int32_t>(
          place, "motions", shape, sweep::semiring{motion_then{}, make_motion{}, motion{}}, random);
    });
    product_law<std::uint64_t, std::uint8_t, std::uint16_t, std::int64_t, std::uint32_t>(
        on_device, "u8 by u16 in u64", shape, rings::plus_times<std::uint64_t>(), random);
    product_law<std::uint8_t, std::uint8_t, std::uint8_t, std::uint32_t, std::int64_t>(
        on_device, "or-and", shape, rings::or_and(), random);
  });
}

TEST_CASE("device sparse products: a backward segmented scan") {
  on_every_pattern("products by scans", [](pattern const& shape, random_source& random) {
    product_law<affine<U>, U, U, std::int32_t, std::int32_t>(by_scan, "maps", shape, maps, random);
  });
}

TEST_CASE("device sparse products: floating point, masks and scalars") {
  on_every_pattern("floating-point products", [](pattern const& shape, random_source& random) {
    by_rows_and_by_path([&](auto const& place) { float_law<float>(place, shape, random); });
    float_law<double>(on_device, shape, random);
    masked_law(on_device, shape, random);
    scaled_law(on_device, shape, random);
  });
}

TEST_CASE("device sparse products: some rows of a larger matrix") {
  on_every_pattern("some rows", [](pattern const& shape, random_source& random) {
    some_rows_law(on_device, shape, random);
  });
}

TEST_CASE("device sparse products: iterators, unknown sizes, offsets of any numbers") {
  random_source random("product forms");
  product_form_laws(on_device, random);
  // Of such offsets several rows may claim the same entries; whose sum is kept is left to chance.
  if (!racechecking())
    for (std::size_t const rows : {1, 1000, 30'000})
      by_rows_and_by_path([&](auto const& place) { wild_offset_law(place, rows, random); });
  CHECK_THROWS_WITH_AS(sweep::spmv(by_rows.policy,
                                   sweep::csr_view(1, 1, static_cast<int*>(nullptr) + 1,
                                                   static_cast<int*>(nullptr), static_cast<float*>(nullptr)),
                                   static_cast<float*>(nullptr), static_cast<float*>(nullptr) + 1),
                       doctest::Contains("how many entries"), sweep::bad_argument);
}

TEST_CASE("device sparse products: bad input") { product_error_laws(on_device, sweep::device.checked()); }

TEST_CASE("device sparse products: captured in a graph and replayed with other inputs") {
  random_source random("product graph");
  auto const shape = draw_pattern(4, sanitizing() ? 3000 : 200'000, random);
  auto const by = sweep::semirings::plus_times<U>();
  placed_matrix<device_place<default_policy>, std::int32_t, std::int32_t, U> const matrix(
      shape, draw_many<U>(shape.entries(), random), random);
  auto const values = matrix.values.read();
  device_array<U> in(static_cast<std::size_t>(shape.columns));
  device_array<U> const y(static_cast<std::size_t>(shape.rows));
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] { sweep::spmv(on, matrix.view(), in.begin(), y.begin()); });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<U>(static_cast<std::size_t>(shape.columns), random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    expect_equal(y.read(), product_oracle<U>(shape, values, x, by), "replay " + std::to_string(replay));
  }
}

TEST_CASE("device sparse products: rows of more than 2^31 entries, which are made up") {
  std::int64_t const scale = sanitizing() ? 1 << 10 : std::int64_t{1} << 31;
  giant_offsets const offsets{5, scale + 7, 2 * scale + 3};
  device_array<U> const x(std::vector<U>{1}), y(3);
  sweep::csr_view const a(3, 1, offsets.n, offsets, sweep::detail::same_value<int>{0},
                          sweep::detail::same_value<U>{1});
  sweep::spmv(sweep::device, a, x.begin(), y.begin());
  expect_equal(y.read(), {5, static_cast<U>(scale + 2), static_cast<U>(scale - 4)}, "counts of the entries");
}
