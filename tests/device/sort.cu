// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts by radix on the device: numbers of 8 to 128 bits, records by projections, graphs, large
// inputs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 200'000;

/// What large inputs have, of small ones, which no grid of resident blocks sorts; and back.
class radix_limits {
 public:
  radix_limits(std::int64_t chunks, std::int64_t items, std::int64_t grid_blocks = 0,
               std::int64_t block_items = std::int64_t{1} << 20)
      : chunks_{std::exchange(sweep::detail::most_split_chunks, chunks)},
        items_{std::exchange(sweep::detail::least_items_to_finish, items)},
        blocks_{std::exchange(sweep::detail::most_grid_blocks, grid_blocks)},
        block_items_{std::exchange(sweep::detail::most_items_of_block, block_items)} {}
  radix_limits(radix_limits const&) = delete;
  radix_limits& operator=(radix_limits const&) = delete;
  ~radix_limits() {
    sweep::detail::most_split_chunks = chunks_;
    sweep::detail::least_items_to_finish = items_;
    sweep::detail::most_grid_blocks = blocks_;
    sweep::detail::most_items_of_block = block_items_;
  }

 private:
  std::int64_t chunks_, items_, blocks_, block_items_;
};

/// Scratch of as many bytes as are asked for, and behind them some that nobody may write.
struct guarded_resource {
  static constexpr std::size_t guard = std::size_t{2} << 20;
  bool whole = true;
  int given_back = 0;
  void* allocate(cudaStream_t stream, std::size_t size, std::size_t) {
    void* memory = nullptr;
    succeed(cudaMallocAsync(&memory, size + guard, stream));
    succeed(cudaMemsetAsync(memory, 0x5a, size + guard, stream));
    return memory;
  }
  void deallocate(cudaStream_t stream, void* memory, std::size_t size, std::size_t) {
    std::vector<unsigned char> behind(guard);
    succeed(cudaMemcpyAsync(behind.data(), static_cast<unsigned char*>(memory) + size, guard,
                            cudaMemcpyDeviceToHost, stream));
    succeed(cudaStreamSynchronize(stream));
    whole = whole && std::all_of(behind.begin(), behind.end(), [](auto c) { return c == 0x5a; });
    ++given_back;
    succeed(cudaFreeAsync(memory, stream));
  }
};

__global__ void draw_large(std::uint32_t* x, std::int64_t n) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    x[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 32);
}
/// Sums that a permutation keeps, and pairs that are out of order.
__global__ void look_at_large(std::uint32_t const* x, std::int64_t n, unsigned long long* sums) {
  unsigned long long sum = 0, mixed = 0, wrong = 0;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    sum += x[i];
    mixed += x[i] * (x[i] | 1ull) * 0x9e3779b97f4a7c15u >> 7;
    wrong += i > 0 && x[i] < x[i - 1];
  }
  atomicAdd(sums, sum);
  atomicAdd(sums + 1, mixed);
  atomicAdd(sums + 2, wrong);
}

}  // namespace

