// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SELECT_CUH
#define SWEEP_DETAIL_TOP_K_SELECT_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/top_k/block_select.cuh>
#include <sweep/detail/top_k/numbered.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// The k least of n numbers (numbered.cuh), on the device alone:
//   sample   one block draws some numbers, and between two of them the k-th lies almost certainly
//   gather   the one pass over all: numbers between those two become candidates, less ones are counted
//   narrow   passes over the candidates find the k-th, 12 bits each from the highest on in which they differ
//   collect  what is not greater than the k-th
// Where the candidates do not have the k-th, or were more than there is room for, narrow and collect read all
// numbers instead. Who draws them does not know them, so that no input makes this likely.

inline constexpr int bits_of_narrowing = 12, bins_of_narrowing = 1 << bits_of_narrowing;

/// How far the k-th is known.
template <class Number>
struct narrowed {
  Number prefix;            ///< its highest bits, then zeros
  unsigned long long left;  ///< it is the one with this number, from 0, among those that begin so
  int open;                 ///< how many bits are not known
  bool from_all;            ///< not from the candidates
  bool done;                ///< it is the last of those that begin so
  __device__ Number last() const { return static_cast<Number>(prefix | low_ones<Number>(open)); }
};

/// What the kernels of a selection tell each other. Zeros at first.
template <class Number>
struct select_state {
  static constexpr int most_passes =
      (static_cast<int>(sizeof(Number)) * 8 + bits_of_narrowing - 1) / bits_of_narrowing;
  Number least, most;                           ///< of candidates
  unsigned long long before;                    ///< how many numbers are less than candidates
  unsigned long long found;                     ///< how many candidates there are
  unsigned long long taken;                     ///< how many of the k are written
  std::uint32_t differing[sizeof(Number) / 4];  ///< bits in which candidates differ from `most`
  narrowed<Number> known[most_passes + 1];
  unsigned long long bins[most_passes][bins_of_narrowing];
};

/// A bound of a sample need not be the drawn number of the rank that is asked for, but one that so few lie
/// between.
SWEEP_HD constexpr unsigned slack_of_rank(int rank) {
  unsigned slack = 1;
  while (4 * slack * slack < static_cast<unsigned>(rank)) ++slack;
  return slack;
}

/// What is asked for.
template <class Source>
struct selection {
  using number = typename Source::number;
  Source source;
  std::int64_t k;
  int bits;           ///< of numbers
  bool all_bits;      ///< the k-th itself is wanted
  std::int64_t room;  ///< for candidates
  select_state<number>* state;
  number* candidates;
};

/// Clears a selection's state, draws numbers, and finds two of them.
template <class Source>
struct select_sample_job {
  using number = typename Source::number;
  static constexpr int threads = 1024, blocks = 1, each = sizeof(number) > 8 ? 8 : 16, drawn = threads * each;
  using search = block_bin_search<threads, bins_of_narrowing>;
  selection<Source> what;
  int rank_low,
      rank_high;  ///< of candidates' bounds among those drawn; none below where the first is negative
  int words;      ///< of the state

  struct shared {
    unsigned counts[bins_of_narrowing];
    std::uint32_t differing[4];
    typename search::shared found;
  };

  __device__ void operator()() const {
    __shared__ shared smem;
    int const t = static_cast<int>(threadIdx.x);
    number own[each];
#pragma unroll
    for (int r = 0; r < each; ++r) own[r] = what.source.at(drawn_place(r * threads + t, what.source.n));
    for (int w = t; w < words; w += threads) reinterpret_cast<std::uint32_t*>(what.state)[w] = 0;
    if (t < 4) smem.differing[t] = 0;
    __syncthreads();
    number const first = what.source.at(drawn_place(0, what.source.n));
    number differ = 0;
#pragma unroll
    for (int r = 0; r < each; ++r) differ = static_cast<number>(differ | static_cast<number>(own[r] ^ first));
#pragma unroll
    for (int p = 0; p < static_cast<int>(sizeof(number) / 4); ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<std::uint32_t>(differ >> 32 * p));
      if (t % 32 == 0 && mine != 0) atomicOr(smem.differing + p, mine);
    }
    __syncthreads();
    number all = 0;
#pragma unroll
    for (int p = 0; p < static_cast<int>(sizeof(number) / 4); ++p)
      all = static_cast<number>(all | static_cast<number>(smem.differing[p]) << 32 * p);
    int const open = bit_length(all);
    if (rank_low >= 0) {
      auto const low = narrow(smem, own, first, open, rank_low);
      if (t == 0) what.state->least = low.prefix;
    }
    auto const high = narrow(smem, own, first, open, rank_high);
    if (t == 0) what.state->most = high.last();
  }

 private:
  /// The drawn number of this rank, or so much of it that few begin as it does.
  __device__ narrowed<number> narrow(shared& smem, number const (&own)[each], number first, int open,
                                     int rank) const {
    auto const few = slack_of_rank(rank);
    narrowed<number> known{static_cast<number>(first & ~low_ones<number>(open)),
                           static_cast<unsigned long long>(rank), open, false, false};
    while (known.open > 0) {
      int const width = min(known.open, bits_of_narrowing), shift = known.open - width;
      for (int b = static_cast<int>(threadIdx.x); b < bins_of_narrowing; b += threads) smem.counts[b] = 0;
      __syncthreads();
#pragma unroll
      for (int r = 0; r < each; ++r)
        if (static_cast<number>((own[r] ^ known.prefix) & ~low_ones<number>(known.open)) == 0)
          atomicAdd(smem.counts + (static_cast<unsigned>(own[r] >> shift) & ((1u << width) - 1)), 1u);
      __syncthreads();
      auto const found = search::find(smem.found, smem.counts, known.left);
      known.prefix = static_cast<number>(known.prefix | static_cast<number>(found.bin) << shift);
      known.left -= found.before;
      known.open = shift;
      if (found.in <= few) break;
    }
    return known;
  }
};

