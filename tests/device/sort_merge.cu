// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts by a comparison on the device: keys that move and keys that stay, values that move with their
// keys, that ride and that are taken by index, outputs of other types, orders that are none.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

using namespace sweep_test;

namespace sweep_test {

/// A comparison that says anything, but always the same of two keys.
struct disagreeing {
  SWEEP_TEST_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    return ((a * 0x9e3779b9u ^ b * 0xbf58476du) >> 13 & 1) != 0;
  }
};
/// What comes before is what stands before in a table: keys that are none must not be asked about.
struct by_rank {
  std::uint32_t const* rank;
  SWEEP_TEST_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return rank[a] < rank[b]; }
};
/// Of many narrow parts, of which some count.
struct word_of_letters {
  unsigned char letters[16];
};
struct by_letters {
  SWEEP_TEST_HD bool operator()(word_of_letters const& a, word_of_letters const& b) const {
    for (int k = 1; k < 16; k += 2)
      if (a.letters[k] != b.letters[k]) return a.letters[k] < b.letters[k];
    return false;
  }
};
struct low_half {
  template <class T>
  SWEEP_TEST_HD bool operator()(T const& a, T const& b) const {
    return (a & 0xfff) < (b & 0xfff);
  }
};

}  // namespace sweep_test

namespace {

constexpr std::size_t most = 100'000;

/// Which sorts are by a grid of so many resident blocks: those of more items than one block sorts; which of
/// these by bins, none of which has more items; and of how many items bins have a kernel of their own; and
/// back.
class grid_limits {
 public:
  grid_limits(std::int64_t blocks, std::int64_t block_items, int bin_items = 1 << 20,
              std::int64_t of_bins = 1 << 19)
      : blocks_(sweep::detail::most_sample_blocks, blocks),
        block_items_(sweep::detail::most_items_of_sample_block, block_items),
        of_bins_(sweep::detail::least_items_of_sample_bins, of_bins),
        bin_items_(sweep::detail::most_items_of_bin, bin_items) {}

 private:
  changed<std::int64_t> blocks_, block_items_, of_bins_;
  changed<int> bin_items_;
};

}  // namespace

