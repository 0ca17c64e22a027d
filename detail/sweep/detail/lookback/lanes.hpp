// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_LANES_HPP
#define SWEEP_DETAIL_LOOKBACK_LANES_HPP

#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::detail {

/// Thrown in a waiting thread when another thread of its team has failed: the value waited for will never
/// come.
struct team_failed {};

/// One host thread as the lanes of a look-back. Values are waited for one after the other, oldest first.
class one_lane {
 public:
  explicit one_lane(std::uint32_t& failed) : failed_{&failed} {}

  static constexpr int near_groups = 0;  ///< threads are few and far between: group totals are there in time

  bool leads() const { return true; }

  template <class T>
  struct gathered {
    one_lane const* lane;
    slots<T> from;
    std::int64_t first;
    int count;
    maybe<T> last{};

    void append(T const& value) { last = {value, true}; }
    bool settled() const { return false; }  // values are not looked at before they are folded

    template <class Op>
    maybe<T> fold(Op& op) const {
      maybe<T> all{};
      for (int i = 0; i < count; ++i) {
        T const next = lane->wait_for(from, first + i);
        all = all.present ? maybe<T>{op(all.value, next), true} : maybe<T>{next, true};
      }
      if (last.present) all = {all.present ? static_cast<T>(op(all.value, last.value)) : last.value, true};
      return all;
    }
  };

  template <class T>
  gathered<T> gather(slots<T> const& from, std::int64_t first, int count) const {
    return {this, from, first, count, {}};
  }

  template <class... Gathered>
  void wait(Gathered&...) const {}  // fold waits

  template <class T, class Op>
  T look_back(slots<T> const& prefixes, slots<T> const& totals, std::int64_t tile, Op& op) const {
    maybe<T> all{};
    for (auto i = tile - 1;; --i) {
      T next{};
      bool prefix = false;
      spin([&] { return (prefix = prefixes.get(i, next)) || totals.get(i, next); });
      all = {all.present ? static_cast<T>(op(next, all.value)) : next, true};
      if (prefix) return all.value;
    }
  }

 private:
  template <class T>
  T wait_for(slots<T> const& from, std::int64_t i) const {
    T value{};
    spin([&] { return from.get(i, value); });
    return value;
  }

  template <class Ready>
  void spin(Ready ready) const {
    for (int tries = 0; !ready(); ++tries) {
      if (atomic_ref<std::uint32_t>(*failed_).load(relaxed)) throw team_failed{};
      if (tries > 64) std::this_thread::yield();  // the predecessor may need this core
    }
  }

  std::uint32_t* failed_;
};

}  // namespace sweep::detail

#endif
