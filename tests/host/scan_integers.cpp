// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums of narrow integers, which are made in vectors: of every width in every wider one, from and to
// places that no vector is aligned to, in place, and past the caches.
#include <doctest/doctest.h>
#include <support/random.hpp>

#include <sweep/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

using namespace sweep_test;

namespace {

template <class In, class T>
void gives_running_sums(random_source& random, std::size_t n, std::size_t skip, int threads) {
  // Sums in int, in which narrow numbers are added, or in a wider signed type are no more than it holds;
  // others begin again at 0.
  constexpr bool is_bounded = std::is_signed_v<T> || sizeof(T) < sizeof(int);
  constexpr std::int64_t most = is_bounded ? 15'000 : 0xffff'ffff;
  CAPTURE(n);
  CAPTURE(skip);
  CAPTURE(threads);
  std::vector<In> x(n + skip);
  for (auto& item : x) item = static_cast<In>(random.between(0, most));
  using bits = std::make_unsigned_t<T>;
  T const init = static_cast<T>(random.between(0, most));
  std::vector<T> inclusive(n + skip), exclusive(n + skip);
  auto sum = static_cast<bits>(init);
  for (std::size_t i = skip; i < n + skip; ++i) {
    exclusive[i] = static_cast<T>(sum);
    sum = static_cast<bits>(sum + static_cast<bits>(x[i]));
    inclusive[i] = static_cast<T>(sum);
  }
  auto const policy = sweep::host.threads(threads);
  In const* const first = x.data() + skip;
  auto const at = static_cast<std::ptrdiff_t>(skip);
  std::vector<T> out(n + skip);
  auto const end = sweep::inclusive_scan(policy, first, first + n, out.begin() + at, std::plus<>{}, init);
  CHECK(end == out.end());
  CHECK((out == inclusive));
  sweep::exclusive_scan(policy, first, first + n, out.data() + skip, init);
  CHECK((out == exclusive));
  if constexpr (std::is_same_v<In, T>) {
    auto same = x;
    for (std::size_t i = 0; i < skip; ++i) same[i] = 0;
    sweep::exclusive_scan(policy, same.begin() + at, same.end(), same.begin() + at, init);
    CHECK((same == exclusive));
    sweep::inclusive_scan(policy, x.begin() + at, x.end(), x.begin() + at, std::plus<>{}, init);
    for (std::size_t i = 0; i < skip; ++i) x[i] = 0;
    CHECK((x == inclusive));
  }
}

template <class In, class... Wider>
void gives_running_sums_in() {
  random_source random("running sums");
  for (std::size_t const n : {1, 5, 15, 16, 17, 31, 33, 64, 1000, 70'001})
    for (std::size_t const skip : {0, 1, 3})
      for (int const threads : {1, 3}) (gives_running_sums<In, Wider>(random, n, skip, threads), ...);
}

}  // namespace

TEST_CASE("host scan: running sums of bytes") {
  gives_running_sums_in<std::uint8_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
  gives_running_sums_in<std::int8_t, std::int8_t, std::int16_t, std::int32_t, std::uint32_t>();
}
TEST_CASE("host scan: running sums of 16 and 32 bits") {
  gives_running_sums_in<std::uint16_t, std::uint16_t, std::uint32_t, std::int32_t>();
  gives_running_sums_in<std::int16_t, std::int16_t, std::int32_t, std::int64_t>();
  gives_running_sums_in<std::uint32_t, std::uint32_t, std::uint64_t>();
}
TEST_CASE("host scan: how many of some flags are set") {
  bool const flags[] = {true,  false, true, true,  false, false, true, true,  true,
                        false, true,  true, false, true,  true,  true, false, true};
  int const expected[] = {1, 1, 2, 3, 3, 3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 11, 11, 12};
  int out[18]{};
  sweep::inclusive_scan(sweep::host.threads(1), flags, flags + 18, out, std::plus<>{}, 0);
  CHECK(std::vector<int>(out, out + 18) == std::vector<int>(expected, expected + 18));
}
