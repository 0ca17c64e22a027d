// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_STENCIL_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_STENCIL_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/remove.hpp>

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
template <template <class> class Array, class X>
class stencil_case {
 public:
  stencil_case(std::string const& what, std::vector<X> const& x, std::uint32_t share, std::size_t offset,
               random_source& random)
      : stencil_case(what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, offset,
                     draw_wide(x.size(), random), random) {}

  template <class Place>
  void pack_by_bytes(Place const& at) const {
    copies(at, "pack by bytes", yes_,
           [&](X* out) { return sweep::pack(at.policy, in_.begin(), in_.end(), flag_items_.begin(), out); });
  }
  template <class Place>
  void pack_by_bits(Place const& at) const {
    copies(at, "pack by bits", yes_,
           [&](X* out) { return sweep::pack(at.policy, in_.begin(), in_.end(), bits_, out); });
  }
  template <class Place>
  void copy_if_by_wide(Place const& at) const {
    copies(at, "copy_if by a wide stencil", yes_, [&](X* out) {
      return sweep::copy_if(at.policy, in_.begin(), in_.end(), wide_items_.begin(), out, pred_);
    });
  }
  template <class Place>
  void remove_copy_if_by_bits(Place const& at) const {
    copies(at, "remove_copy_if by bits", no_, [&](X* out) {
      return sweep::remove_copy_if(at.policy, in_.begin(), in_.end(), bits_, out, truth{});
    });
  }
  template <class Place>
  void partition_copy_by_bits(Place const& at) const {
    if (at.skipped) return;
    auto const title = titled(at, what_, n_) + "partition_copy by bits ";
    Array<X> const out_yes(yes_.size(), offset_), out_no(no_.size(), 3);
    auto const ends = sweep::partition_copy(at.policy, in_.begin(), in_.end(), bits_, out_yes.begin(),
                                            out_no.begin(), truth{});
    expect(ends.first == out_yes.end() && ends.second == out_no.end(), title + "returns both ends");
    expect_equal(out_yes.read(), yes_, title + "selected");
    expect_equal(out_no.read(), no_, title + "rejected");
    expect(out_yes.guards_intact() && out_no.guards_intact(), title + "writes the outputs only");
  }
  template <class Place>
  void remove_if_by_wide(Place const& at) const {
    if (at.skipped) return;
    auto const title = titled(at, what_, n_) + "remove_if by a stencil ";
    Array<X> const left(x_, 1);
    expect(sweep::remove_if(at.policy, left.begin(), left.end(), wide_items_.begin(), pred_) ==
               left.begin() + static_cast<std::ptrdiff_t>(no_.size()),
           title + "returns the end");
    expect_equal(first_items(left.read(), no_.size()), no_, title);
    expect(left.guards_intact(), title + "writes the range only");
    expect_equal(wide_items_.read(), wide_, title + "leaves the stencil alone");
  }
  template <class Place>
  void stable_partition_by_bits(Place const& at) const {
    if (at.skipped) return;
    auto const title = titled(at, what_, n_) + "stable_partition by bits ";
    Array<X> const both(x_, offset_);
    expect(sweep::stable_partition(at.policy, both.begin(), both.end(), bits_, truth{}) ==
               both.begin() + static_cast<std::ptrdiff_t>(yes_.size()),
           title + "returns the middle");
    auto joined = yes_;
    joined.insert(joined.end(), no_.begin(), no_.end());
    expect_equal(both.read(), joined, title);
    expect(both.guards_intact(), title + "writes the range only");
  }

 private:
  static std::vector<std::uint64_t> draw_wide(std::size_t n, random_source& random) {
    std::vector<std::uint64_t> wide(n);
    for (auto& w : wide) w = random();
    return wide;
  }
  static std::vector<std::uint8_t> flags_of(std::vector<std::uint64_t> const& wide, some_of_1024 pred,
                                            random_source& random) {
    std::vector<std::uint8_t> flags(wide.size());
    for (std::size_t i = 0; i < wide.size(); ++i)
      flags[i] = pred(wide[i]) ? static_cast<std::uint8_t>(random.between(1, 255)) : std::uint8_t{0};
    return flags;
  }
  stencil_case(std::string const& what, std::vector<X> const& x, some_of_1024 pred, std::size_t offset,
               std::vector<std::uint64_t> const& wide, random_source& random)
      : stencil_case(what, x, pred, offset, wide, flags_of(wide, pred, random)) {}
  stencil_case(std::string const& what, std::vector<X> const& x, some_of_1024 pred, std::size_t offset,
               std::vector<std::uint64_t> const& wide, std::vector<std::uint8_t> const& flags)
      : what_{what},
        x_{x},
        n_{x.size()},
        offset_{offset},
        pred_{pred},
        wide_{wide},
        in_(x, offset),
        flag_items_(flags, offset),
        wide_items_(wide, 1),
        words_(packed(flags, offset * 7)),
        bits_(words_.begin(), static_cast<std::ptrdiff_t>(offset * 7)) {
    for (std::size_t i = 0; i < n_; ++i) (flags[i] ? yes_ : no_).push_back(x[i]);
  }

  template <class Place, class Call>
  void copies(Place const& at, char const* name, std::vector<X> const& want, Call call) const {
    if (at.skipped) return;
    auto const title = titled(at, what_, n_) + name;
    Array<X> const out(want.size(), 2);
    expect(call(out.begin()) == out.end(), title + " returns the end");
    expect_equal(out.read(), want, title);
    expect(out.guards_intact(), title + " writes the output only");
    expect_equal(wide_items_.read(), wide_, title + " leaves the stencil alone");
  }

  std::string what_;
  std::vector<X> const& x_;
  std::size_t n_, offset_;
  some_of_1024 pred_;
  std::vector<std::uint64_t> wide_;
  std::vector<X> yes_, no_;
  Array<X> in_;
  Array<std::uint8_t> flag_items_;
  Array<std::uint64_t> wide_items_;
  Array<std::uint32_t> words_;
  sweep::bits bits_;
};

/// The forms take places in turn.
template <class Place, class X>
void stencil_law(Place const& at, std::string const& what, std::vector<X> const& x, std::uint32_t share,
                 std::size_t offset, random_source& random) {
  stencil_case<Place::template array, X> const given(what, x, share, offset, random);
  given.pack_by_bytes(at_form<0>(at));
  given.pack_by_bits(at_form<1>(at));
  given.copy_if_by_wide(at_form<2>(at));
  given.remove_copy_if_by_bits(at_form<3>(at));
  given.partition_copy_by_bits(at_form<4>(at));
  given.remove_if_by_wide(at_form<5>(at));
  given.stable_partition_by_bits(at_form<6>(at));
}

template <class Place>
void enumerate_law(Place const& at, std::vector<std::uint8_t> const& flags, std::size_t first_bit) {
  if (at.skipped) return;
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
    }
}

template <class Place>
void enumerate_laws_of(std::vector<std::size_t> const& sizes, Place const& places) {
  random_source random("enumerate");
  for (std::size_t turn = 0; turn < sizes.size(); ++turn)
    for (auto const share : shares) {
      std::vector<std::uint8_t> flags(sizes[turn]);
      for (auto& flag : flags) flag = random() % 1024 < share;
      enumerate_law(places.for_turn(turn), flags, (turn + share) % 6 * 7);
    }
}

}  // namespace sweep_test

#endif
