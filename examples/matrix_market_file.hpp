// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_MATRIX_MARKET_FILE_HPP
#define SWEEP_EXAMPLES_MATRIX_MARKET_FILE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#if defined(SWEEP_EXAMPLES_ZLIB)
#include <zlib.h>
#endif
#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <fstream>
#endif

/// What a file holds: of regular files as it lies in the system's memory, and unpacked where it is packed.
namespace matrix_market {

namespace detail {

/// All that a file gives, which is opened once. A regular file is mapped, for there threads read its parts
/// without a copy; it must not become shorter while it is. Whatever else can be read, a pipe or a file that
/// the system makes up as it is read, is read to its end.
class file_in_memory {
 public:
  file_in_memory(file_in_memory const&) = delete;
  file_in_memory& operator=(file_in_memory const&) = delete;
  std::string_view text() const { return text_; }

#if __has_include(<sys/mman.h>)
  explicit file_in_memory(std::string const& path) {
    opened const file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) fail("cannot open " + path);
    struct stat is;
    if (fstat(file.number, &is) != 0) fail("cannot read " + path);
    if (S_ISDIR(is.st_mode)) throw std::runtime_error("cannot read " + path + ": it is a directory");
    if (S_ISREG(is.st_mode) && is.st_size > 0) {
      auto const bytes = static_cast<std::size_t>(is.st_size);
      if (auto* const found = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number, 0);
          found != MAP_FAILED) {
        mapped_ = found;
        text_ = {static_cast<char const*>(found), bytes};
        return;
      }
    }
    std::string some(1 << 16, ' ');
    for (;;) {
      auto const count = ::read(file.number, some.data(), some.size());
      if (count == 0) break;
      if (count > 0) read_.append(some, 0, static_cast<std::size_t>(count));
      else if (errno != EINTR) fail("cannot read " + path);
    }
    text_ = read_;
  }
  ~file_in_memory() {
    if (mapped_) munmap(mapped_, text_.size());
  }

 private:
  struct opened {
    int number;
    ~opened() {
      if (number >= 0) close(number);
    }
  };
  [[noreturn]] static void fail(std::string const& what) {
    throw std::runtime_error(what + ": " + std::generic_category().message(errno));
  }
  void* mapped_ = nullptr;
#else
  explicit file_in_memory(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::string some(1 << 16, ' ');
    while (file.read(some.data(), static_cast<std::streamsize>(some.size())) || file.gcount() > 0)
      read_.append(some, 0, static_cast<std::size_t>(file.gcount()));
    if (!file.eof()) throw std::runtime_error("cannot read " + path);
    text_ = read_;
  }

 private:
#endif
  std::string read_;
  std::string_view text_;
};

inline bool is_compressed(std::string_view text) { return text.substr(0, 2) == "\x1f\x8b"; }

#if defined(SWEEP_EXAMPLES_ZLIB)
/// What a file compressed by gzip holds, which may be several such files one behind the other.
inline std::string decompressed(std::string const& path, std::string_view packed) {
  struct inflation : z_stream {
    inflation() : z_stream{} {}
    ~inflation() { inflateEnd(this); }
  } state;
  int error = inflateInit2(&state, 16 + MAX_WBITS);
  std::string text, some(1 << 20, ' ');
  while (error == Z_OK) {
    auto const piece = std::min<std::size_t>(packed.size(), 1u << 30);  // zlib counts in 32 bits
    state.next_in = const_cast<Bytef*>(reinterpret_cast<Bytef const*>(packed.data()));
    state.avail_in = static_cast<uInt>(piece);
    state.next_out = reinterpret_cast<Bytef*>(some.data());
    state.avail_out = static_cast<uInt>(some.size());
    error = inflate(&state, Z_NO_FLUSH);
    packed.remove_prefix(piece - state.avail_in);
    text.append(some, 0, some.size() - state.avail_out);
    if (error == Z_STREAM_END && is_compressed(packed)) error = inflateReset(&state);
  }
  if (error == Z_STREAM_END) return text;
  std::string const said = error == Z_BUF_ERROR ? "it ends too early" : state.msg ? state.msg : zError(error);
  throw std::runtime_error(path + " cannot be decompressed: " + said);
}
#endif

}  // namespace detail

}  // namespace matrix_market

#endif
