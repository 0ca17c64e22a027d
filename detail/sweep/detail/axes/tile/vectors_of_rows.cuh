// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_VECTORS_OF_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_VECTORS_OF_ROWS_CUH

#include <sweep/detail/axes/neighbour_rows.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/vector_io.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Items of neighbouring lines, where arrays lie as neighbour_rows.hpp says, as vectors.

template <class A, class B, int V>
struct vectors_of<row_before_beside<A, B>, V> : vectors_of<zip_input<A*, B*>, V> {
  __device__ void load(row_before_beside<A, B> const& from, std::int64_t at) {
    this->first.load(from.behind, from.step.from(at));
    this->second.load(from.items, at);
  }
};
template <class A, class B, int V, int Count, int Threads>
struct vectors_in_shared<row_before_beside<A, B>, V, Count, Threads> {
  using of_first = vectors_in_shared<A*, V, Count, Threads>;
  using of_second = vectors_in_shared<B*, V, Count, Threads>;
  static constexpr bool exist = of_first::exist && of_second::exist;
  of_first first;
  of_second second;
  __device__ void ask(int i, row_before_beside<A, B> const& from, std::int64_t place) {
    first.ask(i, from.behind, from.step.from(place));
    second.ask(i, from.items, place);
  }
  __device__ vectors_of<row_before_beside<A, B>, V> get(int i) const {
    return {{first.get(i), second.get(i)}};
  }
};

/// What a writer looks at before it writes V neighbours, and how it writes them.
template <class Out, int V>
struct vectors_seen {
  static constexpr bool exist = false;
};
template <class T, class Before, class Sums, class Products, class Init, int V>
struct vectors_seen<product_with_row_before<T, Before, Sums, Products, Init>, V> {
  using output = product_with_row_before<T, Before, Sums, Products, Init>;
  using vectors = vectors_of<Before const*, V>;
  static constexpr bool exist =
      vectors::exist && vectors_of<Sums*, V>::exist && vectors_of<Products*, V>::exist;
  vectors before;
  bool begins;
  __device__ void load(output const& out, std::int64_t at) {
    before.load(out.write.results, out.write.step.from(at));
    begins = !out.write.step.exists(at);
  }
  __device__ void put(output const& out, std::int64_t at, T const (&x)[V]) const {
    Before left[V];
    before.unpack(left);
    Sums sums[V];
    Products products[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if constexpr (output::begins_with_value)
        if (begins) left[v] = out.write.value_before();
      sums[v] = static_cast<Sums>(x[v]);
      products[v] = out.write.product(x[v], left[v], begins);
    }
    item_vector<Sums, V> of_sums;
    item_vector<Products, V> of_products;
    of_sums.pack(sums);
    of_products.pack(products);
    store_vectors<access::streaming>(out.write.sums + at, of_sums);
    store_vectors<access::streaming>(out.write.products + at, of_products);
  }
};

/// What is looked at before a pack of V neighbours is written.
template <int V, class Problem>
__device__ auto look_at_pack(Problem const& problem, typename Problem::out_place const& at) {
  if constexpr (V == 1) {
    return problem.look(at);
  } else if constexpr (Problem::looks) {
    vectors_seen<std::remove_const_t<decltype(Problem::out)>, V> seen;
    seen.load(problem.out, at);
    return seen;
  } else {
    return nothing_seen{};
  }
}
template <int V, class Problem, class Seen>
__device__ void put_pack_seen(Problem const& problem, typename Problem::out_place const& at,
                              line_pack<typename Problem::value, V> const& x, Seen const& seen) {
  using U = typename Problem::out_value;
  if constexpr (!Problem::looks) {
    store_pack(problem, at, x);
  } else if constexpr (V == 1) {
    problem.put(at, x.of[0], seen);
  } else {
    U results[V];
#pragma unroll
    for (int v = 0; v < V; ++v) results[v] = static_cast<U>(x.of[v]);
    seen.put(problem.out, at, results);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
