// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHARED_MEMORY_SCAN_CUH
#define SWEEP_DETAIL_BLOCK_SHARED_MEMORY_SCAN_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/variant.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

// The classic tile scans in shared memory. All scan items [0, count) of a tile of `items`, of any type, with
// any associative operator and no identity: a node whose items do not exist is left out. Each has
//   items, threads, places     items of a tile, threads that scan it, values of shared memory it takes
//   place(i)                   where item i stands
//   inclusive(at, count, op)   scans; returns where the results stand (the same memory or its second half)
// Called by all threads after a barrier; ends with one.

/// Items of a tile: a power of two whose double fits into the 48 KiB that every block may have.
constexpr int shared_memory_items(std::size_t bytes) {
  int items = 1024;
  while (items > 32 && 2 * items * bytes * 33 / 32 > 47 * 1024) items /= 2;
  return items;
}

template <class T, within_tile How>
struct shared_memory_scan;

/// Hillis and Steele 1986: item i takes in item i - 2^k, k = 0, 1, ...; two buffers take turns.
template <class T>
struct shared_memory_scan<T, within_tile::hillis_steele> {
  static constexpr int items = shared_memory_items(sizeof(T)), threads = std::min(items, 512),
                       places = 2 * items;
  static __device__ int place(int i) { return i; }

  template <class Op>
  static __device__ T* inclusive(T* at, int count, Op& op) {
    T *from = at, *to = at + items;
    for (int by = 1; by < count; by *= 2) {
      for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
        put_bytes(to[i], i >= by ? static_cast<T>(op(from[i - by], from[i])) : from[i]);
      __syncthreads();
      auto* const written = to;
      to = from;
      from = written;
    }
    return from;
  }
};

/// Blelloch 1990: sums go up a tree, prefixes come down it. The prefix of the leftmost node of a level does
/// not exist, so no identity is needed; item i's inclusive result is item i + 1's exclusive one.
template <class T, int Padding>
struct blelloch_scan {
  static constexpr int items = shared_memory_items(sizeof(T)), threads = std::max(32, items / 2);
  static constexpr int places = items + 1 + (Padding ? (items + 1) / Padding + 1 : 0);
  static __device__ int shifted(int i) { return Padding ? i + i / Padding : i; }
  static __device__ int place(int i) { return shifted(i); }

  template <class Op>
  static __device__ T* inclusive(T* at, int count, Op& op) {
    int const t = static_cast<int>(threadIdx.x);
    for (int half = 1; half < count; half *= 2) {  // up: the right node takes in the left one
      for (int k = t; k * 2 * half + half < count; k += threads) {
        int const left = k * 2 * half + half - 1, right = min(left + half, count - 1);
        at[shifted(right)] = op(at[shifted(left)], at[shifted(right)]);
      }
      __syncthreads();
    }
    T const total = at[shifted(count - 1)];
    __syncthreads();
    int top = 1;
    while (top < count) top *= 2;
    for (int half = top / 2; half > 0;
         half /= 2) {  // down: left gets the prefix, right the prefix and left's sum
      for (int k = t; k * 2 * half + half < count; k += threads) {
        int const left = k * 2 * half + half - 1, right = min(left + half, count - 1);
        T const sum = at[shifted(left)];
        if (k > 0) {
          T const prefix = at[shifted(right)];
          at[shifted(left)] = prefix;
          at[shifted(right)] = op(prefix, sum);
        } else {
          at[shifted(right)] = sum;
        }
      }
      __syncthreads();
    }
    for (int first = 0; first < count; first += threads) {  // exclusive to inclusive: one place to the left
      int const i = first + t;
      T next = total;
      if (i + 1 < count) next = at[shifted(i + 1)];
      __syncthreads();
      if (i < count) at[shifted(i)] = next;
      __syncthreads();
    }
    return at;
  }
};

template <class T>
struct shared_memory_scan<T, within_tile::blelloch> : blelloch_scan<T, 0> {};
template <class T>
struct shared_memory_scan<T, within_tile::blelloch_padded> : blelloch_scan<T, 32> {};

/// Brent and Kung 1982: the same way up, then each node gives its sum to the middle of its right neighbour.
template <class T>
struct shared_memory_scan<T, within_tile::brent_kung> {
  static constexpr int items = shared_memory_items(sizeof(T)), threads = std::max(32, items / 2),
                       places = items;
  static __device__ int place(int i) { return i; }

  template <class Op>
  static __device__ T* inclusive(T* at, int count, Op& op) {
    int const t = static_cast<int>(threadIdx.x);
    int top = 1;
    for (; top < count; top *= 2) {
      for (int k = t; (k + 1) * 2 * top - 1 < count; k += threads) {
        int const right = (k + 1) * 2 * top - 1;
        at[right] = op(at[right - top], at[right]);
      }
      __syncthreads();
    }
    for (int half = top / 2; half > 0; half /= 2) {
      for (int k = t + 1; k * 2 * half + half - 1 < count; k += threads) {
        int const middle = k * 2 * half + half - 1;
        at[middle] = op(at[middle - half], at[middle]);
      }
      __syncthreads();
    }
    return at;
  }
};

/// Dotsenko 2008, section 4.1: H rows of W items, padded to W + 1 so that neighbouring rows start in
/// neighbouring banks. One thread reduces a row, one warp's width of threads scans the column of row totals,
/// one thread scans a row.
template <class T>
struct shared_memory_scan<T, within_tile::matrix> {
  static constexpr int items = shared_memory_items(sizeof(T)), W = std::min(32, items / 4), H = items / W;
  static constexpr int threads = std::max(32, std::min(items, 256));
  static constexpr int column = H * (W + 1), places = column + H;
  static __device__ int place(int i) { return i / W * (W + 1) + i % W; }

  template <class Op>
  static __device__ T* inclusive(T* at, int count, Op& op) {
    int const row = static_cast<int>(threadIdx.x), first = row * W, end = min(count, first + W);
    if (row < H && first < count) {
      T sum = at[place(first)];
      for (int i = first + 1; i < end; ++i) sum = op(sum, at[place(i)]);
      put_bytes(at[column + row], sum);
    }
    __syncthreads();
    if (row == 0)
      for (int r = 1; r * W < count; ++r) at[column + r] = op(at[column + r - 1], at[column + r]);
    __syncthreads();
    if (row < H && first < count) {
      T sum = at[place(first)];
      if (row > 0) sum = op(at[column + row - 1], sum);
      at[place(first)] = sum;
      for (int i = first + 1; i < end; ++i) at[place(i)] = sum = op(sum, at[place(i)]);
    }
    __syncthreads();
    return at;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
