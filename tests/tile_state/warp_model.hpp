// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_TILE_STATE_WARP_MODEL_HPP
#define SWEEP_TESTS_TILE_STATE_WARP_MODEL_HPP

#include <tile_state/hostile.hpp>

#include <sweep/detail/lookback/collective_lanes.hpp>

namespace sweep_test {

/// A warp on one host thread: what each lane has lies in an array, and lanes take their turns in an order
/// drawn anew for each step, with pauses between them. Folds have the brackets of a warp's.
class warp_model {
 public:
  warp_model(std::uint32_t& failed, restless& nerves) : failed_{&failed}, nerves_{&nerves} {}

  template <class T>
  struct varying {
    T of_lane[32];
    T& operator[](int lane) { return of_lane[lane]; }
    T const& operator[](int lane) const { return of_lane[lane]; }
  };

  bool elected() const {
    nerves_->pause();  // before publishing
    return true;
  }
  void pause() const {
    if (sweep::detail::atomic_ref<std::uint32_t>(*failed_).load(sweep::detail::relaxed))
      throw sweep::detail::team_failed{};
    std::this_thread::yield();
  }
  template <class F>
  void each(F f) const {
    in_any_order(f);
  }
  template <class F>
  bool all(F f) const {
    bool holds = true;
    in_any_order([&](int lane) { holds &= f(lane); });
    return holds;
  }
  template <class F>
  unsigned ballot(F f) const {
    unsigned bits = 0;
    for (int lane = 0; lane < 32; ++lane) bits |= unsigned{f(lane)} << lane;
    return bits;
  }
  template <class T>
  T broadcast(varying<T> const& v, int lane) const {
    return v[lane];
  }
  template <class T>
  T lead(varying<T> const& v) const {
    return v[0];
  }
  template <class T>
  T from_leader(T const& x) const {
    return x;
  }
  template <class T, int K, class Op>
  void reduce_right(varying<T> (&all)[K], int const (&count)[K], int const (&from)[K], Op& op) const {
    for (int k = 0; k < K; ++k)
      for (int by = 1; by < 32; by *= 2) {
        auto const before = all[k];  // all lanes in step
        for (int lane = from[k]; lane + by < count[k]; ++lane)
          all[k][lane] = op(before[lane], before[lane + by]);
      }
  }

 private:
  template <class F>
  void in_any_order(F f) const {
    int const factor = 2 * nerves_->draw(16) + 1, start = nerves_->draw(32);
    for (int i = 0; i < 32; ++i) {
      if (i % 8 == 7) nerves_->pause();
      f((start + i * factor) % 32);
    }
  }

  std::uint32_t* failed_;
  restless* nerves_;
};

using hostile_warp = sweep::detail::collective_lanes<warp_model>;
static_assert(sweep::detail::lookback_lanes<hostile_warp, int> && hostile_warp::near_groups == 2);

}  // namespace sweep_test

#endif
