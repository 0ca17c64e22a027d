// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RUNS_IN_STAGES_HPP
#define SWEEP_TESTS_SUPPORT_RUNS_IN_STAGES_HPP

#include <support/device_places.hpp>

#include <sweep/detail/run_length/device.cuh>

namespace sweep_test {

/// While it lives the device finds runs in stages however few the keys are, where it can.
class runs_in_stages {
 public:
  runs_in_stages() { sweep::detail::most_tiles_in_registers = 0; }  // no items need no tile
  runs_in_stages(runs_in_stages const&) = delete;
  runs_in_stages& operator=(runs_in_stages const&) = delete;
  ~runs_in_stages() { sweep::detail::most_tiles_in_registers = usual_; }

 private:
  std::int64_t usual_ = sweep::detail::most_tiles_in_registers;
};

/// Calls law(largest size), as the device chooses its tiles and in stages throughout.
template <class Law>
void in_tiles_of_both_kinds(Law law) {
  law(std::size_t{300'000});
  if (!stages_can_run()) return;
  runs_in_stages const all;
  law(std::size_t{100'000});
}

}  // namespace sweep_test

#endif
