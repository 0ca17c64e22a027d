// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RADIX_SORT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RADIX_SORT_LAWS_HPP

#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

// What the units of sorts by radix on the device share: small inputs that go the ways of large ones.
namespace sweep_test {

/// What large inputs have, of small ones, which no grid of resident blocks sorts; and back.
class radix_limits {
 public:
  radix_limits(std::int64_t chunks, std::int64_t items, std::int64_t grid_blocks = 0,
               std::int64_t block_items = std::int64_t{1} << 20)
      : chunks_(sweep::detail::most_split_chunks, chunks),
        items_(sweep::detail::least_items_to_finish, items),
        blocks_(sweep::detail::most_grid_blocks, grid_blocks),
        block_items_(sweep::detail::most_items_of_block, block_items) {}

 private:
  changed<std::int64_t> chunks_, items_, blocks_, block_items_;
};

/// Values are the keys' places at first.
template <class Key>
void sort_by_key_law(std::vector<Key> const& x, std::string const& what) {
  std::vector<std::uint32_t> serial(x.size());
  std::iota(serial.begin(), serial.end(), 0u);
  device_array<Key> const keys(x);
  device_array<std::uint32_t> const values(serial);
  sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin());
  expect_equal(values.read(), taken(serial, stable_order(x, number_less{})), what);
}

/// Pairs most of whose keys are of few words, copied and in place: a few of them and nothing else; one, among
/// any others; by a power law; those that a sample draws alone, so that there are too many others, or so
/// many that these alone go by their digits; those that others are many beside, which are drawn behind the
/// sample; and with others that are some words, less often each.
template <class Key>
void split_by_words_law(std::string const& type) {
  random_source random("split by words of " + type);
  constexpr std::size_t n = 60'000;
  auto const key_of = [](std::uint64_t bits) {
    using bits_type = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    auto const own = static_cast<bits_type>(bits);
    Key key;
    std::memcpy(&key, &own, sizeof(key));
    return key;
  };
  constexpr auto sign = std::uint64_t{1} << (8 * sizeof(Key) - 1);
  for (auto const which : some_cases(7, random)) {
    auto const bits = draw_many<std::uint64_t>(n, random);
    std::vector<Key> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t const word = bits[i] >> 40, any = bits[i] * 0x9e3779b97f4a7c15u;
      x[i] = which == 0   ? key_of(word % 3 == 0   ? sign
                                   : word % 3 == 1 ? ~std::uint64_t{0}
                                                   : 0)
             : which == 1 ? key_of(word % 8 == 0 ? any : sign / 3)
             : which == 2 ? static_cast<Key>((1 << 24) / (word + 1))
             : which == 3 ? key_of(any)
             : which == 4 ? key_of(word % 4 == 0 ? any : sign / 5)
             : which == 5 ? key_of(any)
                          : key_of(word % 4 == 0 ? (word / 4 % 60 + 1) * (sign / 41) : sign / 5);
    }
    if (which >= 3 && which <= 5)
      for (unsigned k = 0; k < 8192; ++k)
        x[static_cast<std::size_t>(sweep::detail::drawn_place(k, n))] =
            key_of(which == 3                 ? sign / 5 + k % 5
                   : which == 4 || k % 8 != 0 ? sign / 5
                                              : k * (sign / 9001));
    auto const what = type + ", " + std::to_string(which);
    std::vector<std::uint32_t> serial(n);
    std::iota(serial.begin(), serial.end(), 0u);
    auto const order = stable_order(x, number_less{});
    auto const want = taken(x, order);
    auto const values_wanted = taken(serial, order);
    device_array<Key> const keys(x), keys_out(n);
    device_array<std::uint32_t> const values(serial), values_out(n);
    auto const check = [&](device_array<Key> const& sorted, device_array<std::uint32_t> const& moved,
                           std::string const& how) {
      expect_equal(moved.read(), values_wanted, what + how + ", values");
      auto const got = sorted.read();
      expect(std::memcmp(got.data(), want.data(), n * sizeof(Key)) == 0, what + how + ", keys");
    };
    sweep::sort_by_key_copy(sweep::device, keys.begin(), keys.end(), values.begin(), keys_out.begin(),
                            values_out.begin());
    check(keys_out, values_out, "");
    sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin());
    check(keys, values, ", in place");
  }
}

/// check(keys, what) of keys some of which are frequent words, of which no block has room for all. Where few
/// keys are far from all others, the first digit does not tell these apart.
template <class Key, class Check>
void frequent_words_law(std::string const& type, Check check) {
  random_source random("frequent words of " + type);
  constexpr std::size_t n = 60'000;
  for (auto const which : some_cases(6, random)) {
    bool const near_zero = which % 2 != 0;
    auto const words = std::vector<std::size_t>{1, 2, 700}[which / 2];
    auto const draw = [&](bool near) {
      auto const bits = static_cast<std::uint32_t>(random());
      return static_cast<Key>(near ? bits >> 8 : bits);
    };
    std::vector<Key> frequent(words), x(n);
    for (auto& one : frequent) one = draw(near_zero);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = i % 9 == 0 ? frequent[i / 9 % words] : draw(near_zero && i % 50 != 0);
    check(x, type + ", " + std::to_string(words) + " words" + (near_zero ? " near zero" : ""));
  }
}

/// Keys of which a sample has some so often that they are counted, not moved: all of them, or most; few, or
/// as many as a table has room for; where others come first, last, or in one chunk alone; in place and not;
/// with one zero of the other sign, so that keys are equal and not the same.
template <class Key>
void set_apart_law(std::string const& type) {
  random_source random("keys set apart of " + type);
  std::size_t const n = racechecking() ? 24'000 : 80'000;
  for (auto const which : some_cases(12, random)) {
    auto const words = std::vector<std::size_t>{1, 40, 900}[which % 3];
    auto const others = which / 3;  // none, everywhere, in front, behind
    auto const any = [&] {
      auto const bits = random();
      if constexpr (std::is_floating_point_v<Key>)
        return static_cast<Key>(static_cast<std::int64_t>(bits)) * Key(1e-9);
      else return static_cast<Key>(bits);
    };
    std::vector<Key> frequent(words), x(n);
    for (auto& one : frequent) one = any();
    bool const zeros = std::is_floating_point_v<Key> && words == 40;
    if (zeros) frequent[7] = Key{0};
    for (std::size_t i = 0; i < n; ++i) {
      bool const other = others == 0   ? i == n / 3
                         : others == 1 ? i % 3 == 0
                         : others == 2 ? i < n / 4
                                       : i > n - n / 4;
      x[i] = other ? any() : frequent[static_cast<std::size_t>(random() % words)];
      if (zeros && others % 2 != 0 && i == n / 2) x[i] = -Key{0};  // which the sample hardly has
    }
    auto const what = type + ", " + std::to_string(words) + " words, others " + std::to_string(others);
    auto const same = [&](std::vector<Key> const& got, std::vector<Key> const& want) {
      return std::memcmp(got.data(), want.data(), n * sizeof(Key)) == 0;
    };
    device_array<Key> const keys(x);
    device_array<Key> const out(n + 1);
    sweep::sort_copy(sweep::device, keys.begin(), keys.end(), out.begin() + 1);
    auto const want = taken(x, stable_order(x, number_less{}));
    auto got = out.read();
    got.erase(got.begin());
    expect(same(got, want), what + ", copied");
    sweep::sort(sweep::device, keys.begin(), keys.end());
    expect(same(keys.read(), want), what);
  }
}

}  // namespace sweep_test

#endif
