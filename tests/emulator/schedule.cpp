// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a launch: some are resident at once, and their warps take turns.
#include "handlers.hpp"

#include <algorithm>
#include <cstdlib>

namespace emulator {
namespace {

unsigned from_environment(char const* name, unsigned otherwise) {
  auto const* const text = std::getenv(name);
  return text && *text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Registers and local memory of warps that have ended are used again: filling them anew costs more than
/// small kernels.
class buffers {
 public:
  std::vector<std::byte> take(std::size_t bytes) {
    if (bytes == 0) return {};
    std::vector<std::byte> one;
    if (!spare_.empty()) {
      one = std::move(spare_.back());
      spare_.pop_back();
    }
    if (one.size() < bytes) {
      one.clear();
      one.resize(bytes, std::byte{0xa5});
    }
    return one;
  }
  void give(std::vector<std::byte>& one) {
    if (one.size() > 0 && spare_.size() < 512) spare_.push_back(std::move(one));
    one = {};
  }

 private:
  std::vector<std::vector<std::byte>> spare_;
};
buffers& registers_kept() {
  static auto& all = *new buffers;
  return all;
}
buffers& local_memory_kept() {
  static auto& all = *new buffers;
  return all;
}

}  // namespace

/// The blocks that run at the same time.
struct residents {
  launch& of;
  std::vector<std::unique_ptr<block>> running;
  std::uint64_t next = 0;

  std::unique_ptr<block> begin(std::uint64_t number) {
    auto b = std::make_unique<block>();
    auto const& p = *of.kernel;
    b->of = &of;
    b->number = number;
    b->threads = b->alive = static_cast<std::uint32_t>(of.threads.all());
    b->shared.assign(p.dynamic_at + of.dynamic_shared, std::byte{0xa5});
    b->warps.resize((b->threads + warp_size - 1) / warp_size);
    for (unsigned k = 0; k < b->warps.size(); ++k) {
      auto& w = b->warps[k];
      unsigned const count = std::min(warp_size, b->threads - k * warp_size);
      w.home = b.get();
      w.index = k;
      w.constants = p.constants.data();
      w.code = p.code.data();
      w.file = registers_kept().take(p.window_bytes);
      w.local_bytes = p.local_bytes;
      w.local_memory = local_memory_kept().take(std::size_t{p.local_bytes} * warp_size);
      w.alive = count == warp_size ? every_lane : (lanes{1} << count) - 1;
      w.now.pc = p.functions[0].begin;
      w.now.active = w.alive;
      w.use_window(0);
      w.stale = false;
    }
    return b;
  }

  void begin_cluster() {
    auto const& c = of.cluster;
    dimensions const clusters{of.grid.x / c.x, of.grid.y / c.y, of.grid.z / c.z};
    auto const size = c.all(), number = next / size;
    dimensions const at{static_cast<unsigned>(number % clusters.x),
                        static_cast<unsigned>(number / clusters.x % clusters.y),
                        static_cast<unsigned>(number / clusters.x / clusters.y)};
    std::vector<block*> members;
    for (unsigned rank = 0; rank < size; ++rank) {
      auto b = begin(next++);
      b->rank = rank;
      b->cluster_index = at;
      b->index_in_cluster = {rank % c.x, rank / c.x % c.y, rank / c.x / c.y};
      b->index = {at.x * c.x + b->index_in_cluster.x, at.y * c.y + b->index_in_cluster.y,
                  at.z * c.z + b->index_in_cluster.z};
      members.push_back(b.get());
      running.push_back(std::move(b));
    }
    for (auto* const b : members) b->cluster = members;
    if (looks_for_races()) {
      auto const watch = std::make_shared<race_watch>(members);
      for (auto* const b : members) b->races = watch;
    }
  }

  void end_clusters() {
    auto const ended = [](std::unique_ptr<block> const& b) {
      return std::all_of(b->cluster.begin(), b->cluster.end(), [](block const* one) { return one->done(); });
    };
    if (std::none_of(running.begin(), running.end(), ended)) return;
    std::vector<std::unique_ptr<block>> still, over;
    for (auto& b : running) (ended(b) ? over : still).push_back(std::move(b));
    for (auto& b : over)
      for (auto& w : b->warps) {
        of.settle(&w);
        of.let_on += &w == &b->warps[0] && !b->lets_next_start;
        registers_kept().give(w.file);
        local_memory_kept().give(w.local_memory);
      }
    running = std::move(still);
  }

  [[noreturn]] void deadlock() {
    for (auto& b : running)
      for (auto& w : b->warps)
        for (auto const& g : w.others) {
          auto const* const why = g.waiting == waits::for_lanes    ? "waits for lanes that do not come"
                                  : g.waiting == waits::at_barrier ? "waits at a barrier"
                                                                   : "waits for its cluster";
          w.fail(702,
                 std::string("a deadlock: no warp can go on, and this one ") + why + " (lanes " +
                     std::to_string(g.active) + ")",
                 first_lane(g.active), w.code[g.pc]);
        }
    throw kernel_error(702, "a deadlock");
  }
};

settings const& chosen() {
  static settings const s{from_environment("SIM_BLOCKS", 8), from_environment("SIM_SMS", 4),
                          from_environment("SIM_SEED", 1), std::max(1u, from_environment("SIM_SLICE", 300))};
  return s;
}

void launch::begin_later(warp* whose, std::function<void()> act) {
  later.push_back({steps + random() % (4 * chosen().slice), whose, std::move(act)});
}
void launch::settle(warp* whose) {
  for (auto& one : later)
    if (one.whose == whose) one.act();
  std::erase_if(later, [&](pending const& one) { return one.whose == whose; });
}
void launch::settle() {
  for (auto& one : later)
    if (one.when <= steps) one.act();
  std::erase_if(later, [&](pending const& one) { return one.when <= steps; });
}
void launch::settle_all() {
  for (auto& one : later) one.act();
  later.clear();
}

launch::launch() = default;
launch::~launch() = default;

bool launch::advance() {
  if (!blocks) {
    random.seed(chosen().seed + static_cast<unsigned>(grid.all()));
    blocks = std::make_unique<residents>(residents{*this, {}, 0});
  }
  auto& all = *blocks;
  auto const total = grid.all(), size = cluster.all();
  std::uint64_t const most = all_resident ? total : std::max<std::uint64_t>(chosen().blocks, size);
  while (all.next < total && all.running.size() + size <= most) all.begin_cluster();
  bool progress = false;
  auto const first = random() % all.running.size();
  for (std::size_t k = 0; k < all.running.size(); ++k) {
    auto& b = *all.running[(first + k) % all.running.size()];
    auto const first_warp = random() % b.warps.size();
    for (std::size_t j = 0; j < b.warps.size(); ++j) {
      auto& w = b.warps[(first_warp + j) % b.warps.size()];
      if (!w.runnable()) continue;
      progress = true;
      w.run(static_cast<int>(1 + random() % (2 * chosen().slice)));
    }
    if (!later.empty()) settle();
  }
  if (!progress) {
    if (later.empty()) all.deadlock();
    settle_all();
  }
  all.end_clusters();
  if (all.next < total || !all.running.empty()) return true;
  settle_all();
  return false;
}

}  // namespace emulator
