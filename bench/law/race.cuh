// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACE_CUH
#define SWEEP_BENCH_LAW_RACE_CUH

#include <law/referee.cuh>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// One case of the law of speed against the best call of CUB or Thrust for the same job.
namespace law {

struct result {
  double sweep_us, peer_us, copy_ratio;
  verdict said;            ///< whether the results are equal, and if not, which is wrong
  std::string shape = {};  ///< what a case drew beside n, where it drew more
  result with_shape(std::string drawn) && {
    shape = std::move(drawn);
    return std::move(*this);
  }
};

struct random_case {
  char const* kind;
  char const* name;
  char const* peer;
  double held;  ///< bytes of device memory an item, all buffers together
  result (*run)(draw const&);
};

inline std::vector<random_case>& all_cases() {
  static std::vector<random_case> cases;
  return cases;
}
/// Race is a struct with `peer`, `held` and run().
template <class Race>
struct registered {
  registered(char const* kind, char const* name) {
    all_cases().push_back({kind, name, Race::peer, Race::held, &Race::run});
  }
};

/// A call of CUB as it should be timed: its scratch is there, in memory that a second call of a case has of
/// its own.
template <int Role = scratch_role, class Call>
auto cub_call(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "the peer");
  auto* const scratch = role(Role).template get<unsigned char>(static_cast<std::int64_t>(bytes) + 256);
  return [=] {
    auto same = bytes;
    check(call(scratch, same), "the peer");
  };
}

enum class time_as { work, call };

/// Medians of rounds in which both take turns. What returns a value is timed as a call, by the host's clock.
template <class Ours, class Peer, class Agree>
result race(double min_bytes, Ours ours, Peer peer, Agree agreed, time_as how = time_as::work) {
  static stopwatch watch;
  ours();
  peer();
  wait();
  auto const said = judge(ours, peer, agreed);
  auto const time = [&](auto const& call, int calls) {
    if (how == time_as::work) return watch.us(calls, [&](std::int64_t) { call(); });
    call();
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
           calls;
  };
  auto const calls = calls_for(min_bytes);
  std::vector<double> times[2];
  for (int round = 0; round < 5; ++round) {
    times[0].push_back(time(ours, calls));
    times[1].push_back(time(peer, calls));
  }
  double const us[2] = {median(times[0]), median(times[1])};
  return {us[0], us[1], min_bytes / us[0] / ceiling(), said};
}

}  // namespace law

#endif
