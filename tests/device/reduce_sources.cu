// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device reductions of what iterators make of memory, of where items lie, and of values that the host
// waits for.
#include <support/device_places.hpp>
#include <support/reduce_source_laws.hpp>

#include <thread>

using namespace sweep_test;

TEST_CASE("device reductions: sources of one to three streams, and of none") {
  reduce_source_laws(half_at(sweep::device, "device"), 300'000);
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
  for (auto const n : few_sizes())
    reduce_law(in_blocks, "affine maps", draw_many<affine<std::uint32_t>>(n, random), affine_then{},
               affine<std::uint32_t>{3, 4}, n % 5);
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
