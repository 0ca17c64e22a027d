// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segments.cuh"

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <cuda/std/iterator>

#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define SWEEP_BENCH_HAS_SEGMENTED_SCAN 1
#endif

/// bench_segmented_scan: segmented scans in every notation against CUB, and against the plain scan of the
/// same items. The minimum is one read and one write of the items, and one read of what describes the
/// segments.

namespace bench {

void add_paper_layouts();

namespace {

auto policy() { return sweep::device.on(stream()); }

enum class notation { bits, flags, keys, offsets };

/// The expected result: CUB's scan by key, backward over reversed iterators.
template <bool Backward, class T>
void by_key(void* scratch, std::size_t& bytes, T const* in, T* out, std::int64_t n) {
  auto const* const keys = segments_of().keys.get<std::int32_t>(0);
  auto const scan = [&](auto k, auto from, auto to) {
    check(
        cub::DeviceScan::InclusiveSumByKey(scratch, bytes, k, from, to, n, cuda::std::equal_to<>{}, stream()),
        "cub::DeviceScan::InclusiveSumByKey");
  };
  if constexpr (Backward)
    scan(cuda::std::make_reverse_iterator(keys + n), cuda::std::make_reverse_iterator(in + n),
         cuda::std::make_reverse_iterator(out + n));
  else scan(keys, in, out);
}

template <notation How, bool Backward, class T>
void compare_segmented(benchmark::State& state, std::string const& name, std::int64_t n, head_at heads) {
  auto& all = segments_of();
  all.make(n, heads);
  auto* const in = memory().input.get<T>(2 * n);  // room for the copy of as many bytes
  auto* const out = memory().output.get<T>(2 * n);
  auto* const expected = memory().peer_output.get<T>(n);
  fill(in, n, elements::random_item<T>{}, seed());
  auto const* const bits = all.bits.get<std::uint32_t>(0);
  auto const* const flags = all.flags.get<std::uint8_t>(0);
  auto const* const keys = all.keys.get<std::int32_t>(0);
  auto const* const offsets = all.offsets.get<std::int32_t>(0);
  auto const count = all.count;
  auto const towards = [] {
    if constexpr (Backward) return sweep::backward;
    else return sweep::forward;
  }();
  auto const ours = [=](std::int64_t) {
    auto const scan = [&](auto const& segments) {
      sweep::segmented_inclusive_scan(policy(), in, in + n, segments, out, towards);
    };
    if constexpr (How == notation::bits) scan(sweep::segments::by_head_bits(bits));
    else if constexpr (How == notation::flags) scan(sweep::segments::by_head_flags(flags));
    else if constexpr (How == notation::keys) scan(sweep::segments::by_key(keys));
    else scan(sweep::segments::by_offsets(offsets, offsets + count + 1));
  };
  auto const plain = [=](std::int64_t) { sweep::inclusive_scan(policy(), in, in + n, out, towards); };

  std::size_t scratch_bytes = 0;
  by_key<Backward>(nullptr, scratch_bytes, in, expected, n);
  auto const peer_segmented = [=]([[maybe_unused]] void* scratch, [[maybe_unused]] std::size_t& size) {
#if defined(SWEEP_BENCH_HAS_SEGMENTED_SCAN)
    check(cub::DeviceSegmentedScan::InclusiveSegmentedSum(scratch, size, in, expected, offsets, offsets + 1,
                                                          count, stream()),
          "cub::DeviceSegmentedScan::InclusiveSegmentedSum");
#endif
  };
  if constexpr (How == notation::offsets && !Backward) {
    std::size_t other = 0;
    peer_segmented(nullptr, other);
    scratch_bytes = std::max(scratch_bytes, other);
  }
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));

  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  auto size = scratch_bytes;
  by_key<Backward>(scratch, size, in, expected, n);
  ours(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against CUB's scan by key: " + why);

  auto const described = How == notation::bits    ? static_cast<double>(n) / 8
                         : How == notation::flags ? static_cast<double>(n)
                         : How == notation::keys  ? static_cast<double>(n) * 4
                                                  : static_cast<double>(count + 1) * 4;
  auto const bytes = static_cast<double>(n) * 2 * sizeof(T) + described;
  std::vector<contender> contenders{{"sweep", ours}};
  if constexpr (How == notation::keys)
    contenders.push_back({cccl_peer("cub"), [=](std::int64_t) {
                            auto room = scratch_bytes;
                            by_key<Backward>(scratch, room, in, expected, n);
                          }});
  if constexpr (How == notation::offsets && !Backward)
    if (count < (std::int64_t{1} << 31))
      contenders.push_back({cccl_peer("cub"), [=](std::int64_t) {
                              auto room = scratch_bytes;
                              peer_segmented(scratch, room);
                            }});
  contenders.push_back({"plain_scan", plain, true});
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = contenders});
}

template <notation How, bool Backward, class T>
void add_layouts(std::string const& type, std::string const& by, int k) {
  for (auto const& layout : layouts)
    add_case(case_name("segmented_scan/inclusive_sum/" + type + "/" + by + "_" + layout.name +
                           (Backward ? "_backward" : "_forward"),
                       power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_segmented<How, Backward, T>(state, name, power(k), head_at{layout.mean});
             });
}

template <notation How, class T>
void add_small(std::string const& type, std::string const& by) {
  for (int const k : {16, 20})
    add_case(case_name("segmented_scan/inclusive_sum/" + type + "/" + by + "_mean_128_forward", power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_segmented<How, false, T>(state, name, power(k), head_at{128});
             });
}

template <notation How, class T>
void add_width(std::string const& type, std::string const& by) {
  add_case(case_name("segmented_scan/inclusive_sum/" + type + "/" + by + "_mean_128_forward", power(26)),
           [=](benchmark::State& state, std::string const& name) {
             compare_segmented<How, false, T>(state, name, power(26), head_at{128});
           });
}
template <class T>
void add_widths(std::string const& type) {
  add_width<notation::bits, T>(type, "bits");
  add_width<notation::keys, T>(type, "keys");
  add_width<notation::offsets, T>(type, "offsets");
}

void add_cases() {
  add_layouts<notation::bits, false, float>("f32", "bits", 26);
  add_layouts<notation::bits, true, float>("f32", "bits", 26);
  add_layouts<notation::flags, false, float>("f32", "flags", 26);
  add_layouts<notation::keys, false, float>("f32", "keys", 26);
  add_layouts<notation::keys, true, float>("f32", "keys", 26);
  add_layouts<notation::offsets, false, float>("f32", "offsets", 26);
  add_layouts<notation::bits, false, double>("f64", "bits", 26);
  add_width<notation::keys, double>("f64", "keys");
  add_width<notation::offsets, double>("f64", "offsets");
  add_widths<std::uint8_t>("u8");
  add_widths<std::uint16_t>("u16");
  add_widths<__int128>("i128");
  add_small<notation::keys, float>("f32", "keys");
  add_small<notation::bits, float>("f32", "bits");
  add_small<notation::offsets, float>("f32", "offsets");
  add_paper_layouts();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