/// Reads all numbers; those between two bounds go to a place in memory.
template <class Source, int Threads>
class number_filter {
  using number = typename Source::number;
  using word = typename Source::word;
  using key = typename Source::key;
  using keys = std::remove_cvref_t<decltype(Source::keys)>;
  static constexpr bool is_memory = std::is_pointer_v<keys> && relocatable<key>;

 public:
  static constexpr int V = is_memory && sizeof(key) <= 16 ? items_per_16_bytes(sizeof(key)) : 1,
                       vectors = V * sizeof(key) > 32 ? 1
                                 : V >= 8             ? 2
                                 : V == 1             ? 8
                                                      : 4,
                       tile_items = Threads * V * vectors;
  static_assert(V * vectors <= 32);
  using outbox = warp_outbox<number>;
  /// How many items before the first one vectors begin.
  static int shift_of(Source const& source) {
    if constexpr (is_memory) return items_before_vector<V>(source.keys);
    else return 0;
  }

  /// Numbers in [least, most]; how many are less than that is counted, and in which bits others differ from
  /// the last.
  __device__ number_filter(Source const& source, number least, number most)
      : source_{source},
        least_{least},
        most_{most},
        least_word_{static_cast<word>(least >> source.index_bits)},
        most_word_{static_cast<word>(most >> source.index_bits)} {}

  template <bool CountsBefore>
  __device__ void run(outbox& to, int shift) {
    auto const n = source_.n + shift;
    auto const own_source = source_;  // a copy: iterators may have a state
    for (auto tile = std::int64_t{blockIdx.x}; tile * tile_items < n; tile += gridDim.x) {
      auto const first = tile * tile_items - shift;
      key x[vectors][V];
      if (first >= 0 && first + tile_items <= source_.n) {
#pragma unroll
        for (int u = 0; u < vectors; ++u)
          load_neighbours<access::cached, V>(own_source.keys, index(first, u, 0), x[u]);
        take<CountsBefore, true>(x, first, to);
      } else {
#pragma unroll
        for (int u = 0; u < vectors; ++u)
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (auto const i = index(first, u, v); exists(i))
              put_bytes(x[u][v], static_cast<key>(own_source.keys[i]));
        take<CountsBefore, false>(x, first, to);
      }
    }
    to.send_all();
  }
  __device__ unsigned long long before() const { return before_; }
  __device__ number differing() const { return differing_; }

 private:
  static __device__ std::int64_t index(std::int64_t first, int u, int v) {
    return first + (u * Threads + static_cast<int>(threadIdx.x)) * V + v;
  }
  __device__ bool exists(std::int64_t i) const { return i >= 0 && i < source_.n; }
  __device__ std::int64_t index_of(number x) const {
    return static_cast<std::int64_t>(x & low_ones<number>(source_.index_bits));
  }

