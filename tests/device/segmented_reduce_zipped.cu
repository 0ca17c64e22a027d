// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device reductions by segments of items of several streams: long ones take many windows of a warp.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/random.hpp>
#include <support/values.hpp>

#include <sweep/segmented_reduce.hpp>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {

using pair = thrust::tuple<std::uint32_t, std::uint32_t>;
using triple = thrust::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

/// Maps x -> m x + a, one or two at a time, which are composed in order and exactly.
struct then_map {
  SWEEP_TEST_HD pair operator()(pair const& f, pair const& g) const {
    return {thrust::get<0>(g) * thrust::get<0>(f), thrust::get<0>(g) * thrust::get<1>(f) + thrust::get<1>(g)};
  }
  SWEEP_TEST_HD triple operator()(triple const& f, triple const& g) const {
    return {thrust::get<0>(g) * thrust::get<0>(f), thrust::get<0>(g) * thrust::get<1>(f) + thrust::get<1>(g),
            thrust::get<0>(g) * thrust::get<2>(f) + thrust::get<2>(g)};
  }
};

template <class Value, class Zipped, class ItemAt>
void zipped_law(Zipped const& first, std::size_t n, std::vector<std::int32_t> const& offsets,
                Value const& start, ItemAt item_at, std::string const& title) {
  device_array<std::int32_t> const at(offsets);
  guarded<Value, device_memory> const out(offsets.size() - 1);
  sweep::segmented_reduce(sweep::device, first, first + static_cast<std::ptrdiff_t>(n),
                          sweep::segments::by_offsets(at.begin(), at.end()), out.begin(), start, then_map{});
  std::vector<Value> want;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    Value sum = start;
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i)
      sum = then_map{}(sum, item_at(static_cast<std::size_t>(i)));
    want.push_back(sum);
  }
  expect(out.read() == want, title);
  expect(out.guards_intact(), title + ": writes its output only");
}

}  // namespace

TEST_CASE("device reductions by offsets: zipped ranges in long segments") {
  random_source random("zipped segments");
  for (std::size_t const mean : {700, 3'000, 20'000}) {
    std::size_t const n = 20 * mean + 7;
    std::vector<std::uint32_t> m(n), a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      m[i] = static_cast<std::uint32_t>(random()) | 1u;
      a[i] = static_cast<std::uint32_t>(random());
      b[i] = static_cast<std::uint32_t>(random());
    }
    std::vector<std::int32_t> offsets{0};
    for (int s = 0; s < 19; ++s) offsets.push_back(static_cast<std::int32_t>(random() % n));
    offsets.push_back(static_cast<std::int32_t>(n));
    std::sort(offsets.begin(), offsets.end());
    device_array<std::uint32_t> const in_m(m), in_a(a), in_b(b);
    auto const title = "mean " + std::to_string(mean);
    zipped_law(
        thrust::make_zip_iterator(in_m.begin(), in_a.begin()), n, offsets, pair{3, 4},
        [&](std::size_t i) {
          return pair{m[i], a[i]};
        },
        title + ", pairs");
    zipped_law(
        thrust::make_zip_iterator(in_m.begin(), in_a.begin(), in_b.begin()), n, offsets, triple{3, 4, 5},
        [&](std::size_t i) {
          return triple{m[i], a[i], b[i]};
        },
        title + ", triples");
  }
}
