// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read.hpp"
#include "variants.hpp"

namespace tour {

findings read_on_host(corpus const& text, int threads, report const& done) {
  return read(host_place<sweep::host_policy<>>{sweep::host.threads(threads), threads}, text, done);
}

void table_on_host(int threads, begin_row const& begin, end_row const& end) {
  constexpr auto n = std::int64_t{1} << 24;
  {
    trial<host_place<sweep::seq_policy>> one({sweep::seq, 1}, n);
    begin({"seq", "", ""});
    end(one.run(sweep::seq, {"seq", "", ""}));
  }
  auto const host = sweep::host.threads(threads);
  trial<host_place<sweep::host_policy<>>> all({host, threads}, n);
  auto const run = [&](auto across, char const* name) {
    row const r{"host", name, ""};
    begin(r);
    end(all.run(host.with(across), r));
  };
  run(variant::ordered_lookback, "ordered_lookback");
  run(variant::decoupled_lookback, "decoupled_lookback");
  run(variant::chained, "chained");
  run(variant::reduce_then_scan, "reduce_then_scan");
  run(variant::scan_then_propagate, "scan_then_propagate");
}

bool reproducible_on_host() {
  auto const items = rounded_numbers(1 << 20);
  std::vector<float> sums(items.size()), first;
  for (int threads = 1; threads <= 16; ++threads) {
    sweep::inclusive_scan(sweep::host.threads(threads), items.begin(), items.end(), sums.begin());
    if (threads == 1) first = sums;
    if (std::memcmp(sums.data(), first.data(), sums.size() * sizeof(float)) != 0) return false;
  }
  return near_sums(items, first);
}

}  // namespace tour
