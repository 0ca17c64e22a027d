// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls whose work is a few large shares run on as many threads as they are given.
#include <support/changed.hpp>
#include <support/expect.hpp>

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/histogram.hpp>
#include <sweep/search.hpp>
#include <sweep/segmented_top_k.hpp>
#include <sweep/top_k.hpp>
#include <sweep/tridiagonal.hpp>

#include <atomic>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace sweep_test;

namespace {

/// Whoever comes first waits for somebody else, but not for ever.
class meeting {
 public:
  void come() {
    if (met_.load(std::memory_order_relaxed)) return;
    std::unique_lock lock(mutex_);
    if (first_ == std::thread::id{}) {
      first_ = std::this_thread::get_id();
      arrives_.wait_for(lock, std::chrono::seconds(10), [&] { return met_.load(); });
    } else if (first_ != std::this_thread::get_id()) {
      met_ = true;
      arrives_.notify_all();
    }
  }
  bool took_place() const { return met_; }

 private:
  std::mutex mutex_;
  std::condition_variable arrives_;
  std::thread::id first_;
  std::atomic<bool> met_{false};
};

constexpr int n = 1 << 20;

/// Item i is f(i), and whoever reads it comes to the meeting.
template <class F>
struct met_for {
  meeting* of_threads;
  F f;
  auto operator()(std::int64_t i) const {
    of_threads->come();
    return f(static_cast<int>(i));
  }
};

/// call(policy, first) with items f(0), f(1), ... and so on.
template <class F, class Call>
void expect_two_threads(char const* what, F f, Call call) {
  meeting of_threads;
  call(sweep::host.threads(2), sweep::detail::reader<decltype(f(0)), met_for<F>>{{&of_threads, f}});
  expect(of_threads.took_place(), std::string(what) + ": two threads");
}

}  // namespace

TEST_CASE("host threads: large shares are work for all of them") {
  // As users have it, and other tests have not.
  changed const limit(sweep::detail::least_tiles_of_member, 4);
  auto const itself = [](int i) { return i; };
  expect_two_threads("find_if", itself, [](auto const& policy, auto const& first) {
    CHECK(sweep::find_if(policy, first, first + n, [](int i) { return i < 0; }) == first + n);
  });
  expect_two_threads(
      "histogram", [](int i) { return i / (n / 2); },
      [](auto const& policy, auto const& first) {
        std::vector<int> bins(2);
        sweep::histogram(policy, first, first + n, bins.begin(), 2);
        CHECK(bins == std::vector<int>{n / 2, n / 2});
      });
  expect_two_threads("top_k", itself, [](auto const& policy, auto const& first) {
    std::vector<int> top(3);
    sweep::top_k(policy, first, first + n, 3, top.begin());
    CHECK(top == std::vector<int>{n - 1, n - 2, n - 3});
  });
  expect_two_threads("segmented_top_k", itself, [](auto const& policy, auto const& first) {
    std::vector<int> top(4);
    sweep::segmented_top_k(policy, first, first + n, sweep::segments::by_rows(4, n / 4), 1, top.begin());
    CHECK(top == std::vector<int>{n / 4 - 1, n / 2 - 1, n / 4 * 3 - 1, n - 1});
  });
  using number = std::complex<double>;
  expect_two_threads(
      "tridiagonal_solve", [](int i) { return number(4.0 * i); },
      [](auto const& policy, auto const& right) {
        constexpr int rows = 1 << 15, systems = 4;
        std::vector<number> x(rows * systems);
        sweep::tridiagonal_solve(
            policy,
            sweep::tridiagonal(number(0), number(2), number(0), right, x.begin(), rows).batch(systems));
        CHECK(x.back() == number(2.0 * (rows * systems - 1)));
      });
}
