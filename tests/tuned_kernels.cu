// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels that the tuning tables were made for, compiled to see that they fit into registers
// (scripts/check_spills).

#include <sweep/sweep.hpp>

#include <cuda_fp16.h>
#include <thrust/iterator/permutation_iterator.h>

namespace {

struct affine {
  float a, b;
};
struct compose {
  __host__ __device__ affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

template <class T, class Op = sweep::detail::plus>
void scans(T const* in, T* out, std::int64_t n, Op op = {}) {
  sweep::inclusive_scan(sweep::device, in, in + n, out, op);
  sweep::exclusive_scan(sweep::device, in, in + n, out, T{}, op, sweep::backward);
}

struct triple {
  float a, b, c;
  friend __host__ __device__ triple operator-(triple x, triple y) {
    return {x.a - y.a, x.b - y.b, x.c - y.c};
  }
};
template <class T>
void differences(T const* in, T* out, std::int64_t n) {
  sweep::adjacent_difference(sweep::device, in, in + n, out);
  sweep::adjacent_difference(sweep::device, in, in + n, out, sweep::backward);
}

template <class T>
void segmented(T const* in, T* out, std::int64_t n) {
  auto const bits = sweep::segments::by_head_bits(reinterpret_cast<std::uint32_t const*>(in));
  sweep::segmented_inclusive_scan(sweep::device, in, in + n, bits, out);
  sweep::segmented_exclusive_scan(sweep::device, in, in + n, bits, out, T{}, sweep::backward);
  // Beside values of 8 bytes, counts of 64 bits (of more than 2^32 items) take a stack frame of 8 bytes on
  // sm_80.
  if constexpr (sizeof(T) <= 4)
    sweep::segmented_reduce_into(sweep::device, in, in + n, bits, out, reinterpret_cast<std::int64_t*>(out),
                                 T{}, sweep::detail::plus{});
}

struct is_low {
  template <class T>
  __host__ __device__ bool operator()(T const& x) const {
    return x < T(1);
  }
};

template <class T>
void compactions(T const* in, T* out, std::int64_t n) {
  auto* const count = reinterpret_cast<std::int64_t*>(out);
  sweep::copy_if_into(sweep::device, in, in + n, out, count, is_low{});
  sweep::partition_copy_into(sweep::device, in, in + n, out, out + n, count, is_low{});
  sweep::pack_into(sweep::device, in, in + n, reinterpret_cast<unsigned char const*>(in), out, count);
  if constexpr (sizeof(T) <= 2) sweep::unique_copy_into(sweep::device, in, in + n, out, count);
}

/// Of what indices lead to.
template <class T>
void gathered(T const* in, T* out, std::int64_t n) {
  auto const* const words = reinterpret_cast<std::uint32_t const*>(in);
  auto const items = thrust::make_permutation_iterator(in, words);
  sweep::copy_if_into(sweep::device, items, items + n, out, reinterpret_cast<std::int64_t*>(out), is_low{});
}

/// What a lane keeps for itself, and what ends early.
template <class T>
void questions(T const* in, T* out, std::int64_t n) {
  auto* const index = reinterpret_cast<std::int64_t*>(out);
  sweep::count_if_into(sweep::device, in, in + n, index, is_low{});
  sweep::minmax_element_into(sweep::device, in, in + n, index);
  sweep::find_if_into(sweep::device, in, in + n, index, is_low{});
  sweep::is_sorted_until_into(sweep::device, in, in + n, index);
  sweep::lower_bound(sweep::device, in, in + n, in, in + n, index);
}

/// Reductions by offsets.
template <class T>
void folds(T const* in, T* out, std::int64_t n) {
  auto* const offsets = reinterpret_cast<int const*>(in);
  sweep::segmented_reduce(sweep::device, in, in + n, sweep::segments::by_offsets(offsets, offsets + n), out);
}

/// Sorts by a comparison: keys that stay, and segments.
struct later {
  template <class T>
  __host__ __device__ bool operator()(T const& x, T const& y) const {
    return y < x;
  }
};
template <class T>
void comparison_sorts(T* keys, unsigned* values, std::int64_t n) {
  sweep::sort_by_key(sweep::device, keys, keys + n, values, later{});
  sweep::segmented_sort(sweep::device, keys, keys + n, sweep::segments::by_head_bits(values), later{});
}

/// Merges, and those of keys with values.
template <class T>
void merges(T const* in, T* out, std::int64_t n) {
  sweep::merge_by_key(sweep::device, in, in + n, in, in + n, in, in, out, out + n);
}

struct low_byte {
  template <class T>
  __host__ __device__ unsigned operator()(T const& x) const {
    return static_cast<unsigned>(x) & 255;
  }
};
template <class T>
void multisplits(T const* in, T* out, std::int64_t n) {
  auto* const offsets = reinterpret_cast<std::int64_t*>(out);
  sweep::multisplit_into(sweep::device, in, in + n, out, offsets, 256, low_byte{});
  sweep::multisplit_by_key_into(sweep::device, in, in + n, in, out, out, offsets, 256, low_byte{});
}

struct goes_before {
  template <class T>
  __host__ __device__ bool operator()(T const& x, T const& y) const {
    return x < y;
  }
};

/// Sorts by radix, and by a comparison that says nothing of digits.
template <class T>
void sorts(T const* in, T* out, std::int64_t n) {
  sweep::sort_copy(sweep::device, in, in + n, out);
  sweep::sort_by_key_copy(sweep::device, in, in + n, in, out, out + n);
  sweep::sort_copy(sweep::device, in, in + n, out, goes_before{});
}

template <class T>
void products(T const* in, T* out, std::int64_t n) {
  auto const* const at = reinterpret_cast<int const*>(in);
  sweep::csr_view const a(n, n, n, at, at, in);
  sweep::spmv(sweep::device, a, in, out);
  sweep::spmv(sweep::device.with(sweep::variant::merge_path), a, in, out);
}

template <class T>
void tridiagonal_systems(T const* in, T* out, std::int64_t n) {
  sweep::tridiagonal_solve(sweep::device, sweep::tridiagonal(in, in, in, in, out, n));
}

/// Summed-area tables of planes, and of volumes.
template <class T, class U>
void tables(T const* in, U* out, std::int64_t n) {
  using namespace sweep::detail;
  axis_problem<line_result::inclusive, U, T const*, U*, plus, identity, nothing_before, plane_grid> problem{};
  problem.in = in;
  problem.out = out;
  problem.grid.rows = problem.grid.columns = problem.grid.layers = n;
  run_planes(sweep::device, "tables", problem);
  run_volumes(sweep::device, "tables", problem);
}

}  // namespace

void tuned_kernels(void* in, void* out, std::int64_t n) {
  scans(static_cast<float const*>(in), static_cast<float*>(out), n);
  scans(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  scans(static_cast<__half const*>(in), static_cast<__half*>(out), n);
  scans(static_cast<double const*>(in), static_cast<double*>(out), n);
  scans(static_cast<affine const*>(in), static_cast<affine*>(out), n, compose{});
  sweep::reduce_into(sweep::device, static_cast<float const*>(in), static_cast<float const*>(in) + n,
                     static_cast<float*>(out));
  multisplits(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  multisplits(static_cast<unsigned const*>(in), static_cast<unsigned*>(out), n);
  multisplits(static_cast<std::uint64_t const*>(in), static_cast<std::uint64_t*>(out), n);
  differences(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  differences(static_cast<float const*>(in), static_cast<float*>(out), n);
  differences(static_cast<triple const*>(in), static_cast<triple*>(out), n);
  questions(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  questions(static_cast<float const*>(in), static_cast<float*>(out), n);
  segmented(static_cast<float const*>(in), static_cast<float*>(out), n);
  segmented(static_cast<double const*>(in), static_cast<double*>(out), n);
  gathered(static_cast<float const*>(in), static_cast<float*>(out), n);
  folds(static_cast<float const*>(in), static_cast<float*>(out), n);
  folds(static_cast<double const*>(in), static_cast<double*>(out), n);
  compactions(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  compactions(static_cast<unsigned short const*>(in), static_cast<unsigned short*>(out), n);
  compactions(static_cast<unsigned const*>(in), static_cast<unsigned*>(out), n);
  compactions(static_cast<double const*>(in), static_cast<double*>(out), n);
  comparison_sorts(static_cast<unsigned*>(out), static_cast<unsigned*>(in), n);
  comparison_sorts(static_cast<double*>(out), static_cast<unsigned*>(in), n);
  merges(static_cast<unsigned char const*>(in), static_cast<unsigned char*>(out), n);
  merges(static_cast<float const*>(in), static_cast<float*>(out), n);
  merges(static_cast<double const*>(in), static_cast<double*>(out), n);
  sorts(static_cast<unsigned const*>(in), static_cast<unsigned*>(out), n);
  sorts(static_cast<double const*>(in), static_cast<double*>(out), n);
  products(static_cast<float const*>(in), static_cast<float*>(out), n);
  products(static_cast<double const*>(in), static_cast<double*>(out), n);
  tables(static_cast<float const*>(in), static_cast<float*>(out), n);
  tables(static_cast<double const*>(in), static_cast<double*>(out), n);
  tables(static_cast<unsigned char const*>(in), static_cast<unsigned*>(out), n);
  tridiagonal_systems(static_cast<float const*>(in), static_cast<float*>(out), n);
  tridiagonal_systems(static_cast<double const*>(in), static_cast<double*>(out), n);
}
