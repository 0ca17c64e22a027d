// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented scans along an axis, and of running maxima with their indices, on seq and host.
#include <support/axes_segments_laws.hpp>
#include <support/host_places.hpp>

#include <string>

using namespace sweep_test;

TEST_CASE("host axes: segments of lines by flags, keys and lengths, by an operator that does not commute") {
  using map = affine<std::uint32_t>;
  int const arrays = sanitizing() ? 12 : slowed_down() ? 40 : 80;
  on_every_host_place([&](auto const& places) {
    using enum line_notation;
    segments_along_laws<flags, true, map>("by flags", arrays, host_items(200'000), affine_then{}, places);
    segments_along_laws<flags, false, map>("by flags, exclusive", arrays, host_items(200'000), affine_then{},
                                           places);
    segments_along_laws<keys, false, map>("by keys", arrays, host_items(200'000), affine_then{}, places);
    segments_along_laws<lengths, true, map>("by lengths", arrays, host_items(200'000), affine_then{}, places);
    segments_along_laws<lengths, false, map>("by lengths, exclusive", arrays, host_items(200'000),
                                             affine_then{}, places);
  });
}

TEST_CASE("host axes: running maxima with their indices") {
  on_every_host_place([](auto const& places) {
    running_maximum_laws("running maxima", sanitizing() ? 12 : 80, host_items(200'000), places);
  });
}

TEST_CASE("host axes: what segmented scans refuse") {
  on_every_host_place([](auto const& places) { segments_along_refusal_laws(places.for_turn(1)); });
}

TEST_CASE("host axes: segments of what is made of items") {
  std::vector<int> const x{1, 2, 3, 4, 5, 6}, keys{1, 1, 2, 3, 3, 3};
  std::vector<int> got(6);
  auto const in = sweep::strided(x.data(), {2, 3});
  auto const to = sweep::strided(got.data(), {2, 3});
  auto const segments = sweep::segments::by_key(sweep::strided(keys.data(), {2, 3}));
  auto const square = [](int v) { return v * v; };
  sweep::segmented_transform_inclusive_scan(sweep::host, in, segments, to, sweep::along(-1), std::plus<>{},
                                            square);
  CHECK(got == std::vector<int>{1, 5, 9, 16, 41, 77});
  sweep::segmented_transform_exclusive_scan(in, segments, to, sweep::along(-1), 100, std::plus<>{}, square,
                                            sweep::backward);
  CHECK(got == std::vector<int>{104, 100, 100, 161, 136, 100});
}

TEST_CASE("host axes: ragged rows of strings, no policy") {
  std::vector<std::string> const words{"a", "b", "c", "d", "e", "f"};
  std::vector<std::string> got(6, "-");
  int const lengths[] = {2, 1};
  sweep::segmented_inclusive_scan(sweep::strided(words.data(), {2, 3}),
                                  sweep::segments::of_lines(sweep::strided(lengths, {2})),
                                  sweep::strided(got.data(), {2, 3}), sweep::along(1), sweep::backward);
  CHECK(got == std::vector<std::string>{"ba", "b", "-", "d", "-", "-"});
  sweep::segmented_exclusive_scan(sweep::strided(words.data(), {2, 3}),
                                  sweep::segments::of_lines(sweep::strided(lengths, {2})),
                                  sweep::strided(got.data(), {2, 3}), sweep::along(1), std::string(">"));
  CHECK(got == std::vector<std::string>{">", ">a", "-", ">", "-", "-"});
}
