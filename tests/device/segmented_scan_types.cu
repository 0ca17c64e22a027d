// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented scans of narrow and wide values on the device.
#include <support/device_places.hpp>
#include <support/segmented_laws.hpp>

using namespace sweep_test;

namespace {

/// One form under the tables' plans, which have a line for every size of items; the other by small tiles, in
/// stages where the items are not wide. Packed bits are what every notation becomes.
template <std::size_t Type, class X, class Op>
void laws_of_bits(std::string const& what, Op op) {
  random_source random(what + " bits");
  auto const first = (std::size_t{12} << 20) / sizeof(X);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 33, 3000}
                                  : std::vector<std::size_t>{1, 33, 3000, 70'001, first + 11};
  auto const places = [] {
    if constexpr (sizeof(X) <= 16) return tables_in_turn<Type>();
    else return wide_tables_in_turn<Type>();
  }();
  auto const law = [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    auto const init = draw<X>(random);
    auto const title = what + ", " + given.name;
    auto const offset = static_cast<std::size_t>(random.between(0, 2));
    segmented_law<true>(only<notation::bits>, places, title, x, given.heads, given.all, op, init,
                        sweep::forward, offset, offset);
    segmented_law<false>(only<notation::bits>, places, title, x, given.heads, given.all, op, init,
                         sweep::backward, offset, 0);
  };
  for_each_layout(sizes, random, law,
                  [&](std::size_t, std::size_t n) { return n <= 100'000 || random() % 3 == 0; });
}

struct larger_of_two {
  __host__ __device__ std::int16_t operator()(std::int16_t a, std::int16_t b) const { return b > a ? b : a; }
};

/// Results wider than the items, in small tiles in stages: lanes shift what they read into place.
template <class X, class V, class Op, class Dir>
void laws_of_wider(std::string const& what, Op op, Dir direction) {
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  random_source random(what);
  auto const at = staged_at(scan_in_stages, "in stages");
  if (at.skipped) return;
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 3000}
                                  : std::vector<std::size_t>{1, 33, 3000, 70'001, 300'001};
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    auto const init = draw<V>(random);
    guarded<X, device_memory> const in(x, static_cast<std::size_t>(random.between(0, 5)));
    guarded<V, device_memory> const out(given.n, static_cast<std::size_t>(random.between(0, 5)));
    guarded<std::uint32_t, device_memory> const bits(given.all.bits, 0);
    auto const want = segmented_oracle<V>(false, backward, x, given.heads, op, std::optional<V>(init));
    auto const title = what + ", " + given.name + ", n = " + std::to_string(given.n);
    sweep::segmented_exclusive_scan(at.policy, in.begin(), in.end(),
                                    sweep::segments::by_head_bits(bits.begin()), out.begin(), init, op,
                                    direction);
    expect_equal(out.read(), want, title);
    expect(out.guards_intact(), title + ": writes its output only");
  });
}

}  // namespace

TEST_CASE("device segmented scans: results wider than the items") {
  laws_of_wider<std::uint8_t, std::uint64_t>("u8 to u64", std::plus<>{}, sweep::forward);
  laws_of_wider<std::int8_t, std::int16_t>("i8 to i16, backward", larger_of_two{}, sweep::backward);
}
TEST_CASE("device segmented scans: 1 byte") { laws_of_bits<0, std::uint8_t>("u8", add{}); }
TEST_CASE("device segmented scans: 2 bytes") { laws_of_bits<1, std::uint16_t>("u16", add{}); }
TEST_CASE("device segmented scans: 8 bytes") {
  laws_of_bits<2, affine<std::uint32_t>>("affine", affine_then{});
}
TEST_CASE("device segmented scans: 16 bytes") { laws_of_bits<3, matrix2>("matrices", matrix2_product{}); }
TEST_CASE("device segmented scans: 48 bytes") { laws_of_bits<4, motion>("motions", motion_then{}); }
