// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_TILE_WRITER_CUH
#define SWEEP_DETAIL_MULTISPLIT_TILE_WRITER_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/shape.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Where a tile's items of a bin are in the block's shared memory, in places, and in the output.
struct __align__(16) split_segment {
  std::int64_t to_output;  ///< what a place is less than the index in the output
  int begin, end;          ///< of the places that are written now; what is held for the next tile follows
};

/// What of a tile stands in shared memory in the order of its bins goes to the output.
template <class Pass>
class split_tile_writer {
 protected:
  using key = typename Pass::key;
  using value = typename Pass::value;
  using shape = split_shape_here<split_moved_key<Pass>, value, Pass::few_bins>;
  static constexpr int S = shape::sector_items, threads = shape::threads, warps = shape::warps,
                       bins = shape::bins;
  static constexpr bool has_values = shape::has_values;
  /// Whether a key in shared memory says what bin it is of as soon as that can be looked up.
  static constexpr bool keys_tell = !has_values && S > 1 && Pass::bins_are_digits;

  template <class Item>
  static constexpr int vector_items = S > 1 && sizeof(Item) <= 16
                                          ? std::min(S, 16 / static_cast<int>(sizeof(Item)))
                                          : 1;

  __device__ split_tile_writer(Pass const& pass, unsigned char* memory)
      : pass_{pass},
        memory_{memory},
        segments_{reinterpret_cast<split_segment*>(memory + shape::places_at)},
        bins_{memory + shape::bins_at} {
    if constexpr (Pass::chooses_ends) {
      if (threadIdx.x == 0) ends() = {pass.keys, pass.keys_out, pass.values, pass.values_out, 0, pass.next};
      __syncthreads();
    }
    find_alignment();
  }

  /// Where items come from and go to, and the chunk ends. Where that is chosen on the device, registers that
  /// would keep it are needed for items.
  struct split_ends {
    decltype(Pass::keys) keys;
    decltype(Pass::keys_out) keys_out;
    decltype(Pass::values) values;
    decltype(Pass::values_out) values_out;
    std::int64_t chunk_end;
    typename Pass::next_bins next;
  };
  static_assert(!Pass::chooses_ends || sizeof(split_ends) <= shape::ends_bytes);
  __device__ split_ends& ends() const { return *reinterpret_cast<split_ends*>(memory_ + shape::ends_at); }
  __device__ decltype(auto) from() const {
    if constexpr (Pass::chooses_ends) return (ends());
    else return (pass_);
  }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static constexpr bool has_copy_engine = true;
#else
  static constexpr bool has_copy_engine = false;
#endif
  /// Whether the copy engine writes such items: where what a tile has of a bin, if bins are alike, is long
  /// enough for a copy.
  template <class Item>
  static constexpr bool by_copies = [] {
    constexpr int item_bytes = static_cast<int>(sizeof(Item));
    return has_copy_engine && vector_items<Item> * item_bytes == 16 &&
           shape::tile_items * item_bytes >= bins * 128;
  }();
  static constexpr bool copies_keys = Pass::moves_keys && by_copies<key>,
                        copies_values = has_values && by_copies<value>,
                        copies_any = copies_keys || copies_values;
  /// What a thread has staged is to be seen by the copy engine behind the next barrier.
  __device__ static void show_staged() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (copies_any) fence_before_bulk();
#endif
  }
  /// The copy engine has read all that this thread told it to copy.
  __device__ static void await_reads() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (copies_any) await_bulk_reads<0>();
#endif
  }
  /// It has written it, too.
  __device__ static void await_writes() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (copies_any) await_bulk_stores();
