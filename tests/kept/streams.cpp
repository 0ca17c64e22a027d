// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept for streams, on a runtime of paper: bounded, found again, never given back while work may use
// it.
#include <kept/paper_runtime.hpp>
#include <support/expect.hpp>

#include <sweep/detail/runtime/stream_cache.cuh>

#include <algorithm>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

using namespace sweep_test;
using sweep::detail::all_kept;

namespace {

using stream_type = CUstream_st*;

/// A call that has a piece of scratch and launches a kernel with tile state, and one behind it. Small: of few
/// tiles.
void call(stream_type stream, std::mt19937& random, bool small = false) {
  sweep::detail::kept_use const outer("call", stream);
  void* const piece = outer ? outer.take("call", small ? 100 : 1 + random() % 30'000) : nullptr;
  {
    sweep::detail::kept_use const inner("call", stream);
    std::size_t const words = small ? 10 : random() % 50 == 0 ? 100'000 : 10 + random() % 3'000;
    if (inner && inner.has_room_for_tiles(words)) {
      sweep::detail::held_lock const lock(&inner.tiles().mutex);
      inner.reserve_tiles("call", words);
      ++inner.tiles().stamp;
      paper().launch(stream, inner.tiles().memory);
    }
  }
  if (piece) {
    paper().launch(stream, piece);
    outer.give_back(piece);
  }
}

void expect_all_released(char const* when) {
  auto& kept = all_kept::instance();
  (void)kept.release("release_kept");
  expect(paper().live == 0 && kept.streams(0) == 0 && kept.bytes(0) == 0,
         std::string(when) + ": all is released");
  expect(paper().given_back_too_early == 0, std::string(when) + ": nothing is given back too early");
}

}  // namespace

TEST_CASE("kept memory: few streams pay for no events and a thousand find theirs again") {
  std::mt19937 random(1);
  auto& kept = all_kept::instance();
  std::vector<stream_type> streams(50);
  for (auto& stream : streams) stream = paper().new_stream();
  for (int i = 0; i < 2000; ++i) call(streams[random() % streams.size()], random, true);
  CHECK(paper().events_recorded == 0);
  while (streams.size() < 1000) streams.push_back(paper().new_stream());
  for (auto* stream : streams) call(stream, random, true);
  CHECK(kept.streams(0) == 1000);
  auto const live = paper().live, blocks = paper().blocks.size();
  for (int i = 0; i < 20'000; ++i) call(streams[random() % streams.size()], random, true);
  CHECK(paper().live == live);
  CHECK(paper().blocks.size() == blocks);
  expect_all_released("a thousand");
}

TEST_CASE("kept memory: of streams that come and go little is kept, though some are never done") {
  std::mt19937 random(2);
  auto& kept = all_kept::instance();
  std::vector<stream_type> working;
  std::size_t most_streams = 0, most_bytes = 0, refused = 0;
  for (int i = 0; i < 30'000; ++i) {
    auto* const stream = paper().new_stream();
    for (auto n = random() % 4 + 1; n > 0; --n) call(stream, random, i % 3 == 0);
    auto const before = kept.streams(0);
    if (random() % 1000 != 0) working.push_back(stream);
    if (working.size() > 100) {
      std::swap(working[random() % working.size()], working.back());
      paper().finish(working.back());
      working.pop_back();
    }
    refused += before == 0;
    most_streams = std::max(most_streams, kept.streams(0));
    most_bytes = std::max(most_bytes, kept.bytes(0));
  }
  CHECK(refused == 0);
  CHECK(most_streams <= sweep::detail::most_streams);
  CHECK(most_bytes <= sweep::detail::most_bytes);
  CHECK(paper().live <= sweep::detail::most_bytes);
  // The idle are gone, but for the quiet: fewer are left than there is room for.
  std::vector<stream_type> few(200);
  for (auto& stream : few) stream = paper().new_stream();
  for (auto* stream : working) paper().finish(stream);
  for (int i = 0; i < 20'000; ++i) call(few[random() % few.size()], random, true);
  for (int i = 0; i < 3'000; ++i) {
    auto* const stream = paper().new_stream();
    call(stream, random, true);
    paper().finish(stream);
    for (int k = 0; k < 20; ++k) call(few[random() % few.size()], random, true);
  }
  CHECK(kept.streams(0) < sweep::detail::most_streams * 3 / 4);
  expect_all_released("come and go");
}

TEST_CASE("kept memory: threads, a stream that two share, and releases in between") {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      std::mt19937 random(t);
      std::vector<stream_type> mine(100);
      for (auto& stream : mine) stream = paper().new_stream();
      for (int i = 0; i < 3000; ++i) {
        auto& stream = mine[random() % mine.size()];
        call(stream, random);
        if (random() % 3 == 0) paper().finish(stream);
        if (random() % 8 == 0) stream = paper().new_stream();
      }
    });
  auto* const shared = paper().new_stream();
  for (unsigned t = 0; t < 2; ++t)
    threads.emplace_back([t, shared] {
      std::mt19937 random(t);
      for (int i = 0; i < 3000; ++i) call(shared, random);
    });
  threads.emplace_back([] {
    for (int i = 0; i < 50; ++i) (void)all_kept::instance().release("release_kept");
  });
  for (auto& thread : threads) thread.join();
  expect_all_released("threads");
}
