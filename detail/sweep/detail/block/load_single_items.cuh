// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_LOAD_SINGLE_ITEMS_CUH
#define SWEEP_DETAIL_BLOCK_LOAD_SINGLE_ITEMS_CUH

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// Single items of rows, those whose bits are set: of items that are read elsewhere all places are asked for
/// before the first of them.
template <bool All, int R, class It, class Index>
__device__ void load_single_items(It const& it, unsigned wanted, Index const& index,
                                  value_of<It> (&items)[R]) {
  using source = source_of_t<It>;
  if constexpr (source::streams == 1 && source::reads_elsewhere) {
    auto const from = source_of(it);
    auto const memory = from.template stream<0>();
    stream_value<source, 0> places[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (All || (wanted >> r & 1u) != 0) put_bytes(places[r], *memory.lowest(index(r), 1));
    // Looked at anew: there are not as many predicates as rows.
    if constexpr (!All) asm volatile("" : "+r"(wanted));
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (All || (wanted >> r & 1u) != 0)
        put_bytes(items[r], static_cast<value_of<It>>(
                                from.template item<0>(index(r), [&](auto) { return places[r]; })));
  } else {
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (All || (wanted >> r & 1u) != 0) put_bytes(items[r], static_cast<value_of<It>>(it[index(r)]));
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
