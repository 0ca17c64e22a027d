// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions of items that a function makes of others: by the tables' plans, which load what
// lies beneath them.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/partition_made_laws.hpp>

#include <thrust/iterator/permutation_iterator.h>

using namespace sweep_test;

namespace {

/// Of both sides of the size from which tiles come in stages, for items of so many bytes.
std::vector<std::size_t> sizes_for(std::size_t item_bytes) {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.push_back((std::size_t{14} << 20) / item_bytes + 12'345);
  return sizes;
}

}  // namespace

TEST_CASE("device compactions: items made of others") {
  made_items_laws_of<std::uint32_t, std::uint8_t>("u32 of u8", sizes_for(4), on_device);
  made_items_laws_of<std::uint16_t, std::uint16_t>("u16 of u16", sizes_for(2), on_device);
  made_items_laws_of<std::uint8_t, std::uint64_t>("u8 of u64", sizes_for(1), on_device);
}

TEST_CASE("device compactions: items that are computed") {
  computed_items_laws_of<std::uint32_t>("u32", sizes_for(4), on_device);
  computed_items_laws_of<std::uint8_t>("u8", sizes_for(1), on_device);
}

// Lanes hold them as they have read them.
TEST_CASE("device compactions: wide items that are read elsewhere") {
  using item = parcel<24>;
  random_source random("wide items that are read elsewhere");
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.insert(sizes.end(), {150'001, 400'003});
  for (auto const n : sizes) {
    auto const beneath = draw_bytes<item>(n, random);
    std::vector<std::uint32_t> order(n);  // any, some of them often
    for (auto& at : order) at = static_cast<std::uint32_t>(random() % n);
    std::vector<item> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = beneath[order[i]];
    some_of_1024 const pred{shares[random.between(0, 4)]};
    sides_of<item, some_of_1024> const want(x, pred);
    decltype(on_device)::array<item> const items(beneath), yes(want.yes.size(), 1), no(want.no.size(), 3);
    decltype(on_device)::array<std::uint32_t> const indices(order);
    auto const first = thrust::make_permutation_iterator(items.begin(), indices.begin());
    sweep::partition_copy(sweep::device, first, first + static_cast<std::ptrdiff_t>(n), yes.begin(),
                          no.begin(), pred);
    expect_equal(yes.read(), want.yes, "gathered, selected, n = " + std::to_string(n));
    expect_equal(no.read(), want.no, "gathered, rejected, n = " + std::to_string(n));
    expect(yes.guards_intact() && no.guards_intact(), "partition_copy writes the outputs only");
  }
}
