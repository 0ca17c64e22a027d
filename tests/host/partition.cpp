// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of compactions on seq and host.
#include <support/host_places.hpp>
#include <support/iterator_laws.hpp>
#include <support/partition_form_laws.hpp>
#include <support/partition_laws.hpp>
#include <support/partition_stencil_laws.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>

using namespace sweep_test;

namespace {

constexpr std::size_t most = host_items(100'000);

template <class Law>
void on_every_compaction_variant(Law law) {
  using namespace sweep::variant;
  law(place{sweep::host.threads(3).with(ordered_lookback), "host, ordered_lookback"});
  law(place{sweep::host.threads(3).with(decoupled_lookback), "host, decoupled_lookback"});
  law(place{sweep::host.threads(3).with(chained), "host, chained"});
  law(place{sweep::host.threads(3).with(single_pass), "host, single_pass"});
  law(place{sweep::host.threads(3).with(three_kernel), "host, three_kernel"});
}

}  // namespace

TEST_CASE("host compactions: items of 1 to 200 bytes, from none to all selected") {
  on_every_host_place([](auto const& places) {
    selection_laws_of<std::uint8_t>("u8", most, places);
    selection_laws_of<std::uint32_t>("u32", most, places);
    selection_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    selection_laws_of<uint128>("u128", most, places);
    selection_laws_of<motion>("48 bytes", most, places);
    selection_laws_of<parcel<200>>("200 bytes", 20'000, places);
  });
}

TEST_CASE("host compactions: runs") {
  on_every_host_place([](auto const& places) {
    unique_laws_of<std::uint8_t>("u8", most, places);
    unique_laws_of<std::uint32_t>("u32", most, places);
    unique_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, places);
    for (auto const n : few_sizes())
      for (std::int64_t const mean : {1, 7, 3000}) unique_by_key_law(places.for_turn(n), n, mean);
  });
}

TEST_CASE("host compactions: stencils") {
  on_every_host_place([](auto const& places) {
    stencil_laws_of<std::uint8_t>("u8", few_sizes(), places);
    stencil_laws_of<std::uint32_t>("u32", few_sizes(), places);
    stencil_laws_of<motion>("48 bytes", few_sizes(), places);
    enumerate_laws_of(few_sizes(), places);
  });
}

TEST_CASE("host compactions: every form of every call") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) partition_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host compactions: variants") {
  on_every_compaction_variant([](auto const& at) {
    selection_laws_of<std::uint32_t>("u32", most, at);
    unique_laws_of<std::uint16_t>("u16", most, at);
    for (auto const n : few_sizes()) {
      unique_by_key_law(at, n, 5);
      partition_form_laws(at, n);
    }
    std::vector<std::string> strings{"a", "b", "b", "c"};
    CHECK(sweep::unique(at.policy, strings.begin(), strings.end()) - strings.begin() == 3);
    CHECK(strings[2] == "c");
  });
}

TEST_CASE("host compactions: iterators") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) partition_iterator_laws(places.for_turn(n), n, std_reversed{});
  });
}

TEST_CASE("host compactions: items that own memory, and items that can only be moved") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    std::vector<std::string> x;
    for (int i = 0; i < 30'000; ++i)
      x.push_back(std::to_string(i / 3) + " is a text that is too long for a small string");
    auto const odd = [](std::string const& s) { return s[0] % 2 == 1; };
    sides_of<std::string, decltype(odd)> const want(x, odd);
    std::vector<std::string> yes(want.yes.size()), no(want.no.size());
    sweep::partition_copy(policy, x.begin(), x.end(), yes.begin(), no.begin(), odd);
    CHECK(yes == want.yes);
    CHECK(no == want.no);
    auto got = x, both = x;
    got.erase(sweep::unique(policy, got.begin(), got.end()), got.end());
    CHECK(got == heads_of_runs(x));
    sweep::stable_partition(policy, both.begin(), both.end(), odd);
    CHECK(both == want.joined());

    std::vector<std::unique_ptr<int>> owned;
    for (int i = 0; i < 1000; ++i) owned.push_back(std::make_unique<int>(i));
    auto const third = [](std::unique_ptr<int> const& p) { return *p % 3 == 0; };
    auto const middle = sweep::stable_partition(policy, owned.begin(), owned.end(), third);
    CHECK(middle - owned.begin() == 334);
    CHECK(*owned[333] == 999);
    CHECK(*owned[334] == 1);
    owned.erase(sweep::remove_if(policy, owned.begin(), owned.end(), third), owned.end());
    CHECK(owned.size() == 666);
    CHECK(*owned[665] == 998);
  });
}

