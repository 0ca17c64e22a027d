// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_SLOTS_HPP
#define SWEEP_DETAIL_LOOKBACK_SLOTS_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a op x == x for all a, so that look-back need go no further than x: never, but for types that
/// overload this.
template <class T>
SWEEP_HD constexpr bool ignores_left(T const&) {
  return false;
}
/// Whether T has such values.
template <class T>
inline constexpr bool may_ignore_left = false;

/// What folds of T are made of, where all values but the first are known not to ignore what is left of them:
/// flagged values without their flags.
template <class T>
struct fold_form {
  using folded = T;
  static SWEEP_HD T const& value(T const& x) { return x; }
  template <class Op>
  static SWEEP_HD Op& op(Op& all) {
    return all;
  }
  static SWEEP_HD T const& joined(T const& fold, bool) { return fold; }
};

/// Serialisation of T in tile state: the bytes stored, and optionally one bool kept in the stamp's top bit
/// (flagged<V, bool> uses it).
template <class T>
struct slot_form {
  using stored = T;
  static constexpr bool has_bit = false;
  static SWEEP_HD T const& value(T const& x) { return x; }
  static SWEEP_HD bool bit(T const&) { return false; }
  static SWEEP_HD void join(T& x, T const& value, bool) { x = value; }
};

/// The largest stamp of a launch; the bit above it belongs to the value (slot_form).
inline constexpr std::uint32_t last_stamp = 0x7fffffff;

// Words are stored and loaded relaxed on the device. On the host whoever has read a value has also seen what
// its writer did before, and by the values that the writer had read, what all writers before it did: in
// place, a compaction's tile writes over the items of tiles that it never heard of itself.
#if defined(__CUDA_ARCH__)
inline constexpr auto publishing = relaxed, reading = relaxed;
#else
inline constexpr auto publishing = release, reading = acquire;
#endif

/// Whether values' words lie on boundaries of 16 bytes, wherever they are kept: then a device moves them two
/// by two, each as good as alone, since each has its stamp.
template <class T>
inline constexpr bool words_in_pairs = false;

#if defined(__CUDACC__)
__device__ inline void load_two_words(std::uint64_t const* at, std::uint64_t& a, std::uint64_t& b) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(at) : "memory");
}
__device__ inline void store_two_words(std::uint64_t* at, std::uint64_t a, std::uint64_t b) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(a), "l"(b) : "memory");
}
#endif

/// An array of values, each published once a launch and read by any thread, without locks or fences.
/// A value is a run of 8-byte words, 4 bytes of value under 4 bytes of stamp. A reader has the value when all
/// its words carry this launch's stamp, and nothing is overwritten within a launch. Ref says who reads it:
/// the device, or the host too.
template <class T, template <class> class Ref = atomic_ref>
class slots {
  static_assert(relocatable<T>, "sweep: values that tiles exchange must be trivially copyable");
  using form = slot_form<T>;
  using stored = typename form::stored;

 public:
  static constexpr int words = (sizeof(stored) + 3) / 4;  ///< 8-byte words of one value

 private:
  static constexpr bool in_pairs = words_in_pairs<T> && words % 2 == 0;

 public:
  slots() = default;
  SWEEP_HD slots(std::uint64_t* at, std::uint32_t stamp) : at_{at}, stamp_{stamp} {}
  SWEEP_HD bool exist() const { return at_ != nullptr; }

  SWEEP_HD void publish(std::int64_t i, T const& value) const {
    std::uint32_t part[words] = {};
    stored const& x = form::value(value);
    std::memcpy(part, __builtin_addressof(x), sizeof(stored));
#if defined(__CUDA_ARCH__)
    // Each is 32 bits from here on: bytes of a value that nobody has written, its padding, are registers that
    // the compiler takes for bytes, and what else stood in those ended up in the stamp above them.
#pragma unroll
    for (int w = 0; w < words; ++w) asm("" : "+r"(part[w]));
    if constexpr (in_pairs) {
#pragma unroll
      for (int w = 0; w < words; w += 2)
        store_two_words(at_ + i * words + w, stamped(value, part[w], w), stamped(value, part[w + 1], w + 1));
    } else
#endif
      for (int w = 0; w < words; ++w)
        Ref<std::uint64_t>(at_[i * words + w]).store(stamped(value, part[w], w), publishing);
  }

  /// A value whose writer this thread has been told of, read without another look at the stamps.
  SWEEP_HD T read(std::int64_t i) const {
    std::uint32_t part[words];
    bool bit = false;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int w = 0; w < words; ++w) {
      auto const word = at_[i * words + w];
      part[w] = static_cast<std::uint32_t>(word);
      if (form::has_bit && w == 0) bit = static_cast<std::uint32_t>(word >> 32) > last_stamp;
    }
    stored x{};
    std::memcpy(static_cast<void*>(__builtin_addressof(x)), part, sizeof(stored));
    T value{};
    form::join(value, x, bit);
    return value;
  }

  /// The words of a value as they stand in memory, whether or not it has been published.
  struct found {
    std::uint64_t word[words];
  };
  SWEEP_HD found look(std::int64_t i) const {
    found now;
#if defined(__CUDA_ARCH__)
    if constexpr (in_pairs) {
#pragma unroll
      for (int w = 0; w < words; w += 2) load_two_words(at_ + i * words + w, now.word[w], now.word[w + 1]);
    } else
#endif
      for (int w = 0; w < words; ++w) now.word[w] = Ref<std::uint64_t>(at_[i * words + w]).load(reading);
    return now;
  }
  /// True if they are those of a published value; `value` is written only then.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool accept(found const& now, T& value) const {
    std::uint32_t part[words];
    bool whole = true, bit = false;
    for (int w = 0; w < words; ++w) {
      part[w] = static_cast<std::uint32_t>(now.word[w]);
      auto const above = static_cast<std::uint32_t>(now.word[w] >> 32);
      if constexpr (form::has_bit) {
        whole &= (above & last_stamp) == stamp_;
        if (w == 0) bit = above > last_stamp;
      } else {
        whole &= above == stamp_;
      }
    }
    if (whole) {
      stored x{};
      std::memcpy(static_cast<void*>(__builtin_addressof(x)), part, sizeof(stored));
      form::join(value, x, bit);
    }
    return whole;
  }
#if defined(__CUDACC__)
  /// What stands there comes to the second-level cache.
  __device__ void fetch(std::int64_t i) const {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at_ + i * words));
  }
#endif
  /// True if the value has been published; `value` is written only then.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool try_read(std::int64_t i, T& value) const { return accept(look(i), value); }

 private:
  /// Word w of a value, under its stamp.
  SWEEP_HD std::uint64_t stamped([[maybe_unused]] T const& value, std::uint32_t part, int w) const {
    std::uint32_t above = stamp_;
    if constexpr (form::has_bit)
      if (w == 0) above |= std::uint32_t{form::bit(value)} << 31;
    return std::uint64_t{above} << 32 | part;
  }

  std::uint64_t* at_ = nullptr;
  std::uint32_t stamp_ = 0;
};

/// Whether a look-back takes the nearest values alone first, for these may make those before them needless:
/// it saves time where values are of several words, and registers where they are not.
template <class T>
inline constexpr bool asks_nearest_first = may_ignore_left<T>&& slots<T>::words > 2;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
