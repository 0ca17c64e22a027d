// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_STREAMING_HPP
#define SWEEP_DETAIL_HOST_STREAMING_HPP

// Stores that go past the caches. A plain store first reads the line that it writes into, so that a loop with
// one input and one output moves three bytes for two; results that no cache could hold until somebody reads
// them are better written straight to memory. These stores are not ordered with others: end_streaming() makes
// them so.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Sanitizers do not see stores in assembly. gcc says by macros that there is one, clang by features.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SWEEP_HAS_SANITIZER 1
#elif defined(__has_feature)
#define SWEEP_HAS_SANITIZER                                                                                  \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer))
#else
#define SWEEP_HAS_SANITIZER 0
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !SWEEP_HAS_SANITIZER
#define SWEEP_HAS_STREAMING_STORES 1
#else
#define SWEEP_HAS_STREAMING_STORES 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// Results of so many bytes are more than caches hold until somebody reads them. A streamed word of up to 8
/// bytes takes a core about two cycles, so that few threads with narrow words would be slower than memory:
/// two with 8 bytes, and eight with 4, gain; one with lines, in words of 16. Tests lower both.
inline std::size_t streamed_from = std::size_t{1} << 25;
inline std::size_t streams_from_words = 128;  ///< threads times the square of a word's bytes

/// Whether results of so many bytes are streamed in such words by so many threads.
inline bool is_streamed(std::size_t bytes, std::size_t word, int threads) {
  return SWEEP_HAS_STREAMING_STORES && bytes >= streamed_from &&
         static_cast<std::size_t>(threads) * word * word >= streams_from_words;
}

/// Values that are written in whole words.
template <class T>
inline constexpr bool streamable = SWEEP_HAS_STREAMING_STORES&& std::is_trivially_copyable_v<T> &&
                                   sizeof(T) % 4 == 0 && sizeof(T) <= 16 && alignof(T) >= 4;

template <class Word>
void stream_word(void* to, Word x) {
#if SWEEP_HAS_STREAMING_STORES
  asm volatile("movnti %1, %0" : "=m"(*static_cast<Word*>(to)) : "r"(x));
#else
  *static_cast<Word*>(to) = x;
#endif
}

/// The word that such a value is written in.
template <class T>
using streamed_word = std::conditional_t<sizeof(T) % 8 == 0 && alignof(T) >= 8, std::uint64_t, std::uint32_t>;

template <class T>
void stream_store(T& to, T const& x) {
  static_assert(streamable<T>);
  using word = streamed_word<T>;
  constexpr int count = static_cast<int>(sizeof(T) / sizeof(word));
  word words[count];
  std::memcpy(words, __builtin_addressof(x), sizeof(T));
  for (int w = 0; w < count; ++w) stream_word(reinterpret_cast<word*>(__builtin_addressof(to)) + w, words[w]);
}

#if SWEEP_HAS_STREAMING_STORES
inline void stream_bytes(void* to, void const* from, std::size_t bytes) {
  using words [[gnu::vector_size(16)]] = long long;
  auto* out = static_cast<std::byte*>(to);
  auto const* in = static_cast<std::byte const*>(from);
  auto const ahead =
      std::min(bytes, static_cast<std::size_t>(0 - reinterpret_cast<std::uintptr_t>(out)) % sizeof(words));
  std::memcpy(out, in, ahead);
  out += ahead;
  in += ahead;
  bytes -= ahead;
  for (; bytes >= sizeof(words); bytes -= sizeof(words), out += sizeof(words), in += sizeof(words)) {
    words x;
    std::memcpy(&x, in, sizeof(words));
    asm volatile("movntdq %1, %0" : "=m"(*reinterpret_cast<words*>(out)) : "x"(x));
  }
  std::memcpy(out, in, bytes);
}
#else
inline void stream_bytes(void* to, void const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

/// Whole lines of memory are streamed, and what lies around them is written.
inline constexpr std::size_t line_bytes = 64;
/// Results that lines are made of.
template <class T>
inline constexpr bool fills_lines = streamable<T>&& line_bytes % sizeof(T) == 0;
inline void stream_lines(void* to, void const* from, std::size_t bytes) {
  auto* const out = static_cast<std::byte*>(to);
  auto const* const in = static_cast<std::byte const*>(from);
  auto const ahead =
      std::min(bytes, static_cast<std::size_t>(0 - reinterpret_cast<std::uintptr_t>(out)) % line_bytes);
  auto const lines = (bytes - ahead) / line_bytes * line_bytes;
  std::memcpy(out, in, ahead);
  stream_bytes(out + ahead, in + ahead, lines);
  std::memcpy(out + ahead + lines, in + ahead + lines, bytes - ahead - lines);
}
/// Items from this one on before a line begins.
template <class T>
int items_before_line(T const* at) {
  return static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(at)) % line_bytes / sizeof(T));
}

/// What this thread has streamed comes before what it writes next.
inline void end_streaming() {
#if SWEEP_HAS_STREAMING_STORES
  asm volatile("sfence" ::: "memory");
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
