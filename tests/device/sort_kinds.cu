// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts by radix on the device: wide integers, floating-point numbers, indices, records by
// projections.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <support/device_places.hpp>
#include <support/radix_sort_laws.hpp>
#include <support/sort_laws.hpp>

#include <sweep/segmented_sort.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 200'000;

}  // namespace

TEST_CASE("device sorts: integers of 64 and 128 bits") {
  sort_laws_of<uint128, sorts::keys>("u128", most, on_device, std::greater<>{}, number_greater{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8", most, on_device, std::greater<>{},
                                                         number_greater{});
}

TEST_CASE("device sorts: floating-point keys, with zeros of both signs and NaNs") {
  sort_laws_of<__half, sorts::keys>("f16", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<__nv_bfloat16, sorts::indices, std::int64_t>("bf16", most, on_device, std::greater<>{},
                                                            number_greater{});
  sort_laws_of<float, sorts::pairs>("f32", most, on_device, std::less<float>{}, number_less{});
  sort_laws_of<double, sorts::keys>("f64", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: by a grid of resident blocks, other kinds") {
  random_source random("grid");
  auto const all = sweep::detail::least_items_to_finish;
  for (auto const few : some_cases(2, random)) {
    radix_limits const limits(2, all, few != 0 ? 7 : std::int64_t{1} << 20, 700);
    sort_laws_of<double, sorts::keys>("f64, grid", most, on_device, std::less<>{}, number_less{});
    sort_laws_of<uint128, sorts::keys>("u128, grid", most, on_device, std::greater<>{}, number_greater{});
    sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, grid", most, on_device, std::greater<>{},
                                                           number_greater{});
  }
}

TEST_CASE("device sorts: keys of other kinds finished in shared memory") {
  radix_limits const limits(2, 2'500);
  sort_laws_of<float, sorts::keys>("f32, finished", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<double, sorts::keys>("f64, finished", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<uint128, sorts::keys>("u128, finished", most, on_device, std::greater<>{}, number_greater{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, finished", most, on_device,
                                                         std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: floats of few words, by which one pass splits pairs") {
  radix_limits const limits(2, 300);
  split_by_words_law<float>("f32");
}

TEST_CASE("device sorts: groups of floats that are all alike, and some far from all others") {
  radix_limits const limits(2, 20'000);
  random_source random("groups alike");
  std::size_t const n = racechecking() ? 24'000 : 60'000;
  for (auto const which : some_cases(6, random)) {
    auto const bits = draw_many<std::uint32_t>(n, random);
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const part = static_cast<float>(bits[i]) * 0x1p-32f;
      x[i] = which == 0   ? part
             : which == 1 ? 1e6f - 40 * static_cast<float>(i)
             : which == 2 ? std::exp(20 * part)
             : which == 3 ? (part - 0.5f) * 1e38f
                          : 0.1f * static_cast<float>(bits[i] % 16);
      if (which == 3 && i % 500 == 0)
        x[i] =
            i % 1000 == 0 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
    }
    if (which == 5)
      x[n / 3] = std::nextafter(0.5f, 1.0f);  // in a group with others, which the sample has not
    sort_by_key_law(x, "floats, " + std::to_string(which));
  }
}

TEST_CASE("device sorts: doubles of which more are one word than a block has room for") {
  radix_limits const limits(2, 5'000);
  frequent_words_law<double>("f64", [](std::vector<double> const& x, std::string const& what) {
    device_array<double> const keys(x);
    sweep::sort(sweep::device, keys.begin(), keys.end());
    expect_equal(keys.read(), taken(x, stable_order(x, number_less{})), what);
  });
}

TEST_CASE("device sorts: wide and floating-point keys that are often there, set apart") {
  radix_limits const limits(2, 2'500);
  set_apart_law<std::uint64_t>("u64");
  set_apart_law<float>("f32");
  set_apart_law<double>("f64");
}

TEST_CASE("device sorts: segments of floating-point keys that crowd as numbers, or as words") {
  random_source random("crowded floats");
  auto const sorts = [&]<class Key, class Less>(Key, Less, auto comp) {
    for (std::size_t const n : {std::size_t{300}, std::size_t{2'000}, std::size_t{7'000}})
      for (auto const which : some_cases(6, random)) {
        auto const draws = draw_many<std::uint32_t>(n, random);
        std::vector<Key> x(n);
        for (std::size_t i = 0; i < n; ++i) {
          auto const part = static_cast<Key>(draws[i]) * Key{0x1p-32};
          x[i] = which == 0   ? part - Key{0.5}
                 : which == 1 ? std::exp(80 * (part - Key{0.5}))
                 : which == 2 ? 1000 + part
                 : which == 3 ? static_cast<Key>(static_cast<int>(draws[i] % 7) - 3) * 0
                              : std::ldexp(part - Key{0.5}, 120);
          if (which == 5 && i % 50 == 0)
            x[i] =
                i % 100 == 0 ? std::numeric_limits<Key>::quiet_NaN() : -std::numeric_limits<Key>::infinity();
        }
        auto const mean = random.between(2, which % 2 == 0 ? 100 : 2'000);
        std::vector<int> offsets{0}, order(n);
        while (offsets.back() < static_cast<int>(n))
          offsets.push_back(
              std::min(offsets.back() + static_cast<int>(random.between(0, 2 * mean)), static_cast<int>(n)));
        for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<int>(i);
        device_array<int> const values(order), begins(offsets);
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
          std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1], [&](int a, int b) {
            return Less{}(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
          });
        auto const segments = sweep::segments::by_offsets(begins.begin(), begins.end());
        device_array<Key> const keys(x), alone(x);
        sweep::segmented_sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin(), segments, comp);
        expect_equal(values.read(), order, "values, kind " + std::to_string(which));
        sweep::segmented_sort(sweep::device, alone.begin(), alone.end(), segments, comp);
        auto const got = alone.read();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i)
          wrong += std::memcmp(&got[i], &x[static_cast<std::size_t>(order[i])], sizeof(Key)) != 0 ? 1 : 0;
        expect(wrong == 0, "keys of kind " + std::to_string(which));
      }
  };
  sorts(float{}, number_less{}, std::less<>{});
  sorts(double{}, number_greater{}, std::greater<>{});
}

TEST_CASE("device sorts: so many keys of few words that bins are of one word each") {
  random_source random("bins of one word");
  auto const bits_of = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  radix_limits const limits(2, 2'500);
  for (std::size_t const n : {std::size_t{700}, std::size_t{3'000}, std::size_t{24'000}})
    for (auto const which : some_cases(6, random)) {
      auto const draws = draw_many<std::uint32_t>(n, random);
      std::vector<float> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        auto const sign = draws[i] & 0x80000000u, near = draws[i] % (n < 20'000 ? 200 : 16'000);
        x[i] = std::bit_cast<float>(which == 0   ? 0x3f800000u + near
                                    : which == 1 ? sign | near / 4              // zeros of both signs
                                    : which == 2 ? sign | (0x7fc00000u + near)  // NaNs alone
                                                 : 0xbf800000u + near);
        if (which >= 4)
          x[i] = static_cast<float>(1'000 + draws[i] % 500);  // bins of one word far from others
      }
      if (which == 5) x[n / 3] = std::nextafter(1'100.0f, 0.0f);  // one more in a bin
      device_array<float> const keys(x);
      sweep::sort(sweep::device, keys.begin(), keys.end());
      std::stable_sort(x.begin(), x.end(), number_less{});
      auto const got = keys.read();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += bits_of(got[i]) != bits_of(x[i]) ? 1 : 0;
      expect(wrong == 0, "keys of kind " + std::to_string(which));
    }
}

TEST_CASE("device sorts: numbers with many zeros of both signs, alone in a group and not") {
  radix_limits const limits(2, 2'500);
  random_source random("many zeros");
  auto const sorts_with_zeros = [&]<class Key>(Key, std::size_t n) {
    // One in so many numbers is none of the zeros; negative ones too, and one beside them.
    for (auto const which : some_cases(4, random)) {
      bool const negative = which % 2 != 0, beside = which / 2 != 0;
      auto const one_in = random.between(2, 5);
      auto const bits = draw_many<std::uint32_t>(n, random);
      std::vector<Key> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        auto const sign = bits[i] % 2 != 0 ? Key{-1} : Key{1};
        x[i] = bits[i] / 2 % static_cast<std::uint32_t>(one_in) != 0
                   ? sign * Key{0}
                   : (negative ? sign : Key{1}) * static_cast<Key>(std::exp(bits[i] * 0x1p-30)) * Key(0.01);
      }
      if (beside) x[n / 2] = std::numeric_limits<Key>::denorm_min();
      device_array<Key> const keys(x);
      sweep::sort(sweep::device, keys.begin(), keys.end());
      std::stable_sort(x.begin(), x.end(), number_less{});
      auto const got = keys.read();
      expect(std::memcmp(got.data(), x.data(), n * sizeof(Key)) == 0,
             std::to_string(sizeof(Key) * 8) + " bits, one number in " + std::to_string(one_in) +
                 (negative ? ", of both signs" : "") + (beside ? ", one beside zero" : ""));
    }
  };
  sorts_with_zeros(float{}, racechecking() ? 24'000 : 70'000);
  sorts_with_zeros(double{}, racechecking() ? 16'000 : 50'000);
}

TEST_CASE("device sorts: variant::radix, wide integers with values") {
  auto const by_digits = half_at(sweep::device.with(sweep::variant::radix), "device, radix");
  // Splits have tests of their own, and take seconds under racecheck.
  auto const largest = racechecking() ? std::size_t{1'000} : most;
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, radix", largest, by_digits,
                                                         std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: variant::radix_msd, wide integers and floats with values") {
  auto const by_groups = half_at(sweep::device.with(sweep::variant::radix_msd), "device, radix_msd");
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, radix_msd", most, by_groups,
                                                         std::greater<>{}, number_greater{});
  sort_laws_of<float, sorts::pairs>("f32, radix_msd", most, by_groups, std::less<float>{}, number_less{});
}

TEST_CASE("device sorts: by some of the bits, where higher ones differ too") {
  radix_limits const limits(2, 20'000);
  random_source random("some of the bits");
  std::vector<std::int64_t> x(racechecking() ? 24'000 : 50'000);
  for (auto& one : x) one = static_cast<std::int64_t>(random());
  auto const values = draw_many<std::uint8_t>(x.size(), random);
  device_array<std::int64_t> const keys(x);
  device_array<std::uint8_t> const by(values);
  sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), by.begin(), sweep::radix_key().bits(8, 40));
  auto const part = [](std::int64_t one) { return static_cast<std::uint32_t>(one >> 8); };
  auto const order = stable_order(x, [&](std::int64_t a, std::int64_t b) { return part(a) < part(b); });
  expect_equal(keys.read(), taken(x, order), "keys");
  expect_equal(by.read(), taken(values, order), "values");
}

TEST_CASE("device sorts: wide keys whose groups are too large for shared memory") {
  radix_limits const limits(7, 20'000);
  random_source random("groups too large");
  std::size_t const n = racechecking() ? 24'000 : sanitizing() ? 30'000 : 1'400'000;
  std::vector<std::int64_t> x(n);
  for (auto& one : x) one = static_cast<std::int64_t>(random() >> 7);
  auto const values = draw_many<std::uint8_t>(n, random);
  device_array<std::int64_t> const keys(x);
  device_array<std::uint8_t> const by(values);
  sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), by.begin(), std::greater<>{});
  auto const order = stable_order(x, std::greater<>{});
  expect_equal(keys.read(), taken(x, order), "keys");
  expect_equal(by.read(), taken(values, order), "values");
}

TEST_CASE("device sorts: wide keys whose highest digits are skewed") {
  radix_limits const limits(2, 5'000);
  random_source random("skewed digits");
  std::size_t const n = racechecking() ? 24'000 : 90'000;
  for (auto const which : some_cases(3, random)) {
    std::vector<std::uint64_t> x(n);
    for (auto& one : x) {
      one = random() & random() & random();  // each bit is set in one of eight
      if (which == 1) one = random() >> random() % 50;
      if (which == 2) one = std::uint64_t{1} << 63 ^ (random() % 2 - 1) ^ random() % 100'000;
    }
    device_array<std::uint64_t> const alone(x);
    sweep::sort(sweep::device, alone.begin(), alone.end());
    expect_equal(alone.read(), taken(x, stable_order(x, number_less{})),
                 "keys of kind " + std::to_string(which));
  }
}

TEST_CASE("device sorts: doubles that are skewed within groups") {
  radix_limits const limits(2, 20'000);
  random_source random("skewed doubles");
  std::size_t const n = racechecking() ? 24'000 : 120'000;
  for (auto const ands : some_cases(3, random)) {
    auto bits = draw_many<std::int64_t>(n, random);
    for (std::size_t other = 0; other < ands; ++other) {
      auto const more = draw_many<std::int64_t>(n, random);
      for (std::size_t i = 0; i < n; ++i) bits[i] &= more[i];
    }
    std::vector<double> x(bits.begin(), bits.end());
    device_array<double> const keys(x);
    sweep::sort(sweep::device, keys.begin(), keys.end());
    succeed(cudaDeviceSynchronize());
    std::sort(x.begin(), x.end());
    expect_equal(keys.read(), x, "doubles of " + std::to_string(ands) + " ands");
  }
}

TEST_CASE("device sorts: wide keys that agree in their highest digits, a few of them or many") {
  random_source random("alike in the highest digits");
  for (auto const n : {std::size_t{1'500}, std::size_t{5'003}, std::size_t{8'000}})
    for (auto const which : some_cases(3, random)) {
      std::vector<std::uint64_t> x(n);
      for (auto& one : x) {
        one = random() & random();  // each bit is set in one of four
        auto const low = random() % 4 + (random() % 4 << 13);
        if (which == 1) one = random() % 700 * 0x0003'0000'0101'0000 + low;  // compared with some others
        if (which == 2) one = random() % 40 * 0x0003'0000'0101'0000 + low;   // with too many
      }
      auto const name = std::to_string(n) + " keys of kind " + std::to_string(which);
      auto const order = stable_order(x, number_less{});
      device_array<std::uint64_t> const alone(x), keys(x);
      sweep::sort(sweep::device, alone.begin(), alone.end());
      expect_equal(alone.read(), taken(x, order), name);
      auto const values = draw_many<std::uint8_t>(n, random);
      device_array<std::uint8_t> const by(values);
      sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), by.begin());
      expect_equal(by.read(), taken(values, order), name + ", values");
      std::vector<double> signs(n);
      for (std::size_t i = 0; i < n; ++i) signs[i] = static_cast<double>(static_cast<std::int64_t>(x[i]));
      device_array<double> const numbers(signs);
      sweep::sort(sweep::device, numbers.begin(), numbers.end(), std::greater<>{});
      expect_equal(numbers.read(), taken(signs, stable_order(signs, std::greater<>{})), name + ", doubles");
    }
}

TEST_CASE("device sorts: indices, and records by radix_key") {
  sort_laws_of<std::uint32_t, sorts::indices, int>("u32", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<record, sorts::keys>("record", most, on_device, sweep::radix_key(parts_of_record{}),
                                    by_parts_of_record{});
}
