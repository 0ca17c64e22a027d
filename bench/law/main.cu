// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs cases of the law of speed in random order until its time is over. SWEEP_LAW_SECONDS (300),
// SWEEP_LAW_DRAWS (5 of each compiled case), SWEEP_BENCH_SEED, SWEEP_LAW_CSV (where the table goes),
// SWEEP_LAW_FILTER (a part of a name), SWEEP_LAW_LIKE (a table whose rows are run again, in its order, in
// place of drawn ones), SWEEP_LAW_TRACE (every case is named on the error output before it runs).
#include <law/race.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>

namespace {

struct row {
  std::string kind, name, peer;
  std::int64_t items;
  law::result got;
  double speedup() const { return got.peer_us / got.sweep_us; }
};

double number_from(char const* name, double otherwise) {
  char const* const given = std::getenv(name);
  return given ? std::atof(given) : otherwise;
}

/// Sizes from 1 to 2^28, mostly no powers of two; every third is 2^26 or more.
std::int64_t drawn_size(std::mt19937_64& random, std::int64_t most) {
  std::uniform_real_distribution<double> unit(0, 1);
  double const low = unit(random) < 0.33 ? 26 : 0;
  auto n = static_cast<std::int64_t>(std::exp2(low + unit(random) * (28 - low)));
  if (unit(random) < 0.1) n = std::int64_t{1} << static_cast<int>(std::log2(static_cast<double>(n)));
  return std::clamp<std::int64_t>(n, 1, most);
}

std::string name_of(law::random_case const& one, law::draw const& d) {
  return std::string(one.kind) + " " + one.name + " in+" + std::to_string(d.in_shift) + " out+" +
         std::to_string(d.out_shift) + " mean " + std::to_string(static_cast<int>(d.mean_segment)) +
         (d.power_law ? " power law" : "") + " density " + std::to_string(d.density).substr(0, 4);
}

struct drawn_race {
  law::random_case const* one;
  law::draw with;
};

std::vector<drawn_race> drawn_races(std::vector<law::random_case const*> const& order,
                                    std::mt19937_64& random) {
  std::vector<drawn_race> races;
  std::uniform_real_distribution<double> unit(0, 1);
  for (auto const* one : order) {
    auto const most = static_cast<std::int64_t>(7e9 / std::max(one->held, 1.0));
    races.push_back({one,
                     {drawn_size(random, std::min<std::int64_t>(most, std::int64_t{1} << 28)),
                      unit(random) < 0.5 ? 0 : static_cast<int>(random() % 16),
                      unit(random) < 0.5 ? 0 : static_cast<int>(random() % 16), random(),
                      std::array{0.01, 0.1, 0.5, 0.9, 0.99}[random() % 5], std::exp2(unit(random) * 14),
                      unit(random) < 0.3}});
  }
  return races;
}

/// The rows of a table that this program wrote, of cases that are compiled; the items themselves are others.
std::vector<drawn_race> races_like(char const* path, std::mt19937_64& random) {
  std::vector<drawn_race> races;
  std::ifstream table(path);
  for (std::string line; std::getline(table, line);) {
    auto const comma = line.find(','), shifts = line.find(" in+");
    if (comma == std::string::npos || shifts == std::string::npos) continue;
    law::draw d{};
    double mean = 0;
    auto const drawn = line.substr(shifts, comma - shifts);
    if (std::sscanf(drawn.c_str(), " in+%d out+%d mean %lf", &d.in_shift, &d.out_shift, &mean) != 3) continue;
    d.n = std::atoll(line.c_str() + comma + 1);
    d.seed = random();
    d.mean_segment = mean;
    d.power_law = drawn.find(" power law") != std::string::npos;
    if (auto const density = drawn.find(" density "); density != std::string::npos)
      d.density = std::atof(drawn.c_str() + density + 9);
    for (auto const& one : law::all_cases())
      if (line.substr(0, shifts) == std::string(one.kind) + " " + one.name) races.push_back({&one, d});
  }
  return races;
}

char const* size_class(std::int64_t n) {
  return n < (1 << 16)   ? "< 2^16"
         : n < (1 << 20) ? "2^16 .."
         : n < (1 << 24) ? "2^20 .."
         : n < (1 << 26) ? "2^24 .."
                         : "2^26 ..";
}

struct mean {
  double logs = 0;
  int count = 0, lost = 0, far = 0;
  void add(double speedup) {
    logs += std::log(speedup);
    ++count;
    if (speedup < 0.97) ++lost;
    if (speedup < 0.9) ++far;
  }
  double value() const { return count ? std::exp(logs / count) : 0; }
};

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "SKIPPED: no CUDA device, nothing was measured\n");
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was said stays where the run is stopped
  auto const seed = bench::seed();
  std::printf("law of speed: %zu compiled cases, seed %llu, peers of CCCL %s\n", law::all_cases().size(),
              static_cast<unsigned long long>(seed), bench::cccl_version().c_str());
  auto const seconds = number_from("SWEEP_LAW_SECONDS", 300);
  auto const draws = static_cast<int>(number_from("SWEEP_LAW_DRAWS", 5));
  char const* const filter = std::getenv("SWEEP_LAW_FILTER");
  bool const trace = std::getenv("SWEEP_LAW_TRACE") != nullptr;
  std::printf("copy ceiling: %.1f GB/s at 2^28 floats\n", bench::ceiling() * 1e-3);
  bench::memory().input.release();
  bench::memory().output.release();

  std::mt19937_64 random(seed);
  std::vector<law::random_case const*> order;
  for (auto const& one : law::all_cases())
    if (!filter || (std::string(one.kind) + " " + one.name).find(filter) != std::string::npos)
      for (int k = 0; k < draws; ++k) order.push_back(&one);
  std::sort(order.begin(), order.end(),
            [](auto const* a, auto const* b) { return std::string(a->name) < b->name; });
  std::shuffle(order.begin(), order.end(), random);

  auto races = drawn_races(order, random);
  if (char const* const like = std::getenv("SWEEP_LAW_LIKE")) races = races_like(like, random);

  std::vector<row> rows;
  std::FILE* table = nullptr;
  if (char const* const path = std::getenv("SWEEP_LAW_CSV"))
    if ((table = std::fopen(path, "w")) != nullptr) {
      std::setvbuf(table, nullptr, _IOLBF, 0);
      std::fprintf(table, "case,items,sweep_us,peer,peer_us,speedup,copy_ratio,equal\n");
    }
  int wrong = 0, peers_wrong = 0, failed = 0;
  auto const begin = std::chrono::steady_clock::now();
  for (auto const& [one, d] : races) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) break;
    auto const name = name_of(*one, d);
    if (trace) std::fprintf(stderr, "%s, %lld items\n", name.c_str(), static_cast<long long>(d.n));
    try {
      auto const result = one->run(d);
      auto const whole_name = result.shape.empty() ? name : name + " shape " + result.shape;
      rows.push_back({one->kind, whole_name, one->peer, d.n, result});
      auto const& got = rows.back();
      if (table)
        std::fprintf(table, "%s,%lld,%.2f,%s,%.2f,%.3f,%.3f,%s\n", whole_name.c_str(),
                     static_cast<long long>(d.n), got.got.sweep_us, one->peer, got.got.peer_us, got.speedup(),
                     got.got.copy_ratio, law::words_of(got.got.said));
      if (got.got.said != law::verdict::equal) {
        ++(got.got.said == law::verdict::peer_wrong ? peers_wrong : wrong);
        std::printf("DIFFERENT (%s) %s, %lld items\n", law::words_of(got.got.said), whole_name.c_str(),
                    static_cast<long long>(d.n));
      }
    } catch (std::exception const& error) {
      ++failed;
      static_cast<void>(cudaGetLastError());
      std::printf("FAILED %s, %lld items: %s\n", name.c_str(), static_cast<long long>(d.n), error.what());
      if (cudaDeviceSynchronize() != cudaSuccess) {
        std::printf("the device's context is lost: nothing more can be measured\n");
        break;
      }
    }
  }

  if (table) std::fclose(table);
  std::sort(rows.begin(), rows.end(), [](row const& a, row const& b) { return a.speedup() < b.speedup(); });
  std::printf("\n%-110s %10s %9s %9s %8s %6s\n", "worst", "items", "us", "peer us", "speedup", "copy");
  for (std::size_t i = 0; i < std::min<std::size_t>(30, rows.size()); ++i)
    std::printf("%-110s %10lld %9.2f %9.2f %8.3f %6.3f\n", rows[i].name.c_str(),
                static_cast<long long>(rows[i].items), rows[i].got.sweep_us, rows[i].got.peer_us,
                rows[i].speedup(), rows[i].got.copy_ratio);
  std::map<std::pair<std::string, std::string>, mean> groups;
  mean all, large, judged;
  for (auto const& one : rows) {
    groups[{one.kind, size_class(one.items)}].add(one.speedup());
    groups[{one.kind, "all"}].add(one.speedup());
    all.add(one.speedup());
    if (one.items >= 1 << 16) judged.add(one.speedup());
    if (one.items >= 1 << 26) large.add(one.speedup());
  }
  std::printf("\n%-26s %-10s %6s %9s %9s %9s\n", "kind", "items", "cases", "speedup", "< 0.97", "< 0.9");
  for (auto const& [key, group] : groups)
    std::printf("%-26s %-10s %6d %9.3f %9d %9d\n", key.first.c_str(), key.second.c_str(), group.count,
                group.value(), group.lost, group.far);
  std::printf("\nall: %d cases, %.3f; 2^26 and more: %d, %.3f; of %d with 2^16 items and more %d slower than "
              "0.97 of the peer, %d "
              "slower than 0.9; %d different, %d by the peer's fault alone, %d failed\n",
              all.count, all.value(), large.count, large.value(), judged.count, judged.lost, judged.far,
              wrong + peers_wrong, peers_wrong, failed);
  return wrong + failed > 0;
}
