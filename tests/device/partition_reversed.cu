// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions of items, stencils and outputs that lie in memory the other way round.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/partition_laws.hpp>
#include <support/partition_made_laws.hpp>
#include <support/sizes.hpp>

#include <thrust/iterator/reverse_iterator.h>

#include <iterator>

using namespace sweep_test;

namespace {

/// An array that is looked at from its end.
template <class Place, class X>
class turned_array {
 public:
  turned_array(std::vector<X> items, std::size_t offset)
      : all_(std::vector<X>(items.rbegin(), items.rend()), offset) {}
  turned_array(std::size_t n, std::size_t offset) : all_(n, offset) {}
  auto begin() const { return std::make_reverse_iterator(all_.end()); }
  auto end() const { return std::make_reverse_iterator(all_.begin()); }
  std::vector<X> read() const {
    auto const items = all_.read();
    return {items.rbegin(), items.rend()};
  }
  bool guards_intact() const { return all_.guards_intact(); }

 private:
  typename Place::template array<X> all_;
};

// Forms, where places take turns.
constexpr std::size_t to_plain = 0, to_turned = 1, in_place = 2, of_runs = 3, by_flags = 4, by_stencil = 5,
                      of_pairs = 6, of_three = 7;

/// Every form, or those alone whose items go through shared memory in ways of their own.
template <class X, bool EveryForm, class Places>
void reversed_law(Places const& places, std::string const& what, std::size_t n, random_source& random) {
  std::int64_t const means[] = {1, 3, 50, 4000};
  auto const x = draw_runs<X>(n, means[random.between(0, 3)], random);
  auto const in_offset = static_cast<std::size_t>(random.between(0, 17)),
             out_offset = static_cast<std::size_t>(random.between(0, 17));
  auto const share = shares[random.between(0, 4)];
  some_of_1024 const pred{share};
  sides_of<X, some_of_1024> const want(x, pred);
  auto const runs = heads_of_runs(x, same_as{});
  auto const with = [&]<std::size_t Form>(std::integral_constant<std::size_t, Form>, auto const& law) {
    constexpr bool has_ways = Form == to_turned || Form == of_runs || Form == by_flags;
    auto const& at = at_form<Form>(places);
    if constexpr (EveryForm || has_ways)
      if (!at.skipped) law(at, titled(at, what + ", " + std::to_string(share) + "/1024", n));
  };
  with(std::integral_constant<std::size_t, to_plain>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         turned_array<Place, X> const in(x, in_offset);
         typename Place::template array<X> const out(want.yes.size(), out_offset);
         expect(sweep::copy_if(at.policy, in.begin(), in.end(), out.begin(), pred) == out.end(),
                title + "copy_if returns the end");
         expect_equal(out.read(), want.yes, title + "copy_if");
         expect(out.guards_intact(), title + "copy_if writes the output only");
       });
  with(std::integral_constant<std::size_t, to_turned>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         partition_copy_of<turned_array<Place, X>>(at, title, x, pred, in_offset, out_offset);
       });
  with(std::integral_constant<std::size_t, in_place>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         turned_array<Place, X> const in(x, in_offset), both(x, out_offset);
         auto const end = sweep::remove_if(at.policy, in.begin(), in.end(), pred);
         expect(end - in.begin() == static_cast<std::ptrdiff_t>(want.no.size()),
                title + "remove_if returns the end");
         expect_equal(first_items(in.read(), want.no.size()), want.no, title + "remove_if");
         sweep::stable_partition(at.policy, both.begin(), both.end(), pred);
         expect_equal(both.read(), want.joined(), title + "stable_partition");
         expect(in.guards_intact() && both.guards_intact(), title + "writes the range only");
       });
  with(std::integral_constant<std::size_t, of_runs>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         turned_array<Place, X> const in(x, in_offset), out(runs.size(), out_offset);
         sweep::unique_copy(at.policy, in.begin(), in.end(), out.begin(), same_as{});
         expect_equal(out.read(), runs, title + "unique_copy");
         expect(out.guards_intact(), title + "unique_copy writes the output only");
         sweep::unique(at.policy, in.begin(), in.end(), same_as{});
         expect_equal(first_items(in.read(), runs.size()), runs, title + "unique");
         expect(in.guards_intact(), title + "unique writes the range only");
       });
  with(std::integral_constant<std::size_t, by_flags>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         std::vector<std::uint8_t> flags(n);
         for (std::size_t i = 0; i < n; ++i) flags[i] = pred(x[i]) ? 1 : 0;
         turned_array<Place, X> const in(x, in_offset), out(want.yes.size(), out_offset);
         typename Place::template array<std::uint8_t> const by(flags, out_offset);
         turned_array<Place, std::uint8_t> const turned_by(flags, in_offset);
         sweep::pack(at.policy, in.begin(), in.end(), by.begin(), out.begin());
         expect_equal(out.read(), want.yes, title + "pack");
         sweep::pack(at.policy, in.begin(), in.end(), turned_by.begin(), out.begin());
         expect_equal(out.read(), want.yes, title + "pack by turned flags");
         expect(out.guards_intact(), title + "pack writes the output only");
       });
  with(std::integral_constant<std::size_t, by_stencil>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         auto const others = draw_bytes<std::uint32_t>(n, random);
         std::vector<std::uint32_t> wanted;
         for (std::size_t i = 0; i < n; ++i)
           if (pred(x[i])) wanted.push_back(others[i]);
         turned_array<Place, X> const by(x, in_offset);
         typename Place::template array<std::uint32_t> const in(others, out_offset);
         turned_array<Place, std::uint32_t> const out(wanted.size(), in_offset);
         sweep::copy_if(at.policy, in.begin(), in.end(), by.begin(), out.begin(), pred);
         expect_equal(out.read(), wanted, title + "copy_if by a turned stencil");
         expect(out.guards_intact(), title + "copy_if writes the output only");
       });
  with(std::integral_constant<std::size_t, of_pairs>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         auto const keys = draw_runs<std::uint16_t>(n, means[random.between(0, 3)], random);
         std::vector<std::uint16_t> want_keys;
         std::vector<X> want_values;
         for (std::size_t i = 0; i < n; ++i)
           if (i == 0 || keys[i] != keys[i - 1]) {
             want_keys.push_back(keys[i]);
             want_values.push_back(x[i]);
           }
         turned_array<Place, std::uint16_t> const k(keys, out_offset), k_out(want_keys.size(), in_offset);
         turned_array<Place, X> const v(x, in_offset);
         typename Place::template array<X> const v_out(want_values.size(), out_offset);
         sweep::unique_by_key_copy(at.policy, k.begin(), k.end(), v.begin(), k_out.begin(), v_out.begin());
         expect_equal(k_out.read(), want_keys, title + "unique_by_key_copy, keys");
         expect_equal(v_out.read(), want_values, title + "unique_by_key_copy, values");
         expect(k_out.guards_intact() && v_out.guards_intact(),
                title + "unique_by_key_copy writes the outputs only");
       });
  with(std::integral_constant<std::size_t, of_three>{},
       [&]<class Place>(Place const& at, std::string const& title) {
         some_of_1024 const pred2{600};
         std::vector<X> one, two, three;
         for (auto const& v : x) (pred(v) ? one : pred2(v) ? two : three).push_back(v);
         turned_array<Place, X> const in(x, in_offset), a(one.size(), out_offset), c(three.size(), in_offset);
         typename Place::template array<X> const b(two.size(), in_offset);
         sweep::three_way_partition_copy(at.policy, in.begin(), in.end(), a.begin(), b.begin(), c.begin(),
                                         pred, pred2);
         expect_equal(a.read(), one, title + "three_way_partition_copy, first");
         expect_equal(b.read(), two, title + "three_way_partition_copy, second");
         expect_equal(c.read(), three, title + "three_way_partition_copy, third");
         expect(a.guards_intact() && b.guards_intact() && c.guards_intact(),
                title + "three_way_partition_copy writes the outputs only");
       });
}

