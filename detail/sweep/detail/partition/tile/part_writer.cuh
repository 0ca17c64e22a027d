// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_PART_WRITER_CUH
#define SWEEP_DETAIL_PARTITION_TILE_PART_WRITER_CUH

#include <sweep/detail/partition/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Writes items of a compaction to their parts, from where those of a chunk begin.
template <class Problem>
class part_writer {
  using raw = typename Problem::raw;
  using counts = typename Problem::counts;
  static constexpr int counted = Problem::parts - 1, written = Problem::written;

 protected:
  __device__ explicit part_writer(Problem const& problem) : problem_{problem} {}

  /// Where the items of each part begin, of those from this place on.
  __device__ auto places_from(counts const& before, std::int64_t index) const {
    auto rest = index;
#pragma unroll
    for (int k = 0; k < counted; ++k) rest -= before.of[k];
    return part_outputs{place_of<0>(before, rest), place_of<1>(before, rest), place_of<2>(before, rest)};
  }

 private:
  template <int Part>
  __device__ auto place_of(counts const& before, std::int64_t rest) const {
    if constexpr (Part >= written) {
      return discarded{};
    } else {
      std::int64_t by = rest;
      if constexpr (Part < counted) by = before.of[Part];
      return place_in(problem_.outputs.template of<Part>(), by);
    }
  }
  /// An output that is no memory, from some index on.
  template <class Out>
  struct displaced {
    Out const& out;
    std::int64_t by;
  };

 protected:
  /// Where an output's items from index `by` on go.
  template <class Out>
  static __device__ auto place_in(Out const& out, std::int64_t by) {
    if constexpr (std::is_pointer_v<Out>) {
      auto place = out + by;
      if constexpr (std::is_arithmetic_v<std::remove_pointer_t<decltype(place)>>) {
        asm("" : "+l"(place));  // one address, not two numbers to be added for every item
        __builtin_assume(__isGlobal(place));
      }
      return place;
    } else if constexpr (is_reversed_items<Out>) {
      return reversed_items{place_in(out.end(), -by)};
    } else {
      return displaced<Out>{out, by};
    }
  }
  template <class Out, class Item>
  static __device__ void put_to(displaced<Out> const& to, int at, Item const& item) {
    Problem::put_to(to.out, to.by + at, item);
  }
  template <class U, class Item>
  static __device__ void put_to(U* to, int at, Item const& item) {
    Problem::put_to(to, at, item);
  }
  template <class U, class Item>
  static __device__ void put_to(reversed_items<U> const& to, int at, Item const& item) {
    Problem::put_to(to.end(), -1 - at, item);
  }

  Problem const& problem_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
