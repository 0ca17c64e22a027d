// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of merges on the device: types, sizes, alignments, graphs, more than 2^32 items.
#include <support/device_places.hpp>
#include <support/merge_laws.hpp>

#include <algorithm>

namespace sweep_test {

/// Item i is 2 i + odd.
struct twofold {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint64_t;
  std::ptrdiff_t at;
  std::uint64_t odd;
  SWEEP_TEST_HD std::uint64_t operator[](std::ptrdiff_t i) const {
    return 2 * static_cast<std::uint64_t>(at + i) + odd;
  }
  SWEEP_TEST_HD std::uint64_t operator*() const { return (*this)[0]; }
  friend SWEEP_TEST_HD twofold operator+(twofold a, std::ptrdiff_t i) { return {a.at + i, a.odd}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(twofold a, twofold b) { return a.at - b.at; }
};

/// Writes nothing, and counts what does not belong where it is put.
struct checked_output {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    std::ptrdiff_t at;
    unsigned long long *wrong, *written;
    __device__ void operator=(std::uint64_t x) const {
      if (x != static_cast<std::uint64_t>(at)) atomicAdd(wrong, 1ull);
      if (x % 4096 == 0) atomicAdd(written, 1ull);
    }
  };
  std::ptrdiff_t at;
  unsigned long long *wrong, *written;
  __host__ __device__ reference operator[](std::ptrdiff_t i) const { return {at + i, wrong, written}; }
  __host__ __device__ reference operator*() const { return {at, wrong, written}; }
  friend __host__ __device__ checked_output operator+(checked_output a, std::ptrdiff_t i) {
    return {a.at + i, a.wrong, a.written};
  }
};

/// Keys so wide that a tile has 32 of them. Item i is a half more than i, or grows as the square of i.
struct wide_key {
  std::uint64_t key;
  unsigned char rest[592];
  SWEEP_TEST_HD operator std::uint64_t() const { return key; }
  friend SWEEP_TEST_HD bool operator<(wide_key const& a, wide_key const& b) { return a.key < b.key; }
};
struct wide_keys {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = wide_key;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = wide_key;
  std::ptrdiff_t at;
  std::uint64_t squares_by;  ///< 0: no squares
  SWEEP_TEST_HD wide_key operator[](std::ptrdiff_t i) const {
    auto const x = static_cast<std::uint64_t>(at + i);
    return {squares_by > 0 ? x * x / squares_by : x + x / 2, {}};
  }
  SWEEP_TEST_HD wide_key operator*() const { return (*this)[0]; }
  friend SWEEP_TEST_HD wide_keys operator+(wide_keys a, std::ptrdiff_t i) { return {a.at + i, a.squares_by}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(wide_keys a, wide_keys b) { return a.at - b.at; }
};

}  // namespace sweep_test

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("device merge: values of 1 to 48 bytes") {
  merge_laws_of<std::uint8_t>("u8", most, on_device);
  merge_laws_of<std::uint32_t>("u32", most, on_device);
  merge_laws_of<motion>("48 bytes", most, on_device);
}

TEST_CASE("device merge: keys of 16 bytes alone") {
  random_source random("merged keys of 16 bytes");
  for (std::size_t n : {1, 1'000, 70'001}) {
    auto x = draw_many<uint128>(n, random), y = draw_many<uint128>(n / 2, random);
    std::ranges::sort(x);
    std::ranges::sort(y);
    std::vector<uint128> want(x.size() + y.size());
    std::ranges::merge(x, y, want.begin());
    device_array<uint128> const a(x), b(y), out(want.size());
    sweep::merge(sweep::device, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    CHECK((out.read() == want));
  }
}

TEST_CASE("device merge: forms and iterators, and no order") {
  for (auto const n : few_sizes()) {
    merge_form_laws(on_device, n);
    merge_disorder_laws(on_device, n);
  }
}

TEST_CASE("device merge: bad input, and the caller's scratch") {
  merge_error_laws(on_device, sweep::device.checked());
}

TEST_CASE("device merge: as many tiles as take scratch, captured in a graph and replayed") {
  random_source random("merge graph");
  std::size_t const n = sanitizing() ? 3'000 : 3'000'001, m = sanitizing() ? 5'000 : 2'500'003;
  device_array<std::uint32_t> in1(n), in2(m);
  device_array<std::uint32_t> const out(n + m);
  device_array<std::byte> const memory(256 + 16 * (n + m) / 4096);
  own_stream const stream;
  auto const few = sweep::device.scratch(std::span(memory.begin(), 100));
  if (!sanitizing())
    expect_throw<sweep::bad_argument>({"sweep::merge:", "scratch", "100 bytes"}, [&] {
      sweep::merge(few, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin());
    });
  auto const on = sweep::device.on(stream).scratch(std::span(memory.begin(), memory.end()));
  captured_graph const graph(
      stream, [&] { sweep::merge(on, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin()); });
  for (int replay = 0; replay < 3; ++replay) {
    std::vector<std::uint32_t> x(n), y(m), want(n + m);
    draw_sorted(x, y, all_meetings[replay], by_low_bits{~std::uint64_t{0}}, random);
    in1.write(x);
    in2.write(y);
    graph.launch(stream);
    stream.wait();
    std::merge(x.begin(), x.end(), y.begin(), y.end(), want.begin());
    expect_equal(out.read(), want, "replay " + std::to_string(replay));
  }
}

TEST_CASE("device merge: each call reads what the one before has written") {
  random_source random("merge chain");
  std::size_t const each = sanitizing() ? 2'000 : 2'400'001;
  device_array<std::uint32_t> in1(each), in2(each), in3(each);
  device_array<std::uint32_t> const two(2 * each), all(3 * each);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint32_t> want;
    for (auto* range : {&in1, &in2, &in3}) {
      std::vector<std::uint32_t> items(each);
      for (auto& x : items) x = static_cast<std::uint32_t>(random());
      std::sort(items.begin(), items.end());
      range->write(items);
      want.insert(want.end(), items.begin(), items.end());
    }
    std::sort(want.begin(), want.end());
    sweep::merge(on, in1.begin(), in1.end(), in2.begin(), in2.end(), two.begin());
    sweep::merge(on, two.begin(), two.end(), in3.begin(), in3.end(), all.begin());
    stream.wait();
    expect_equal(all.read(), want, "round " + std::to_string(round));
  }
}

TEST_CASE("device merge: so many tiles that where they begin is guessed, well and badly") {
  std::ptrdiff_t const n1 = sanitizing() ? 50'000 : 200'000;
  for (auto const squares_by : {std::uint64_t{0}, std::uint64_t{1'000'000}, std::uint64_t{40'000}})
    for (auto const n2 : {n1 + n1 / 2 + 77'777, std::ptrdiff_t{90'001}}) {
      wide_keys const first{0, squares_by}, second{0, 0};
      device_array<std::uint64_t> const out(static_cast<std::size_t>(n1 + n2));
      sweep::merge(sweep::device, first, first + n1, second, second + n2, out.begin());
      std::vector<std::uint64_t> x, y, want(static_cast<std::size_t>(n1 + n2));
      for (std::ptrdiff_t i = 0; i < n1; ++i) x.push_back(first[i].key);
      for (std::ptrdiff_t i = 0; i < n2; ++i) y.push_back(second[i].key);
      std::merge(x.begin(), x.end(), y.begin(), y.end(), want.begin());
      expect_equal(out.read(), want,
                   std::to_string(n1) + " by " + std::to_string(squares_by) + " and " + std::to_string(n2));
    }
}

TEST_CASE("device merge: 2^32 + 3 computed items") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  auto const odd = n / 2, even = n - odd;
  device_array<unsigned long long> const counts(std::vector<unsigned long long>{0, 0});
  checked_output const out{0, counts.begin(), counts.begin() + 1};
  sweep::merge(sweep::device, twofold{0, 0}, twofold{even, 0}, twofold{0, 1}, twofold{odd, 1}, out);
  CHECK(counts.read()[0] == 0);
  CHECK(counts.read()[1] == static_cast<unsigned long long>((n + 4095) / 4096));
}