TEST_CASE("host compactions: deques and vectors of bool") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::deque<int> x(40'000);
    std::iota(x.begin(), x.end(), 0);
    std::vector<bool> flags(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) flags[i] = i % 5 == 2;
    std::vector<int> got(8000);
    CHECK(sweep::pack(policy, x.begin(), x.end(), flags.begin(), got.begin()) == got.end());
    CHECK(got[7999] == 39'997);
    auto const end = sweep::remove_if(policy, x.begin(), x.end(), flags.begin(), std::identity{});
    CHECK(end - x.begin() == 32'000);
    CHECK(x[2] == 3);
    std::vector<std::int64_t> before(flags.size());
    sweep::enumerate(policy, flags.begin(), flags.end(), before.begin());
    CHECK(before[39'999] == 8000);
  });
}

TEST_CASE("host compactions: a predicate's exception reaches the caller") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(3).policy;
    std::vector<int> x(200'000), out(x.size());
    std::iota(x.begin(), x.end(), 0);
    expect_throw<std::runtime_error>({"met it"}, [&] {
      sweep::copy_if(policy, x.begin(), x.end(), out.begin(), [](int v) {
        if (v == 150'000) throw std::runtime_error("met it");
        return true;
      });
    });
  });
}

TEST_CASE("host compactions: bad input") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    std::vector<int> out(10, -7);
    int* const none = nullptr;
    truth const pred;
    expect_throw<sweep::bad_argument>({"sweep::copy_if", "last", "2 items before first"}, [&] {
      sweep::copy_if(policy, x.begin() + 5, x.begin() + 3, out.begin(), pred);
    });
    expect_throw<sweep::bad_argument>({"sweep::copy_if", "out", "null"},
                                      [&] { sweep::copy_if(policy, x.begin(), x.end(), none, pred); });
    expect_throw<sweep::bad_argument>({"sweep::remove_if", "first", "null"},
                                      [&] { sweep::remove_if(policy, none, none + 3, pred); });
    expect_throw<sweep::bad_argument>({"sweep::pack", "flags", "null"},
                                      [&] { sweep::pack(policy, x.begin(), x.end(), none, out.begin()); });
    expect_throw<sweep::bad_argument>({"sweep::partition_copy", "out_false", "null"}, [&] {
      sweep::partition_copy(policy, x.begin(), x.end(), out.begin(), none, std::logical_not<>{});
    });
    expect_throw<sweep::bad_argument>({"sweep::copy_if_into", "count", "null"}, [&] {
      sweep::copy_if_into(policy, x.begin(), x.end(), out.begin(), none, pred);
    });
    expect_throw<sweep::bad_argument>({"sweep::unique_by_key", "values_first", "null"},
                                      [&] { sweep::unique_by_key(policy, out.begin(), out.end(), none); });
    CHECK(out == std::vector<int>(10, -7));
    CHECK(sweep::copy_if(policy, none, none, none, pred) == nullptr);
    CHECK(sweep::stable_partition(policy, none, none, pred) == nullptr);
    int count = 9;
    sweep::remove_if_into(policy, none, none, &count, pred);
    CHECK(count == 0);
  });
}
