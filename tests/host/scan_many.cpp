// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of scans of many ranges on seq and host.
#include <support/host_places.hpp>
#include <support/scan_many_laws.hpp>

#include <string>

using namespace sweep_test;

TEST_CASE("host scans of many ranges: of any length, anywhere, by an operator that does not commute") {
  using map = affine<std::uint32_t>;
  int const calls = sanitizing() ? 10 : 60;
  on_every_host_place([&](auto const& places) {
    scan_many_laws<true, false, map>("inclusive", calls, 10'000, affine_then{}, places);
    scan_many_laws<true, true, map>("inclusive, init", calls, 10'000, affine_then{}, places);
    scan_many_laws<false, true, map>("exclusive", calls, 10'000, affine_then{}, places);
  });
}

TEST_CASE("host scans of many ranges: the same bits, and what is refused") {
  random_source random("many bits");
  on_every_host_place([&](auto const& places) {
    for (std::int64_t const length : {5, 700, 20'000}) scan_many_bits_law(places.for_turn(2), length, random);
    scan_many_refusal_laws(places.for_turn(1));
  });
}

TEST_CASE("host scans of many ranges: strings, vectors of their own, no policy") {
  std::vector<std::vector<std::string>> lines{{"a", "b", "c"}, {}, {"d"}, {"e", "f"}};
  using place = std::vector<std::string>::iterator;
  std::vector<sweep::scan_range<place, place>> ranges;
  for (auto& line : lines)
    ranges.push_back({line.begin(), static_cast<std::int64_t>(line.size()), line.begin()});
  sweep::inclusive_scan_many(ranges.begin(), ranges.end(), sweep::backward);
  CHECK(lines[0] == std::vector<std::string>{"cba", "cb", "c"});
  CHECK(lines[3] == std::vector<std::string>{"fe", "f"});
  sweep::exclusive_scan_many(sweep::seq, ranges.begin(), ranges.end(), std::string("-"));
  CHECK(lines[0] == std::vector<std::string>{"-", "-cba", "-cbacb"});
  CHECK(lines[2] == std::vector<std::string>{"-"});
}
