// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_CHAIN_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_CHAIN_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One level of the chains of all solves: `count` links a solve, in tiles of a block.
struct chain_level {
  std::int64_t count, tiles;
  std::int64_t rows;      ///< of a link, but for the last
  std::size_t links_at;   ///< in words, solves * count of 11
  std::size_t states_at;  ///< solves * (count + 1) of 2
};

/// The links of a chain in shared memory.
template <class S>
struct links_of_block : chain_links<S> {
  struct kept_link {
    elimination<S> const& how;
    __device__ state<S> middle(state<S> const& left, state<S> const& right) const {
      return middle_of(how, left, right);
    }
  };
  __device__ kept_link kept(std::int64_t k) const { return {this->at[k].eliminated}; }
};

/// A block has a tile of the chain of one solve, a thread some neighbouring relations of it, and folds it to
/// one relation of the level above, leaving what eliminates the states in the places of the relations; or it
/// finds the states between. The two at its ends are of the level above; where a block holds all of that, it
/// finds them itself; and where there is none above, it folds its relations first, and they are the system's
/// ends.
template <class S>
struct chain_job {
  using link = typename chain_links<S>::link;
  static constexpr int each = relations_of_thread, of_tile = chain_relations(sizeof(S)),
                       threads = of_tile / each, blocks = 1;
  static constexpr bool waits_itself = true;
  static constexpr std::size_t bytes_of(int threads, bool finds_above) {
    return (finds_above ? 2 : 1) * sizeof(link) * static_cast<std::size_t>(each * threads) +
           relation_tree<S>::bytes(threads);
  }
  static constexpr std::size_t dynamic_bytes(int) { return bytes_of(threads, true); }

  system_layout layout;
  chain_level level, above;  ///< above.count is 0 where there is none, or it has been solved
  link* links;
  link* links_above;
  state<S>* states;              ///< null to fold
  state<S> const* states_above;  ///< where that has been solved
  std::int64_t* first_singular;

  __device__ void operator()() const {
    // What comes behind it waits for this kernel, and reads before that only what was there before the first
    // kernel of the call.
    let_next_kernel_start();
    wait_for_kernel_before();
    extern __shared__ __align__(16) unsigned char sweep_shared_rows[];
    int const thread = static_cast<int>(threadIdx.x), slots = each * static_cast<int>(blockDim.x);
    auto* const here = reinterpret_cast<link*>(sweep_shared_rows);
    auto* const higher = here + slots;
    bool const finds_above = states && above.count > 0, is_folded = finds_above || states_above;
    relation_tree<S> tree(finds_above ? higher + slots : higher);
    auto const tiles = static_cast<unsigned>(level.tiles);
    auto const solve = std::int64_t{blockIdx.x / tiles}, tile = std::int64_t{blockIdx.x % tiles};
    auto const first = tile * of_tile;
    int const of_here = static_cast<int>(min(std::int64_t{of_tile}, level.count - first)),
              of_above = finds_above ? static_cast<int>(above.count) : 0;
    auto* const from = links + solve * level.count + first;
    if (is_folded) bring<elimination<S>>(from, of_here, here);
    else bring<relation<S>>(from, of_here, here);
    bring<relation<S>>(links_above + solve * above.count, of_above, higher);
    await_async_copies();
    __syncthreads();

    auto const base = solve % layout.systems * layout.n;
    state<S> left{}, right{};  // of the tile, for thread 0
    for (int round = finds_above ? 0 : 1; round < 2; ++round) {
      bool const is_above = round == 0;
      int const count = is_above ? of_above : of_here, own = thread * each, mine = min(each, count - own),
                of_threads = (count + each - 1) / each;
      auto* const at = is_above ? higher : here;
      links_of_block<S> const chain{{at + own}};
      relation<S> all{};
      if (is_above || !is_folded) {
        auto const rows = is_above ? above.rows : level.rows;
        auto const note = [&](int k, int which) {
          note_singular(first_singular, base + ((is_above ? 0 : first) + k) * rows - 1 + which);
        };
        auto related = no_rows<S>();
        if (mine > 0)
          related = fold_chain<S, join_on_device>(
              chain, mine, [&](std::int64_t k, int which) { note(own + static_cast<int>(k), which); });
        all = tree.fold(related, of_threads, [&](int k, int which) { note(k * each, which); });
      } else if (mine > 0) {
        tree.put_before(at[own].eliminated);
      }
      __syncthreads();
      if (!states) {
        if (thread == 0) links_above[blockIdx.x].related = all;
        if (mine > 0) at[own].eliminated = tree.before();
        __syncthreads();
        constexpr int words = sizeof(link) / sizeof(S);
        auto const* const word = reinterpret_cast<S const*>(at);
        for (int i = thread; i < count * words; i += static_cast<int>(blockDim.x))
          reinterpret_cast<S*>(from)[i] = word[i];
        return;
      }
      if (thread == 0 && (is_above || !is_folded)) {
        auto const closed = close_system(all, layout.cyclic, [&](int which) {
          note_singular(first_singular, base + (which == 0 ? 0 : layout.n - 1));
        });
        left = closed.left;
        right = closed.right;
      } else if (thread == 0 && states_above) {
        left = states_above[solve * (tiles + 1) + tile];
        right = states_above[solve * (tiles + 1) + tile + 1];
      }
      state<S> begin = left, end = right;
      tree.unfold(of_threads, begin, end);
      if (mine > 0) unfold_chain<S>(chain, mine, begin, end);
      __syncthreads();
      if (is_above) {
        if (thread == 0) {
          left = higher[tile].known;
          if (tile + 1 < above.count) right = higher[tile + 1].known;
        }
      } else {
        auto* const found = states + solve * (level.count + 1) + first;
        for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) found[i] = at[i].known;
        if (thread == 0 && first + count == level.count) found[count] = right;
      }
    }
  }

 private:
  /// Links from memory, what they are; await_async_copies().
  template <class Link>
  __device__ static void bring(link const* from, int count, link* to) {
    constexpr int words = sizeof(Link) / sizeof(S), apart = sizeof(link) / sizeof(S);
    auto const* const word = reinterpret_cast<S const*>(from);
    for (int i = static_cast<int>(threadIdx.x); i < count * words; i += static_cast<int>(blockDim.x)) {
      int const at = i / words * apart + i % words;
      copy_async<sizeof(S)>(reinterpret_cast<S*>(to) + at, word + at);
    }
  }
};