TEST_CASE("device sort by a comparison: keys of 4 to 40 bytes") {
  sort_laws_of<std::uint32_t, sorts::keys>("u32 by its low bits", most, on_device, low_half{}, low_half{});
  sort_laws_of<record, sorts::keys>("8 bytes", most, on_device, by_low_bits{}, by_low_bits{});
  sort_laws_of<wide_record, sorts::keys>("40 bytes", 30'000, on_device, by_key_downwards{},
                                         by_key_downwards{});
  sort_laws_of<word_of_letters, sorts::keys>("16 letters", 30'000, on_device, by_letters{}, by_letters{});
}

TEST_CASE("device sort by a comparison: by a grid of resident blocks") {
  for (int const bin : {1 << 20, 100, 0})  // of a large bin, where keys are not alike, parts are merged
    for (auto const blocks : {std::int64_t{3}, std::int64_t{1} << 20}) {
      // Bins of few blocks have a kernel of their own from some size on, those of many always.
      grid_limits const limits(blocks, 700, bin, blocks == 3 && bin != 0 ? 20'000 : 0);
      sort_laws_of<std::uint32_t, sorts::keys>("u32 by its low bits", most, on_device, low_half{},
                                               low_half{});
      sort_laws_of<record, sorts::keys>("8 bytes", most, on_device, by_low_bits{}, by_low_bits{});
      sort_laws_of<word_of_letters, sorts::keys>("16 letters", 30'000, on_device, by_letters{}, by_letters{});
      sort_laws_of<std::uint32_t, sorts::pairs, std::uint8_t>("u32 and u8", most, on_device, low_half{},
                                                              low_half{});
      sort_laws_of<record, sorts::pairs, std::uint32_t>("8 bytes and u32", most, on_device, by_low_bits{},
                                                        by_low_bits{});
    }
}

TEST_CASE("device sort by a comparison: keys and pairs in tiles, which only many items have") {
  grid_limits const none(0, 0);
  for (std::int64_t const own : {300, 0}) {  // so few tiles find where they begin themselves
    changed<std::int64_t> const cuts(sweep::detail::merged_tiles_with_own_cuts, own);
    sort_laws_of<std::uint32_t, sorts::keys>("u32 by its low bits", most, on_device, low_half{}, low_half{});
    sort_laws_of<record, sorts::keys>("8 bytes", most, on_device, by_low_bits{}, by_low_bits{});
    sort_laws_of<std::uint32_t, sorts::pairs, std::uint8_t>("u32 and u8", most, on_device, low_half{},
                                                            low_half{});
    sort_laws_of<record, sorts::pairs, std::uint32_t>("8 bytes and u32", most, on_device, by_low_bits{},
                                                      by_low_bits{});
    sort_laws_of<wide_record, sorts::keys>("40 bytes", 30'000, on_device, by_key_downwards{},
                                           by_key_downwards{});
  }
}

TEST_CASE("device sort by a comparison: values that move, that ride, by index, indices") {
  sort_laws_of<std::uint32_t, sorts::pairs, std::uint8_t>("u32 and u8", most, on_device, low_half{},
                                                          low_half{});
  sort_laws_of<std::uint32_t, sorts::pairs, std::uint32_t>("u32 and u32", most, on_device, low_half{},
                                                           low_half{});
  sort_laws_of<std::uint16_t, sorts::pairs, std::uint32_t>("u16 and u32", most, on_device, low_half{},
                                                           low_half{});
  sort_laws_of<record, sorts::pairs, std::uint32_t>("8 bytes and u32", most, on_device, by_low_bits{},
                                                    by_low_bits{});
  sort_laws_of<record, sorts::pairs, wide_record>("8 and 40 bytes", 30'000, on_device, by_low_bits{},
                                                  by_low_bits{});
  sort_laws_of<record, sorts::indices, std::int64_t>("indices of 8 bytes", most, on_device, by_low_bits{},
                                                     by_low_bits{});
}

TEST_CASE("device sort by a comparison: into another type, through iterators") {
  random_source random("merge sort iterators");
  for (auto const n : few_sizes()) {
    auto const x = draw_many<std::uint32_t>(n, random);
    auto const order = stable_order(x, low_half{});
    auto const want = taken(x, order);
    guarded<std::uint32_t, device_memory> const in(x, 1),
        turned(std::vector<std::uint32_t>(x.rbegin(), x.rend()), 2);
    guarded<double, device_memory> const out(n, 1);
    guarded<std::int32_t, device_memory> const values_out(2 * n, 1);
    using reverse = std::reverse_iterator<std::uint32_t*>;
    sweep::sort_by_key_copy(sweep::device, reverse(turned.end()), reverse(turned.begin()), in.begin(),
                            out.begin(), strided<std::int32_t*>(values_out.begin(), 2), low_half{});
    expect_equal(out.read(), std::vector<double>(want.begin(), want.end()), "u32 into double");
    std::vector<std::int32_t> values, want_values(want.begin(), want.end());
    auto const all = values_out.read();
    for (std::size_t i = 0; i < n; ++i) values.push_back(all[2 * i]);
    expect_equal(values, want_values, "u32 into every other i32");
    expect(out.guards_intact() && values_out.guards_intact(), "writes the outputs only");
  }
}

TEST_CASE("device sort by a comparison: no order, and keys that must be some") {
  random_source random("merge sort disorder");
  for (auto const block_items : {700, 4608}) {
    grid_limits const limits(std::int64_t{1} << 20, block_items);
    for (auto const n : few_sizes()) {
      auto const x = draw_many<std::uint32_t>(n, random);
      guarded<std::uint32_t, device_memory> const out(x, 3);
      sweep::sort(sweep::device, out.begin(), out.end(), disagreeing{});
      expect(out.guards_intact(), "no order: writes the output only");
      std::vector<std::uint32_t> ranks(1000), keys(n);
      for (auto& r : ranks) r = static_cast<std::uint32_t>(random());
      for (auto& k : keys) k = static_cast<std::uint32_t>(random.between(0, 999));
      guarded<std::uint32_t, device_memory> const table(ranks), sorted(keys, 1);
      sweep::sort(sweep::device, sorted.begin(), sorted.end(), by_rank{table.begin()});
      std::stable_sort(keys.begin(), keys.end(), by_rank{ranks.data()});
      expect_equal(sorted.read(), keys, "by rank");
    }
  }
}

TEST_CASE("device sort by a comparison: captured in a graph, and the caller's scratch") {
  random_source random("merge sort graph");
  std::size_t const n = sanitizing() ? 20'000 : 1'000'003;
  device_array<std::uint32_t> keys(n), values(n);
  device_array<std::byte> const memory(8 * n + 8 * n / 256 + 4096 + (std::size_t{1} << 18));
  auto const few = sweep::device.scratch(std::span(memory.begin(), 4096));
  auto const x = draw_many<std::uint32_t>(n, random);
  keys.write(x);
  expect_throw<sweep::bad_argument>({"sweep::sort_by_key:", "scratch", "4096 bytes"}, [&] {
    sweep::sort_by_key(few, keys.begin(), keys.end(), values.begin(), low_half{});
  });
  expect_equal(keys.read(), x, "nothing is written");
  own_stream const stream;
  auto const on = sweep::device.on(stream).scratch(std::span(memory.begin(), memory.end()));
  captured_graph const graph(
      stream, [&] { sweep::sort_by_key(on, keys.begin(), keys.end(), values.begin(), low_half{}); });
  for (int replay = 0; replay < 3; ++replay) {
    auto const some = draw_keys<std::uint32_t>(static_cast<key_shape>(replay * 3), n, random, low_half{});
    std::vector<std::uint32_t> indices(n), want(n);
    std::iota(indices.begin(), indices.end(), 0u);
    keys.write(some);
    values.write(indices);
    graph.launch(stream);
    stream.wait();
    auto const order = stable_order(some, low_half{});
    for (std::size_t i = 0; i < n; ++i) want[i] = static_cast<std::uint32_t>(order[i]);
    expect_equal(keys.read(), taken(some, order), "replay " + std::to_string(replay) + ", keys");
    expect_equal(values.read(), want, "replay " + std::to_string(replay) + ", values");
  }
}
