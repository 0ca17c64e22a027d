// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts on seq and host.
#include <support/host_places.hpp>
#include <support/sort_laws.hpp>

#include <sweep/is_sorted.hpp>

#include <deque>
#include <memory>
#include <stdexcept>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(50'000);

/// Teams that merge what they would sort by radix.
struct merging_teams {
  auto for_turn(std::size_t k) const {
    auto const one = host_teams{}.for_turn(k);
    return place{one.policy.with(sweep::variant::merge), "host, merge"};
  }
};

template <class T, class V = std::uint32_t>
void number_laws(std::string const& what) {
  on_every_host_place([&](auto const& places) {
    sort_laws_of<T, sorts::keys>(what, most, places, std::less<>{}, number_less{});
    sort_laws_of<T, sorts::pairs, V>(what + " down", most, places, std::greater<T>{}, number_greater{});
  });
  sort_laws_of<T, sorts::indices, V>(what, most, host_teams{}, std::less<T>{}, number_less{});
}
}  // namespace

TEST_CASE("host sorts: integers of 8 to 128 bits") {
  number_laws<char, std::uint8_t>("char");
  number_laws<std::uint16_t>("u16");
  number_laws<std::int32_t, std::uint64_t>("i32");
  number_laws<std::uint64_t>("u64");
  number_laws<uint128>("u128");
}

TEST_CASE("host sorts: so many keys of 16 bits that they are counted") {
  random_source random("counted");
  for (std::size_t const n : {std::size_t{524'288}, std::size_t{700'001}}) {
    auto const x = draw_many<std::int16_t>(n, random);
    auto want = x;
    std::sort(want.begin(), want.end(), std::greater<>{});
    auto on_host = x, on_seq = x;
    sweep::sort(sweep::host.threads(3), on_host.begin(), on_host.end(), std::greater<>{});
    sweep::sort(sweep::seq, on_seq.begin(), on_seq.end(), std::greater<>{});
    expect(on_host == want, "host, " + std::to_string(n) + " keys");
    expect(on_seq == want, "seq, " + std::to_string(n) + " keys");
  }
}

TEST_CASE("host sorts: bool") {
  random_source random("bool");
  std::size_t const n = 10'000;
  auto const marks = std::make_unique<bool[]>(n);
  std::vector<int> serial(n), want;
  std::iota(serial.begin(), serial.end(), 0);
  for (std::size_t i = 0; i < n; ++i) marks[i] = random() % 3 == 0;
  for (bool const kind : {true, false})
    for (std::size_t i = 0; i < n; ++i)
      if (marks[i] == kind) want.push_back(static_cast<int>(i));
  sweep::sort_by_key(sweep::host.threads(2), marks.get(), marks.get() + n, serial.begin(), std::greater<>{});
  CHECK(serial == want);
  CHECK(std::is_sorted(marks.get(), marks.get() + n, std::greater<>{}));
}

TEST_CASE("host sorts: floating-point numbers, with zeros of both signs and NaNs") {
  number_laws<float>("f32");
  number_laws<double, float>("f64");
}

TEST_CASE("host sorts: numbers by merges") {
  sort_laws_of<std::uint32_t, sorts::keys>("u32", most, merging_teams{}, std::less<>{}, number_less{});
  sort_laws_of<float, sorts::pairs>("f32", most, merging_teams{}, std::greater<>{}, number_greater{});
}

TEST_CASE("host sorts: any comparison, and what it does not look at") {
  on_every_host_place([](auto const& places) {
    sort_laws_of<record, sorts::keys>("record", most, places, by_low_bits{}, by_low_bits{});
    sort_laws_of<wide_record, sorts::pairs>("wide record", 20'000, places, by_key_downwards{},
                                            by_key_downwards{});
  });
  sort_laws_of<record, sorts::indices, int>("record", most, host_teams{}, by_key_downwards{},
                                            by_key_downwards{});
}

