// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_SLOTS_HPP
#define SWEEP_DETAIL_LOOKBACK_SLOTS_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::detail {

/// Whether what stands before a value does not matter to it, so that look-back need go no further: never, but
/// for types that overload this.
template <class T>
SWEEP_HD constexpr bool ignores_left(T const&) {
  return false;
}
template <class T>
inline constexpr bool may_ignore_left = false;

/// How a value is stored in tile state: the bytes of it, and optionally one bool, which is kept in the top
/// bit of a stamp. A type with such a bool has a specialisation (flagged<V, bool>).
template <class T>
struct slot_form {
  using stored = T;
  static constexpr bool has_bit = false;
  static SWEEP_HD T const& value(T const& x) { return x; }
  static SWEEP_HD bool bit(T const&) { return false; }
  static SWEEP_HD void join(T& x, T const& value, bool) { x = value; }
};

/// Launches count their stamps up to here: the bit above is a value's own.
inline constexpr std::uint32_t last_tag = 0x7fffffff;

/// An array of values that are each written once and read by anybody, without locks or fences.
/// A value takes one or more 8-byte words, each 4 bytes of value below 4 bytes of stamp, the launch's number.
/// Words are written and read relaxed: a reader has the value when all its words carry this launch's stamp,
/// and nothing is ever overwritten within a launch.
template <class T>
class slots {
  static_assert(std::is_trivially_copyable_v<T>,
                "sweep: values that tiles exchange must be trivially copyable");
  using form = slot_form<T>;
  using stored = typename form::stored;

 public:
  static constexpr int words = (sizeof(stored) + 3) / 4;  ///< 8-byte words of one value

  slots() = default;
  SWEEP_HD slots(std::uint64_t* at, std::uint32_t tag) : at_{at}, tag_{tag} {}

  SWEEP_HD void put(std::int64_t i, T const& value) const {
    std::uint32_t part[words] = {};
    stored const& x = form::value(value);
    std::memcpy(part, &x, sizeof(stored));
    for (int w = 0; w < words; ++w) {
      std::uint32_t above = tag_;
      if constexpr (form::has_bit)
        if (w == 0) above |= std::uint32_t{form::bit(value)} << 31;
      atomic_ref<std::uint64_t>(at_[i * words + w]).store(std::uint64_t{above} << 32 | part[w], relaxed);
    }
  }

  /// True when the value was there; `value` is written only then.
  SWEEP_HD bool get(std::int64_t i, T& value) const {
    std::uint32_t part[words];
    bool whole = true, bit = false;
    for (int w = 0; w < words; ++w) {
      auto const word = atomic_ref<std::uint64_t>(at_[i * words + w]).load(relaxed);
      part[w] = static_cast<std::uint32_t>(word);
      auto const above = static_cast<std::uint32_t>(word >> 32);
      if constexpr (form::has_bit) {
        whole &= (above & last_tag) == tag_;
        if (w == 0) bit = above > last_tag;
      } else {
        whole &= above == tag_;
      }
    }
    if (whole) {
      stored x{};
      std::memcpy(static_cast<void*>(&x), part, sizeof(stored));
      form::join(value, x, bit);
    }
    return whole;
  }

 private:
  std::uint64_t* at_ = nullptr;
  std::uint32_t tag_ = 0;
};

}  // namespace sweep::detail

#endif
