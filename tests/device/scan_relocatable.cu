// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values whose copies are not trivial, on the device.
#include <support/relocatable_laws.hpp>

#include <support/device_places.hpp>

#include <sweep/variant.hpp>

using namespace sweep_test;

TEST_CASE("device values: pairs, tuples and what is proclaimed trivially relocatable") {
  for (std::size_t const n : {1, 2, 33, 1000, 70'000}) relocatable_laws(on_device, n);
  if (stages_can_run()) relocatable_laws(on_device, sanitizing() ? 1'000'000 : 3'000'000);
}

TEST_CASE("device values: a proclaimed type passes through the scratch and the shared memory of variants") {
  using namespace sweep::variant;
  auto const& policy = on_device.policy;
  for (std::size_t const n : {1, 33, 1025, 70'000}) {
    auto const law = [&](auto const& with, char const* name) {
      relocatable_variant_law<proclaimed>(on_device, with, std::string("a proclaimed type, ") + name, n);
    };
    law(policy.with(reduce_then_scan), "reduce_then_scan");
    law(policy.with(scan_then_propagate), "scan_then_propagate");
    law(policy.with(chained), "chained");
    law(policy.with(hillis_steele), "hillis_steele");
    law(policy.with(blelloch), "blelloch");
    law(policy.with(brent_kung), "brent_kung");
    law(policy.with(matrix).with(scan_then_propagate), "matrix, scan_then_propagate");
  }
}
