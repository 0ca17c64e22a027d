// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where scratch memory comes from, how much it is, and what happens when there is none.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

#include <sweep/variant.hpp>

#include <thrust/iterator/constant_iterator.h>

#include <cstdlib>
#include <new>

using namespace sweep_test;

namespace {

/// Counts what is taken and given back; in cuda::mr's newer form.
struct counting_resource {
  std::size_t taken = 0, given_back = 0, bytes = 0, most = 0;
  bool matched = true;
  void* allocate(cudaStream_t stream, std::size_t size, std::size_t alignment) {
    void* memory = nullptr;
    succeed(cudaMallocAsync(&memory, size, stream));
    matched = matched && reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
    ++taken;
    bytes += size;
    most = std::max(most, bytes);
    return memory;
  }
  void deallocate(cudaStream_t stream, void* memory, std::size_t size, std::size_t) {
    ++given_back;
    matched = matched && bytes >= size;
    bytes -= size;
    succeed(cudaFreeAsync(memory, stream));
  }
};

/// The older form, argument order and names.
struct older_resource {
  counting_resource counts;
  void* allocate_async(std::size_t bytes, std::size_t alignment, cudaStream_t stream) {
    return counts.allocate(stream, bytes, alignment);
  }
  void deallocate_async(void* memory, std::size_t bytes, std::size_t alignment, cudaStream_t stream) {
    counts.deallocate(stream, memory, bytes, alignment);
  }
};

struct empty_resource {
  void* allocate(cudaStream_t, std::size_t, std::size_t) { throw std::bad_alloc(); }
  void deallocate(cudaStream_t, void*, std::size_t, std::size_t) {}
};

/// How little it is depends on the tables' plans.
template <class X, class Op>
void default_scratch_law(std::string const& what, Op op) {
  random_source random(what);
  for (std::size_t const n :
       {std::size_t{1}, std::size_t{5'000}, std::size_t{300'000}, std::size_t{6'000'000}}) {
    if (sanitizing() && n > 5'000) continue;
    auto const x = draw_many<X>(n, random);
    device_array<X> const in(x), out(n);
    counting_resource resource;
    sweep::inclusive_scan(sweep::device.scratch(resource), in.begin(), in.end(), out.begin(), op);
    auto const title = what + ", n = " + std::to_string(n) + ": ";
    expect_equal(out.read(), scan_oracle<X>(true, false, x, op, std::nullopt), title + "with a resource");
    bool const by_one_block = n <= 5'000;  // which need not tell another anything
    expect((by_one_block || resource.taken > 0) && resource.taken == resource.given_back &&
               resource.bytes == 0 && resource.matched,
           title + "what is taken is given back");
    expect(resource.most <= n * sizeof(X) / (sizeof(X) <= 16 ? 1000 : 100) + 65536,
           title + std::to_string(resource.most) + " bytes of scratch");
  }
}

}  // namespace

TEST_CASE("device scratch: a resource gives little and gets everything back") {
  default_scratch_law<std::uint8_t>("u8", chosen_operator<std::uint8_t>{operation::plus});
  default_scratch_law<std::uint32_t>("u32", add{});
  default_scratch_law<matrix2>("16 bytes", matrix2_product{});
  default_scratch_law<motion>("48 bytes", motion_then{});
}

TEST_CASE("device scratch: a resource of the older form") {
  random_source random("older");
  auto const x = draw_many<std::uint32_t>(50'000, random);
  device_array<std::uint32_t> const in(x), out(x.size());
  older_resource resource;
  sweep::inclusive_scan(sweep::device.scratch(resource).with(sweep::variant::scan_then_propagate), in.begin(),
                        in.end(), out.begin(), add{});
  expect_equal(out.read(), scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt), "older form");
  expect(resource.counts.taken > 0 && resource.counts.bytes == 0, "what is taken is given back");
}

TEST_CASE("device scratch: a caller's buffer of just the size that the message asks for") {
  random_source random("span");
  auto const law = [&](auto const& policy, std::string const& name) {
    auto const x = draw_many<std::uint32_t>(50'000, random);
    device_array<std::uint32_t> const in(x);
    guarded<std::uint32_t, device_memory> const out(x.size());
    std::string said;
    try {
      sweep::inclusive_scan(policy.scratch(std::span<std::byte>{}), in.begin(), in.end(), out.begin(), add{});
    } catch (sweep::bad_argument const& error) { said = error.what(); }
    expect(said.find("sweep::inclusive_scan: scratch has 0 bytes, but ") != std::string::npos,
           name + " says what is missing: " + said);
    expect(out.all_untouched(), name + ": nothing is written");
    auto const needed =
        static_cast<std::size_t>(std::strtoull(said.c_str() + said.find("but ") + 4, nullptr, 10));
    REQUIRE(needed > 0);
    guarded<std::byte, device_memory> const buffer(needed);
    std::span const bytes(buffer.begin(), needed);
    expect_throw<sweep::bad_argument>({"scratch", std::to_string(needed - 1), std::to_string(needed)}, [&] {
      sweep::inclusive_scan(policy.scratch(bytes.first(needed - 1)), in.begin(), in.end(), out.begin(),
                            add{});
    });
    expect(out.all_untouched(), name + ": nothing is written");
    for (int twice = 0; twice < 2; ++twice) {
      sweep::inclusive_scan(policy.scratch(bytes), in.begin(), in.end(), out.begin(), add{});
      expect_equal(out.read(), scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt),
                   name + " in a caller's buffer");
      expect(buffer.guards_intact(), name + " stays within the caller's buffer");
    }
  };
  using namespace sweep::variant;
  law(sweep::device, "default");
  law(scan_in_registers.with(chained), "chained");
  law(sweep::device.with(reduce_then_scan), "reduce_then_scan");
  law(sweep::device.with(scan_then_propagate), "scan_then_propagate");
}

TEST_CASE("device scratch: a resource that has nothing left") {
  random_source random("empty");
  auto const x = draw_many<std::uint32_t>(50'000, random);
  device_array<std::uint32_t> const in(x);
  guarded<std::uint32_t, device_memory> const out(x.size());
  empty_resource resource;
  auto const policy = sweep::device.scratch(resource);
  CHECK_THROWS_AS(sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), add{}), std::bad_alloc);
  expect(out.all_untouched(), "nothing is written");
  sweep::inclusive_scan(sweep::device, in.begin(), in.end(), out.begin(), add{});
  expect_equal(out.read(), scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt),
               "the next call works");
}

TEST_CASE("device scratch: out of memory") {
  random_source random("out of memory");
  auto const x = draw_many<std::uint32_t>(50'000, random);
  device_array<std::uint32_t> const in(x);
  guarded<std::uint32_t, device_memory> const out(x.size());
  thrust::constant_iterator<std::uint32_t> const ones(1);
  auto const policy = sweep::device.with(sweep::variant::scan_then_propagate);
  // 512 GiB of local results; that the output is too small is of no matter, for nothing may be written.
  expect_throw<sweep::cuda_error>({"sweep::inclusive_scan", "cudaMallocFromPoolAsync", "out of memory"}, [&] {
    sweep::inclusive_scan(policy, ones, ones + (std::ptrdiff_t{1} << 37), out.begin(), add{});
  });
  expect(out.all_untouched(), "nothing is written");
  sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), add{});
  expect_equal(out.read(), scan_oracle<std::uint32_t>(true, false, x, add{}, std::nullopt),
               "the next call works");
}
