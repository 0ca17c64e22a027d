// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of selections on seq and host.
#include <support/host_places.hpp>
#include <support/top_k_laws.hpp>

#include <deque>
#include <memory>
#include <stdexcept>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(50'000);

template <class T, class V = std::uint32_t>
void number_laws(std::string const& what) {
  on_every_host_place([&](auto const& places) {
    top_k_laws_of<T, tops::keys>(what, most, places, std::greater<>{}, number_greater{});
    top_k_laws_of<T, tops::pairs, V>(what + " up", most, places, std::less<T>{}, number_less{});
    nth_laws_of<T>(what, most, places, std::less<>{}, number_less{});
  });
  top_k_laws_of<T, tops::indices, V>(what, most, host_teams{}, std::greater<T>{}, number_greater{});
}
}  // namespace

TEST_CASE("host top_k: integers of 8 to 128 bits") {
  number_laws<std::uint8_t, std::uint8_t>("u8");
  number_laws<std::int32_t, std::uint64_t>("i32");
  number_laws<uint128>("u128");
}

TEST_CASE("host top_k: floating-point numbers, with zeros of both signs and NaNs") {
  number_laws<float>("f32");
  number_laws<double, float>("f64");
}

TEST_CASE("host top_k: any comparison, radix_key, and what they do not look at") {
  on_every_host_place([](auto const& places) {
    top_k_laws_of<record, tops::keys>("record", most, places, by_low_bits{}, by_low_bits{});
    nth_laws_of<record>("record", most, places, by_low_bits{}, by_low_bits{});
    top_k_laws_of<wide_record, tops::pairs>("wide record", 20'000, places, by_key_downwards{},
                                            by_key_downwards{});
    top_k_laws_of<record, tops::indices, int>("record by parts", most, places,
                                              sweep::radix_key(parts_of_record{}), by_parts_of_record{});
    nth_laws_of<wide_record>("wide record", 20'000, places, sweep::radix_key(&wide_record::key).descending(),
                             by_key_downwards{});
    top_k_no_order_laws(places);
  });
}

TEST_CASE("host top_k: iterators, and outputs of other types") {
  on_every_host_place([](auto const& places) {
    for (std::size_t t = 0; t < 4; ++t)
      for (auto const n : few_sizes()) top_k_iterator_laws(places.for_turn(t), n);
  });
}

TEST_CASE("host top_k: strings, ranges, calls without a policy") {
  std::vector<std::string> const words{"to", "be", "or", "not", "to", "be"};
  std::deque<std::string> best(2);
  std::vector<int> places(2);
  sweep::top_k(words, 2, best);
  CHECK(best == std::deque<std::string>{"to", "to"});
  CHECK(sweep::arg_top_k(words, 2, places) == places.end());
  CHECK(places == std::vector<int>{0, 4});
  std::vector<int> serial{0, 1, 2, 3, 4, 5};
  sweep::top_k_by_key(sweep::host, words, serial, 2, best, places, std::less<>{});
  CHECK(best == std::deque<std::string>{"be", "be"});
  CHECK(places == std::vector<int>{1, 5});

  std::deque<std::string> all(words.begin(), words.end());
  sweep::nth_element(all, all.begin() + 2);
  CHECK(all == std::deque<std::string>{"be", "be", "not", "to", "or", "to"});
  sweep::nth_element(sweep::seq, all, all.begin(), std::greater<>{});
  CHECK(all.front() == "to");
  int numbers[] = {5, 3, 9};
  sweep::nth_element(numbers, numbers + 1, numbers + 3);
  CHECK(numbers[1] == 5);
  std::vector<std::unique_ptr<int>> owned;
  for (int const i : {4, 2, 7}) owned.push_back(std::make_unique<int>(i));
  sweep::nth_element(owned, owned.begin() + 1, [](auto const& a, auto const& b) { return *a < *b; });
  CHECK(*owned[0] == 2);
  CHECK(*owned[1] == 4);
  std::vector<double> const infinite{1, std::numeric_limits<double>::quiet_NaN(), 3};
  std::vector<double> top(1);
  sweep::top_k(infinite, 1, top);
  CHECK(top[0] != top[0]);
}

TEST_CASE("host top_k: plain items that have no default constructor") {
  random_source random("no default constructor");
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    auto const x = draw_of_numbers(5'000, random);
    auto sorted = x;
    std::stable_sort(sorted.begin(), sorted.end(), by_low_byte);
    std::vector<of_number> best(40, of_number(0));
    sweep::top_k(policy, x, best.size(), best, by_low_byte);
    CHECK(std::equal(best.begin(), best.end(), sorted.begin()));
    auto y = x;
    sweep::nth_element(policy, y, y.begin() + 700, by_low_byte);
    CHECK(y[700] == sorted[700]);
    std::stable_sort(y.begin(), y.begin() + 700, by_low_byte);
    std::stable_sort(y.begin() + 700, y.end(), by_low_byte);
    CHECK(y == sorted);
  });
}

TEST_CASE("host top_k: a comparison that throws") {
  std::vector<std::string> x(5'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::to_string(i * 7919 % 5000);
  auto const before = x;
  std::vector<std::string> out(3, "untouched");
  auto const throws = [](std::string const& a, std::string const& b) {
    if (a == "4321" || b == "4321") throw std::runtime_error("no order");
    return a < b;
  };
  CHECK_THROWS_AS(sweep::top_k(sweep::host.threads(3), x, 3, out, throws), std::runtime_error);
  CHECK_THROWS_AS(sweep::nth_element(sweep::host, x.begin(), x.begin() + 9, x.end(), throws),
                  std::runtime_error);
  CHECK(x == before);
  CHECK(out == std::vector<std::string>(3, "untouched"));
}

TEST_CASE("host top_k: bad input, and nothing") {
  top_k_error_laws(place{sweep::seq, "seq"});
  top_k_error_laws(place{sweep::host, "host"});
}