/// The chains of relations above tiles of rows: levels, each a block's tile shorter than the one below.
template <class S>
class chain_levels {
  using job = chain_job<S>;
  using link = typename job::link;
  static constexpr int of_tile = job::of_tile, most = 8;

 public:
  chain_levels(system_layout const& layout, std::int64_t count, std::int64_t rows) : layout_{layout} {
    constexpr std::size_t link_words = sizeof(link) / sizeof(S), state_words = 2;
    for (;;) {
      auto const tiles = (count + of_tile - 1) / of_tile;
      auto& level = levels_[depth_++];
      level = {count, tiles, rows, words_, 0};
      words_ += static_cast<std::size_t>(layout.solves() * count) * link_words;
      level.states_at = words_;
      words_ += static_cast<std::size_t>(layout.solves() * (count + 1)) * state_words;
      if (tiles == 1) break;
      count = tiles;
      rows *= of_tile;
    }
  }
  std::int64_t words() const { return static_cast<std::int64_t>(words_); }
  link* links(S* memory, int level) const {
    return reinterpret_cast<link*>(memory + levels_[level].links_at);
  }
  state<S>* states(S* memory, int level) const {
    return reinterpret_cast<state<S>*>(memory + levels_[level].states_at);
  }

  /// From the relations of level 0 to its states.
  void solve(char const* call, cudaStream_t stream, S* memory, std::int64_t* first_singular) const {
    auto const launch = [&](int at, bool folds) {
      bool const finds_above = !folds && at + 2 == depth_, has_above = at + 1 < depth_;
      constexpr std::int64_t of_warp = 32 * job::each;
      auto const warps = (std::min<std::int64_t>(levels_[0].count, of_tile) + of_warp - 1) / of_warp;
      auto const block = static_cast<int>(32 * warps);
      launch_job(call, stream, layout_.solves() * levels_[at].tiles, block,
                 job{layout_, levels_[at], finds_above ? levels_[at + 1] : chain_level{}, links(memory, at),
                     has_above ? links(memory, at + 1) : nullptr, folds ? nullptr : states(memory, at),
                     has_above && !folds && !finds_above ? states(memory, at + 1) : nullptr, first_singular},
                 job::bytes_of(block, finds_above));
    };
    for (int at = 0; at + 1 < depth_; ++at) launch(at, true);
    for (int at = depth_ > 1 ? depth_ - 2 : 0; at >= 0; --at) launch(at, false);
  }

 private:
  system_layout layout_;
  chain_level levels_[most];
  int depth_ = 0;
  std::size_t words_ = 0;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
