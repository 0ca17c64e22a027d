// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept for streams: bounded, found again, given back when nobody uses it any more and not before.
#include <support/device_places.hpp>
#include <support/expect.hpp>

#include <sweep/release_kept.cuh>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>

#include <numeric>
#include <thread>
#include <vector>

using namespace sweep_test;

namespace {

using U = std::uint32_t;
using sweep::detail::all_kept;

std::uint64_t pool_bytes(cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  auto const pool = sweep::detail::scratch_pools::all().if_made(0);
  if (pool) succeed(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}
std::uint64_t used() { return pool_bytes(cudaMemPoolAttrUsedMemCurrent); }

/// Scans and sums by lengths: tile state, and pieces of scratch.
class work {
 public:
  explicit work(std::size_t n)
      : in_(std::vector<U>(n, 1)), lengths_(std::vector<U>(n / 5, 5)), out_(n), sums_(n / 5) {}
  void enqueue(cudaStream_t stream) const {
    auto const policy = scan_in_registers.on(stream);
    sweep::inclusive_scan(policy, in_.begin(), in_.end(), out_.begin());
    sweep::segmented_reduce(policy, in_.begin(), in_.end(),
                            sweep::segments::by_lengths(lengths_.begin(), lengths_.end()), sums_.begin());
  }
  void expect_done(std::string const& what) const {
    std::vector<U> want(in_.end() - in_.begin());
    std::iota(want.begin(), want.end(), 1u);
    expect_equal(out_.read(), want, what + ": scan");
    expect_equal(sums_.read(), std::vector<U>(want.size() / 5, 5), what + ": sums");
  }

 private:
  device_array<U> in_, lengths_, out_, sums_;
};

/// Holds up its stream until the host says so.
__global__ void wait_for(U volatile* flag) {
  while (*flag == 0) __nanosleep(1000);
}
class held_stream {
 public:
  held_stream() {
    succeed(cudaHostAlloc(&flag_, sizeof(U), cudaHostAllocMapped));
    *flag_ = 0;
    wait_for<<<1, 1, 0, stream_>>>(flag_);
    succeed(cudaGetLastError());
  }
  held_stream(held_stream const&) = delete;
  held_stream& operator=(held_stream const&) = delete;
  ~held_stream() {
    let_go();
    (void)cudaDeviceSynchronize();
    (void)cudaFreeHost(flag_);
  }
  operator cudaStream_t() const { return stream_; }
  void let_go() { *static_cast<U volatile*>(flag_) = 1; }

 private:
  own_stream stream_;
  U* flag_ = nullptr;
};

}  // namespace

TEST_CASE("device kept: released when asked, and then calls work as first ones") {
  work const job(20'000);
  own_stream const stream;
  job.enqueue(stream);
  CHECK(all_kept::instance().bytes(0) > 0);
  CHECK(sweep::release_kept() > 0);
  CHECK(all_kept::instance().streams(0) == 0);
  CHECK(all_kept::instance().bytes(0) == 0);
  CHECK(used() == 0);
  CHECK(pool_bytes(cudaMemPoolAttrReservedMemCurrent) == 0);
  CHECK(sweep::release_kept() == 0);
  job.expect_done("before");
  for (int twice = 0; twice < 2; ++twice) job.enqueue(stream);
  job.expect_done("after");
}

TEST_CASE("device kept: a thousand streams each find their own again") {
  std::size_t const count = sanitizing() ? 100 : 1000;
  (void)sweep::release_kept();
  work const job(4'000);
  std::vector<own_stream> streams(count);
  for (auto const& stream : streams) job.enqueue(stream);
  succeed(cudaDeviceSynchronize());
  CHECK(all_kept::instance().streams(0) == count);
  auto const before = used();
  for (int round = 0; round < 3; ++round)
    for (auto const& stream : streams) job.enqueue(stream);
  CHECK(used() == before);  // nothing is allocated for them any more
  CHECK(all_kept::instance().streams(0) == count);
  job.expect_done("many streams");
  CHECK(sweep::release_kept() >= before / 2);
  CHECK(used() == 0);
}

TEST_CASE("device kept: what destroyed streams kept is given back, and stays little") {
  (void)sweep::release_kept();
  std::size_t const count = sanitizing() ? 150 : 20'000;
  work const job(4'000);
  std::size_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    own_stream const stream;
    job.enqueue(stream);
    most = std::max(most, all_kept::instance().streams(0));
  }
  job.expect_done("streams that come and go");
  MESSAGE("kept for " << most << " of " << count << " streams at most, " << used() << " bytes in the end");
  CHECK(most <= sweep::detail::most_streams);
  CHECK(used() <= sweep::detail::most_bytes);
  if (!sanitizing()) {
    // Each makes a few uses: far fewer streams than there have been count as not idle.
    CHECK(all_kept::instance().streams(0) < count / 4);
  }
  (void)sweep::release_kept();
  CHECK(used() == 0);
}

TEST_CASE("device kept: large state is bounded, and evicted longest unused first") {
  if (sanitizing()) return;
  (void)sweep::release_kept();
  work const large(10'000'000), small(4'000);
  for (int i = 0; i < 12; ++i) {
    own_stream const stream;
    large.enqueue(stream);
    if (i % 4 == 3) succeed(cudaDeviceSynchronize());
  }
  succeed(cudaDeviceSynchronize());
  own_stream const last;
  small.enqueue(last);
  MESSAGE(all_kept::instance().bytes(0) << " bytes for " << all_kept::instance().streams(0) << " streams");
  CHECK(all_kept::instance().bytes(0) <= sweep::detail::most_bytes);
  large.expect_done("large state");
  small.expect_done("small state");
  (void)sweep::release_kept();
}

TEST_CASE("device kept: memory of a stream with work under way is not given back") {
  (void)sweep::release_kept();
  // So many that room is wanted, and few enough for their launches to queue behind the one that waits.
  std::size_t const crowd =
      sanitizing() ? 80 : sweep::detail::most_streams - sweep::detail::quiet_streams + 100;
  work const held(200'000), others(4'000);
  {
    std::vector<own_stream> const crowding(1 + sweep::detail::quiet_streams);  // the next are watched
    for (auto const& stream : crowding) others.enqueue(stream);
    held.enqueue(crowding[0]);  // its kernels are loaded before one of them is waited for
    succeed(cudaDeviceSynchronize());
    held_stream slow;
    held.enqueue(slow);
    auto const mine = all_kept::instance().bytes(0);
    for (std::size_t i = 0; i < crowd; ++i) {
      own_stream const stream;
      others.enqueue(stream);
    }
    CHECK(mine > 0);
    slow.let_go();
    held.expect_done("a stream that was slow");
    others.expect_done("the others");
  }
  (void)sweep::release_kept();
  CHECK(used() == 0);
}

TEST_CASE("device kept: threads that come and go, releases in between") {
  int const rounds = sanitizing() ? 3 : 50;
  std::vector<work> jobs;
  for (int i = 0; i < 4; ++i) jobs.emplace_back(30'000);
  std::thread releasing([&] {
    for (int i = 0; i < rounds; ++i) (void)sweep::release_kept();
  });
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> threads;
    for (auto const& job : jobs)
      threads.emplace_back([&job] {
        for (int i = 0; i < 3; ++i) job.enqueue(cudaStreamPerThread);
        (void)cudaStreamSynchronize(cudaStreamPerThread);
      });
    for (auto& thread : threads) thread.join();
  }
  releasing.join();
  for (auto const& job : jobs) job.expect_done("per-thread streams");
  (void)sweep::release_kept();
  CHECK(used() == 0);
}
