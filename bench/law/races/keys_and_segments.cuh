// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_KEYS_AND_SEGMENTS_CUH
#define SWEEP_BENCH_LAW_RACES_KEYS_AND_SEGMENTS_CUH

#include <cub/device/device_segmented_scan.cuh>
#include <law/races/peers.cuh>
#include <thrust/iterator/discard_iterator.h>

#include <cstdint>

// Races by key and by segment.
namespace law {

template <class Key, class Source, class Operator>
struct scan_by_key {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceScan::InclusiveScanByKey";
  static constexpr double held = sizeof(Key) + Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const names = keys<Key>(d, 10);
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] {
      sweep::inclusive_scan_by_key(on(), names, names + n, in, out.ours, sweep::segments::equal_keys{},
                                   Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveScanByKey(t, b, names, bare(in), out.peers, Operator{}, n,
                                                 cuda::std::equal_to<>{}, stream());
    });
    return race((sizeof(Key) + Source::read + sizeof(item)) * static_cast<double>(n), ours, theirs,
                agree_by_steps(out, n, heads_by_key<Key const*>{names}, in, Operator{}));
  }
};

/// With Discarding, nobody wants the keys of the runs.
template <class Key, class Source, class Operator, bool Discarding>
struct reduce_by_key {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceReduce::ReduceByKey";
  static constexpr double held = 3 * sizeof(Key) + Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const names = keys<Key>(d, 10);
    auto const in = Source::make(d, 0);
    auto const ends = output<Key>(6, Discarding ? 1 : n);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const to = [](Key* at) {
      if constexpr (Discarding) return thrust::make_discard_iterator();
      else return at;
    };
    auto const ours = [=] {
      sweep::reduce_by_key_into(on(), names, names + n, in, to(ends.ours), out.ours, count.ours,
                                sweep::segments::equal_keys{}, Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::ReduceByKey(t, b, names, to(ends.peers), bare(in), out.peers, count.peers,
                                            Operator{}, n, stream());
    });
    auto const bytes =
        sizeof(Key) + Source::read + ((Discarding ? 0 : sizeof(Key)) + sizeof(item)) * d.runs_per_item();
    return race(bytes * static_cast<double>(n), ours, theirs, [=] {
      auto const k = agreed_count(count);
      return agree(out, k) && (Discarding || agree(ends, k));
    });
  }
};

template <class Key, class Length>
struct run_length_encode {
  static constexpr char const* peer = "cub::DeviceRunLengthEncode::Encode";
  static constexpr double held = 3 * sizeof(Key) + 2 * sizeof(Length);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const in = keys<Key>(d, 10);
    auto const ends = output<Key>(6, n);
    auto const lengths = output<Length>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const ours = [=] {
      sweep::run_length_encode_into(on(), in, in + n, ends.ours, lengths.ours, count.ours);
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRunLengthEncode::Encode(t, b, bare(in), ends.peers, lengths.peers, count.peers, n,
                                                stream());
    });
    return race((sizeof(Key) + (sizeof(Key) + sizeof(Length)) * d.runs_per_item()) * static_cast<double>(n),
                ours, theirs, [=] {
                  auto const k = agreed_count(count);
                  return agree(lengths, k) && agree(ends, k);
                });
  }
};

/// What CUB has to do before a call that takes offsets: make them of lengths, where those are given. Offsets
/// of flags and bits, of which it has no call to make them, it gets for nothing.
template <class Notation>
auto offsets_call(segments_of const& segments, int number) {
  if constexpr (std::is_same_v<Notation, by_lengths>) {
    auto const* const lengths = by_lengths::lengths(segments, number);
    return cub_call<18>([=](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveSum(t, b, lengths, segments.offsets + 1, segments.count, stream());
    });
  } else {
    return [] {};
  }
}

template <class Source, class Notation, class Operator>
struct segmented_scan {
  using item = typename Source::item;
  static constexpr bool by_key = std::is_same_v<Notation, by_keys>;
  static constexpr char const* peer =
      by_key ? "cub::DeviceScan::InclusiveScanByKey" : "cub::DeviceSegmentedScan";
  static constexpr double held = Source::held + 2 * sizeof(item) + Notation::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const segments = drawn_offsets(d, 10);
    auto const noted = Notation::make(segments, d, 11);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] { sweep::segmented_inclusive_scan(on(), in, in + n, noted, out.ours, Operator{}); };
    auto const offsets = offsets_call<Notation>(segments, 11);
    auto const scan = cub_call([=](void* t, std::size_t& b) {
      if constexpr (by_key)
        return cub::DeviceScan::InclusiveScanByKey(t, b, by_keys::keys(d, 11), bare(in), out.peers,
                                                   Operator{}, n, cuda::std::equal_to<>{}, stream());
      else
        return cub::DeviceSegmentedScan::InclusiveSegmentedScan(t, b, bare(in), out.peers, segments.offsets,
                                                                segments.offsets + 1, segments.count,
                                                                Operator{}, stream());
    });
    auto const theirs = [=] {
      offsets();
      scan();
    };
    return race((Source::read + sizeof(item) + Notation::read) * static_cast<double>(n) +
                    4.0 * static_cast<double>(segments.count),
                ours, theirs, agree_by_steps(out, n, heads_by_offsets{segments}, in, Operator{}));
  }
};

template <class Source, class Notation, class Result, class Operator>
struct segmented_reduce {
  static constexpr char const* peer = "cub::DeviceSegmentedReduce";
  static constexpr double held = Source::held + 2 * sizeof(Result) + Notation::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const segments = drawn_offsets(d, 10);
    auto const noted = Notation::make(segments, d, 11);
    auto const out = output<Result>(2, segments.count, d.out_shift);
    auto const init = neutral<Result, Operator>();
    auto const ours = [=] { sweep::segmented_reduce(on(), in, in + n, noted, out.ours, init, Operator{}); };
    auto const offsets = offsets_call<Notation>(segments, 11);
    auto const reduce = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedReduce::Reduce(t, b, bare(in), out.peers, segments.count, segments.offsets,
                                                segments.offsets + 1, Operator{}, init, stream());
    });
    auto const theirs = [=] {
      offsets();
      reduce();
    };
    return race(Source::read * static_cast<double>(n) +
                    (4.0 + sizeof(Result)) * static_cast<double>(segments.count),
                ours, theirs, [=] { return agree(out, segments.count); });
  }
};

}  // namespace law

#endif
