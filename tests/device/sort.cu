// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts by radix on the device: integers of up to 32 bits, iterators, graphs, large inputs.
#include <support/device_places.hpp>
#include <support/radix_sort_laws.hpp>
#include <support/sort_laws.hpp>

#include <numeric>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 200'000;

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

TEST_CASE("device sorts: integers of 8 and 32 bits") {
  sort_laws_of<std::uint8_t, sorts::keys>("u8", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<std::int32_t, sorts::keys>("i32", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: integers with values") {
  sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32", most, on_device, std::less<>{}, number_less{});
  sort_laws_of<std::uint16_t, sorts::pairs, motion>("u16, 48 bytes", 50'000, on_device, std::less<>{},
                                                    number_less{});
}

TEST_CASE("device sorts: by radix in few chunks of many tiles") {
  radix_limits const limits(2, sweep::detail::least_items_to_finish);
  sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32, two chunks", most, on_device, std::less<>{},
                                            number_less{});
  sort_laws_of<std::uint16_t, sorts::pairs, std::uint64_t>("u16, u64, two chunks", most, on_device,
                                                           std::less<>{}, number_less{});
}

TEST_CASE("device sorts: by a grid of resident blocks") {
  random_source random("grid");
  auto const all = sweep::detail::least_items_to_finish;
  for (auto const few : some_cases(2, random)) {
    radix_limits const limits(2, all, few != 0 ? 7 : std::int64_t{1} << 20, 700);
    sort_laws_of<std::uint8_t, sorts::keys>("u8, grid", most, on_device, std::less<>{}, number_less{});
    sort_laws_of<std::uint32_t, sorts::pairs>("u32, u32, grid", most, on_device, std::less<>{},
                                              number_less{});
    sort_laws_of<std::uint32_t, sorts::pairs, uint128>("u32, 16 bytes, grid", most, on_device, std::less<>{},
                                                       number_less{});
  }
}

TEST_CASE("device sorts: by a grid of resident blocks, which sort their groups in turns") {
  random_source random("groups in turns");
  constexpr std::size_t n = 60'000;  // two blocks hold them, and have more than they sort at once
  radix_limits const limits(2, sweep::detail::least_items_to_finish, 2, 700);
  // Of all bits; a third in one group, which fits; two thirds in one, which does not; a block has few.
  for (auto const which : some_cases(4, random)) {
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
  for (auto const which : some_cases(3, random)) {
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
  sort_laws_of<std::uint32_t, sorts::pairs, std::uint64_t>("u32, u64, finished", most, on_device,
                                                           std::less<>{}, number_less{});
}

TEST_CASE("device sorts: groups of integers that are all alike, and some far from all others") {
  radix_limits const limits(2, 20'000);
  random_source random("groups alike");
  std::size_t const n = racechecking() ? 24'000 : 60'000;
  for (auto const which : some_cases(4, random)) {
    auto x = draw_many<std::uint32_t>(n, random);
    for (auto& one : x)
      one = which == 0   ? one >> 3
            : which == 1 ? one % 16 * 0x11111111u
            : which == 2 ? one | 0xf0000000u
                         : one % 5 << 20;
    for (std::size_t i = 7; i < n; i += 9'000) x[i] = which == 2 ? 0 : 0x80000000u;
    if (which == 3) x[n / 3] += 1;
    sort_by_key_law(x, "integers, " + std::to_string(which));
  }
}

TEST_CASE("device sorts: integers of which more are one word than a block has room for") {
  radix_limits const limits(2, 5'000);
  frequent_words_law<std::uint32_t>("u32", [](std::vector<std::uint32_t> const& x, std::string const& what) {
    device_array<std::uint32_t> const alone(x);
    sweep::sort(sweep::device, alone.begin(), alone.end());
    expect_equal(alone.read(), taken(x, stable_order(x, number_less{})), what + ", keys");
    sort_by_key_law(x, what + ", values");
  });
}

TEST_CASE("device sorts: integers of few words, by which one pass splits pairs") {
  radix_limits const limits(2, 5'000);
  split_by_words_law<std::uint32_t>("u32");
  split_by_words_law<std::uint64_t>("u64");
}

TEST_CASE("device sorts: integers that are often there, set apart") {
  radix_limits const limits(2, 5'000);
  set_apart_law<std::int32_t>("i32");
}

TEST_CASE("device sorts: variant::radix, a split for each digit at any size") {
  auto const by_digits = half_at(sweep::device.with(sweep::variant::radix), "device, radix");
  // Splits have tests of their own, and take seconds under racecheck.
  auto const largest = racechecking() ? std::size_t{1'000} : most;
  sort_laws_of<std::int32_t, sorts::keys>("i32, radix", largest, by_digits, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: variant::radix_msd, finished in shared memory at any size") {
  auto const by_groups = half_at(sweep::device.with(sweep::variant::radix_msd), "device, radix_msd");
  sort_laws_of<std::int32_t, sorts::keys>("i32, radix_msd", most, by_groups, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: by some bits, and the other way round") { sort_bits_laws(on_device); }

TEST_CASE("device sorts: iterators, and outputs of other types") {
  for (auto const n : few_sort_sizes()) sort_iterator_laws(on_device, n);
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
  if (!has_free_memory(2 * static_cast<std::size_t>(n) * sizeof(std::uint32_t) + (std::size_t{1} << 30)))
    return;
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
