// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_STENCIL_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_STENCIL_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>

#include <sweep/partition.hpp>

#include <string>
#include <vector>

// Compactions by a stencil of bytes, wide items or bits, for any place.
namespace sweep_test {

/// Bits of flags, with garbage behind the last of them; bit `first` of the words is flag 0.
inline std::vector<std::uint32_t> packed(std::vector<std::uint8_t> const& flags, std::size_t first) {
  std::vector<std::uint32_t> words((flags.size() + first + 31) / 32, 0xa5a5a5a5u);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    auto const bit = std::uint32_t{1} << (i + first) % 32;
    auto& word = words[(i + first) / 32];
    word = flags[i] ? word | bit : word & ~bit;
  }
  return words;
}

/// Selections by a stencil of bytes, of wide items under a predicate, and of bits at any position.
template <class Place, class X>
void stencil_law(Place const& at, std::string const& what, std::vector<X> const& x, std::uint32_t share,
                 std::size_t offset, random_source& random) {
  auto const n = x.size();
  auto const title = titled(at, what + ", " + std::to_string(share) + "/1024", n);
  std::vector<std::uint8_t> flags(n);
  std::vector<std::uint64_t> wide(n);
  std::vector<X> yes, no;
  some_of_1024 const pred{share};
  for (std::size_t i = 0; i < n; ++i) {
    wide[i] = random();
    flags[i] = pred(wide[i]) ? static_cast<std::uint8_t>(random.between(1, 255)) : std::uint8_t{0};
    (flags[i] ? yes : no).push_back(x[i]);
  }
  std::size_t const first_bit = offset * 7;
  using array = typename Place::template array<X>;
  typename Place::template array<std::uint8_t> const flag_items(flags, offset);
  typename Place::template array<std::uint64_t> const wide_items(wide, 1);
  typename Place::template array<std::uint32_t> const words(packed(flags, first_bit));
  auto const bits = sweep::bits(words.begin(), static_cast<std::ptrdiff_t>(first_bit));
  array const in(x, offset);
  auto const law = [&](char const* name, std::vector<X> const& want, auto call) {
    array const out(want.size(), 2);
    expect(call(out.begin()) == out.end(), title + name + " returns the end");
    expect_equal(out.read(), want, title + name);
    expect(out.guards_intact(), title + name + " writes the output only");
  };
  auto const& p = at.policy;
  law("pack by bytes", yes,
      [&](X* out) { return sweep::pack(p, in.begin(), in.end(), flag_items.begin(), out); });
  law("pack by bits", yes, [&](X* out) { return sweep::pack(p, in.begin(), in.end(), bits, out); });
  law("copy_if by a wide stencil", yes,
      [&](X* out) { return sweep::copy_if(p, in.begin(), in.end(), wide_items.begin(), out, pred); });
  law("remove_copy_if by bits", no,
      [&](X* out) { return sweep::remove_copy_if(p, in.begin(), in.end(), bits, out, truth{}); });

  array const out_yes(yes.size(), offset), out_no(no.size(), 3);
  auto const ends =
      sweep::partition_copy(p, in.begin(), in.end(), bits, out_yes.begin(), out_no.begin(), truth{});
  expect(ends.first == out_yes.end() && ends.second == out_no.end(),
         title + "partition_copy returns both ends");
  expect_equal(out_yes.read(), yes, title + "partition_copy by bits, selected");
  expect_equal(out_no.read(), no, title + "partition_copy by bits, rejected");
  expect(out_yes.guards_intact() && out_no.guards_intact(), title + "partition_copy writes the outputs only");

  array const left(x, 1), both(x, offset);
  expect(sweep::remove_if(p, left.begin(), left.end(), wide_items.begin(), pred) ==
             left.begin() + static_cast<std::ptrdiff_t>(no.size()),
         title + "remove_if by a stencil returns the end");
  expect_equal(first_items(left.read(), no.size()), no, title + "remove_if by a stencil");
  expect(sweep::stable_partition(p, both.begin(), both.end(), bits, truth{}) ==
             both.begin() + static_cast<std::ptrdiff_t>(yes.size()),
         title + "stable_partition by bits returns the middle");
  yes.insert(yes.end(), no.begin(), no.end());
  expect_equal(both.read(), yes, title + "stable_partition by bits");
  expect(left.guards_intact() && both.guards_intact(), title + "in place by a stencil writes the range only");
  expect_equal(wide_items.read(), wide, title + "the stencil stays");
}

template <class Place>
void enumerate_law(Place const& at, std::vector<std::uint8_t> const& flags, std::size_t first_bit) {
  auto const n = flags.size();
  std::vector<std::uint32_t> before(n);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    before[i] = count;
    count += flags[i] != 0;
  }
  typename Place::template array<std::uint32_t> const words(packed(flags, first_bit)), places(n, 1);
  auto const bits = sweep::bits(words.begin(), static_cast<std::ptrdiff_t>(first_bit));
  auto const title = titled(at, "bits", n);
  expect(sweep::enumerate(at.policy, bits, bits + static_cast<std::ptrdiff_t>(n), places.begin()) ==
             places.end(),
         title + "enumerate returns the end");
  expect_equal(places.read(), before, title + "enumerate");
}

template <class X, class Place>
void stencil_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Place const& places) {
  random_source random("stencil " + what);
  for (std::size_t turn = 0; turn < sizes.size(); ++turn)
    for (auto const share : {shares[turn % 5], shares[(turn + 2) % 5]}) {
      stencil_law(places.for_turn(turn), what, draw_bytes<X>(sizes[turn], random), share, (turn + share) % 6,
                  random);
      std::vector<std::uint8_t> flags(sizes[turn]);
      for (auto& flag : flags) flag = random() % 1024 < share;
      enumerate_law(places.for_turn(turn), flags, (turn + share) % 6 * 7);
    }
}

}  // namespace sweep_test

#endif