TEST_CASE("device sorts: keys of 8 to 128 bits") {
  sort_laws_of<std::uint8_t, sorts::keys>("u8", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<std::int32_t, sorts::keys>("i32", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<uint128, sorts::keys>("u128", most, on_device, std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: floating-point keys, with zeros of both signs and NaNs") {
  sort_laws_of<__half, sorts::keys>("f16", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<__nv_bfloat16, sorts::indices, std::int64_t>("bf16", most, on_device, std::greater<>{},
                                                            number_greater{});
  sort_laws_of<float, sorts::pairs>("f32", most, on_device, std::less<float>{}, number_less{});
  sort_laws_of<double, sorts::keys>("f64", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: keys with values") {
  sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8", most, on_device, std::greater<>{},
                                                         number_greater{});
  sort_laws_of<std::uint16_t, sorts::pairs, motion>("u16, 48 bytes", 50'000, on_device, std::less<>{},
                                                    number_less{});
}

TEST_CASE("device sorts: by radix in few chunks of many tiles") {
  radix_limits const limits(2, sweep::detail::least_items_to_finish);
  sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32, two chunks", most, on_device, std::less<>{},
                                            number_less{});
}

TEST_CASE("device sorts: by a grid of resident blocks") {
  auto const all = sweep::detail::least_items_to_finish;
  for (auto const blocks : {std::int64_t{7}, std::int64_t{1} << 20}) {
    radix_limits const limits(2, all, blocks, 700);
    sort_laws_of<std::uint8_t, sorts::keys>("u8, grid", most, on_device, std::less<>{}, number_less{});
    sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32, grid", most, on_device, std::less<>{},
                                              number_less{});
    sort_laws_of<std::uint32_t, sorts::pairs, uint128>("u32, 16 bytes, grid", most, on_device, std::less<>{},
                                                       number_less{});
    sort_laws_of<double, sorts::keys>("f64, grid", most, on_device, std::less<>{}, number_less{});
    sort_laws_of<uint128, sorts::keys>("u128, grid", most, on_device, std::greater<>{}, number_greater{});
    sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, grid", most, on_device, std::greater<>{},
                                                           number_greater{});
  }
}

TEST_CASE("device sorts: by a grid of resident blocks, which sort their groups in turns") {
  random_source random("groups in turns");
  constexpr std::size_t n = 60'000;  // two blocks hold them, and have more than they sort at once
  radix_limits const limits(2, sweep::detail::least_items_to_finish, 2, 700);
  // Of all bits; a third in one group, which fits; two thirds in one, which does not; a block has few.
  for (int const which : {0, 1, 2, 3}) {
    auto x = draw_many<std::int32_t>(n, random);
    for (std::size_t i = 0; i < n; ++i)
      if ((which == 1 && i % 10 < 3) || (which == 2 && i % 3 != 0)) x[i] = 0x12000000 | (x[i] & 0xffffff);
      else if (which == 3) x[i] = i % 100 == 0 ? x[i] : static_cast<std::int32_t>(x[i] & 0x0fffffff);
    device_array<std::int32_t> const keys(x);
    sweep::sort(sweep::device, keys.begin(), keys.end());
    succeed(cudaDeviceSynchronize());
    std::sort(x.begin(), x.end());
    expect_equal(keys.read(), x, "keys");
  }
}

TEST_CASE("device sorts: by a grid of resident blocks, nothing is written behind their scratch") {
  random_source random("grid scratch");
  std::size_t const n = sanitizing() ? 30'000 : 300'000;  // more than a block sorts
  radix_limits const limits(2, sweep::detail::least_items_to_finish, 1 << 20, 700);
  device_array<std::uint32_t> keys(n), values(n);
  // Of all bits, which one pass and groups may sort; of few; and of all where one group has all but one.
  for (int const which : {0, 1, 2}) {
    auto x = draw_many<std::uint32_t>(n, random);
    for (auto& key : x) key &= which == 0 ? 0xffffffffu : which == 1 ? 0x0000ffffu : 0x00ffffffu;
    if (which == 2) x[n / 3] |= 0x80000000u;
    guarded_resource memory;
    keys.write(x);
    values.write(x);
    sweep::sort_by_key(sweep::device.scratch(memory), keys.begin(), keys.end(), values.begin());
    succeed(cudaDeviceSynchronize());
    auto want = x;
    std::sort(want.begin(), want.end());
    expect_equal(keys.read(), want, "keys");
    expect_equal(values.read(), want, "values");
    expect(memory.whole && memory.given_back > 0, "nothing is written behind the scratch");
  }
}

TEST_CASE("device sorts: keys finished in shared memory") {
  radix_limits const limits(2, 20'000);
  sort_laws_of<std::int32_t, sorts::keys>("i32, finished", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32, finished", most, on_device, std::less<>{},
                                            number_less{});
  sort_laws_of<float, sorts::keys>("f32, finished", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<double, sorts::keys>("f64, finished", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<uint128, sorts::keys>("u128, finished", most, on_device, std::greater<>{}, number_greater{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, finished", most, on_device,
                                                         std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: groups of keys that are all alike, and keys far from all others") {
  radix_limits const limits(2, 20'000);
  random_source random("groups alike");
  std::size_t const n = racechecking() ? 24'000 : 60'000;
  auto const sorts_as = [&]<class Key>(std::vector<Key> const& x, std::string const& what) {
    device_array<Key> const keys(x);
    std::vector<std::uint32_t> serial(n);
    std::iota(serial.begin(), serial.end(), 0u);
    device_array<std::uint32_t> const values(serial);
    sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin());
    expect_equal(values.read(), taken(serial, stable_order(x, number_less{})), what);
  };
  // One of each kind under racecheck, where many keys in one bin take seconds.
  auto const floats = random.between(0, 5), integers = random.between(0, 3);
  for (int const which : {0, 1, 2, 3, 4, 5}) {
    if (racechecking() && which != floats) continue;
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
    sorts_as(x, "floats, " + std::to_string(which));
  }
  for (int const which : {0, 1, 2, 3}) {
    if (racechecking() && which != integers) continue;
    auto x = draw_many<std::uint32_t>(n, random);
    for (auto& one : x)
      one = which == 0   ? one >> 3
            : which == 1 ? one % 16 * 0x11111111u
            : which == 2 ? one | 0xf0000000u
                         : one % 5 << 20;
    for (std::size_t i = 7; i < n; i += 9'000) x[i] = which == 2 ? 0 : 0x80000000u;
    if (which == 3) x[n / 3] += 1;
    sorts_as(x, "integers, " + std::to_string(which));
  }
}

TEST_CASE("device sorts: words of more keys than a block has room for, among others") {
  radix_limits const limits(2, 5'000);
  random_source random("frequent words");
  constexpr std::size_t n = 60'000;
  auto const check = [&]<class Key>(Key, bool near_zero, std::size_t words, std::string const& what) {
    // Where few keys are far from all others, the first digit does not tell these apart.
    auto const draw = [&](bool near) {
      auto const bits = static_cast<std::uint32_t>(random());
      return static_cast<Key>(near ? bits >> 8 : bits);
    };
    std::vector<Key> frequent(words), x(n);
    for (auto& one : frequent) one = draw(near_zero);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = i % 9 == 0 ? frequent[i / 9 % words] : draw(near_zero && i % 50 != 0);
    std::vector<std::uint32_t> serial(n);
    std::iota(serial.begin(), serial.end(), 0u);
    auto const order = stable_order(x, number_less{});
    device_array<Key> const alone(x), keys(x);
    sweep::sort(sweep::device, alone.begin(), alone.end());
    expect_equal(alone.read(), taken(x, order), what + ", keys");
    if constexpr (std::is_same_v<Key, std::uint32_t>) {
      device_array<std::uint32_t> const values(serial);
      sweep::sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin());
      expect_equal(values.read(), taken(serial, order), what + ", values");
    }
  };
  for (bool const near_zero : {false, true})
    for (auto const words : {std::size_t{1}, std::size_t{2}, std::size_t{700}}) {
      auto const what = std::to_string(words) + " words" + (near_zero ? " near zero" : "");
      check(std::uint32_t{}, near_zero, words, "u32, " + what);
      check(double{}, near_zero, words, "f64, " + what);
    }
}

TEST_CASE("device sorts: so many keys of few words that bins are of one word each") {
  random_source random("bins of one word");
  auto const bits_of = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  for (std::size_t const n : {std::size_t{700}, std::size_t{3'000}, std::size_t{24'000}})
    for (int const which : {0, 1, 2, 3, 4, 5}) {
      radix_limits const limits(2, 20'000);
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
  radix_limits const limits(2, 20'000);
  random_source random("many zeros");
  auto const sorts_with_zeros = [&]<class Key>(Key, std::size_t n) {
    // One in so many numbers is none of the zeros; negative ones too, and one beside them.
    for (bool const negative : {false, true})
      for (bool const beside : {false, true}) {
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
  sorts_with_zeros(float{}, 70'000);
  sorts_with_zeros(double{}, 50'000);
}

TEST_CASE("device sorts: variant::radix, a split for each digit at any size") {
  auto const by_digits = half_at(sweep::device.with(sweep::variant::radix), "device, radix");
  // Splits have tests of their own, and take seconds under racecheck.
  auto const largest = racechecking() ? std::size_t{1'000} : most;
  sort_laws_of<std::int32_t, sorts::keys>("i32, radix", largest, by_digits, std::less<>{}, number_less{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, radix", largest, by_digits,
                                                         std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: variant::radix_msd, finished in shared memory at any size") {
  auto const by_groups = half_at(sweep::device.with(sweep::variant::radix_msd), "device, radix_msd");
  sort_laws_of<std::int32_t, sorts::keys>("i32, radix_msd", most, by_groups, std::less<>{}, number_less{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8, radix_msd", most, by_groups,
                                                         std::greater<>{}, number_greater{});
  sort_laws_of<float, sorts::pairs>("f32, radix_msd", most, by_groups, std::less<float>{}, number_less{});
}

TEST_CASE("device sorts: by some of the bits, where higher ones differ too") {
  radix_limits const limits(2, 20'000);
  random_source random("some of the bits");
  std::vector<std::int64_t> x(50'000);
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
  std::size_t const n = sanitizing() ? 30'000 : 1'400'000;
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

TEST_CASE("device sorts: indices, and records by radix_key") {
  sort_laws_of<std::uint32_t, sorts::indices, int>("u32", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<record, sorts::keys>("record", most, on_device, sweep::radix_key(parts_of_record{}),
                                    by_parts_of_record{});
  sort_bits_laws(on_device);
}

TEST_CASE("device sorts: iterators, and outputs of other types") {
  for (auto const n : few_sizes()) sort_iterator_laws(on_device, n);
}

TEST_CASE("device sorts: bad input") { sort_error_laws(on_device); }

TEST_CASE("device sorts: captured in a graph and replayed with other inputs") {
  random_source random("sort graph");
  for (std::size_t const n : {std::size_t{3'000}, sanitizing() ? std::size_t{5'000} : std::size_t{300'001}}) {
    device_array<std::uint32_t> keys(n), values(n);
    own_stream const stream;
    auto const on = sweep::device.on(stream);
    captured_graph const graph(stream,
                               [&] { sweep::sort_by_key(on, keys.begin(), keys.end(), values.begin()); });
    for (int replay = 0; replay < 3; ++replay) {
      auto const shape = replay == 1 ? key_shape::low_bits : key_shape::uniform;
      auto const x = draw_keys<std::uint32_t>(shape, n, random, std::less<>{});
      auto const order = stable_order(x, std::less<>{});
      std::vector<std::uint32_t> serial(n);
      std::iota(serial.begin(), serial.end(), 0u);
      keys.write(x);
      values.write(serial);
      graph.launch(stream);
      stream.wait();
      expect_equal(keys.read(), taken(x, order), "replay " + std::to_string(replay) + ", keys");
      expect_equal(values.read(), taken(serial, order), "replay " + std::to_string(replay) + ", values");
    }
  }
}

TEST_CASE("device sorts: 2^32 + 3 keys") {
  auto const n = racechecking() ? std::int64_t{30'003}
                 : sanitizing() ? std::int64_t{100'003}
                                : (std::int64_t{1} << 32) + 3;
  std::size_t free = 0, total = 0;
  succeed(cudaMemGetInfo(&free, &total));
  if (free < 2 * static_cast<std::size_t>(n) * sizeof(std::uint32_t) + (std::size_t{1} << 30)) {
    MESSAGE("skipped: too little of the GPU's memory is free");
    return;
  }
  device_array<std::uint32_t> const x(static_cast<std::size_t>(n));
  device_array<unsigned long long> const before(std::vector<unsigned long long>(3, 0)),
      behind(std::vector<unsigned long long>(3, 0));
  draw_large<<<4096, 256>>>(x.begin(), n);
  look_at_large<<<4096, 256>>>(x.begin(), n, before.begin());
  sweep::sort(sweep::device, x.begin(), x.end());
  look_at_large<<<4096, 256>>>(x.begin(), n, behind.begin());
  succeed(cudaGetLastError());
  auto const want = before.read(), got = behind.read();
  CHECK(got[0] == want[0]);
  CHECK(got[1] == want[1]);
  CHECK(got[2] == 0);
}