  template <bool CountsBefore, bool Whole>
  __device__ void take(key const (&x)[vectors][V], std::int64_t first, outbox& to) {
    // Where all indices of a tile are on one side of a bound's, so are the items that share its word.
    auto const last = min(first + tile_items, source_.n) - 1;
    bool const takes_most = first <= index_of(most_), passes_least = CountsBefore && last < index_of(least_);
    unsigned may = 0;  // a bit an item; those are few, and read again
    unsigned before = 0;
#pragma unroll
    for (int u = 0; u < vectors; ++u)
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (!Whole && !exists(index(first, u, v))) continue;
        auto const w = source_.bits(x[u][v]);
        bool is_less = false;
        if constexpr (CountsBefore) is_less = passes_least ? w <= least_word_ : w < least_word_;
        before += is_less ? 1 : 0;
        if ((takes_most ? w <= most_word_ : w < most_word_) && !is_less) may |= 1u << (u * V + v);
      }
    if constexpr (CountsBefore) before_ += before;
    while (__any_sync(~0u, may != 0)) {
      bool wanted = may != 0;
      number numbered = 0;
      if (wanted) {
        int const at = __ffs(static_cast<int>(may)) - 1;
        numbered = source_.at(index(first, at / V, at % V));
        if constexpr (CountsBefore)  // what shares the word of the least
          if (numbered < least_) ++before_;
        wanted = numbered >= least_ && numbered <= most_;
        if (wanted) differing_ = static_cast<number>(differing_ | (numbered ^ most_));
      }
      may &= may - 1;
      to.put(wanted, numbered);
    }
  }

  Source const& source_;
  number least_, most_;
  word least_word_, most_word_;
  unsigned long long before_ = 0;
  number differing_ = 0;
};

/// The one pass over all numbers.
template <class Source, bool CountsBefore>
struct select_gather_job {
  using number = typename Source::number;
  static constexpr int threads = 256, blocks = sizeof(number) > 8 ? 2 : 4;
  using filter = number_filter<Source, threads>;
  selection<Source> what;
  int shift;

  __device__ void operator()() const {
    __shared__ typename filter::outbox::shared waiting[threads / 32];
    auto& state = *what.state;
    filter all(what.source, CountsBefore ? state.least : number{0}, state.most);
    typename filter::outbox to(waiting[threadIdx.x / 32], what.candidates, &state.found, what.room);
    all.template run<CountsBefore>(to, shift);
    if constexpr (CountsBefore) {
      auto before = all.before();
#pragma unroll
      for (int by = 16; by > 0; by /= 2) before += __shfl_xor_sync(~0u, before, by);
      if (threadIdx.x % 32 == 0 && before != 0) atomicAdd(&state.before, before);
    }
    auto const differ = all.differing();
#pragma unroll
    for (int p = 0; p < static_cast<int>(sizeof(number) / 4); ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<std::uint32_t>(differ >> 32 * p));
      if (threadIdx.x % 32 == 0 && (mine & ~__ldcg(state.differing + p)) != 0)
        atomicOr(state.differing + p, mine);
    }
  }
};

/// What is known behind the passes before this one, by a block.
template <class Source, int Threads>
struct narrowing {
  using number = typename Source::number;
  using search = block_bin_search<Threads, bins_of_narrowing>;

  static __device__ narrowed<number> behind(selection<Source> const& what, int pass,
                                            typename search::shared& smem) {
    auto const& state = *what.state;
    auto const k = static_cast<unsigned long long>(what.k);
    if (pass == 0) {
      bool const has_kth = state.before < k && k - state.before <= state.found &&
                           state.found <= static_cast<unsigned long long>(what.room);
      if (!has_kth) return {0, k - 1, what.bits, true, false};
      number differ = 0;
#pragma unroll
      for (int p = 0; p < static_cast<int>(sizeof(number) / 4); ++p)
        differ = static_cast<number>(differ | static_cast<number>(state.differing[p]) << 32 * p);
      int const open = bit_length(differ);
      return {static_cast<number>(state.most & ~low_ones<number>(open)), k - 1 - state.before, open, false,
              open == 0};
    }
    auto known = state.known[pass - 1];
    if (known.done) return known;
    int const width = min(known.open, bits_of_narrowing), shift = known.open - width;
    auto const found = search::find(smem, state.bins[pass - 1], known.left);
    known.prefix = static_cast<number>(known.prefix | static_cast<number>(found.bin) << shift);
    known.left -= found.before;
    known.open = shift;
    known.done = shift == 0 || (!what.all_bits && known.left == found.in - 1);
    return known;
  }
};

/// Counts the next bits of those that begin as the k-th does.
template <class Source>
struct select_narrow_job {
  using number = typename Source::number;
  static constexpr int threads = 1024, blocks = 1;
  using steps = narrowing<Source, threads>;
  selection<Source> what;
  int pass;