#endif
  }
  /// Whether bins of the pass behind this one are told of what is written now.
  template <bool OfKeys>
  __device__ bool is_telling() const {
    if constexpr (OfKeys && Pass::tells_next) return next_bins().told != nullptr;
    else return false;
  }
  /// Whether anybody is to know whose a sector is.
  __device__ bool asks_bins() const {
    constexpr int in_vectors = keys_in_vectors | (has_values ? values_in_vectors : 0);
    if constexpr (copies_keys && (copies_values || !has_values))
      return (alignment_ & in_vectors) != in_vectors || is_telling<true>();
    else return true;
  }
  /// A pass that another follows also tells what bin of that one each key is in.
  template <bool OfKeys, class Item, class Out>
  __device__ void write(Out const& to, Item const* staged) const {
    bool const vectors = (alignment_ & (OfKeys ? keys_in_vectors : values_in_vectors)) != 0;
    constexpr bool tells = OfKeys && Pass::tells_next;
    constexpr int V = vector_items<Item>;
    int const sectors = static_cast<int>(reinterpret_cast<unsigned const*>(memory_ + shape::sums_at)[8]);
    auto const out = to;  // not read again for every item
    if constexpr (V > 1 && std::is_pointer_v<Out>) {
      if constexpr (std::is_same_v<value_of<Out>, Item>) {
        if constexpr (OfKeys ? copies_keys : copies_values)
          if (vectors && !is_telling<OfKeys>()) return copy_bins<V>(out, staged);
        if (vectors) {
          // Two at once: what is read of one is read while the other's is on its way.
          constexpr int at_once = 2;
          auto const count = static_cast<unsigned>(sectors * (S / V));
#pragma unroll 1
          for (unsigned v = threadIdx.x; v < count; v += at_once * threads) {
            item_vector<Item, V> vector[at_once];
            std::int64_t at[at_once];
            bool whole[at_once];
            auto const place_of = [&](int k) {
              return static_cast<int>(min(v + static_cast<unsigned>(k * threads), count - 1) * V);
            };
            auto const load = [&](int k) {
              load_shared(reinterpret_cast<unsigned char const*>(staged + place_of(k)), vector[k]);
            };
            if constexpr (keys_tell)
#pragma unroll
              for (int k = 0; k < at_once; ++k) load(k);
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
              int const place = place_of(k);
              auto const segment = segment_of(bin_in(vector[k], place));
              at[k] = segment.to_output + place;
              whole[k] = v + static_cast<unsigned>(k * threads) < count && place >= segment.begin &&
                         place + V <= segment.end;
            }
            if constexpr (!keys_tell)
#pragma unroll
              for (int k = 0; k < at_once; ++k) load(k);
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
              if (!whole[k]) continue;
              store_vectors<access::cached>(out + at[k], vector[k]);
              if constexpr (tells)
                if (auto const next = next_bins(); next.told) {
                  item_vector<unsigned char, V> told;
#pragma unroll
                  for (int i = 0; i < V; ++i)
                    told.template put<true>(
                        i, static_cast<unsigned char>(pass_.next_bin_of(next, vector[k].item(i))));
                  store_vectors<access::cached>(next.told + at[k], told);
                }
            }
          }
          // Vectors that a bin has in part, at either end.
          if (static_cast<int>(threadIdx.x) < bins) {
            auto const segment = segment_of(static_cast<int>(threadIdx.x));
            auto const copy = [&](int first, int last) {
#pragma unroll 1
              for (int place = first; place < last; ++place) {
                put_bytes(out[segment.to_output + place], staged[place]);
                if constexpr (tells) tell_next(segment.to_output + place, staged[place]);
              }
            };
            int const head = min((segment.begin + V - 1) / V * V, segment.end),
                      tail = max(segment.end / V * V, head);
            copy(segment.begin, head);
            copy(tail, segment.end);
          }
          return;
        }
      }
    }
