// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan_cases.cuh"

/// bench_scan: the scan family against CUB and the copy. Names are scan/algorithm/type/detail/2^k; choose
/// with
/// --benchmark_filter. The other files here hold the other types.

namespace bench {
namespace {

using plus = cuda::std::plus<>;

/// The copy alone, at the sizes of the scans.
void add_copies() {
  for (int const k : {16, 20, 24, 28})
    add_case(case_name("copy/memcpy/f32/device_to_device", power(k)),
             [=](benchmark::State& state, std::string const& name) {
               auto const n = power(k);
               auto* const in = memory().input.get<float>(n);
               auto* const out = memory().output.get<float>(n);
               auto const bytes = static_cast<double>(n) * 2 * sizeof(float);
               fill(in, n, elements::random_item<float>{}, seed());
               wait();
               contender const copies{"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }};
               compare(state, {name, n, bytes, copies, {copies}});
             });
}

/// Small scans whose data is in memory, not in the L2 cache: enough pairs of buffers to pass 256 MB.
void add_rotated() {
  for (int const k : {16, 20, 22})
    add_case(case_name("scan/inclusive_sum/f32/forward_rotated", power(k)),
             [=](benchmark::State& state, std::string const& name) {
               auto const sets = (power(28) / power(k)) / 8;
               compare_scan<kind::inclusive, direction::forward>(
                   state, name, power(k), plus{}, 0.0f, elements::random_item<float>{},
                   [] { return default_policy(); }, sets);
             });
}

struct height_at {
  std::uint64_t seed;
  __device__ float operator()(std::uint64_t, std::int64_t i) const {
    return static_cast<float>(elements::height(seed, i, 20));
  }
};

/// 2^32 items against 16 times 2^28, and against CUB; the scan of steps is known in closed form.
void add_linear_cost() {
  add_case(
      case_name("scan/linear_cost/f32/forward", power(32)),
      [](benchmark::State& state, std::string const& name) {
        auto const n = power(32);
        auto const part = power(28);
        memory().peer_output.release();  // three arrays of 16 GiB are the most that is needed at once
        auto* const in = memory().input.get<float>(n);
        auto* const out = memory().output.get<float>(n);
        auto* const expected = memory().peer_output.get<float>(n);
        fill(in, n, elements::random_item<float>{}, seed());
        fill(expected, n, height_at{seed()}, 0);
        memory().output.poison(n * 4);
        sweep_scan<kind::inclusive, direction::forward>(default_policy(), in, out, n, plus{}, 0.0f);
        wait();
        if (auto const why = differences(out, expected, n); !why.empty()) return fail(state, name, why);
        std::size_t scratch_bytes = 0;
        void* const scratch =
            cub_scratch<kind::inclusive, direction::forward>(scratch_bytes, in, expected, n, plus{}, 0.0f);
        auto const bytes = static_cast<double>(n) * 2 * sizeof(float);
        stopwatch watch;
        std::vector<double> whole, parts, copies, cubs;
        for (auto _ : state) {
          copies.push_back(watch.us(1, [&](std::int64_t) { copy_bytes(out, in, bytes); }));
          whole.push_back(watch.us(1, [&](std::int64_t) {
            sweep_scan<kind::inclusive, direction::forward>(default_policy(), in, out, n, plus{}, 0.0f);
          }));
          for (int i = 0; i < 2; ++i)
            parts.push_back(watch.us(1, [&](std::int64_t) {
              sweep_scan<kind::inclusive, direction::forward>(default_policy(), in, out, part, plus{}, 0.0f);
            }));
          cubs.push_back(watch.us(1, [&](std::int64_t) {
            cub_scan<kind::inclusive, direction::forward>(scratch, scratch_bytes, in, expected, n, plus{},
                                                          0.0f);
          }));
          state.SetIterationTime(whole.back() * 1e-6);
        }
        report(state, name, n, bytes, median(copies), ceiling(),
               {{"sweep", median(whole)}, {"16 x sweep 2^28", 16 * median(parts)}});
        state.counters["cub_us"] = median(cubs);
        memory().input.release();
        memory().output.release();
        memory().peer_output.release();
      },
      7);
}

struct uniform {
  __device__ float operator()(std::uint64_t seed, std::int64_t i) const {
    return static_cast<float>(elements::random_bits(seed, i) >> 40) * 0x1p-23f - 1.0f;
  }
};

/// Sums of ordinary floats, whose rounding depends on the order of evaluation: the bit patterns of 1,000
/// runs.
void add_reproducibility() {
  add_case(case_name("scan/inclusive_sum/f32/reproducible_1000", power(26)), [](benchmark::State& state,
                                                                                std::string const& name) {
    auto const n = power(26);
    auto* const in = memory().input.get<float>(n);
    auto* const out = memory().output.get<float>(n);
    auto* const peer_out = memory().peer_output.get<float>(n);
    fill(in, n, uniform{}, seed());
    std::size_t scratch_bytes = 0;
    void* const scratch =
        cub_scratch<kind::inclusive, direction::forward>(scratch_bytes, in, peer_out, n, plus{}, 0.0f);
    auto const ours = [=](std::int64_t) {
      sweep_scan<kind::inclusive, direction::forward>(default_policy(), in, out, n, plus{}, 0.0f);
    };
    auto const peers = [=](std::int64_t) {
      auto size = scratch_bytes;
      cub_scan<kind::inclusive, direction::forward>(scratch, size, in, peer_out, n, plus{}, 0.0f);
    };
    auto const patterns = [n](auto const& run, float const* result, int runs) {
      std::vector<unsigned long long> seen;
      for (int i = 0; i < runs; ++i) {
        run(i);
        auto const bits = fingerprint(result, n * 4);
        if (std::find(seen.begin(), seen.end(), bits) == seen.end()) seen.push_back(bits);
      }
      return static_cast<double>(seen.size());
    };
    auto const our_patterns = patterns(ours, out, 1000);
    auto const peer_patterns = patterns(peers, peer_out, 100);
    auto const bytes = static_cast<double>(n) * 2 * sizeof(float);
    if (our_patterns != 1)
      return fail(state, name, std::to_string(our_patterns) + " bit patterns in 1000 runs");
    compare(state, {name,
                    n,
                    bytes,
                    {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                    {{"sweep", ours}, {cccl_peer("cub"), peers}}});
    state.counters["patterns_in_1000_runs"] = our_patterns;
    state.counters["peer_patterns_in_100_runs"] = peer_patterns;
  });
}

void add_cases() {
  add_copies();
  add_float_scans();
  add_integer_scans();
  add_narrow_scans();
  add_wide_scans();
  add_struct_scans();
  add_rotated();
  add_reproducibility();
  add_linear_cost();
}

}  // namespace

void add_float_scans() {
  auto const item = elements::random_item<float>{};
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/f32", plus{}, 0.0f, item);
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_sum/f32", plus{}, 0.0f, item);
  add_scan<kind::exclusive, direction::forward>("scan/exclusive_sum/f32", plus{}, 0.0f, item);
  add_scan<kind::exclusive, direction::backward>("scan/exclusive_sum/f32", plus{}, 0.0f, item);
}

}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
