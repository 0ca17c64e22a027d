// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every call on seq and host with each allocation of the heap failing in turn.
#include <support/failing_laws.hpp>
#include <support/random.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

using namespace sweep_test;

namespace {
std::atomic<std::size_t> allocations{0}, fails{~std::size_t{0}};
}  // namespace

// The program's own, which fails where it is told to.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations++ == fails) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes + (bytes == 0))) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  return std::malloc(bytes + (bytes == 0));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return ::operator new(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// Of each family's calls the k-th allocation fails, wherever it is made: what fails late is so preceded by
/// few.
template <class Policy>
void heap_law(Policy const& policy, std::string const& what) {
  calls_memory<host_memory> memory(under_address_sanitizer ? 1'500 : 12'000);
  memory.call_all(policy);  // what is kept for later is made
  auto const calls = memory.calls;
  std::size_t called = 0, failed = 0, thrown = 0;
  for (calls_of_family these{0}; called < calls; ++these.family) {
    auto const before = allocations.load();
    memory.call_all(policy, these);
    auto const all = allocations - before;
    expect(memory.calls > 0, what + ": every family has calls");
    if (memory.calls == 0) return;
    called += memory.calls;
    failed += all;
    for (std::size_t k = 0; k < all; ++k) {
      fails = allocations + k;
      try {
        memory.call_all(policy, these);
        fails = ~std::size_t{0};
      } catch (std::bad_alloc const&) {
        fails = ~std::size_t{0};
        ++thrown;
        expect(memory.untouched(), what + ": family " + std::to_string(these.family) + ", call " +
                                       std::to_string(memory.calls) + " has written before allocation " +
                                       std::to_string(k) + " failed");
      }
    }
  }
  expect(thrown > 0 && thrown >= failed / 2,
         what + ": " + std::to_string(thrown) + " of " + std::to_string(failed) + " were thrown");
}

}  // namespace

TEST_CASE("host memory: a call that finds none has written nothing") {
  heap_law(sweep::seq, "seq");
  heap_law(sweep::host.threads(1), "host");
}