TEST_CASE("host sorts: records by radix_key") {
  on_every_host_place([](auto const& places) {
    sort_laws_of<record, sorts::pairs>("record", most, places, sweep::radix_key(parts_of_record{}),
                                       by_parts_of_record{});
    sort_laws_of<wide_record, sorts::keys>(
        "wide record", 20'000, places, sweep::radix_key(&wide_record::key).descending(), by_key_downwards{});
    sort_bits_laws(places);
  });
}

TEST_CASE("host sorts: inputs that leave the caches are split by all threads") {
  auto const n = slowed_down() ? std::size_t{200'000} : std::size_t{1'500'000};
  random_source random("host split");
  for (auto const shape :
       {key_shape::uniform, key_shape::skewed, key_shape::low_bits, key_shape::nearly_sorted}) {
    auto const x = draw_keys<double>(shape, n, random, number_less{});
    for (int const threads : {1, 3})
      sort_law<sorts::keys, int>(place{sweep::host.threads(threads), "host"}, "large", x, 1, std::less<>{},
                                 number_less{}, random);
  }
}

TEST_CASE("host sorts: iterators, and outputs of other types") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) sort_iterator_laws(places.for_turn(k), n);
  });
  std::deque<std::string> words{"to", "be", "or", "not", "to", "be"};
  std::vector<bool> marks{true, false, true, false, false, true};
  std::deque<int> places{0, 1, 2, 3, 4, 5};
  sweep::sort_by_key(sweep::host, words, places);
  CHECK(words == std::deque<std::string>{"be", "be", "not", "or", "to", "to"});
  CHECK(places == std::deque<int>{1, 5, 3, 2, 0, 4});
  sweep::sort(sweep::seq, marks, std::greater<>{});
  CHECK(marks == std::vector<bool>{true, true, true, false, false, false});
}

TEST_CASE("host sorts: numbers of other kinds, and tuples of them") {
  std::vector<int> x{5, 3, 9, 3, 1};
  std::vector<int const*> at;
  for (int const i : {2, 0, 4, 1, 3}) at.push_back(x.data() + i);
  sweep::sort(sweep::host, at);
  CHECK(std::is_sorted(at.begin(), at.end()));

  enum class grade : signed char { poor = -1, fair = 0, good = 1 };
  struct pupil {
    grade mark;
    bool is_new;
    char initial;
  };
  std::vector<pupil> pupils{{grade::good, true, 'a'},
                            {grade::poor, true, 'b'},
                            {grade::good, false, 'c'},
                            {grade::poor, true, 'd'},
                            {grade::fair, false, 'e'}};
  auto const initials = [&] {
    std::string all;
    for (auto const& one : pupils) all += one.initial;
    return all;
  };
  sweep::sort(pupils, sweep::radix_key([](pupil const& one) { return std::tuple(one.mark, one.is_new); }));
  CHECK(initials() == "bdeca");
  sweep::sort(pupils, sweep::radix_key(&pupil::mark).descending());
  CHECK(initials() == "caebd");
  auto const by_newness =
      sweep::radix_key([](pupil const& one) { return std::pair(one.is_new, one.initial); });
  using newness = sweep::detail::order_of<pupil, std::decay_t<decltype(by_newness)>>;
  static_assert(decltype(newness::make(by_newness))::bits == 9);
  sweep::sort(sweep::seq, pupils.begin(), pupils.end(), by_newness);
  CHECK(initials() == "ceabd");
  CHECK(sweep::is_sorted(pupils, by_newness));
  CHECK_FALSE(sweep::is_sorted(pupils, by_newness.descending()));
}

TEST_CASE("host sorts: every form of a call") {
  std::vector<int> const given{3, 1, 2};
  std::vector<int> const sorted{1, 2, 3}, down{3, 2, 1}, serial{0, 1, 2}, order{1, 2, 0};
  auto x = given;
  sweep::sort(x);
  CHECK(x == sorted);
  x = given;
  sweep::sort(x.begin(), x.end(), std::greater<int>{});
  CHECK(x == down);
  x = given;
  sweep::stable_sort(sweep::seq, x);
  CHECK(x == sorted);
  int array[]{3, 1, 2};
  sweep::stable_sort(array, array + 3, std::less<>{});
  CHECK(std::vector<int>(array, array + 3) == sorted);
  x = given;
  auto values = serial;
  sweep::sort_by_key(x, values);
  CHECK(values == order);
  x = given;
  values = serial;
  sweep::stable_sort_by_key(sweep::host, x, values.begin());
  CHECK(values == order);
  std::vector<int> out(3), values_out(3);
  CHECK(sweep::sort_copy(given, out) == out.end());
  CHECK(out == sorted);
  CHECK(sweep::stable_sort_copy(sweep::host, given, out, std::greater<>{}) == out.end());
  CHECK(out == down);
  auto const end = sweep::sort_by_key_copy(sweep::host, given, serial, out, values_out);
  CHECK(end.first == out.end());
  CHECK(values_out == order);
  sweep::stable_sort_by_key_copy(given.begin(), given.end(), serial.begin(), out.begin(), values_out.begin(),
                                 std::greater<>{});
  CHECK(out == down);
  CHECK(sweep::argsort(given, values_out) == values_out.end());
  CHECK(values_out == order);
}

