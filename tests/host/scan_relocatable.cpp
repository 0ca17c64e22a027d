// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values whose copies are not trivial, on seq and host.
#if __has_include(<thrust/type_traits/is_trivially_relocatable.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#include <support/relocatable_laws.hpp>

#include <support/host_places.hpp>

using namespace sweep_test;

TEST_CASE("host values: pairs, tuples and what is proclaimed trivially relocatable") {
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1, 2, 33, 1000, 70'000}) relocatable_laws(places.for_turn(n), n);
  });
}
#endif
