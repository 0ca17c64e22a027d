// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_SCANS_CUH
#define SWEEP_BENCH_LAW_RACES_SCANS_CUH

#include <law/races/peers.cuh>

// Races of scans.
namespace law {

template <class Source, class Result, class Operator, bool Exclusive, bool Backward>
struct scan {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = Source::held + 2 * sizeof(Result);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<Result>(2, n, d.out_shift);
    auto const ours = [=] {
      if constexpr (Exclusive && Backward)
        sweep::exclusive_scan(on(), in, in + n, out.ours, Result{}, Operator{}, sweep::backward);
      else if constexpr (Exclusive) sweep::exclusive_scan(on(), in, in + n, out.ours, Result{}, Operator{});
      else if constexpr (Backward)
        sweep::inclusive_scan(on(), in, in + n, out.ours, Operator{}, sweep::backward);
      else sweep::inclusive_scan(on(), in, in + n, out.ours, Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      auto const call = [&](auto from, auto to) {
        if constexpr (Exclusive)
          return cub::DeviceScan::ExclusiveScan(t, b, from, to, Operator{}, Result{}, n, stream());
        else return cub::DeviceScan::InclusiveScan(t, b, from, to, Operator{}, n, stream());
      };
      if constexpr (Backward)
        return call(thrust::make_reverse_iterator(bare(in) + n),
                    thrust::make_reverse_iterator(out.peers + n));
      else return call(bare(in), out.peers);
    });
    auto const walked = [=](auto at) {
      if constexpr (Backward) return thrust::make_reverse_iterator(at + n);
      else return at;
    };
    return race((Source::read + sizeof(Result)) * static_cast<double>(n), ours, theirs,
                agree_by_steps(out, n, no_heads{}, walked(in), Operator{}, Exclusive, walked));
  }
};

template <class T, class Operator>
struct scan_in_place {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = 2 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    outputs<T> const at{input<T>(2, d, d.in_shift), input<T>(3, d, d.in_shift)};
    fill(at.peers, n, drawn_item<T>{}, d.seed + 2);
    auto const ours = [=] { sweep::inclusive_scan(on(), at.ours, at.ours + n, at.ours, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveScan(t, b, at.peers, at.peers, Operator{}, n, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(at, n); });
  }
};

template <class T, int Width>
struct scan_zipped {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = 3.0 * Width * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = zipped<T, Width>::make(d, 0);
    auto const a = output<T>(2, n, d.out_shift), b = output<T>(4, n, d.out_shift),
               c = output<T>(8, Width == 3 ? n : 1, d.out_shift);
    auto const to = [](auto* x, auto* y, auto* z) {
      if constexpr (Width == 2) return thrust::make_zip_iterator(x, y);
      else return thrust::make_zip_iterator(x, y, z);
    };
    auto const mine = to(a.ours, b.ours, c.ours);
    auto const other = to(a.peers, b.peers, c.peers);
    auto const ours = [=] { sweep::inclusive_scan(on(), in, in + n, mine, plus_each{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(t, bytes, in, other, plus_each{}, n, stream());
    });
    return race(2.0 * Width * sizeof(T) * static_cast<double>(n), ours, theirs,
                [=] { return agree(a, n) && agree(b, n) && (Width == 2 || agree(c, n)); });
  }
};

template <class Source, class Operator>
struct adjacent_difference {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceAdjacentDifference";
  static constexpr double held = Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] { sweep::adjacent_difference(on(), in, in + n, out.ours, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, bare(in), out.peers, n, Operator{},
                                                             stream());
    });
    return race((Source::read + sizeof(item)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n); });
  }
};

}  // namespace law

#endif