template <class X, bool EveryForm, class Places>
void reversed_laws_of(std::string const& what, std::size_t most, Places const& places) {
  random_source random("reversed " + what);
  for (auto const n : edge_sizes(sizeof(X), most, random))
    reversed_law<X, EveryForm>(places, what, n, random);
}

constexpr std::size_t most = 300'000;

}  // namespace

TEST_CASE("device compactions, reversed: items of 1 byte") {
  reversed_laws_of<std::uint8_t, true>("u8", most, compactions_in_turn<0>());
}
TEST_CASE("device compactions, reversed: items of 2 bytes") {
  reversed_laws_of<std::uint16_t, false>("u16", most, compactions_in_turn<1>());
}
TEST_CASE("device compactions, reversed: items of 7 bytes") {
  reversed_laws_of<parcel<7, std::uint8_t>, false>("7 bytes", most, compactions_in_turn<2>());
}
TEST_CASE("device compactions, reversed: items of 8 bytes") {
  reversed_laws_of<std::uint64_t, true>("u64", most, compactions_in_turn<3>());
}
TEST_CASE("device compactions, reversed: items of 16 bytes") {
  reversed_laws_of<uint128, false>("u128", most, compactions_in_turn<4>());
}

TEST_CASE("device compactions, reversed: made of others, by the tables' plans") {
  random_source random("reversed, made of others");
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.push_back(4'000'001);
  using place = std::remove_const_t<decltype(on_device)>;
  for (auto const n : sizes) {
    made_of<std::uint32_t, std::uint16_t> const f{13};
    auto const beneath = draw_bytes<std::uint16_t>(n, random);
    std::vector<std::uint32_t> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = f(beneath[i]);
    some_of_1024 const pred{shares[random.between(0, 4)]};
    sides_of<std::uint32_t, some_of_1024> const want(x, pred);
    place::array<std::uint16_t> const in(std::vector<std::uint16_t>(beneath.rbegin(), beneath.rend()), n % 7);
    place::array<std::uint32_t> const out(want.yes.size(), n % 5);
    auto const first = made_through(thrust::make_reverse_iterator(in.end()), f);
    sweep::copy_if(sweep::device, first, first + static_cast<std::ptrdiff_t>(n), out.begin(), pred);
    expect_equal(out.read(), want.yes, titled(on_device, "made of turned ones", n) + "copy_if");
    expect(out.guards_intact(), "copy_if writes the output only");
  }
}