TEST_CASE("host sorts: what can be moved only, and is moved once") {
  static int moves = 0;
  struct counted {
    std::unique_ptr<int> x;
    explicit counted(int y) : x(std::make_unique<int>(y)) {}
    counted(counted&& other) noexcept : x(std::move(other.x)) { ++moves; }
    counted& operator=(counted&& other) noexcept {
      x = std::move(other.x);
      ++moves;
      return *this;
    }
  };
  int const n = 10'000;
  std::vector<counted> items;
  for (int i = 0; i < n; ++i) items.emplace_back(i * 7919 % n);
  moves = 0;
  sweep::sort(sweep::host.threads(2), items, [](counted const& a, counted const& b) { return *a.x < *b.x; });
  CHECK(moves <= 2 * n);
  bool sorted = true;
  for (int i = 0; i < n; ++i) sorted = sorted && *items[static_cast<std::size_t>(i)].x == i;
  CHECK(sorted);
}

TEST_CASE("host sorts: plain items that have no default constructor, as keys and as values") {
  random_source random("no default constructor");
  on_every_host_place([&](auto const& places) {
    for (auto const n : few_sizes()) {
      auto const policy = places.for_turn(n).policy;
      auto const x = draw_of_numbers(n, random);
      auto want = x;
      std::stable_sort(want.begin(), want.end(), by_low_byte);
      auto y = x;
      sweep::sort(policy, y, by_low_byte);
      CHECK(y == want);
      auto const low_byte = [](of_number const& one) { return static_cast<std::uint8_t>(one.a); };
      y = x;
      sweep::sort(policy, y, sweep::radix_key(low_byte));
      CHECK(y == want);
      std::vector<std::uint8_t> keys;
      for (auto const& one : x) keys.push_back(low_byte(one));
      y = x;
      sweep::sort_by_key(policy, keys, y);
      CHECK(y == want);
    }
  });
}

TEST_CASE("host sorts: copies in place and beside it, by iterators that do not say which") {
  random_source random("in place or beside");
  std::size_t turn = 0;
  auto const laws = [&](auto const& policy, std::vector<std::string> const& x) {
    auto const n = static_cast<std::ptrdiff_t>(x.size());
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> both(2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) both[2 * i] = x[i];
    every_other<std::string> const in{both.data()}, beside{both.data() + 1};
    sweep::sort_copy(policy, in, in + n, beside);
    bool right = true;
    for (std::size_t i = 0; i < x.size(); ++i)
      right = right && both[2 * i] == x[i] && both[2 * i + 1] == sorted[i];
    CHECK(right);
    sweep::sort(policy, in, in + n);
    for (std::size_t i = 0; i < x.size(); ++i) right = right && both[2 * i] == sorted[i];
    CHECK(right);
    std::deque<std::string> words(x.begin(), x.end());
    sweep::sort_copy(policy, words.cbegin(), words.cend(), words.begin());
    CHECK(std::equal(words.begin(), words.end(), sorted.begin()));
  };
  on_every_host_place([&](auto const& places) {
    for (auto const n : few_sizes()) {
      if (n == 0) continue;
      std::vector<std::string> x(n);
      for (auto& word : x) word = std::to_string(random() % 1000);
      laws(places.for_turn(turn).policy, x);
      std::sort(x.begin(), x.end());  // which is noticed
      laws(places.for_turn(turn++).policy, x);
    }
  });
}

TEST_CASE("host sorts: comparisons that are no order end, and lose nothing") {
  on_every_host_place([](auto const& places) { no_order_laws<true>(places); });
}

TEST_CASE("host sorts: a comparison that throws is the caller's") {
  std::vector<int> x(50'000);
  std::iota(x.rbegin(), x.rend(), 0);
  std::swap(x[7], x[40'000]);
  std::vector<std::string> words(5'000, "word");
  words[3] = "a";
  auto const kept = words;
  for (int const threads : {1, 4}) {
    auto y = x;
    auto const throwing = [](int a, int b) {
      if (a == 17 || b == 17) throw std::runtime_error("17");
      return a < b;
    };
    CHECK_THROWS_AS(sweep::sort(sweep::host.threads(threads), y, throwing), std::runtime_error);
    int left = 3'000;
    auto const late = [&left](std::string const& a, std::string const& b) {
      if (--left == 0) throw std::runtime_error("late");
      return a < b;
    };
    CHECK_THROWS_AS(sweep::sort(sweep::host.threads(1), words, late), std::runtime_error);
    CHECK(words == kept);  // sorted by their indices
  }
}

TEST_CASE("host sorts: bad input") {
  sort_error_laws(place{sweep::seq, "seq"});
  sort_error_laws(place{sweep::host.threads(3), "host"});
}
