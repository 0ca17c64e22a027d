// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_SOURCES_CUH
#define SWEEP_BENCH_LAW_SOURCES_CUH

#include "device_support.cuh"

#include <sweep/segments.hpp>

#include <law/items.cuh>
#include <thrust/device_ptr.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// Where the cases of the law of speed read from and write to. A source says what an item is, how many bytes
/// of memory are read for it, and makes an iterator of n items: make(d, role).
namespace law {

using namespace bench;

/// What is drawn when a case runs.
struct draw {
  std::int64_t n;
  int in_shift, out_shift;  ///< items by which ranges begin behind a 256-byte boundary
  std::uint64_t seed;
  double density;       ///< of selected items
  double mean_segment;  ///< items, geometric, or a power law
  bool power_law;

  double runs_per_item() const { return std::min(1.0, 2.0 / mean_segment); }  // of drawn_key
};

/// The memory of one role of the cases, kept for the process.
inline buffer& role(int number) {
  static std::array<buffer, 20> all;
  return all[static_cast<std::size_t>(number)];
}
inline constexpr int scratch_role = 19;

/// n items, `shift` items behind a 256-byte boundary.
template <class T, class Make = drawn_item<T>>
T* input(int number, draw const& d, int shift, Make make = {}) {
  auto* const at = role(number).get<T>(d.n + shift + 256) + shift;
  fill(at, d.n, make, d.seed + static_cast<std::uint64_t>(number));
  return at;
}

/// An output of ours (role `number`) and one of the peer's (the role behind it), equally placed, both
/// poisoned.
template <class T>
struct outputs {
  T *ours, *peers;
};
template <class T>
outputs<T> output(int number, std::int64_t n, int shift = 0) {
  auto const place = [&](int role_number) {
    auto* const at = role(role_number).get<T>(n + shift + 256) + shift;
    check(cudaMemsetAsync(at, 0xa5, static_cast<std::size_t>(n) * sizeof(T), stream()), "cudaMemsetAsync");
    return at;
  };
  return {place(number), place(number + 1)};
}
template <class T>
bool agree(outputs<T> const& out, std::int64_t n) {
  return differences(out.ours, out.peers, n).empty();
}
/// What both have counted; -1 where they differ.
template <class Count>
std::int64_t agreed_count(outputs<Count> const& out) {
  Count both[2];
  check(cudaMemcpy(both, out.ours, sizeof(Count), cudaMemcpyDeviceToHost), "cudaMemcpy");
  check(cudaMemcpy(both + 1, out.peers, sizeof(Count), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return both[0] == both[1] ? static_cast<std::int64_t>(both[0]) : -1;
}

// ---- Sources ---------------------------------------------------------------------------------------------

template <class T>
struct pointer {
  using item = T;
  static constexpr double read = sizeof(T);
  static constexpr double held = sizeof(T);
  static T const* make(draw const& d, int number) { return input<T>(number, d, d.in_shift); }
};
template <class T>
struct device_vector : pointer<T> {
  static auto make(draw const& d, int number) {
    return thrust::device_pointer_cast(input<T>(number, d, d.in_shift));
  }
};
template <class T>
struct reversed : pointer<T> {
  static auto make(draw const& d, int number) {
    return thrust::make_reverse_iterator(pointer<T>::make(d, number) + d.n);
  }
};
template <class T, class From, class Function>
struct transformed {
  using item = T;
  static constexpr double read = sizeof(From);
  static constexpr double held = sizeof(From);
  static auto make(draw const& d, int number) {
    return thrust::make_transform_iterator(pointer<From>::make(d, number), Function{});
  }
};
template <class T>
struct counting {
  using item = T;
  static constexpr double read = 0;
  static constexpr double held = 0;
  static auto make(draw const&, int) { return thrust::make_counting_iterator(static_cast<T>(3)); }
};
template <class T>
struct constant : counting<T> {
  static auto make(draw const&, int) { return thrust::make_constant_iterator(static_cast<T>(3)); }
};

/// Places of a permutation that hops within stretches of 4,096 items.
struct hop {
  std::int64_t n;
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t i) const {
    auto const base = i / 4096 * 4096;
    return static_cast<std::uint32_t>(base + 4096 <= n ? base + (i - base) * 1021 % 4096 : i);
  }
};
template <class T>
struct permutation {
  using item = T;
  static constexpr double read = sizeof(T) + 4;
  static constexpr double held = sizeof(T) + 4;
  static auto make(draw const& d, int number) {
    auto const* const places = input<std::uint32_t>(number + 12, d, 0, hop{d.n});
    return thrust::make_permutation_iterator(pointer<T>::make(d, number), places);
  }
};

/// Tuples of two or three ranges (roles number and the two behind 5).
template <class T, int Width>
struct zipped {
  using item = std::conditional_t<Width == 2, thrust::tuple<T, T>, thrust::tuple<T, T, T>>;
  static constexpr double read = Width * sizeof(T);
  static constexpr double held = Width * sizeof(T);
  static auto make(draw const& d, int number) {
    auto const at = [&](int k) { return pointer<T>::make(d, k == 0 ? number : 5 + k); };
    if constexpr (Width == 2) return thrust::make_zip_iterator(at(0), at(1));
    else return thrust::make_zip_iterator(at(0), at(1), at(2));
  }
};

/// Runs of equal keys, and flags.
template <class T>
T const* keys(draw const& d, int number) {
  return input<T>(number, d, d.in_shift, drawn_key<T>{d.mean_segment, d.power_law});
}
inline std::uint8_t const* flags(draw const& d, int number) {
  return input<std::uint8_t>(number, d, d.in_shift,
                             drawn_flag{static_cast<std::uint64_t>(d.density * 4294967296.0)});
}

// ---- Segments --------------------------------------------------------------------------------------------

/// Segments as offsets: their number depends on the draw.
struct segments_of {
  std::int32_t* offsets;
  std::int64_t count;
};
static __global__ void offsets_kernel(std::int32_t* offsets, std::int64_t count, std::int64_t n,
                                      bool power_law, std::uint64_t seed) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; s <= count; s += stride) {
    // Even steps that are shifted by a random part of a step, so that they never decrease; by a power law the
    // places are bent towards the front.
    double at = static_cast<double>(s) +
                (s == 0 || s == count
                     ? 0.0
                     : static_cast<double>(elements::random_bits(seed, s) >> 40) / 16777216.0 * 0.98);
    double part = at / static_cast<double>(count);
    if (power_law) part = part * part * part;
    auto place = static_cast<std::int64_t>(part * static_cast<double>(n));
    if (s == count || place > n) place = n;
    offsets[s] = static_cast<std::int32_t>(s == 0 ? 0 : place);
  }
}
inline segments_of drawn_offsets(draw const& d, int number) {
  auto const count =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(d.n) / d.mean_segment));
  auto* const offsets = role(number).get<std::int32_t>(count + 1);
  offsets_kernel<<<1056, 256, 0, stream()>>>(offsets, count, d.n, d.power_law, d.seed);
  check(cudaGetLastError(), "offsets_kernel");
  return {offsets, count};
}

