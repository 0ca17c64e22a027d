// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_MEMORY_HPP
#define SWEEP_TESTS_SUPPORT_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

namespace sweep_test {

struct host_memory {
  static void* allocate(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{256}); }
  static void release(void* p) { ::operator delete (p, std::align_val_t{256}); }
  static void copy_in(void* to, void const* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  static void copy_out(void* to, void const* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  static void copy_within(void* to, void const* from, std::size_t bytes) { copy_in(to, from, bytes); }
};

/// n items that start `offset` items after a 256-byte boundary, between two stretches that nobody may write.
template <class T, class Memory>
class guarded {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t guard = 256;
  static constexpr std::byte untouched{0xa5};

 public:
  explicit guarded(std::size_t n, std::size_t offset = 0)
      : n_{n},
        before_{guard + offset * sizeof(T)},
        bytes_{before_ + n * sizeof(T) + guard},
        memory_{static_cast<std::byte*>(Memory::allocate(bytes_))} {
    std::vector<std::byte> const fill(bytes_, untouched);
    Memory::copy_in(memory_, fill.data(), bytes_);
  }
  explicit guarded(std::vector<T> const& items, std::size_t offset = 0) : guarded(items.size(), offset) {
    Memory::copy_in(begin(), items.data(), n_ * sizeof(T));
  }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;
  ~guarded() { Memory::release(memory_); }

  T* begin() const { return reinterpret_cast<T*>(memory_ + before_); }
  T* end() const { return begin() + n_; }

  std::vector<T> read() const {
    std::vector<T> items(n_);
    Memory::copy_out(static_cast<void*>(items.data()), begin(), n_ * sizeof(T));
    return items;
  }
  bool guards_intact() const {
    auto const all = bytes();
    auto const intact = [](std::byte b) { return b == untouched; };
    auto const from = all.begin(), items = from + static_cast<std::ptrdiff_t>(before_);
    return std::all_of(from, items, intact) &&
           std::all_of(items + static_cast<std::ptrdiff_t>(n_ * sizeof(T)), all.end(), intact);
  }
  /// Whether nobody has written anything at all.
  bool all_untouched() const {
    auto const all = bytes();
    return std::all_of(all.begin(), all.end(), [](std::byte b) { return b == untouched; });
  }

 private:
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(bytes_);
    Memory::copy_out(all.data(), memory_, bytes_);
    return all;
  }

  std::size_t n_, before_, bytes_;
  std::byte* memory_;
};

/// Where a test runs: a policy, its name, and the memory that it reads and writes.
/// EveryForm: whether laws compile all forms of an algorithm here, or a selection (support/scan_laws.hpp).
template <class Policy, class Memory = host_memory, bool EveryForm = true>
struct place {
  static constexpr bool every_form = EveryForm;
  template <class T>
  using array = guarded<T, Memory>;
  Policy policy;
  char const* name;
  bool skipped = false;  ///< laws do nothing here: this machine or tool cannot run the policy

  /// The place to use the k-th time; always this one. See support/host_places.hpp for one that changes.
  place const& for_turn(std::size_t) const { return *this; }
};
template <class Policy>
place(Policy, char const*) -> place<Policy>;

/// Where the laws of one form of an algorithm run: at the place itself, unless the forms take several places
/// in turn (support/device_places.hpp).
template <std::size_t Form, class Place>
auto const& at_form(Place const& at) {
  if constexpr (requires { at.template of_form<Form>(); }) return at.template of_form<Form>();
  else return at;
}

}  // namespace sweep_test

#endif
