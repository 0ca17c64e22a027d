// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_THREADS_HPP
#define SWEEP_DETAIL_CORE_THREADS_HPP

#include <sweep/version.hpp>

// std::mutex with its locks, std::thread and std::this_thread::yield without the clocks and stop tokens of
// <mutex> and <thread>, which take nvcc half a second each.

#if __has_include(<bits/std_mutex.h>) && __has_include(<bits/std_thread.h>)
#include <bits/std_mutex.h>
#include <bits/std_thread.h>
#else
#include <cstddef>
#include <mutex>
#include <thread>
#endif

#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// A mutex held until the end of the scope; none where there is nothing to hold.
class held_lock {
 public:
  explicit held_lock(std::mutex* mutex) : mutex_{mutex} {
    if (mutex_) mutex_->lock();
  }
  held_lock(held_lock const&) = delete;
  held_lock& operator=(held_lock const&) = delete;
  ~held_lock() {
    if (mutex_) mutex_->unlock();
  }

 private:
  std::mutex* mutex_;
};

/// Threads that are waited for.
class joined_threads {
 public:
  explicit joined_threads(int most) { threads_.reserve(static_cast<std::size_t>(most)); }
  joined_threads(joined_threads const&) = delete;
  joined_threads& operator=(joined_threads const&) = delete;
  ~joined_threads() {
    for (auto& one : threads_) one.join();
  }

  template <class Member>
  void start(Member const& member) {
    threads_.emplace_back(member);
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