  __device__ void operator()() const {
    __shared__ unsigned counts[bins_of_narrowing];
    __shared__ typename steps::search::shared smem;
    auto const known = steps::behind(what, pass, smem);
    if (blockIdx.x == 0 && threadIdx.x == 0) what.state->known[pass] = known;
    if (known.done) return;
    for (int b = static_cast<int>(threadIdx.x); b < bins_of_narrowing; b += threads) counts[b] = 0;
    __syncthreads();
    int const width = min(known.open, bits_of_narrowing), shift = known.open - width;
    auto const above = static_cast<number>(~low_ones<number>(known.open));
    auto const count = [&](number x) {
      if (static_cast<number>((x ^ known.prefix) & above) == 0)
        atomicAdd(counts + (static_cast<unsigned>(x >> shift) & ((1u << width) - 1)), 1u);
    };
    auto const step = std::int64_t{gridDim.x} * threads;
    auto const first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (known.from_all) {
      auto const source = what.source;
#pragma unroll 4
      for (auto i = first; i < source.n; i += step) count(source.at(i));
    } else {
      auto const n = static_cast<std::int64_t>(what.state->found);
      for (auto i = first; i < n; i += step) count(what.candidates[i]);
    }
    __syncthreads();
    for (int b = static_cast<int>(threadIdx.x); b < bins_of_narrowing; b += threads)
      if (counts[b] != 0) atomicAdd(what.state->bins[pass] + b, static_cast<unsigned long long>(counts[b]));
  }
};

/// The k least to their place, in any order.
template <class Source>
struct select_collect_job {
  using number = typename Source::number;
  static constexpr int threads = 1024, blocks = 1;
  using steps = narrowing<Source, threads>;
  using filter = number_filter<Source, threads>;
  selection<Source> what;
  int passes, shift;
  number* chosen;

  __device__ void operator()() const {
    __shared__ typename filter::outbox::shared waiting[threads / 32];
    __shared__ typename steps::search::shared smem;
    auto const known = steps::behind(what, passes, smem);
    typename filter::outbox to(waiting[threadIdx.x / 32], chosen, &what.state->taken, what.k);
    auto const last = known.last();
    if (known.from_all) return filter(what.source, 0, last).template run<false>(to, shift);
    auto const n = static_cast<std::int64_t>(what.state->found);
    for (auto base = std::int64_t{blockIdx.x} * threads; base < n;
         base += std::int64_t{gridDim.x} * threads) {
      auto const i = base + threadIdx.x;
      number const x = i < n ? what.candidates[i] : number{0};
      to.put(i < n && x <= last, x);
    }
    to.send_all();
  }
};

/// Few results, from candidates that one block reads: narrow, collect, a sort and the results in one. Where
/// nothing was gathered, or in vain, it reads all numbers.
template <class Source, class Problem>
struct select_in_block_job {
  using number = typename Source::number;
  static constexpr int threads = 1024, blocks = 1;
  using steps = narrowing<Source, threads>;
  using selection_type =
      block_selection<number, threads, bits_of_narrowing, 32768 / static_cast<int>(sizeof(number))>;
  selection<Source> what;
  Problem problem;

  __device__ void operator()() const {
    __shared__ union {
      typename steps::search::shared search;
      typename selection_type::shared selection;
    } smem;
    auto const own = problem;
    auto const source = what.source;
    auto const put = [&](int j, number x) {
      own.put(j, static_cast<std::int64_t>(x & low_ones<number>(source.index_bits)));
    };
    if (what.room > 0) {
      auto const known = steps::behind(what, 0, smem.search);
      if (!known.from_all)
        return selection_type::run(
            smem.selection, [&](std::int64_t i) { return what.candidates[i]; },
            static_cast<std::int64_t>(what.state->found), what.k, known.prefix, known.open, put);
    }
    selection_type::run(
        smem.selection, [&](std::int64_t i) { return source.at(i); }, source.n, what.k, 0, what.bits, put);
  }
};

/// The index of the k-th itself.
template <class Source>
struct select_index_job {
  static constexpr int threads = 1024, blocks = 1;
  using steps = narrowing<Source, threads>;
  selection<Source> what;
  int passes;
  std::int64_t* index;

  __device__ void operator()() const {
    __shared__ typename steps::search::shared smem;
    auto const known = steps::behind(what, passes, smem);
    if (threadIdx.x == 0)
      *index =
          static_cast<std::int64_t>(known.prefix & low_ones<typename Source::number>(what.source.index_bits));
  }
};

/// The first k items behind numbers in order become results.
template <class Problem, class Number>
struct put_chosen_job {
  static constexpr int threads = 128, blocks = 1;
  Problem problem;
  Number const* chosen;
  int index_bits;
  __device__ void operator()() const {
    auto const own = problem;
    auto const j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (j < own.k) own.put(j, static_cast<std::int64_t>(chosen[j] & low_ones<Number>(index_bits)));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
