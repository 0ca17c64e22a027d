// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_LAW_CUH
#define SWEEP_BENCH_LAW_LAW_CUH

#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are raced whatever their future

#include "device_support.cuh"

#include <sweep/sweep.hpp>

#include <cub/cub.cuh>
#include <cub/device/device_segmented_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_ptr.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

/// The law of speed: cases that nobody chose. bench/law.py draws what is compiled (algorithm, types,
/// iterators, operators); main.cu draws the rest (sizes, alignments, densities, lengths) when it runs. Each
/// case is raced against the best call of CUB for the same job.
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
};

struct result {
  double sweep_us, peer_us, copy_ratio;
  bool equal;
};

struct random_case {
  char const* kind;
  char const* name;
  char const* peer;
  double bytes_per_item;  ///< of device memory that is held, all buffers together
  std::function<result(draw const&)> run;
};

inline std::vector<random_case>& all_cases() {
  static std::vector<random_case> cases;
  return cases;
}
struct registered {
  registered(char const* kind, char const* name, char const* peer, double bytes,
             std::function<result(draw const&)> run) {
    all_cases().push_back({kind, name, peer, bytes, run});
  }
};

// ---- Items -----------------------------------------------------------------------------------------------

/// A struct of so many bytes that adds byte by byte.
template <int Bytes>
struct blob {
  std::uint8_t of[Bytes];
  friend __host__ __device__ bool operator==(blob const& a, blob const& b) {
    for (int i = 0; i < Bytes; ++i)
      if (a.of[i] != b.of[i]) return false;
    return true;
  }
  friend __host__ __device__ bool operator!=(blob const& a, blob const& b) { return !(a == b); }
  friend __host__ __device__ blob operator+(blob a, blob const& b) {
    for (int i = 0; i < Bytes; ++i) a.of[i] = static_cast<std::uint8_t>(a.of[i] + b.of[i]);
    return a;
  }
};

/// Words that add one by one: 12, 20, 24, 32 bytes.
template <class Word, int Words>
struct block_of {
  Word of[Words];
  friend __host__ __device__ bool operator==(block_of const& a, block_of const& b) {
    for (int i = 0; i < Words; ++i)
      if (a.of[i] != b.of[i]) return false;
    return true;
  }
  friend __host__ __device__ bool operator!=(block_of const& a, block_of const& b) { return !(a == b); }
  friend __host__ __device__ block_of operator+(block_of a, block_of const& b) {
    for (int i = 0; i < Words; ++i) a.of[i] += b.of[i];
    return a;
  }
};

/// x -> a x + b over integers, one after the other.
template <class T>
struct affine {
  T a, b;
  friend __host__ __device__ bool operator==(affine x, affine y) { return x.a == y.a && x.b == y.b; }
  friend __host__ __device__ bool operator!=(affine x, affine y) { return !(x == y); }
};
struct then {
  template <class T>
  __host__ __device__ affine<T> operator()(affine<T> x, affine<T> y) const {
    return {static_cast<T>(y.a * x.a), static_cast<T>(y.a * x.b + y.b)};
  }
};

