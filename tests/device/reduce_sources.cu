// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device reductions of what iterators make of memory, of where items lie, and of values that the host
// waits for.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/reduce_power_laws.hpp>
#include <support/reduce_source_laws.hpp>

#include <thread>

using namespace sweep_test;

TEST_CASE("device reductions: sources of one to three streams, and of none") {
  reduce_source_laws(half_at(sweep::device, "device"), 300'000);
}

TEST_CASE("device reductions: one value, given often") {
  reduce_power_laws(half_at(sweep::device, "device"), {std::int64_t{1} << 32, (std::int64_t{1} << 50) + 3});
  thrust::constant_iterator<std::uint32_t> const ones(1);
  auto const squares = [] __device__(std::uint32_t a, std::uint32_t b) { return a * b; };
  CHECK(sweep::transform_reduce(sweep::device, ones, ones + (std::int64_t{1} << 40) + 1, 5u, squares,
                                [] __device__(std::uint32_t x) { return 3 * x; }) == 15u);
}

TEST_CASE("device reductions: variants fold every item, of one value, too") {
  thrust::constant_iterator<std::uint32_t> const sevens(7);
  auto const law = [&](auto variant) {
    CHECK(sweep::reduce(sweep::device.with(variant), sevens, sevens + 10'001, 3u) == 3 + 7 * 10'001);
  };
  law(sweep::variant::interleaved);
  law(sweep::variant::shared_atomic);
}

TEST_CASE("device reductions: the same bits wherever items lie") {
  auto const at = half_at(sweep::device, "device");
  for (auto const n : few_sizes()) reduce_placement_law<float>(at, n);
  if (!sanitizing()) reduce_placement_law<float>(at, 7'000'003);
}

TEST_CASE("device reductions: shares are the plan's, whatever the device") {
  random_source random("few blocks");
  auto const in_blocks =
      half_at(sweep::device.with(sweep::plan<sweep::reduce_plan{.threads = 64, .rows = 3, .most_blocks = 3}>),
              "three blocks");
  auto const law = [&](std::size_t n) {
    reduce_law(in_blocks, "affine maps", draw_many<affine<std::uint32_t>>(n, random), affine_then{},
               affine<std::uint32_t>{3, 4}, n % 5);
    reduce_law(in_blocks, "24 bytes", draw_many<heisenberg<std::uint64_t>>(n, random), heisenberg_product{},
               heisenberg<std::uint64_t>{3, 4, 5}, n % 3);
  };
  for (auto const n : few_sizes()) law(n);
  // Rows that a warp joins, with none left over and with some, of a few words and of one.
  for (std::size_t const n : {1'536, 3'072, 5'000, 40'001}) law(n);
}

namespace {
/// Maps x -> m x + a of whole numbers, which are composed in order and exactly.
using whole_map = thrust::tuple<std::uint32_t, std::uint32_t>;
struct whole_map_of {
  SWEEP_TEST_HD whole_map operator()(std::uint16_t x) const { return {2u * x + 1u, 3u * x + 1u}; }
};
struct then_whole_map {
  SWEEP_TEST_HD whole_map operator()(whole_map const& f, whole_map const& g) const {
    return {thrust::get<0>(g) * thrust::get<0>(f), thrust::get<0>(g) * thrust::get<1>(f) + thrust::get<1>(g)};
  }
};
}  // namespace

TEST_CASE("device reductions: rows that begin with words of memory keep the order of items") {
  random_source random("rows of words");
  auto const policy =
      sweep::device.with(sweep::plan<sweep::reduce_plan{.threads = 64, .rows = 3, .most_blocks = 3}>);
  whole_map const start{3, 4};
  for (std::size_t const n :
       {4'608, 4'609, 5'000, 40'001, 200'003})  // more than a row for each warp, but for the first
    for (std::size_t offset = 0; offset < 9; ++offset) {
      auto const x = draw_many<std::uint16_t>(n, random);
      decltype(on_device)::array<std::uint16_t> const in(x, offset);
      whole_map forward = start, backward = start;
      for (std::size_t i = 0; i < n; ++i) {
        forward = then_whole_map{}(forward, whole_map_of{}(x[i]));
        backward = then_whole_map{}(backward, whole_map_of{}(x[n - 1 - i]));
      }
      auto const title = "n = " + std::to_string(n) + " at offset " + std::to_string(offset);
      expect(sweep::transform_reduce(policy, in.begin(), in.end(), start, then_whole_map{}, whole_map_of{}) ==
                 forward,
             title);
      auto const first = thrust::make_reverse_iterator(in.end());
      expect(sweep::transform_reduce(policy, first, first + static_cast<std::ptrdiff_t>(n), start,
                                     then_whole_map{}, whole_map_of{}) == backward,
             title + ", reversed");
    }
}

namespace {
template <std::size_t N>
struct words {
  std::uint32_t of[N];
  friend SWEEP_TEST_HD bool operator==(words const& a, words const& b) {
    for (std::size_t i = 0; i < N; ++i)
      if (a.of[i] != b.of[i]) return false;
    return true;
  }
};
template <std::size_t N>
struct words_of {
  SWEEP_TEST_HD words<N> operator()(std::uint32_t x) const {
    words<N> w;
    for (std::size_t i = 0; i < N; ++i) w.of[i] = x * static_cast<std::uint32_t>(i + 1);
    return w;
  }
};
struct plus_words {
  template <std::size_t N>
  SWEEP_TEST_HD words<N> operator()(words<N> const& a, words<N> const& b) const {
    words<N> sum;
    for (std::size_t i = 0; i < N; ++i) sum.of[i] = a.of[i] + b.of[i];
    return sum;
  }
};

/// A value of N words, returned often.
template <std::size_t N>
void returned_law() {
  std::vector<std::uint32_t> x(777);
  words<N> want{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::uint32_t>(scrambled(seed() + i));
    want = plus_words{}(want, words_of<N>{}(x[i]));
  }
  device_array<std::uint32_t> const in(x);
  for (int k = 0; k < (sanitizing() ? 5 : 300); ++k)
    expect(sweep::transform_reduce(sweep::device, in.begin(), in.end(), words<N>{}, plus_words{},
                                   words_of<N>{}) == want,
           std::to_string(4 * N) + " bytes, call " + std::to_string(k));
}
}  // namespace

TEST_CASE("device reductions: values of 64 bytes and of more come back to the host") {
  returned_law<16>();
  returned_law<17>();
}

TEST_CASE("device reductions: values for many threads at once, each on a stream of its own") {
  constexpr int threads = 200;
  int const calls = sanitizing() ? 2 : 50;
  std::vector<std::uint32_t> x(5'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(scrambled(seed() + i));
  device_array<std::uint32_t> const in(x);
  std::vector<int> wrong(threads, 0);
  {
    std::vector<std::thread> all;
    for (int t = 0; t < (sanitizing() ? 8 : threads); ++t)
      all.emplace_back([&, t] {
        own_stream const stream;
        auto const n = 100 + 20 * t;
        auto const want = reduce_oracle<std::uint32_t>(std::vector(x.begin(), x.begin() + n), add{}, 1u);
        for (int k = 0; k < calls; ++k)
          wrong[static_cast<std::size_t>(t)] +=
              sweep::reduce(sweep::device.on(stream), in.begin(), in.begin() + n, 1u) != want;
      });
    for (auto& one : all) one.join();
  }
  for (int t = 0; t < threads; ++t)
    expect(wrong[static_cast<std::size_t>(t)] == 0, "thread " + std::to_string(t));
}

TEST_CASE("device reductions: a value cannot be waited for in a capture, and can after it") {
  std::vector<std::uint32_t> const x(3'000, 2);
  device_array<std::uint32_t> const in(x);
  own_stream const stream;
  succeed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK_THROWS_AS((void)sweep::reduce(sweep::device.on(stream), in.begin(), in.end()), sweep::cuda_error);
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
  CHECK(graph == nullptr);
  CHECK(sweep::reduce(sweep::device.on(stream), in.begin(), in.end()) == 6'000);
}
