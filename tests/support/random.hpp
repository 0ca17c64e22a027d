// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RANDOM_HPP
#define SWEEP_TESTS_SUPPORT_RANDOM_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace sweep_test {

/// The seed of this run: SWEEP_SEED where it is set, else a fresh one. Printed once.
inline std::uint64_t seed() {
  static std::uint64_t const value = [] {
    char const* const given = std::getenv("SWEEP_SEED");
    std::uint64_t const chosen = given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    std::printf("random seed %llu (SWEEP_SEED=%llu repeats it)\n", static_cast<unsigned long long>(chosen),
                static_cast<unsigned long long>(chosen));
    std::fflush(stdout);
    return chosen;
  }();
  return value;
}

/// Smaller sizes and fewer repetitions, for programs that run a hundred times slower.
inline bool sanitizing() {
  static bool const value = std::getenv("SWEEP_SANITIZE") != nullptr;
  return value;
}

/// Whether this is a host program under AddressSanitizer: fewer sizes, but as large ones, of several host
/// tiles.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_address_sanitizer = true;
#elif defined(__has_feature)
inline constexpr bool under_address_sanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool under_address_sanitizer = false;
#endif
/// So many items of a host law, or an eighth of them under AddressSanitizer, where tiles are a sixteenth.
constexpr std::int64_t host_items(std::int64_t n) { return under_address_sanitizer ? n / 8 : n; }
/// Whether a tool makes everything slow.
inline bool slowed_down() { return sanitizing() || under_address_sanitizer; }

/// compute-sanitizer's racecheck does not see that one lane's arrival at a barrier in shared memory, behind
/// __syncwarp, speaks for its warp: it reports every handover between the stages of block/pipeline.cuh.
inline bool racechecking() {
  static bool const value = sanitizing() && std::string_view(std::getenv("SWEEP_SANITIZE")) == "racecheck";
  return value;
}

/// splitmix64, started from the run's seed and a name, so that a test's numbers do not depend on which tests
/// ran before.
class random_source {
 public:
  explicit random_source(std::string_view name) : state_{seed()} {
    for (char const c : name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }

  std::uint64_t operator()() {
    auto z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace sweep_test

#endif
