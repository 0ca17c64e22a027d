// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forward progress and kept state: delayed blocks, many streams at once, streams that come and go, threads
// that share one.
#include <support/device_places.hpp>
#include <support/float_products.hpp>
#include <support/scan_laws.hpp>

#include <sweep/segmented_reduce.hpp>
#include <sweep/spmv.hpp>
#include <sweep/variant.hpp>

#include <thread>

using namespace sweep_test;

namespace {

using map = affine<std::uint32_t>;

std::size_t stream_items() { return sanitizing() ? 4'000 : 150'007; }

/// Spins on a few items for up to some 50 microseconds: their block's total comes late, at another time for
/// every item.
struct delayed {
  SWEEP_TEST_HD map operator()(map const& x) const {
#if defined(__CUDA_ARCH__)
    if (x.b % 2048 == 0) {
      auto const start = clock64();
      while (clock64() - start < static_cast<long long>(scrambled(x.b) % 90'000)) __nanosleep(200);
    }
#endif
    return x;
  }
};

/// Scans on many streams at once, each with its own input and output, several times over.
void scans_on_streams(std::size_t count, int rounds) {
  random_source random("many streams");
  auto const n = stream_items();
  std::vector<own_stream> streams;
  std::vector<device_array<map>> in, out;
  std::vector<std::vector<map>> x;
  for (std::size_t s = 0; s < count; ++s) {
    streams.emplace_back();
    x.push_back(draw_many<map>(n - 17 * s, random));
    in.emplace_back(x.back());
    out.emplace_back(x.back().size());
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t s = 0; s < count; ++s)
      sweep::inclusive_scan(scan_in_registers.on(streams[s]), in[s].begin(), in[s].end() - round,
                            out[s].begin(), affine_then{});
  for (std::size_t s = 0; s < count; ++s) {
    // The last round left out its last items, which the first round wrote.
    expect_equal(out[s].read(), scan_oracle<map>(true, false, x[s], affine_then{}, std::nullopt),
                 "stream " + std::to_string(s));
  }
}

}  // namespace

TEST_CASE("device streams: blocks that are delayed hold up nobody for ever") {
  random_source random("delayed");
  auto const x = draw_many<map>(sanitizing() ? 5'000 : 500'009, random);
  device_array<map> const in(x), out(x.size());
  auto const want = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
  auto const law = [&](auto const& policy, std::string const& name) {
    for (int round = 0; round < 3; ++round) {
      sweep::transform_inclusive_scan(policy, in.begin(), in.end(), out.begin(), affine_then{}, delayed{});
      expect_equal(out.read(), want, name);
    }
  };
  using namespace sweep::variant;
  law(scan_in_registers, "ordered_lookback");
  law(scan_in_registers.with(decoupled_lookback), "decoupled_lookback");
  law(scan_in_registers.with(chained), "chained");
  if (stages_can_run()) law(scan_in_stages, "ordered_lookback in stages");
  law(sweep::device.with(hillis_steele), "ordered_lookback, hillis_steele");
  law(scan_in_few_registers, "ordered_lookback, small tiles");
}

TEST_CASE("device streams: many at once, each with its own state") {
  scans_on_streams(sanitizing() ? 4 : 30, 5);
}

TEST_CASE("device streams: more of them than state is kept for") { scans_on_streams(80, 2); }

TEST_CASE("device streams: destroyed and created again") {
  random_source random("come and go");
  auto const n = stream_items();
  for (int round = 0; round < (sanitizing() ? 5 : 100); ++round) {
    auto const x = draw_many<map>(1 + (n / 100) * static_cast<std::size_t>(round % 10 + 1), random);
    device_array<map> const in(x), out(x.size());
    {
      own_stream const stream;
      sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
      sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
    }  // with work under way
    expect_equal(out.read(), scan_oracle<map>(true, false, x, affine_then{}, std::nullopt),
                 "round " + std::to_string(round));
  }
}

TEST_CASE("device streams: two threads on one stream, and the per-thread and legacy default streams") {
  random_source random("two threads");
  auto const n = stream_items();
  auto const x = draw_many<map>(n, random);
  auto const want = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
  device_array<map> const in(x), out_a(n), out_b(n);
  own_stream const shared;
  auto const law = [&](cudaStream_t a, cudaStream_t b, char const* what) {
    auto const work = [&](cudaStream_t stream, device_array<map> const& out) {
      for (int i = 0; i < (sanitizing() ? 3 : 50); ++i)
        sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
    };
    std::thread other([&] { work(a, out_a); });
    work(b, out_b);
    other.join();
    expect_equal(out_a.read(), want, what);
    expect_equal(out_b.read(), want, what);
  };
  law(shared, shared, "one stream");
  law(nullptr, shared, "the default stream and one of the caller's");
  law(cudaStreamPerThread, cudaStreamPerThread, "each thread's own default stream");
  law(cudaStreamLegacy, nullptr, "the legacy default stream by both its names");
}

TEST_CASE("device streams: state that grows, shrinks and serves other algorithms in between") {
  random_source random("grows");
  own_stream const stream;
  for (std::size_t const n : {100, 3'000, 40, 200'000, 1, 60'000, 200'000, 5}) {
    if (sanitizing() && n > 5'000) continue;
    auto const x = draw_many<map>(n, random);
    device_array<map> const in(x), out(n), other(n);
    sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
    sweep::inclusive_scan(scan_in_registers.on(stream).with(sweep::variant::decoupled_lookback), in.begin(),
                          in.end(), other.begin(), affine_then{});
    auto const want = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
    expect_equal(out.read(), want, "ordered, n = " + std::to_string(n));
    expect_equal(other.read(), want, "decoupled, n = " + std::to_string(n));
  }
}

// A kernel draws tickets as soon as it starts, which may be while the one before it runs.
TEST_CASE("device streams: calls whose blocks draw tickets follow each other at once") {
  random_source random("tickets");
  auto const n = sanitizing() ? 30'000u : 3'000'017u;
  std::uint32_t const few = 5, each = n / few;
  auto const x = draw_many<map>(sanitizing() ? 3'000 : 40'003, random);
  std::vector<std::uint32_t> offsets(few + 1);
  for (std::uint32_t s = 0; s <= few; ++s) offsets[s] = s < few ? s * each : n;
  device_array<std::uint32_t> const ones(std::vector<std::uint32_t>(n, 1)),
      columns(std::vector<std::uint32_t>(n, 0)), at(offsets), sums(few), products(few);
  device_array<map> const in(x), out(x.size());
  auto const matrix =
      sweep::csr_view(std::int64_t{few}, std::int64_t{1}, at.begin(), columns.begin(), ones.begin());
  auto const want = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
  std::vector<std::uint32_t> all(few, each);
  all.back() = n - (few - 1) * each;
  own_stream const stream;
  auto const policy = sweep::device.on(stream);
  for (int round = 0; round < (sanitizing() ? 2 : 20); ++round) {
    // Long segments are cut, and the last block that is done with a part joins them.
    for (int twice = 0; twice < 3; ++twice) {
      sweep::segmented_reduce(policy, ones.begin(), ones.begin() + n,
                              sweep::segments::by_offsets(at.begin(), at.end()), sums.begin());
      sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
      sweep::spmv(policy, matrix, ones.begin(), products.begin());
      sweep::inclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(), out.begin(), affine_then{});
    }
    expect_equal(sums.read(), all, "segments");
    expect_equal(products.read(), all, "a product");
    expect_equal(out.read(), want, "a scan");
  }
}

TEST_CASE("device streams: scratch that calls use in turn, from two threads") {
  if (racechecking()) {
    MESSAGE("skipped: under racecheck, kernels that two threads give to one stream do not end");
    return;
  }
  own_stream const stream;
  auto const most = static_cast<std::uint32_t>(stream_items());
  device_array<std::uint32_t> const ones(std::vector<std::uint32_t>(most, 1));
  // Segments that have items are listed, lengths become head bits, and tiles have their state: one piece of
  // scratch while another is in use, of other sizes from call to call.
  auto const work = [&](std::uint32_t length, device_array<std::uint32_t> const& sums) {
    auto const all = most / length;
    device_array<std::uint32_t> const lengths(std::vector<std::uint32_t>(all, length));
    for (std::uint32_t i = 1; i <= (sanitizing() ? 3u : 60u); ++i) {
      auto const count = i % 3 == 0 ? all : std::max(1u, all / (1 + i % 7));
      sweep::segmented_reduce(scan_in_registers.on(stream), ones.begin(), ones.begin() + count * length,
                              sweep::segments::by_lengths(lengths.begin(), lengths.begin() + count),
                              sums.begin());
    }
    succeed(cudaStreamSynchronize(stream));  // lengths are read until then
  };
  device_array<std::uint32_t> const threes(most / 3), hundreds(most / 700);
  std::thread other([&] { work(3, threes); });
  work(700, hundreds);
  other.join();
  expect_equal(threes.read(), std::vector<std::uint32_t>(most / 3, 3), "short segments");
  expect_equal(hundreds.read(), std::vector<std::uint32_t>(most / 700, 700), "longer ones");
}
