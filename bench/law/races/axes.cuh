// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_AXES_CUH
#define SWEEP_BENCH_LAW_RACES_AXES_CUH

#include <law/races/peers.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

// Races along an axis of an array.
namespace law {

/// An array as calls along one of its axes see it, drawn from what a case has drawn: at most so many items.
struct drawn_array {
  std::int64_t blocks, length, beside;
  static drawn_array of(draw const& d, bool last_axis) {
    auto const part = [&](std::int64_t most, std::int64_t salt) {
      auto const unit = static_cast<double>(elements::random_bits(d.seed, salt) >> 11) * 0x1p-53;
      auto const drawn = std::exp2(unit * std::log2(static_cast<double>(most)));
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, most);
    };
    auto const length = part(d.n, 1), beside = last_axis ? 1 : part(d.n / length, 2);
    return {d.n / (length * beside), length, beside};
  }
  std::string shape() const {
    return std::to_string(blocks) + "x" + std::to_string(length) + "x" + std::to_string(beside);
  }
  std::int64_t lines() const { return blocks * beside; }
  std::int64_t items() const { return lines() * length; }
};
/// Where item k lies when lines follow each other; which line it is of.
struct place_along {
  drawn_array array;
  __host__ __device__ std::int64_t operator()(std::int64_t k) const {
    auto const line = k / array.length, block = line / array.beside;
    return (block * array.length + k % array.length) * array.beside + line % array.beside;
  }
};
struct line_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t k) const { return k / length; }
};
struct offset_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t line) const { return line * length; }
};
template <class F>
auto counted_by(F f) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), f);
}
/// An array's items with one line after the other, as peers want them.
template <bool LastAxis, class T>
auto line_by_line(T* items, drawn_array const& array) {
  if constexpr (LastAxis) return items;
  else return thrust::make_permutation_iterator(items, counted_by(place_along{array}));
}

template <class T, class Operator, bool LastAxis, bool Backward>
struct scan_along {
  static constexpr char const* peer = "cub::DeviceScan::InclusiveScanByKey";
  static constexpr double held = 3 * sizeof(T);
  static result run(draw const& d) {
    auto const array = drawn_array::of(d, LastAxis);
    auto const n = array.items();
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    std::int64_t const extents[]{array.blocks, array.length, array.beside};
    auto const from = sweep::strided(in, extents);
    auto const to = sweep::strided(out.ours, extents);
    auto const ours = [=] {
      if constexpr (Backward)
        sweep::inclusive_scan(on(), from, to, sweep::along(1), Operator{}, sweep::backward);
      else sweep::inclusive_scan(on(), from, to, sweep::along(1), Operator{});
    };
    auto const items = line_by_line<LastAxis>(in, array);
    auto const results = line_by_line<LastAxis>(out.peers, array);
    auto const lines = counted_by(line_of{array.length});
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      auto const call = [&](auto keys, auto values, auto sums) {
        return cub::DeviceScan::InclusiveScanByKey(t, b, keys, values, sums, Operator{}, n,
                                                   cuda::std::equal_to<>{}, stream());
      };
      if constexpr (Backward)
        return call(thrust::make_reverse_iterator(lines + n), thrust::make_reverse_iterator(items + n),
                    thrust::make_reverse_iterator(results + n));
      else return call(lines, items, results);
    });
    auto const walked = [=](auto at) {
      if constexpr (Backward) return thrust::make_reverse_iterator(at + n);
      else return at;
    };
    auto const along = [=](T* at) { return walked(line_by_line<LastAxis>(at, array)); };
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs,
                agree_by_steps(out, n, heads_by_key{walked(lines)}, walked(items), Operator{}, false, along))
        .with_shape(array.shape());
  }
};

template <class T, class Operator, bool LastAxis>
struct reduce_along {
  static constexpr char const* peer = "cub::DeviceSegmentedReduce";
  static constexpr double held = 3 * sizeof(T);
  static result run(draw const& d) {
    auto const array = drawn_array::of(d, LastAxis);
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, array.lines(), d.out_shift);
    auto const init = neutral<T, Operator>();
    auto const from = sweep::strided(in, {array.blocks, array.length, array.beside});
    auto const to = sweep::strided(out.ours, {array.blocks, array.beside});
    auto const ours = [=] { sweep::reduce(on(), from, to, sweep::along(1), init, Operator{}); };
    auto const items = line_by_line<LastAxis>(in, array);
    auto const offsets = counted_by(offset_of{array.length});
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedReduce::Reduce(t, b, items, out.peers, array.lines(), offsets, offsets + 1,
                                                Operator{}, init, stream());
    });
    return race(static_cast<double>(sizeof(T)) * static_cast<double>(array.items() + array.lines()), ours,
                theirs, [=] { return agree(out, array.lines()); })
        .with_shape(array.shape());
  }
};

}  // namespace law

#endif
