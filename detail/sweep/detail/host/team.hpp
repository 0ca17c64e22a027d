// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_TEAM_HPP
#define SWEEP_DETAIL_HOST_TEAM_HPP

// The host backend: everything that knows what a thread is. A team's contract: all its members run at once,
// so one may wait for another; an exception thrown by a member ends the others' waiting and reaches the
// caller. Where the system has no more threads the team is smaller; the caller is always one of it. (OpenMP's
// runtimes have their own way: they end the program.)

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// A thread is not woken for fewer tiles than these: it would come when they are done. A tile takes
/// microseconds, an OpenMP thread that sleeps some ten, a new thread several times that. Tests lower it.
#if defined(_OPENMP)
inline std::int64_t least_tiles_of_member = 4;
#else
inline std::int64_t least_tiles_of_member = 16;
#endif

/// Thrown in a waiting thread when another thread of its team has failed: the value waited for will never
/// come.
struct team_failed {};

/// Waits until ready(), for another thread of a team to have done something.
template <class Ready>
void wait_in_team(std::uint32_t& failed, Ready ready) {
  for (int tries = 0; !ready(); ++tries) {
    if (atomic_ref<std::uint32_t>(failed).load(relaxed)) throw team_failed{};
    if (tries > 64) std::this_thread::yield();  // the thread waited for may need this core
  }
}

class team {
 public:
  explicit team(int threads) : threads_{threads > 0 ? threads : available()} {}

  static int available() {
#if defined(_OPENMP)
    return omp_get_max_threads();
#else
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
  }

  int threads() const { return threads_; }

  /// Tells the members that one of them has failed; look-back polls it.
  std::uint32_t& failed() { return failed_; }

  /// How many members at most work on so many tiles.
  int members_for(std::int64_t tiles) const {
    return static_cast<int>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(threads_, tiles / least_tiles_of_member)));
  }

  /// The same of tiles that are larger than most are: all of them have the work of so many.
  int members_for(std::int64_t tiles, std::int64_t work) const {
    return static_cast<int>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(members_for(std::max(tiles, work)), tiles)));
  }

  /// Runs work(tile), or work(tile, member), for tiles [0, tiles), each claimed in increasing order by a
  /// member that is running. Members are numbered from 0.
  template <class Work>
  void for_each_tile(std::int64_t tiles, Work work) {
    for_each_tile(
        tiles, [](int member) { return member; },
        [&work](std::int64_t tile, int member) {
          if constexpr (std::is_invocable_v<Work&, std::int64_t, int>) work(tile, member);
          else work(tile);
        });
  }
  /// Runs work(tile, kept), where kept is what the tile's member keeps from one tile to its next:
  /// own(member).
  template <class Own, class Work>
  void for_each_tile(std::int64_t tiles, Own own, Work work) {
    for_each_tile(tiles, members_for(tiles), own, work);
  }
  /// The same by so many members at most, where tiles are larger than most are.
  template <class Own, class Work>
  void for_each_tile(std::int64_t tiles, int members, Own own, Work work) {
    if (only_obtains()) return;
    std::int64_t next = 0;
    auto const used = std::min<std::int64_t>(members, std::max<std::int64_t>(1, tiles));
    bool const alone = used == 1;
    auto const member = [&](int number) {
      auto kept = own(number);
      for (;;) {
        auto const tile = alone ? next++ : atomic_ref<std::int64_t>(next).fetch_add(1, relaxed);
        if (tile >= tiles) return;
        work(tile, kept);
      }
    };
    if (alone) return member(0);  // nobody claims a tile beside the caller, or waits for it
    run(static_cast<int>(used),
        {&member, [](void const* all, int number) { (*static_cast<decltype(member)*>(all))(number); }});
  }
  /// The same of shares instead of tiles: so large that each is worth a member of its own.
  template <class Work>
  void for_each_share(std::int64_t shares, Work work) {
    for_each_tile(
        shares, members_for_shares(shares), [](int member) { return member; },
        [&work](std::int64_t share, int member) {
          if constexpr (std::is_invocable_v<Work&, std::int64_t, int>) work(share, member);
          else work(share);
        });
  }
  int members_for_shares(std::int64_t shares) const {
    return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads_, shares)));
  }

 private:
  /// What each member does, given its number. Threads and exceptions see no more of it, so that what they
  /// need is compiled once and not for each work.
  struct member_work {
    void const* all;
    void (*call)(void const* all, int number);
  };
  void run(int members, member_work work) {
    std::int32_t numbered = 0;
    auto const member = [&] {
      try {
        work.call(work.all, static_cast<int>(atomic_ref<std::int32_t>(numbered).fetch_add(1, relaxed)));
      } catch (team_failed const&) {
        // somebody else threw first and is remembered
      } catch (...) { remember(std::current_exception()); }
    };
    run_on_threads(members, member);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  template <class Member>
  static void run_on_threads(int members, Member const& member) {
    if (members <= 1) return member();
#if defined(_OPENMP)
#pragma omp parallel num_threads(members)
    member();
#else
    joined_threads others;
    others.start(members - 1, member);
    member();
#endif
  }

  void remember(std::exception_ptr error) {
    std::lock_guard const lock(mutex_);
    if (!error_) error_ = error;
    atomic_ref<std::uint32_t>(failed_).store(1, relaxed);
  }

  int threads_;
  std::uint32_t failed_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
