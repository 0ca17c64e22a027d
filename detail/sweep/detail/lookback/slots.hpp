// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_SLOTS_HPP
#define SWEEP_DETAIL_LOOKBACK_SLOTS_HPP

#include <sweep/detail/core/atomic.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::detail {

/// A value that may be missing: no operator here is asked for an identity.
template <class T>
struct maybe {
  T value{};
  bool present = false;
};

/// An array of values that are each written once and read by anybody, without locks or fences.
/// A value is a run of 8-byte words, 4 bytes of value under 4 bytes of tag. Words are written and read
/// relaxed: a reader has the value when all its words carry this launch's tag, and nothing is ever
/// overwritten within a launch.
template <class T>
class slots {
  static_assert(std::is_trivially_copyable_v<T>,
                "sweep: values that tiles exchange must be trivially copyable");

 public:
  static constexpr int words = (sizeof(T) + 3) / 4;  ///< 8-byte words of one value

  slots() = default;
  SWEEP_HD slots(std::uint64_t* at, std::uint32_t tag) : at_{at}, tag_{tag} {}

  SWEEP_HD void put(std::int64_t i, T const& value) const {
    std::uint32_t part[words] = {};
    std::memcpy(part, &value, sizeof(T));
    for (int w = 0; w < words; ++w)
      atomic_ref<std::uint64_t>(at_[i * words + w]).store(std::uint64_t{tag_} << 32 | part[w], relaxed);
  }

  /// True when the value was there; `value` is written only then.
  SWEEP_HD bool get(std::int64_t i, T& value) const {
    std::uint32_t part[words];
    bool whole = true;
    for (int w = 0; w < words; ++w) {
      auto const word = atomic_ref<std::uint64_t>(at_[i * words + w]).load(relaxed);
      part[w] = static_cast<std::uint32_t>(word);
      whole &= static_cast<std::uint32_t>(word >> 32) == tag_;
    }
    if (whole) std::memcpy(&value, part, sizeof(T));
    return whole;
  }

 private:
  std::uint64_t* at_ = nullptr;
  std::uint32_t tag_ = 0;
};

}  // namespace sweep::detail

#endif
