// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <sweep/detail/axes/walk.hpp>
#include <sweep/detail/host/streaming.hpp>
#include <sweep/detail/host/team.hpp>

// Small inputs do here what large ones do elsewhere: each tile wakes a thread, and results of half a tile are
// streamed.
[[maybe_unused]] static bool const small_is_large = [] {
  sweep::detail::least_tiles_of_member = 1;
  sweep::detail::streamed_from = 1 << 15;
  sweep::detail::streams_from_words = 0;
  sweep::detail::bytes_of_streamed_row = 64;
  return true;
}();
