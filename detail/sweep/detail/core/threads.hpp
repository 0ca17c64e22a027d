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
#include <mutex>
#include <thread>
#endif

#include <cstddef>
#include <new>
#include <system_error>
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

/// How many threads a team may start: tests lower it to see what a machine does that has no more of them.
inline std::size_t most_threads = ~std::size_t{0};

/// Threads that are waited for.
class joined_threads {
 public:
  joined_threads() = default;
  joined_threads(joined_threads const&) = delete;
  joined_threads& operator=(joined_threads const&) = delete;
  ~joined_threads() {
    for (auto& one : threads_) one.join();
  }

  /// So many threads that run member(), or as many as the system gives.
  template <class Member>
  void start(int count, Member const& member) {
    try {
      threads_.reserve(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        if (threads_.size() >= most_threads)
          throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        threads_.emplace_back([&member] { member(); });
      }
    } catch (std::bad_alloc const&) {
    } catch (std::system_error const&) {}
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
