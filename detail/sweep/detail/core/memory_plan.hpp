// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_MEMORY_PLAN_HPP
#define SWEEP_DETAIL_CORE_MEMORY_PLAN_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/version.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <sweep/detail/core/standard.hpp>
#include <utility>
#include <vector>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace sweep::inline SWEEP_ABI::detail {

// A call that runs out of memory has written nothing. Where one kernel or pass does all the work that is so
// because its memory is obtained first. A call whose results are written by several is gone through twice,
// under with_memory_first: once to obtain all memory, when nothing is launched and no loop runs, and once to
// do the work, with the same pieces in the same order.

/// The pieces of memory of such a call.
class memory_plan {
 public:
  memory_plan() : before_{std::exchange(current(), this)} {}
  memory_plan(memory_plan const&) = delete;
  memory_plan& operator=(memory_plan const&) = delete;
  ~memory_plan() { current() = before_; }

  /// The one that this thread's call is under, or null.
  static memory_plan*& current() {
    thread_local memory_plan* plan = nullptr;
    return plan;
  }
  bool obtains() const { return obtains_; }
  void begin_work() { obtains_ = false; }

  /// A new piece, or when the work is done the next one.
  template <class T, class... Arguments>
  T& next(Arguments const&... arguments) {
    if (obtains_ || next_ >= pieces_.size() || pieces_[next_]->type != type_of<T>()) {
      auto made = std::make_unique<piece_of<T>>(arguments...);
      auto& value = made->value;
      pieces_.push_back(std::move(made));
      return value;
    }
    return static_cast<piece_of<T>&>(*pieces_[next_++]).value;
  }

 private:
  struct piece {
    void const* type;
    explicit piece(void const* its_type) : type{its_type} {}
    piece(piece const&) = delete;
    piece& operator=(piece const&) = delete;
    virtual ~piece() = default;
  };
  template <class T>
  struct piece_of : piece {
    T value;
    template <class... Arguments>
    explicit piece_of(Arguments const&... arguments) : piece(type_of<T>()), value(arguments...) {}
  };
  template <class T>
  static void const* type_of() {
    static char const here = 0;
    return &here;
  }

  memory_plan* before_;
  bool obtains_ = true;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<piece>> pieces_;
};

/// Whether this thread's call is only being gone through for its memory: nothing is launched or written.
SWEEP_HD inline bool only_obtains() {
#if defined(__CUDA_ARCH__)  // in a kernel nothing is obtained
  return false;
#else
  auto const* const plan = memory_plan::current();
  return plan && plan->obtains();
#endif
}

/// work(), whose memory is all obtained before it does anything. It does the same when called twice.
template <class Work>
void with_memory_first(Work work) {
  if (memory_plan::current()) return work();  // a part of such a call
  memory_plan plan;
  work();
  plan.begin_work();
  work();
}

/// T(arguments...), a piece of memory for a part of a call.
template <class T>
class piece_of_call {
 public:
  template <class... Arguments>
  explicit piece_of_call(Arguments const&... arguments) {
    if (auto* const plan = memory_plan::current()) at_ = &plan->template next<T>(arguments...);
    else at_ = own_ = new (static_cast<void*>(storage_)) T(arguments...);
  }
  piece_of_call(piece_of_call const&) = delete;
  piece_of_call& operator=(piece_of_call const&) = delete;
  ~piece_of_call() {
    if (own_) own_->~T();
  }
  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
  T* at_ = nullptr;
  T* own_ = nullptr;
};

/// Memory that nobody has written yet comes a page at a time, as it is written for the first time, which many
/// threads at once wait for longer than for their work. Of large pieces the system is asked for large pages.
inline void prefer_large_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  auto const first = reinterpret_cast<std::uintptr_t>(at);
  auto const begin = (first + page - 1) / page * page, end = (first + bytes) / page * page;
  if (begin < end)
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // or nothing changes
#endif
}

/// So many values of the heap, which nobody has written yet.
template <class T>
struct heap_array {
  std::unique_ptr<T[]> values;
  explicit heap_array(std::size_t count) {
    if (count == 0) return;
    values = std::make_unique_for_overwrite<T[]>(count);
    prefer_large_pages(values.get(), count * sizeof(T));
  }
  T* data() const { return values.get(); }
};

/// Memory of the heap for a part of a call: written by nobody yet, or zeros.
template <class T>
using call_array = piece_of_call<heap_array<T>>;
template <class T>
using call_zeros = piece_of_call<std::vector<T>>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
