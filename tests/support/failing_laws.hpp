// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_FAILING_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_FAILING_LAWS_HPP

// Calls, with each of their allocations failing in turn: what throws has written nothing.

#include <every_call.hpp>
#include <support/expect.hpp>
#include <support/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace sweep_test {

/// Counts allocations, and says when one is to fail.
struct failure {
  std::size_t seen = 0, fails = ~std::size_t{0};
  bool next_fails() { return seen++ == fails; }
};

/// Every call there is.
struct all_calls {
  template <class Policy>
  void operator()(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) const {
    every_call(policy, f, t, h, n);
  }
};
/// Those of one family, the first or a later one, if there are so many.
struct calls_of_family {
  std::size_t family;
  template <class Policy>
  void operator()(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) const {
    std::size_t at = 0;
    each_family(policy, f, t, h, n, [&](auto calls) {
      if (at++ == family) calls();
    });
  }
};
/// Those of a few families: some allocate once, some several times, some for a result that they wait for.
struct calls_of_few_families {
  template <class Policy>
  void operator()(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) const {
    scans(policy, f, t, n);
    reductions(policy, f, t, n);
    sorts(policy, f, t, h, n);
  }
};

/// What every_call's calls read and write. Before each of them all of it is as it was at first.
template <class Memory>
class calls_memory {
 public:
  explicit calls_memory(std::int64_t n) : n_{static_cast<std::size_t>(n)} {
    f_ = {add<float>(n_, counted), add<float>(n_, pattern), add<float>(n_, pattern)};
    t_ = {add<triple>(n_, alike), add<triple>(n_, pattern), add<triple>(2 * n_, pattern)};
    h_.counts = add<std::int64_t>(16, pattern);
    h_.keys = add<int>(n_, counted);
    h_.keys_out = add<int>(n_ + 1, pattern);
    h_.flags = add<unsigned char>(n_, bits);
    h_.flags_out = add<unsigned char>(n_, pattern);
    h_.words = add<std::uint32_t>((n_ + 31) / 32, [](std::size_t) { return 0x11111111u; });
    // Every other segment is empty.
    h_.offsets =
        add<int>(n_ + 1, [this](std::size_t i) { return static_cast<int>(i + 1 < n_ ? i / 2 * 2 : n_); });
    self_ = this;
    before_each_call = [] { self_->begin(); };
  }
  calls_memory(calls_memory const&) = delete;
  calls_memory& operator=(calls_memory const&) = delete;
  ~calls_memory() {
    before_each_call = nullptr;
    for (auto& one : parts_) {
      Memory::release(one.at);
      Memory::release(one.copy);
    }
  }

  template <class Policy, class Calls = all_calls>
  void call_all(Policy const& policy, Calls these = {}) {
    calls = 0;
    these(policy, f_, t_, h_, static_cast<std::int64_t>(n_));
  }
  /// Whether nothing differs from what it was before the last call.
  bool untouched() const {
    for (auto const& one : parts_) {
      std::vector<std::byte> now(one.first.size());
      Memory::copy_out(now.data(), one.at, now.size());
      if (now != one.first) return false;
    }
    return true;
  }

  std::size_t calls = 0;  ///< begun

 private:
  struct part {
    void* at;
    void* copy;
    std::vector<std::byte> first;
  };
  static constexpr auto counted = [](std::size_t i) { return static_cast<int>(i); };
  static constexpr auto alike = [](std::size_t) { return triple{1, 2, 3}; };
  static constexpr auto bits = [](std::size_t i) { return static_cast<unsigned char>(i % 3 == 0); };
  static constexpr struct {
  } pattern{};

  template <class T, class Make>
  T* add(std::size_t n, Make make) {
    std::vector<std::byte> first(n * sizeof(T), std::byte{0x3f});
    if constexpr (requires { make(n); })
      for (std::size_t i = 0; i < n; ++i) {
        auto const value = static_cast<T>(make(i));
        std::memcpy(first.data() + i * sizeof(T), std::addressof(value), sizeof(T));
      }
    part one{Memory::allocate(first.size()), Memory::allocate(first.size()), first};
    Memory::copy_in(one.at, first.data(), first.size());
    Memory::copy_in(one.copy, first.data(), first.size());
    parts_.push_back(std::move(one));
    return static_cast<T*>(parts_.back().at);
  }
  void begin() {
    ++calls;
    for (auto& one : parts_) Memory::copy_within(one.at, one.copy, one.first.size());
  }

  static inline calls_memory* self_ = nullptr;
  std::size_t n_;
  std::vector<part> parts_;
  floats f_{};
  triples t_{};
  helpers h_{};
};

/// policy's allocations go by `failing`; these are at least so many calls.
template <class Memory, class Policy, class Calls>
void failing_law(Policy const& policy, failure& failing, calls_memory<Memory>& memory, Calls these,
                 std::size_t least, std::string const& what) {
  failing = {};
  memory.call_all(policy, these);
  auto const all = failing.seen, calls = memory.calls;
  expect(calls >= least, what + ": " + std::to_string(calls) + " calls");
  std::size_t thrown = 0;
  for (std::size_t k = 0; k < all; ++k) {
    failing = {0, k};
    try {
      memory.call_all(policy, these);
    } catch (std::bad_alloc const&) {
      ++thrown;
      failing = {};
      expect(memory.untouched(), what + ": call " + std::to_string(memory.calls) +
                                     " has written before allocation " + std::to_string(k) + " failed");
    }
  }
  failing = {};
  expect(thrown > 0 && thrown >= all / 2,
         what + ": " + std::to_string(thrown) + " of " + std::to_string(all) + " failures were thrown");
  memory.call_all(policy, these);
  expect(memory.calls == calls, what + ": calls work again");
}

}  // namespace sweep_test

#endif
