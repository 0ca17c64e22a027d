// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_PLACE_HPP
#define SWEEP_TOUR_PLACE_HPP

#include <sweep/policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include <stdexcept>
#define TOUR_HD __host__ __device__
#else
#define TOUR_HD
#endif

namespace tour {

// A place is a policy and the memory that it works on. Both have the same members, so that the tour is
// written once:
//   policy                  what the algorithms are given
//   array<T>                memory of the place, filled with zeroes: data(), size()
//   copy_in(from, to), copy_out(from), clear(what)
//   copy(from, to, bytes)   the plain copy that everything is compared with
//   time_us(work)           median time of a piece of work, after a first run that is not counted

inline constexpr int timed_runs = 5;

inline double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

template <class Policy>
struct host_place {
  template <class T>
  using array = std::vector<T>;

  Policy policy;
  int threads;

  template <class T>
  static void copy_in(std::vector<T> const& from, array<T>& to) {
    to = from;
  }
  template <class T>
  static std::vector<T> copy_out(array<T> const& from) {
    return from;
  }
  template <class T>
  static void clear(array<T>& what) {
    std::fill(what.begin(), what.end(), T{});
  }

  void copy(void const* from, void* to, std::size_t bytes) const {
    auto const share = (bytes / static_cast<std::size_t>(threads) + 63) / 64 * 64;
    auto const part = [=](std::size_t begin) {
      if (begin < bytes)
        std::memcpy(static_cast<char*>(to) + begin, static_cast<char const*>(from) + begin,
                    std::min(share, bytes - begin));
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(part, static_cast<std::size_t>(i) * share);
    part(0);
  }

  template <class Work>
  static double time_us(Work work) {
    work();
    std::vector<double> times(timed_runs);
    for (auto& time : times) {
      auto const begin = std::chrono::steady_clock::now();
      work();
      time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    return median(times);
  }
};

#if defined(__CUDACC__)

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("tour: ") + cudaGetErrorString(error));
}

struct device_place {
  template <class T>
  class array {
   public:
    explicit array(std::size_t size) : size_{size} {
      check(cudaMalloc(&data_, std::max<std::size_t>(size, 1) * sizeof(T)));
      check(cudaMemset(data_, 0, size * sizeof(T)));
    }
    array(array const&) = delete;
    array& operator=(array const&) = delete;
    ~array() { (void)cudaFree(data_); }

    T* data() { return data_; }
    T const* data() const { return data_; }
    std::size_t size() const { return size_; }

   private:
    T* data_ = nullptr;
    std::size_t size_;
  };

  sweep::device_policy<sweep::pool_scratch> policy = sweep::device;

  template <class T>
  static void copy_in(std::vector<T> const& from, array<T>& to) {
    check(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  template <class T>
  static std::vector<T> copy_out(array<T> const& from) {
    std::vector<T> to(from.size());
    check(cudaMemcpy(to.data(), from.data(), to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  template <class T>
  static void clear(array<T>& what) {
    check(cudaMemset(what.data(), 0, what.size() * sizeof(T)));
  }
  static void copy(void const* from, void* to, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
  }

  template <class Work>
  static double time_us(Work work) {
    work();
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<double> times(timed_runs);
    for (auto& time : times) {
      check(cudaEventRecord(begin));
      work();
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      time = 1e3 * static_cast<double>(ms);
    }
    check(cudaEventDestroy(begin));
    check(cudaEventDestroy(end));
    return median(times);
  }
};

#endif

}  // namespace tour

#endif
