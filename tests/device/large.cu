// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 2^32 + 3 items.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/float_products.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/scan.hpp>

#include <iterator>

namespace sweep_test::large {

std::uint64_t many() { return sanitizing() ? 100'003 : (std::uint64_t{1} << 32) + 3; }

/// What item i of the result shall be, a random byte; the items are the differences of neighbours, in either
/// direction.
struct differences {
  std::uint64_t n;
  bool backward;
  __device__ std::uint8_t result(std::uint64_t i) const { return static_cast<std::uint8_t>(scrambled(i)); }
  __device__ std::uint8_t item(std::uint64_t i) const {
    auto const before = backward ? (i + 1 < n ? result(i + 1) : 0) : (i > 0 ? result(i - 1) : 0);
    return static_cast<std::uint8_t>(result(i) - before);
  }
};

__global__ void make_items(std::uint8_t* out, differences how) {
  for (auto i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < how.n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    out[i] = how.item(i);
}
__global__ void count_wrong(std::uint8_t const* got, differences how, unsigned long long* wrong) {
  for (auto i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < how.n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    if (got[i] != how.result(i)) atomicAdd(wrong, 1ull);
}

/// The numbers from `at` on, made up: item i is i.
struct numbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint64_t;
  std::ptrdiff_t at;
  __host__ __device__ std::uint64_t operator*() const { return static_cast<std::uint64_t>(at); }
  __host__ __device__ std::uint64_t operator[](std::ptrdiff_t i) const {
    return static_cast<std::uint64_t>(at + i);
  }
  friend __host__ __device__ numbers operator+(numbers a, std::ptrdiff_t i) { return {a.at + i}; }
  friend __host__ __device__ std::ptrdiff_t operator-(numbers a, numbers b) { return a.at - b.at; }
};

/// Keeps nothing: what is written for item i goes to Check, with counters.
template <class Check>
struct checking_output {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    std::uint64_t i;
    unsigned long long* counts;
    __device__ void operator=(std::uint64_t item) const { Check{}(i, item, counts); }
  };
  std::ptrdiff_t at;
  unsigned long long* counts;
  __host__ __device__ reference operator*() const { return (*this)[0]; }
  __host__ __device__ reference operator[](std::ptrdiff_t i) const {
    return {static_cast<std::uint64_t>(at + i), counts};
  }
  friend __host__ __device__ checking_output operator+(checking_output a, std::ptrdiff_t i) {
    return {a.at + i, a.counts};
  }
  friend __host__ __device__ std::ptrdiff_t operator-(checking_output a, checking_output b) {
    return a.at - b.at;
  }
};

/// Item i is i (i + 1) / 2. counts: (what is wrong, every 256th that is right)
struct check_sum {
  __device__ void operator()(std::uint64_t i, std::uint64_t sum, unsigned long long* counts) const {
    bool const right = sum == (i % 2 ? (i + 1) / 2 * i : i / 2 * (i + 1));
    if (!right) atomicAdd(counts, 1ull);
    else if (i % 256 == 0) atomicAdd(counts + 1, 1ull);
  }
};

/// Item i is 3 i. counts: (what is wrong, what is right)
struct check_multiple {
  __device__ void operator()(std::uint64_t i, std::uint64_t item, unsigned long long* counts) const {
    atomicAdd(counts + (item == 3 * i), 1ull);
  }
};

struct is_multiple_of_3 {
  __host__ __device__ bool operator()(std::uint64_t i) const { return i % 3 == 0; }
};

}  // namespace sweep_test::large

using namespace sweep_test;
using namespace sweep_test::large;

TEST_CASE("device scans: 2^32 + 3 bytes in place, forward and backward") {
  auto const n = many();
  if (!has_free_memory(n + (std::size_t{256} << 20))) return;
  device_array<std::uint8_t> const bytes(n);
  device_array<unsigned long long> wrong(std::vector<unsigned long long>{0});
  auto const law = [&](auto direction, bool backward) {
    differences const how{n, backward};
    make_items<<<4096, 256>>>(bytes.begin(), how);
    auto const end =
        sweep::inclusive_scan(sweep::device, bytes.begin(), bytes.end(), bytes.begin(), add{}, direction);
    CHECK(end == bytes.end());
    count_wrong<<<4096, 256>>>(bytes.begin(), how, wrong.begin());
    succeed(cudaGetLastError());
    CHECK(wrong.read()[0] == 0);
  };
  law(sweep::forward, false);
  law(sweep::backward, true);
}

TEST_CASE("device scans: 2^32 + 3 numbers that are made up, summed and checked without memory") {
  auto const n = static_cast<std::ptrdiff_t>(many());
  device_array<unsigned long long> const counts(std::vector<unsigned long long>{0, 0});
  checking_output<check_sum> const out{0, counts.begin()};
  CHECK(sweep::inclusive_scan(sweep::device, numbers{0}, numbers{n}, out) - out == n);
  auto const counted = counts.read();
  CHECK(counted[0] == 0);
  CHECK(counted[1] == (many() + 255) / 256);
}

TEST_CASE(
    "device compactions: 2^32 + 3 numbers that are made up, every third kept and checked without memory") {
  auto const n = static_cast<std::ptrdiff_t>(many());
  device_array<unsigned long long> const counts(std::vector<unsigned long long>{0, 0});
  checking_output<check_multiple> const out{0, counts.begin()};
  auto const kept = (n + 2) / 3;
  CHECK(sweep::copy_if(sweep::device, numbers{0}, numbers{n}, out, is_multiple_of_3{}) - out == kept);
  auto const counted = counts.read();
  CHECK(counted[0] == 0);
  CHECK(counted[1] == static_cast<unsigned long long>(kept));
}
