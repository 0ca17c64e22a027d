// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_THREAD_LANES_HPP
#define SWEEP_DETAIL_LOOKBACK_THREAD_LANES_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/lookback/concepts.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One host thread as the only lane of a look-back. It waits for values one after the other, oldest first.
class thread_lanes {
 public:
  explicit thread_lanes(std::uint32_t& failed) : failed_{&failed} {}

  /// There are far fewer threads than tiles in a group, so the totals of the groups before are there in time.
  static constexpr int near_groups = 0;

  bool elected() const { return true; }

  template <class T>
  struct gathered {
    thread_lanes const* lanes;
    slots<T> from;
    std::int64_t first;
    int count;
    optional<T> last{};

    void append(T const& value) { last = {value, true}; }  // once
    bool complete() const { return false; }                // nothing is read before the fold

    template <class Op>
    optional<T> fold(Op& op) const {
      optional<T> all{};
      for (int i = 0; i < count; ++i) {
        T const next = lanes->wait_for(from, first + i);
        all = all.present ? optional<T>{op(all.value, next), true} : optional<T>{next, true};
      }
      if (last.present) all = {combine(all, last.value, op), true};
      return all;
    }
  };

  template <class T>
  gathered<T> gather(slots<T> const& from, std::int64_t first, int count) const {
    return {this, from, first, count, {}};
  }

  template <class... Gathered>
  void ask(Gathered&...) const {}
  template <class... Gathered>
  void wait(Gathered&...) const {}  // the fold waits

  template <class T, class Op>
  T look_back(slots<T> const& prefixes, slots<T> const& totals, std::int64_t tile, Op& op) const {
    optional<T> all{};
    for (auto i = tile - 1;; --i) {
      T next{};
      bool prefix = false;
      wait_in_team(*failed_,
                   [&] { return (prefix = prefixes.try_read(i, next)) || totals.try_read(i, next); });
      all = {all.present ? static_cast<T>(op(next, all.value)) : next, true};
      if (prefix) return all.value;
    }
  }

 private:
  template <class T>
  T wait_for(slots<T> const& from, std::int64_t i) const {
    T value{};
    wait_in_team(*failed_, [&] { return from.try_read(i, value); });
    return value;
  }

  std::uint32_t* failed_;
};
static_assert(lookback_lanes<thread_lanes, int>);

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
