// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans in the stages of shared memory: inputs and outputs of any width, wherever they lie, and iterators
// that are taken apart into the memory beneath them.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>
#include <support/random.hpp>
#include <support/values.hpp>

#include <sweep/scan.hpp>

#include <cuda/std/tuple>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <functional>
#include <string>

using namespace sweep_test;

namespace {

/// An array that starts so many items behind a boundary.
template <class T>
using placed = guarded<T, device_memory>;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Three bytes of no word's width; not commutative.
struct letters {
  u8 first, middle, last;
  friend bool operator==(letters const&, letters const&) = default;
};
struct join_letters {
  __host__ __device__ letters operator()(letters const& a, letters const& b) const {
    return {a.first, static_cast<u8>(a.middle + b.middle + (a.last ^ b.first)), b.last};
  }
};
/// Five bytes, of which eight fill whole words.
struct more_letters {
  letters head;
  u8 tail[2];
  friend bool operator==(more_letters const&, more_letters const&) = default;
};
struct join_more_letters {
  __host__ __device__ more_letters operator()(more_letters const& a, more_letters const& b) const {
    return {join_letters{}(a.head, b.head), {static_cast<u8>(a.tail[0] + b.tail[0]), b.tail[1]}};
  }
};
/// Four words without the alignment of four.
struct quad {
  u32 word[4];
  friend bool operator==(quad const&, quad const&) = default;
};
struct add_quads {
  __host__ __device__ quad operator()(quad const& a, quad const& b) const {
    return {{a.word[0] + b.word[0], a.word[1] + b.word[1], a.word[2] ^ b.word[2], a.word[3] + b.word[3]}};
  }
};

/// Sizes up to some tiles, places up to 16 items behind a boundary, drawn anew each time.
template <class Law>
void many_draws(char const* name, Law law) {
  random_source random(name);
  if (!stages_can_run()) return;
  for (int round = 0; round < (sanitizing() ? 6 : 60); ++round) {
    auto const n =
        static_cast<std::size_t>(round < 4 ? round : random.between(1, sanitizing() ? 900 : 12'000));
    auto const in_offset = static_cast<std::size_t>(random.between(0, 16)),
               out_offset = static_cast<std::size_t>(random.between(0, 16));
    law(random, n, in_offset, out_offset,
        std::string(name) + ", n = " + std::to_string(n) + ", in + " + std::to_string(in_offset) +
            ", out + " + std::to_string(out_offset));
  }
}

/// The results in order, from `sum` where there is one.
template <class T, class In, class Op>
std::vector<T> oracle(std::vector<In> const& x, bool backward, bool inclusive, T const* init, Op op) {
  std::vector<T> want(x.size());
  bool has = init != nullptr;
  T sum = init ? *init : T{};
  for (std::size_t k = 0; k < x.size(); ++k) {
    auto const i = backward ? x.size() - 1 - k : k;
    if (!inclusive) want[i] = sum;
    sum = has ? static_cast<T>(op(sum, static_cast<T>(x[i]))) : static_cast<T>(x[i]);
    has = true;
    if (inclusive) want[i] = sum;
  }
  return want;
}

template <class In, class Out, class Op, class Backward = decltype(scan_in_stages)>
void widths(char const* name, Op op, Backward const& backward = scan_in_stages) {
  many_draws(name, [&](auto& random, std::size_t n, std::size_t in_offset, std::size_t out_offset,
                       std::string const& title) {
    auto const x = draw_bytes<In>(n, random);
    placed<In> const in(x, in_offset);
    placed<Out> const out(n, out_offset), other(n, out_offset / 2);
    auto const init = draw_bytes<Out>(1, random)[0];
    sweep::exclusive_scan(scan_in_stages, in.begin(), in.end(), out.begin(), init, op);
    expect_equal(out.read(), oracle(x, false, false, &init, op), title + ", exclusive");
    expect(out.guards_intact(), title + ", exclusive: writes the output only");
    sweep::inclusive_scan(backward, in.begin(), in.end(), other.begin(), op, init, sweep::backward);
    expect_equal(other.read(), oracle(x, true, true, &init, op), title + ", inclusive, backward");
    expect(other.guards_intact(), title + ", inclusive, backward: writes the output only");
  });
}

struct doubled {
  __host__ __device__ u32 operator()(u16 x) const { return 2u * x; }
};
struct add_pairs {
  template <class A, class B>
  __host__ __device__ cuda::std::tuple<u32, u8> operator()(A const& a, B const& b) const {
    using cuda::std::get;
    return {get<0>(a) + get<0>(b), static_cast<u8>(get<1>(a) + get<1>(b))};
  }
};

}  // namespace

TEST_CASE("device scans in stages: items and results of any width, wherever they lie") {
  widths<u8, u8>("u8", add{});
  widths<u8, u32>("u8 to u32", std::plus<>{});
  widths<u16, u64>("u16 to u64", std::plus<>{});
  widths<u32, u32>("u32", add{});
  widths<u64, u16>("u64 to u16", std::plus<>{});
  // In registers, too: 16 of these are three words of 16 bytes, which begin anywhere.
  widths<letters, letters>("3 bytes", join_letters{}, scan_in_registers);
  widths<more_letters, more_letters>("5 bytes", join_more_letters{}, scan_in_registers);
  widths<quad, quad>("4 words", add_quads{});
}

TEST_CASE("device scans in stages: iterators over memory, wherever it lies") {
  many_draws("fancy iterators", [](auto& random, std::size_t n, std::size_t in_offset, std::size_t out_offset,
                                   std::string const& title) {
    auto const size = static_cast<std::ptrdiff_t>(n);
    auto const x = draw_bytes<u16>(n, random);
    auto const b = draw_bytes<u8>(n, random);
    placed<u16> const in(x, in_offset);
    placed<u8> const bytes(b, out_offset);
    placed<u32> const out(n, out_offset);
    auto const law = [&](auto first, auto const& items, char const* what) {
      sweep::inclusive_scan(scan_in_stages, first, first + size, out.begin());
      expect_equal(out.read(), oracle<u32>(items, false, true, nullptr, add{}), title + ", " + what);
      expect(out.guards_intact(), title + ", " + what + ": writes the output only");
    };
    std::vector<u32> twice(n), picked(n), counted(n), turned(n);
    std::vector<u32> order(n);
    for (std::size_t i = 0; i < n; ++i) {
      twice[i] = 2u * x[i];
      order[i] = static_cast<u32>(random.between(0, size - 1));
      picked[i] = 2u * x[order[i]];
      counted[i] = static_cast<u32>(5 + i);
      turned[i] = 2u * x[n - 1 - i];
    }
    placed<u32> const indices(order, out_offset);
    auto const transformed = thrust::make_transform_iterator(in.begin(), doubled{});
    law(transformed, twice, "transform_iterator");
    law(thrust::make_permutation_iterator(transformed, indices.begin()), picked, "permutation_iterator");
    law(thrust::counting_iterator<u32>(5), counted, "counting_iterator");
    law(thrust::make_transform_iterator(thrust::make_reverse_iterator(in.end()), doubled{}), turned,
        "reverse_iterator");

    placed<u8> const sums(n, in_offset);
    auto const pairs = thrust::make_zip_iterator(transformed, bytes.begin());
    sweep::inclusive_scan(scan_in_stages, pairs, pairs + size,
                          thrust::make_zip_iterator(out.begin(), sums.begin()), add_pairs{}, sweep::backward);
    expect_equal(out.read(), oracle<u32>(twice, true, true, nullptr, add{}), title + ", zip_iterator, first");
    expect_equal(sums.read(), oracle<u8>(b, true, true, nullptr, add{}), title + ", zip_iterator, second");
    expect(out.guards_intact() && sums.guards_intact(), title + ", zip_iterator: writes the outputs only");
    sweep::inclusive_scan(scan_in_stages, pairs, pairs + size,
                          thrust::make_zip_iterator(thrust::make_discard_iterator(), sums.begin()),
                          add_pairs{});
    expect_equal(sums.read(), oracle<u8>(b, false, true, nullptr, add{}),
                 title + ", zip with discard_iterator");
    sweep::inclusive_scan(scan_in_stages, in.begin(), in.end(), thrust::make_reverse_iterator(out.end()),
                          std::plus<>{}, 0u);
    auto want = oracle<u32>(x, false, true, nullptr, add{});
    expect_equal(out.read(), std::vector<u32>(want.rbegin(), want.rend()),
                 title + ", into a reverse_iterator");
  });
}

TEST_CASE("device scans in stages: the bits of a result do not depend on where anything lies") {
  many_draws("bits", [](auto& random, std::size_t n, std::size_t in_offset, std::size_t out_offset,
                        std::string const& title) {
    std::vector<float> x(n);
    for (auto& v : x) v = static_cast<float>(random.between(-1000, 1000)) / 7.0f;
    placed<float> const in(x), there(x, in_offset), out(n), elsewhere(n, out_offset);
    sweep::inclusive_scan(scan_in_stages, in.begin(), in.end(), out.begin());
    sweep::inclusive_scan(scan_in_stages, there.begin(), there.end(), elsewhere.begin());
    expect(out.read() == elsewhere.read(), title);
    sweep::inclusive_scan(scan_in_stages, there.begin(), there.end(), there.begin());
    expect(out.read() == there.read(), title + ", in place");
  });
}