/// The same segments in other notations; empty ones are not seen in some.
static __global__ void notations_kernel(std::int32_t const* offsets, std::int64_t count, std::int64_t n,
                                        std::int32_t* lengths, std::uint8_t* heads, std::uint32_t* bits,
                                        std::int32_t* numbers) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; s < count; s += stride) {
    auto const begin = offsets[s];
    if (lengths) lengths[s] = offsets[s + 1] - begin;
    if (offsets[s + 1] == begin || begin >= n) continue;
    if (heads) heads[begin] = 1;
    if (bits) atomicOr(bits + begin / 32, 1u << begin % 32);
    if (numbers)
      for (auto i = begin; i < offsets[s + 1]; ++i) numbers[i] = static_cast<std::int32_t>(s);
  }
}

struct by_offsets {
  static constexpr double held = 4;
  static constexpr double read = 0;  // an item; four bytes a segment go beside it
  static auto make(segments_of const& s, draw const&, int) {
    return sweep::segments::by_offsets(s.offsets, s.offsets + s.count + 1);
  }
};
struct by_lengths {
  static constexpr double held = 8;
  static constexpr double read = 0;
  static auto make(segments_of const& s, draw const& d, int number) {
    auto* const lengths = role(number).get<std::int32_t>(s.count);
    notations_kernel<<<1056, 256, 0, stream()>>>(s.offsets, s.count, d.n, lengths, nullptr, nullptr, nullptr);
    check(cudaGetLastError(), "notations_kernel");
    std::int32_t const* const first = lengths;
    return sweep::segments::by_lengths(first, first + s.count);
  }
  static std::int32_t const* lengths(segments_of const& s, int number) {
    return role(number).get<std::int32_t>(s.count);
  }
};
struct by_head_flags {
  static constexpr double held = 5;
  static constexpr double read = 1;
  static auto make(segments_of const& s, draw const& d, int number) {
    auto* const heads = role(number).get<std::uint8_t>(d.n);
    check(cudaMemsetAsync(heads, 0, static_cast<std::size_t>(d.n), stream()), "cudaMemsetAsync");
    notations_kernel<<<1056, 256, 0, stream()>>>(s.offsets, s.count, d.n, nullptr, heads, nullptr, nullptr);
    check(cudaGetLastError(), "notations_kernel");
    return sweep::segments::by_head_flags(static_cast<std::uint8_t const*>(heads));
  }
};
struct by_head_bits {
  static constexpr double held = 4.125;
  static constexpr double read = 0.125;
  static auto make(segments_of const& s, draw const& d, int number) {
    auto const words = (d.n + 31) / 32;
    auto* const bits = role(number).get<std::uint32_t>(words);
    check(cudaMemsetAsync(bits, 0, static_cast<std::size_t>(words) * 4, stream()), "cudaMemsetAsync");
    notations_kernel<<<1056, 256, 0, stream()>>>(s.offsets, s.count, d.n, nullptr, nullptr, bits, nullptr);
    check(cudaGetLastError(), "notations_kernel");
    return sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(bits));
  }
};
struct by_keys {
  static constexpr double held = 8;
  static constexpr double read = 4;
  static auto make(segments_of const& s, draw const& d, int number) {
    auto* const numbers = role(number).get<std::int32_t>(d.n);
    notations_kernel<<<1056, 256, 0, stream()>>>(s.offsets, s.count, d.n, nullptr, nullptr, nullptr, numbers);
    check(cudaGetLastError(), "notations_kernel");
    return sweep::segments::by_key(static_cast<std::int32_t const*>(numbers));
  }
  static std::int32_t const* keys(draw const& d, int number) { return role(number).get<std::int32_t>(d.n); }
};

}  // namespace law

#endif