/// 2x2 matrices over 32-bit integers: a dear operator.
struct mat2 {
  std::uint32_t a, b, c, d;
  friend __host__ __device__ bool operator==(mat2 x, mat2 y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
  friend __host__ __device__ bool operator!=(mat2 x, mat2 y) { return !(x == y); }
};
struct mat2_product {
  __host__ __device__ mat2 operator()(mat2 x, mat2 y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// For reductions, whose peer wants an operator that commutes: dual numbers, and polynomials modulo x^4 - 1.
struct commuting_product {
  template <class T>
  __host__ __device__ affine<T> operator()(affine<T> x, affine<T> y) const {
    return {static_cast<T>(x.a * y.a), static_cast<T>(x.a * y.b + x.b * y.a)};
  }
  __host__ __device__ mat2 operator()(mat2 x, mat2 y) const {
    return {x.a * y.a + x.b * y.d + x.c * y.c + x.d * y.b, x.a * y.b + x.b * y.a + x.c * y.d + x.d * y.c,
            x.a * y.c + x.b * y.b + x.c * y.a + x.d * y.d, x.a * y.d + x.b * y.c + x.c * y.b + x.d * y.a};
  }
};

/// Adds values, narrower ones in the wider type.
struct plus {
  template <class A, class B>
  __host__ __device__ auto operator()(A const& a, B const& b) const {
    if constexpr (std::is_same_v<A, B> || (std::is_integral_v<A> && std::is_integral_v<B>)) return a + b;
    else if constexpr (sizeof(A) >= sizeof(B)) return a + static_cast<A>(b);
    else return static_cast<B>(a) + b;
  }
};
struct larger {
  template <class T>
  __host__ __device__ T operator()(T const& a, T const& b) const {
    return b > a ? b : a;
  }
};
/// Adds tuples member by member.
struct plus_each {
  template <class T>
  __host__ __device__ thrust::tuple<T, T> operator()(thrust::tuple<T, T> const& a,
                                                     thrust::tuple<T, T> const& b) const {
    return {static_cast<T>(thrust::get<0>(a) + thrust::get<0>(b)),
            static_cast<T>(thrust::get<1>(a) + thrust::get<1>(b))};
  }
  template <class T>
  __host__ __device__ thrust::tuple<T, T, T> operator()(thrust::tuple<T, T, T> const& a,
                                                        thrust::tuple<T, T, T> const& b) const {
    return {static_cast<T>(thrust::get<0>(a) + thrust::get<0>(b)),
            static_cast<T>(thrust::get<1>(a) + thrust::get<1>(b)),
            static_cast<T>(thrust::get<2>(a) + thrust::get<2>(b))};
  }
};
/// The larger value, and of equal ones the first, with its index.
struct first_largest {
  template <class T, class I>
  __host__ __device__ thrust::tuple<T, I> operator()(thrust::tuple<T, I> const& a,
                                                     thrust::tuple<T, I> const& b) const {
    return thrust::get<0>(b) > thrust::get<0>(a) ||
                   (thrust::get<0>(b) == thrust::get<0>(a) && thrust::get<1>(b) < thrust::get<1>(a))
               ? b
               : a;
  }
};
/// For transform iterators.
template <class To>
struct doubled {
  template <class From>
  __host__ __device__ To operator()(From const& x) const {
    return static_cast<To>(static_cast<To>(x) + static_cast<To>(x));
  }
};
template <class To>
struct converted {
  template <class From>
  __host__ __device__ To operator()(From const& x) const {
    return static_cast<To>(x);
  }
};
/// Whether the bits of an item say that it is selected, with the probability that `below` stands for.
struct selected {
  std::uint32_t below;
  template <class T>
  __host__ __device__ bool operator()(T const& x) const {
    std::uint32_t hash = 2166136261u;
    auto const* bytes = reinterpret_cast<unsigned char const*>(&x);
    for (int i = 0; i < static_cast<int>(sizeof(T)) && i < 8; ++i) hash = (hash ^ bytes[i]) * 16777619u;
    hash ^= hash >> 15;
    return hash * 2654435761u < below;
  }
};
struct set_flag {
  template <class T>
  __host__ __device__ bool operator()(T const& x) const {
    return static_cast<bool>(x);
  }
};

// ---- Ranges in device memory
// -------------------------------------------------------------------------------

/// Item i of a random input. Sums of floating-point items are exact, whatever their order: every second item
/// takes back the one before it.
template <class T>
__host__ __device__ T random_item(std::uint64_t seed, std::int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(elements::random_bits(seed, i));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, __half> ||
                       std::is_same_v<T, __nv_bfloat16>) {
    auto const k = static_cast<int>(elements::random_bits(seed, i / 2) % 7) - 3;
    return static_cast<T>(static_cast<float>(i % 2 == 0 ? k : -k));
  } else {
    T x;
    auto* bytes = reinterpret_cast<unsigned char*>(&x);
    for (int b = 0; b < static_cast<int>(sizeof(T)); b += 8) {
      auto const bits = elements::random_bits(seed, i, static_cast<std::uint64_t>(b / 8));
      for (int k = 0; k < 8 && b + k < static_cast<int>(sizeof(T)); ++k)
        bytes[b + k] = static_cast<unsigned char>(bits >> (8 * k));
    }
    return x;
  }
}
template <class T>
struct drawn_item {
  __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
    return random_item<T>(seed, i);
  }
};
struct drawn_flag {
  std::uint64_t below;  // of 2^32
  __host__ __device__ std::uint8_t operator()(std::uint64_t seed, std::int64_t i) const {
    return (elements::random_bits(seed, i) >> 32) < below;
  }
};
/// Keys in runs of `mean` items, more or less: the number of an item's run. By a power law the means vary
/// from one stretch of 65,536 items to the next.
template <class K>
struct drawn_key {
  double mean;
  bool power_law;
  __host__ __device__ K operator()(std::uint64_t seed, std::int64_t i) const {
    double m = mean;
    if (power_law) m = mean * (1 << (elements::random_bits(seed, i / 65536, 3) % 8)) / 16.0;
    if (m < 1) m = 1;
    auto const run = static_cast<std::int64_t>(static_cast<double>(i) / m);
    auto const begin = static_cast<double>(run) * m;
    auto const cut = static_cast<double>(elements::random_bits(seed, run, 1) >> 40) / 16777216.0 * m;
    return static_cast<K>(2 * run + (static_cast<double>(i) - begin >= cut ? 1 : 0));
  }
};

/// The memory of one role of the cases, kept for the process.
inline buffer& role(int number) {
  static std::array<buffer, 16> all;
  return all[static_cast<std::size_t>(number)];
}

/// n items, `shift` items behind a 256-byte boundary.
template <class T, class Make = drawn_item<T>>
T* input(int number, draw const& d, std::int64_t n, int shift, Make make = {}) {
  auto* const at = role(number).get<T>(n + shift + 256) + shift;
  fill(at, n, make, d.seed + static_cast<std::uint64_t>(number));
  return at;
}

/// Places of a permutation that hops within stretches of 4,096 items.
struct hop {
  std::int64_t n;
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t i) const {
    auto const base = i / 4096 * 4096;
    return static_cast<std::uint32_t>(base + 4096 <= n ? base + (i - base) * 1021 % 4096 : i);
  }
};