#pragma unroll 2
    for (int place = static_cast<int>(threadIdx.x); place < sectors * S; place += threads) {
      item_vector<Item, 1> item;
      item.pack({staged[place]});
      auto const segment = segment_of(bin_in(item, place));
      if (place >= segment.begin && place < segment.end) {
        out[segment.to_output + place] = static_cast<written_value<Out, Item>>(staged[place]);
        if constexpr (tells) tell_next(segment.to_output + place, staged[place]);
      }
    }
  }
  /// Each bin's whole vectors are one copy; what it has in part at either end, a thread writes. Lanes of a
  /// warp give their copies one after the other, so all warps share the bins.
  template <int V, class Item>
  __device__ void copy_bins(Item* out, Item const* staged) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    int const bin = static_cast<int>(threadIdx.x % 32 * warps + threadIdx.x / 32);
    if (bin >= bins) return;
    auto const segment = segment_of(bin);
    int const head = min((segment.begin + V - 1) / V * V, segment.end), tail = max(segment.end / V * V, head);
    auto const bytes = static_cast<unsigned>(tail - head) * static_cast<unsigned>(sizeof(Item));
    if (tail > head) {
      // Of few bins, lines that this tile begins stay until the next one ends them; of many there is no room.
      if constexpr (Pass::few_bins) bulk_store_staying(out + segment.to_output + head, staged + head, bytes);
      else bulk_store(out + segment.to_output + head, staged + head, bytes);
    }
    auto const write_each = [&](int first, int last) {
#pragma unroll 1
      for (int place = first; place < last; ++place) put_bytes(out[segment.to_output + place], staged[place]);
    };
    write_each(segment.begin, head);
    write_each(tail, segment.end);
#endif
  }
  /// What is told of the pass behind this one. Not kept in registers from one key to the next.
  __device__ auto next_bins() const {
    int here = 0;
    asm volatile("" : "+r"(here));
    return (&ends())[here].next;
  }
  __device__ void tell_next(std::int64_t at, key const& x) const {
    if (auto const next = next_bins(); next.told)
      next.told[at] = static_cast<unsigned char>(pass_.next_bin_of(next, x));
  }
  /// Whose the place is, which such items begin at, if it is any bin's: no bin is said to have a place that
  /// is none of its own.
  template <class Item, int V>
  __device__ int bin_in(item_vector<Item, V> const& items, int place) const {
    if constexpr (keys_tell) return static_cast<int>(pass_.bin_of(items.item(0)));
    else return bins_[static_cast<unsigned>(place) / S];
  }
  /// In one read.
  __device__ split_segment segment_of(int bin) const {
    auto const words = reinterpret_cast<int4 const*>(segments_)[bin];
    return {static_cast<std::int64_t>(static_cast<std::uint32_t>(words.x)) |
                static_cast<std::int64_t>(words.y) << 32,
            words.z, words.w};
  }

  Pass pass_;
  unsigned char* memory_;
  split_segment* segments_;
  unsigned char* bins_;  ///< of sectors
  /// Items that outputs are behind a boundary of sectors, modulo S; and what is written in vectors.
  static constexpr int keys_in_vectors = 32, values_in_vectors = 64;
  int alignment_ = 0;

 private:
  /// Items that an output's first is behind a boundary of sectors, or -1 where items never begin at one.
  template <class Item, class Out>
  __device__ static int behind_sector(Out const& out, int items) {
    if constexpr (std::is_pointer_v<Out>) {
      if constexpr (std::is_same_v<value_of<Out>, Item> && relocatable<Item>) {
        auto const address = reinterpret_cast<std::uintptr_t>(out);
        return address % sizeof(Item) == 0
                   ? static_cast<int>(address / sizeof(Item) % static_cast<unsigned>(items))
                   : -1;
      }
    }
    return -1;
  }
  /// Where a sector of the wider items begins, sectors begin; vectors of the others are where they can be.
  __device__ void find_alignment() {
    if constexpr (S > 1) {
      int of_keys = -1, of_values = -1;
      if constexpr (Pass::moves_keys) of_keys = behind_sector<key>(from().keys_out, S);
      if constexpr (has_values) of_values = behind_sector<value>(from().values_out, S);
      bool const as_values = of_values >= 0 && (of_keys < 0 || shape::value_bytes > shape::key_bytes);
      int const wider = max(as_values ? of_values : of_keys, 0), narrower = as_values ? of_keys : of_values,
                behind = narrower >= 0 && (narrower - wider) % (32 / shape::widest) == 0 ? narrower : wider;
      alignment_ = behind;
      if (of_keys >= 0 && (of_keys - behind) % vector_items<key> == 0) alignment_ |= keys_in_vectors;
      if (of_values >= 0 && (of_values - behind) % vector_items<value> == 0) alignment_ |= values_in_vectors;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
