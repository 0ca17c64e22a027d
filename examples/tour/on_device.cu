// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_variants.hpp"
#include "read.hpp"

namespace tour {

std::string gpu_name() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return {};
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

findings read_on_device(corpus const& text, report const& done) { return read(device_place{}, text, done); }

void table_on_device(begin_row const& begin, end_row const& end) {
  trial<device_place> all({}, std::int64_t{1} << 26);
  run_lookback_variants(all, begin, end);
  run_pass_variants(all, begin, end);
}

bool reproducible_on_device() {
  auto const items = rounded_numbers(1 << 22);
  std::vector<float> first;
  device_place const place;
  device_place::array<float> in(items.size()), out(items.size());
  place.copy_in(items, in);
  for (int run = 0; run < 20; ++run) {
    sweep::inclusive_scan(sweep::device, in.data(), in.data() + in.size(), out.data());
    auto const sums = place.copy_out(out);
    if (run == 0) first = sums;
    if (std::memcmp(sums.data(), first.data(), sums.size() * sizeof(float)) != 0) return false;
  }
  return near_sums(items, first);
}

}  // namespace tour
