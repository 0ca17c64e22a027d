// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_CHAIN_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_CHAIN_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One level of the chains of all solves: `count` relations a solve, in tiles of a block.
struct chain_level {
  std::int64_t count, tiles;
  std::int64_t rows;         ///< of a relation, but for the last
  std::size_t relations_at;  ///< in words, solves * count of 10
  std::size_t states_at;     ///< solves * (count + 1) of 2
};

/// A block has a tile of the chain of one solve, and folds it to one relation of the level above, or finds
/// the states between. The two at its ends are of the level above; where a block holds all of that, it finds
/// them itself; and where there is none above, they are the system's ends.
template <class S>
struct chain_job {
  static constexpr int threads = chain_threads(sizeof(S)), blocks = 1;

  system_layout layout;
  chain_level level, above;  ///< above.count is 0 where there is none, or it has been solved
  relation<S>* relations;
  relation<S>* relations_above;
  state<S>* states;              ///< null to fold
  state<S> const* states_above;  ///< where that has been solved
  std::int64_t* first_singular;

  __device__ void operator()() const {
    let_next_kernel_start();
    __shared__ __align__(16) unsigned char memory[relation_tree<S>::bytes(threads)];
    __shared__ state<S> ends[2];
    relation_tree<S> tree(memory);
    auto const tiles = static_cast<unsigned>(level.tiles);
    auto const solve = std::int64_t{blockIdx.x / tiles}, tile = std::int64_t{blockIdx.x % tiles};
    auto* const singular = states ? first_singular : nullptr;
    auto const base = solve % layout.systems * layout.n;
    int const mine = static_cast<int>(threadIdx.x);
    for (int round = 0; round < 2; ++round) {
      bool const of_above = round == 0;
      if (of_above && (!states || above.count == 0)) continue;
      auto const& at = of_above ? above : level;
      auto const first = of_above ? 0 : tile * threads;
      int const count = static_cast<int>(min(std::int64_t{threads}, at.count - first));
      auto const* const from = (of_above ? relations_above : relations) + solve * at.count + first;
      auto const all =
          tree.fold(mine < count ? from[mine] : no_rows<S>(), count, true, [&](int k, int which) {
            note_singular(singular, base + (first + k) * at.rows - 1 + which);
          });
      if (!states) {
        if (mine == 0) relations_above[blockIdx.x] = all;
        return;
      }
      state<S> left{}, right{};
      if (mine == 0) {
        if (of_above || (above.count == 0 && !states_above)) {
          auto const closed = close_system(all, layout.cyclic, [&](int which) {
            note_singular(singular, base + (which == 0 ? 0 : layout.n - 1));
          });
          left = closed.left;
          right = closed.right;
        } else if (states_above) {
          left = states_above[solve * (tiles + 1) + tile];
          right = states_above[solve * (tiles + 1) + tile + 1];
        } else {
          left = ends[0];
          right = ends[1];
        }
      }
      tree.unfold(count, left, right);
      if (of_above) {
        if (mine == tile) {
          ends[0] = left;
          ends[1] = right;
        }
        __syncthreads();
      } else {
        auto* const to = states + solve * (level.count + 1) + first;
        if (mine < count) to[mine] = left;
        if (mine == count - 1 && first + count == level.count) to[count] = right;
      }
    }
  }
};

/// The chains of relations above tiles of rows: levels, each a block's tile shorter than the one below.
template <class S>
class chain_levels {
  static constexpr int threads = chain_threads(sizeof(S)), most = 8;

 public:
  chain_levels(system_layout const& layout, std::int64_t count, std::int64_t rows) : layout_{layout} {
    constexpr std::size_t relation_words = sizeof(relation<S>) / sizeof(S), state_words = 2;
    for (;;) {
      auto const tiles = (count + threads - 1) / threads;
      auto& level = levels_[depth_++];
      level = {count, tiles, rows, words_, 0};
      words_ += static_cast<std::size_t>(layout.solves() * count) * relation_words;
      level.states_at = words_;
      words_ += static_cast<std::size_t>(layout.solves() * (count + 1)) * state_words;
      if (tiles == 1) break;
      count = tiles;
      rows *= threads;
    }
  }
  std::int64_t words() const { return static_cast<std::int64_t>(words_); }
  relation<S>* relations(S* memory, int level) const {
    return reinterpret_cast<relation<S>*>(memory + levels_[level].relations_at);
  }
  state<S>* states(S* memory, int level) const {
    return reinterpret_cast<state<S>*>(memory + levels_[level].states_at);
  }

  /// From the relations of level 0 to its states.
  void solve(char const* call, cudaStream_t stream, S* memory, std::int64_t* first_singular) const {
    auto const launch = [&](int at, bool folds) {
      bool const finds_above = at + 2 == depth_, has_above = at + 1 < depth_;
      launch_job(call, stream, layout_.solves() * levels_[at].tiles, threads,
                 chain_job<S>{layout_, levels_[at], finds_above ? levels_[at + 1] : chain_level{},
                              relations(memory, at), has_above ? relations(memory, at + 1) : nullptr,
                              folds ? nullptr : states(memory, at),
                              has_above && !finds_above ? states(memory, at + 1) : nullptr, first_singular});
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
