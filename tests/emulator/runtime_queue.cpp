// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams have been given and what is under way.
#include "runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace emulator {
namespace {

constexpr std::size_t most_kernels = 3;     ///< that run at the same time
constexpr std::size_t most_waiting = 2000;  ///< tasks, before those who give more do some

std::vector<std::shared_ptr<operation>>& waiting() {
  static auto& all = *new std::vector<std::shared_ptr<operation>>;
  return all;
}
std::minstd_rand& chance() {
  static std::minstd_rand random(chosen().seed);
  return random;
}

bool is_ready(operation const& one) {
  if (one.kernel_before && !*one.kernel_before->done &&
      !(one.kernel_before->running && one.kernel_before->running->next_may_start()))
    return false;
  return std::all_of(one.after.begin(), one.after.end(), [](auto const& before) { return *before->done; });
}

void finish(operation& one) {
  *one.done = true;
  one.after.clear();
  one.kernel_before = nullptr;
  one.running = nullptr;
  one.what = {};
}

/// A mistake ends all that there is.
void end_by(kernel_error const& e) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulator: %s\n", e.what());
  lasting_error() = static_cast<cudaError_t>(e.code);
  for (auto const& one : waiting()) finish(*one);
  waiting().clear();
}

}  // namespace

void go_on() {
  auto& all = waiting();
  std::vector<std::size_t> ready;
  std::size_t kernels = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    bool const runs = all[k]->running != nullptr;
    kernels += runs;
    if (runs || is_ready(*all[k])) ready.push_back(k);
  }
  if (kernels >= most_kernels)
    std::erase_if(ready, [&](std::size_t k) { return all[k]->what.kernel && !all[k]->running; });
  if (ready.empty()) return;
  auto const one = all[ready[chance()() % ready.size()]];
  if (one->what.kernel) {
    if (!one->running) {
      one->running = one->what.kernel();
      if (one->kernel_before) one->running->before = one->kernel_before->done;
    }
    try {
      for (int turns = 0; turns < 4 && !one->ended; ++turns) one->ended = !one->running->advance();
    } catch (kernel_error const& e) { return end_by(e); }
    if (one->ended && (!one->kernel_before || *one->kernel_before->done)) finish(*one);
  } else {
    one->what.act();
    finish(*one);
  }
  if (*one->done) std::erase(all, one);
}

void enqueue(CUstream_st& stream, task what) {
  auto one = std::make_shared<operation>();
  one->what = std::move(what);
  auto const behind = [&](std::shared_ptr<operation> const& before) {
    if (before && !*before->done) one->after.push_back(before);
  };
  auto& legacy = stream_of(nullptr);
  if (stream.last && !*stream.last->done) {
    if (one->what.early && stream.last->what.kernel) one->kernel_before = stream.last;
    else behind(stream.last);
  }
  for (auto const& event : stream.waits) behind(event);
  stream.waits.clear();
  if (&stream == &legacy) {
    for (auto* const other : all_streams())
      if (!(other->flags & cudaStreamNonBlocking)) behind(other->last);
  } else if (!(stream.flags & cudaStreamNonBlocking)) {
    behind(legacy.last);
  }
  stream.last = one;
  waiting().push_back(one);
  for (auto turns = chance()() % 3 + (waiting().size() > most_waiting ? 50 : 0); turns > 0; --turns) go_on();
}

bool is_done(std::shared_ptr<operation> const& one) { return !one || *one->done; }

cudaError_t wait_for(std::shared_ptr<operation> const& one) {
  while (!is_done(one)) {
    go_on();
    machine_lock().unlock();  // a kernel may wait for another thread
    std::this_thread::yield();
    machine_lock().lock();
  }
  return report(lasting_error());
}
cudaError_t wait_for_all() {
  while (!waiting().empty())
    if (auto const result = wait_for(waiting().back()); result != cudaSuccess) return result;
  return report(lasting_error());
}

}  // namespace emulator
