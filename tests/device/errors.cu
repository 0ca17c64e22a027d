// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad input on the device: what is said, that nothing is written, and that the next call works.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/oracle.hpp>
#include <support/values.hpp>

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace sweep_test;

namespace {

using U = std::uint32_t;

__global__ void trap() { asm("trap;"); }

void the_next_call_works() {
  device_array<U> const in(std::vector<U>(1000, 1)), out(1000);
  sweep::inclusive_scan(sweep::device, in.begin(), in.end(), out.begin());
  CHECK(out.read()[999] == 1000);
}

}  // namespace

TEST_CASE("device errors: negative distances and null pointers") {
  guarded<U, device_memory> const in(1000), out(1000);
  U* const none = nullptr;
  expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "last", "3 items before first"}, [&] {
    sweep::inclusive_scan(sweep::device, in.begin() + 5, in.begin() + 2, out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::exclusive_scan", "first", "null"}, [&] {
    sweep::exclusive_scan(scan_in_registers, none, none + 5, out.begin(), 0u);
  });
  expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "out", "null"}, [&] {
    sweep::inclusive_scan(sweep::device, in.begin(), in.end(), none);
  });
  expect_throw<sweep::bad_argument>({"sweep::reduce", "last"},
                                    [&] { (void)sweep::reduce(sweep::device, in.end(), in.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::reduce_into", "out", "null"},
                                    [&] { sweep::reduce_into(sweep::device, in.begin(), in.end(), none); });
  expect(out.all_untouched(), "nothing is written");
  the_next_call_works();
}

TEST_CASE("device errors: an empty range is fine, whatever the pointers") {
  U* const none = nullptr;
  CHECK(sweep::inclusive_scan(sweep::device, none, none, none) == nullptr);
  CHECK(sweep::exclusive_scan(scan_in_registers.checked(), none, none, none, 1u, sweep::backward) == nullptr);
  CHECK(sweep::reduce(sweep::device, none, none, 5u) == 5);
  device_array<U> const out(std::vector<U>{9});
  sweep::reduce_into(sweep::device, none, none, out.begin(), 6u);
  CHECK(out.read()[0] == 6);
}

TEST_CASE("device errors: host pointers under checked()") {
  std::vector<U> host(1000, 1);
  guarded<U, device_memory> const out(1000);
  device_array<U> const in(host);
  int pageable = 0;
  succeed(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (pageable) {
    MESSAGE("this device reaches pageable host memory: such pointers work");
    sweep::inclusive_scan(sweep::device.checked(), host.data(), host.data() + 1000, out.begin());
    CHECK(out.read()[999] == 1000);
  } else {
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "first", "host memory"}, [&] {
      sweep::inclusive_scan(sweep::device.checked(), host.data(), host.data() + 1000, out.begin());
    });
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "out", "host memory"}, [&] {
      sweep::inclusive_scan(sweep::device.checked(), in.begin(), in.end(), host.data());
    });
    expect_throw<sweep::bad_argument>({"sweep::reduce_into", "first", "host memory"}, [&] {
      sweep::reduce_into(sweep::device.checked(), host.data(), host.data() + 1000, out.begin());
    });
    expect(out.all_untouched(), "nothing is written");
  }
  sweep::inclusive_scan(sweep::device.checked(), in.begin(), in.end(), out.begin());  // good pointers pass
  CHECK(out.read()[999] == 1000);
  void* pinned = nullptr;
  succeed(cudaMallocHost(&pinned, 4000));
  sweep::inclusive_scan(sweep::device.checked(), in.begin(), in.end(), static_cast<U*>(pinned));
  succeed(cudaDeviceSynchronize());
  CHECK(static_cast<U*>(pinned)[999] == 1000);
  succeed(cudaFreeHost(pinned));
}

TEST_CASE("device errors: an earlier error that does not stick is not ours to report") {
  CHECK(cudaMemcpyAsync(nullptr, nullptr, 5, static_cast<cudaMemcpyKind>(77)) !=
        cudaSuccess);  // left for cudaGetLastError
  the_next_call_works();
  (void)cudaGetLastError();
}

// A trapped kernel ruins the context for good, so it is done in a process of its own, by the test after this
// one.
TEST_CASE("device errors (child): a stream that is already in error" * doctest::skip()) {
  device_array<U> const in(std::vector<U>(1000, 1)), out(1000);
  own_stream const stream;
  sweep::inclusive_scan(sweep::device.on(stream), in.begin(), in.end(), out.begin());
  trap<<<1, 1, 0, stream>>>();
  CHECK(cudaStreamSynchronize(stream) != cudaSuccess);
  for (int twice = 0; twice < 2; ++twice) {
    try {
      sweep::inclusive_scan(sweep::device.on(stream), in.begin(), in.end(), out.begin());
      FAIL("nothing was thrown");
    } catch (sweep::cuda_error const& error) {
      std::string const said = error.what();
      expect(said.find("sweep::inclusive_scan: cuda") != std::string::npos,
             "names the algorithm and the CUDA call: " + said);
      expect(said.find(cudaGetErrorString(static_cast<cudaError_t>(error.code().value()))) !=
                 std::string::npos,
             "gives CUDA's message: " + said);
      CHECK(error.code().category().name() == std::string("cuda"));
      CHECK(error.code().value() != 0);
    }
    CHECK_THROWS_AS((void)sweep::reduce(sweep::device.on(stream), in.begin(), in.end()), sweep::cuda_error);
  }
}

TEST_CASE("device errors: a stream that is already in error") {
  if (sanitizing()) return;  // the tools would report the trap
  auto const self =
      std::filesystem::read_symlink("/proc/self/exe").string();  // the shell's own, if left to it
  auto const command = "'" + self + "' --no-skip --test-case='device errors (child)*' 2>&1";
  std::FILE* const child = popen(command.c_str(), "r");
  REQUIRE(child != nullptr);
  std::string said;
  char line[512];
  while (std::fgets(line, sizeof line, child)) said += line;
  int const status = pclose(child);
  expect(status == 0 && said.find("1 passed") != std::string::npos, "the child process said:\n" + said);
}
