// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented scans of narrow and wide values on the device.
#include <support/device_places.hpp>
#include <support/segmented_laws.hpp>

using namespace sweep_test;

namespace {

template <class X, class Op>
void laws_of_bits(std::string const& what, Op op) {
  random_source random(what + " bits");
  auto const first = (std::size_t{12} << 20) / sizeof(X);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 33, 3000}
                                  : std::vector<std::size_t>{1, 33, 3000, 70'001, first + 11};
  auto const law = [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    auto const init = draw<X>(random);
    auto const title = what + ", " + given.name;
    auto const offset = static_cast<std::size_t>(random.between(0, 2));
    segmented_law<true>(notation::bits, on_device_half, title, x, given.heads, given.all, op, init,
                        sweep::forward, offset, offset);
    segmented_law<false>(notation::bits, on_device_half, title, x, given.heads, given.all, op, init,
                         sweep::backward, offset, 0);
  };
  for_each_layout(sizes, random, law,
                  [&](std::size_t, std::size_t n) { return n <= 100'000 || random() % 3 == 0; });
}

}  // namespace

TEST_CASE("device segmented scans: 1 byte") { laws_of_bits<std::uint8_t>("u8", add{}); }
TEST_CASE("device segmented scans: 2 bytes") { laws_of_bits<std::uint16_t>("u16", add{}); }
TEST_CASE("device segmented scans: 8 bytes") { laws_of_bits<affine<std::uint32_t>>("affine", affine_then{}); }
TEST_CASE("device segmented scans: 16 bytes") { laws_of_bits<matrix2>("matrices", matrix2_product{}); }
TEST_CASE("device segmented scans: 48 bytes") { laws_of_bits<motion>("motions", motion_then{}); }
