// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same bits on 1 to 16 threads, and on every run.
#include <support/expect.hpp>
#include <support/float_products.hpp>
#include <support/host_places.hpp>
#include <support/random.hpp>

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

using namespace sweep_test;

namespace {

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(static_cast<void const*>(a.data()),
                                             static_cast<void const*>(b.data()), a.size() * sizeof(T)) == 0;
}

template <class T, class Op>
void same_on_any_number_of_threads(std::vector<T> const& x, Op op, std::string const& what) {
  auto const law = [&](auto const& policy, std::string const& name, auto direction) {
    std::vector<T> first(x.size()), again(x.size());
    sweep::inclusive_scan(policy.threads(1), x.begin(), x.end(), first.begin(), op, direction);
    for (int threads = 1; threads <= 16; ++threads) {
      sweep::inclusive_scan(policy.threads(threads), x.begin(), x.end(), again.begin(), op, direction);
      expect(same_bits(first, again), what + ", " + name + " on " + std::to_string(threads) + " threads");
    }
  };
  using namespace sweep::variant;
  law(sweep::host, "host", sweep::forward);
  law(sweep::host, "host backward", sweep::backward);
  law(sweep::host.with(chained), "chained", sweep::forward);
  law(sweep::host.with(reduce_then_scan), "reduce_then_scan", sweep::forward);
  law(sweep::host.with(scan_then_propagate), "scan_then_propagate", sweep::forward);
}

}  // namespace

TEST_CASE("host reproducibility: sums and recurrences have the same bits on 1 to 16 threads") {
  std::vector<float> sums(under_address_sanitizer ? 30'000 : slowed_down() ? 200'000 : 1'500'000);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = random_float(seed() + i);
  same_on_any_number_of_threads(sums, add{}, "sum");
  same_on_any_number_of_threads(sums, std::plus<>{}, "sum in lanes");
  std::vector<recurrence> steps(sums.size() / 2);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = random_step(seed() + i);
  same_on_any_number_of_threads(steps, recurrence_then{}, "recurrence");
}

TEST_CASE(
    "host reproducibility: segmented sums have the same bits on 1 to 16 threads, short and long segments") {
  auto const n = std::int64_t{under_address_sanitizer ? 15'000 : slowed_down() ? 100'000 : 700'000};
  std::vector<float> x(static_cast<std::size_t>(n));
  std::vector<std::int32_t> offsets{0}, keys(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_float(seed() + i);
  random_source random("segments");
  while (offsets.back() < n) {
    auto const most = std::int64_t{1} << random.between(0, 19);  // none, a few, or several tiles
    auto const next = std::min(n, offsets.back() + static_cast<std::int64_t>(random.between(0, most)));
    for (auto i = offsets.back(); i < next; ++i)
      keys[static_cast<std::size_t>(i)] = static_cast<int>(offsets.size());
    offsets.push_back(static_cast<std::int32_t>(next));
  }
  auto const by_offsets = sweep::segments::by_offsets(offsets);
  auto const by_key = sweep::segments::by_key(keys.begin());
  auto const law = [&](std::string const& what, auto call) {
    std::vector<float> first(x.size(), 7), again(x.size(), 7);
    call(sweep::host.threads(1), first);
    for (int const threads : {1, 2, 3, 5, 16}) {
      again.assign(x.size(), 7);
      call(sweep::host.threads(threads), again);
      expect(same_bits(first, again), what + " on " + std::to_string(threads) + " threads");
    }
  };
  auto const scans = [&](std::string const& notation, auto const& by) {
    law("forward by " + notation, [&](auto const& policy, auto& out) {
      sweep::segmented_inclusive_scan(policy, x.begin(), x.end(), by, out.begin());
    });
    law("backward by " + notation, [&](auto const& policy, auto& out) {
      sweep::segmented_exclusive_scan(policy, x.begin(), x.end(), by, out.begin(), 3.5f, sweep::backward);
    });
    law("in place by " + notation, [&](auto const& policy, auto& out) {
      out = x;
      sweep::segmented_inclusive_scan(policy, out.begin(), out.end(), by, out.begin());
    });
    law("reduced by " + notation, [&](auto const& policy, auto& out) {
      sweep::segmented_reduce(policy, x.begin(), x.end(), by, out.begin(), 0.5f);
    });
  };
  scans("offsets", by_offsets);
  scans("keys", by_key);
  law("reduced", [&](auto const& policy, auto& out) { out[0] = sweep::reduce(policy, x.begin(), x.end()); });
}

TEST_CASE("host reproducibility: the sequential loop's bits are not the tiles', so the comparison can fail") {
  std::vector<float> x(1'000'000), loop(x.size()), tiles(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_float(i);
  sweep::inclusive_scan(sweep::seq, x.begin(), x.end(), loop.begin());
  sweep::inclusive_scan(sweep::host, x.begin(), x.end(), tiles.begin());
  CHECK_FALSE(same_bits(loop, tiles));
}