/// Segments as offsets: their number depends on the draw.
struct segments_of {
  std::int32_t* offsets;
  std::int64_t count;
};
static __global__ void offsets_kernel(std::int32_t* offsets, std::int64_t count, std::int64_t n, double mean,
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
inline segments_of drawn_offsets(int number, draw const& d) {
  auto const count =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(d.n) / d.mean_segment));
  auto* const offsets = role(number).get<std::int32_t>(count + 1);
  offsets_kernel<<<1056, 256, 0, stream()>>>(offsets, count, d.n, d.mean_segment, d.power_law, d.seed);
  check(cudaGetLastError(), "offsets_kernel");
  return {offsets, count};
}

/// An output of ours and one of the peer's, equally placed, both poisoned.
template <class T>
struct outputs {
  T *ours, *peers;
  std::int64_t n;
};
template <class T>
outputs<T> output(int number, std::int64_t n, int shift) {
  auto const place = [&](int role_number) {
    auto* const at = role(role_number).get<T>(n + shift + 256) + shift;
    check(cudaMemsetAsync(at, 0xa5, static_cast<std::size_t>(n) * sizeof(T), stream()), "cudaMemsetAsync");
    return at;
  };
  return {place(number), place(number + 1), n};
}
template <class T>
bool agree(outputs<T> const& out, std::int64_t n) {
  return differences(out.ours, out.peers, n).empty();
}

/// A call of CUB as it should be timed: its scratch is there.
template <class Call>
auto cub_call(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "the peer");
  auto* const scratch = role(11).get<unsigned char>(static_cast<std::int64_t>(bytes) + 256);
  return [=] {
    auto same = bytes;
    check(call(scratch, same), "the peer");
  };
}

enum class time_as { work, call };

/// Medians of rounds in which both take turns. What returns a value is timed as a call, by the host's clock.
template <class Ours, class Peer, class Agree>
result race(double min_bytes, Ours ours, Peer peer, Agree agreed, time_as how = time_as::work) {
  static stopwatch watch;
  ours();
  peer();
  wait();
  bool const equal = agreed();
  double us[2] = {};
  auto const time = [&](auto const& call, int calls) {
    if (how == time_as::work) return watch.us(calls, [&](std::int64_t) { call(); });
    call();
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
           calls;
  };
  auto const calls = calls_for(min_bytes);
  std::vector<double> times[2];
  for (int round = 0; round < 5; ++round) {
    times[0].push_back(time(ours, calls));
    times[1].push_back(time(peer, calls));
  }
  for (int k = 0; k < 2; ++k) us[k] = median(times[k]);
  return {us[0], us[1], min_bytes / us[0] / ceiling(), equal};
}

}  // namespace law

#endif
