// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_HOST_PLACES_HPP
#define SWEEP_TESTS_SUPPORT_HOST_PLACES_HPP

#include <support/memory.hpp>

#include <sweep/policy.hpp>

namespace sweep_test {

/// Teams smaller and larger than the machine, in turn.
struct host_teams {
  place<sweep::host_policy<>> for_turn(std::size_t k) const {
    static constexpr place<sweep::host_policy<>> teams[] = {{sweep::host.threads(1), "host on 1 thread"},
                                                            {sweep::host.threads(2), "host on 2 threads"},
                                                            {sweep::host.threads(5), "host on 5 threads"},
                                                            {sweep::host.threads(16), "host on 16 threads"}};
    return teams[k % 4];
  }
};

/// law(places) for one thread's plain loop and for teams of threads.
template <class Law>
void on_every_host_place(Law law) {
  law(place{sweep::seq, "seq"});
  law(host_teams{});
}

/// law(place) with the variants across tiles.
template <class Law>
void on_every_host_variant(Law law) {
  using namespace sweep::variant;
  law(place{sweep::host.threads(3).with(ordered_lookback), "host, ordered_lookback"});
  law(place{sweep::host.threads(3).with(decoupled_lookback), "host, decoupled_lookback"});
  law(place{sweep::host.threads(3).with(chained), "host, chained"});
  law(place{sweep::host.threads(3).with(reduce_then_scan), "host, reduce_then_scan"});
  law(place{sweep::host.threads(3).with(scan_then_propagate), "host, scan_then_propagate"});
}

}  // namespace sweep_test

#endif
