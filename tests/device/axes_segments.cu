// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device segmented scans along an axis, and of running maxima with their indices.
#include <support/axes_segments_laws.hpp>
#include <support/device_places.hpp>

using namespace sweep_test;

namespace {
using map = affine<std::uint32_t>;
int arrays() { return sanitizing() ? 12 : 100; }
std::int64_t most() { return sanitizing() ? 20'000 : 1'000'000; }
}  // namespace

TEST_CASE("device axes: segments of lines by flags, keys and lengths, by an operator that does not commute") {
  using enum line_notation;
  using number = std::uint32_t;
  segments_along_laws<flags, true, number>("by flags", arrays(), most(), packed_then{}, on_device);
  segments_along_laws<keys, false, map>("by keys", arrays(), most(), affine_then{}, on_device);
  segments_along_laws<lengths, true, map>("by lengths", arrays(), most(), affine_then{}, on_device);
  // So many rows of 32 lines that most blocks wait for others.
  random_source random("many rows of segments");
  std::int64_t const rows = sanitizing() ? 2'000 : 200'003;
  for (bool const backward : {false, true}) {
    segments_along_law<flags, true, number>(on_device, {{rows, 32}, 0}, true, false, backward, packed_then{},
                                            random);
    segments_along_law<flags, true, number>(on_device, {{32, rows}, 1}, true, false, backward, packed_then{},
                                            random);
  }
  // So many lines side by side that items wait in shared memory.
  segments_along_law<flags, true, number>(on_device, {{2'100, 520}, 0}, true, false, false, packed_then{},
                                          random);
}

TEST_CASE("device axes: running maxima with their indices") {
  running_maximum_laws("running maxima", arrays(), most(), on_device);
}

TEST_CASE("device axes: what segmented scans refuse") { segments_along_refusal_laws(on_device); }
