// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions by key on the device: keys and items of all widths, wherever they lie.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/run_fold_laws.hpp>
#include <support/runs_in_stages.hpp>

#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

using namespace sweep_test;

namespace {

struct unchanged {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x) const {
    return x;
  }
};

}  // namespace

TEST_CASE("device reductions by key: widths of keys and items") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_fold_laws_of<std::uint8_t, std::uint8_t>("u8, u8", most, on_device, larger{});
    run_fold_laws_of<std::uint16_t, heisenberg<std::uint8_t>>("u16, 3 bytes", most, on_device,
                                                              heisenberg_product{});
    run_fold_laws_of<std::int64_t, std::uint16_t>("i64, u16", most, on_device, larger{});
    run_fold_laws_of<std::int32_t, heisenberg<std::uint64_t>>("i32, 24 bytes", most, on_device,
                                                              heisenberg_product{});
  });
}

TEST_CASE("device reductions by key: wide keys, and neighbours alone compared") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_fold_laws_of<motion, std::uint32_t>("48 bytes, u32", most, on_device, add{});
    run_fold_laws_of<std::int16_t, matrix2>("i16, 16 bytes", most, on_device, matrix2_product{},
                                            neighbours_differ_by_one{});
  });
}

TEST_CASE("device reductions by key: keys and items that are not in memory side by side") {
  run_fold_laws_of<std::uint8_t, std::uint64_t>("u8, u64", 300'000, on_device, add{}, equal_items{},
                                                by_strides_of_one{});
}

TEST_CASE("device reductions by key: the look-backs of a scan") {
  auto const chained = half_at(sweep::device.with(sweep::variant::chained), "chained");
  auto const decoupled = half_at(sweep::device.with(sweep::variant::decoupled_lookback), "decoupled");
  in_tiles_of_both_kinds([&](std::size_t most) {
    run_fold_laws_of<std::int32_t, std::uint32_t>("i32, u32", most, chained, add{});
    run_fold_laws_of<std::int32_t, std::uint32_t>("i32, u32", most, decoupled, add{});
  });
}

TEST_CASE("device reductions by key: large enough for large tiles") {
  std::size_t const n = sanitizing() ? 6'000 : 3'000'001;
  random_source random("run folds, large");
  for (std::int64_t const mean : {1, 8, 1000, 10'000'000})
    run_fold_law(on_device, "i32, u32", draw_runs<std::int32_t>(n, mean, random),
                 draw_many<std::uint32_t>(n, random), add{}, equal_items{}, {1, 3, 2, 7}, as_they_are{});
}

/// Structs of bytes, from behind and through a function, are words until they are folded.
TEST_CASE("device reductions by key: structs of bytes made of what lies in memory") {
  using item = heisenberg<std::uint8_t>;
  in_tiles_of_both_kinds([](std::size_t most) {
    random_source random("run folds of bytes");
    for (std::size_t const n : {std::size_t{1}, std::size_t{95}, std::size_t{2'900}, most / 3})
      for (std::int64_t const mean : {1, 3, 400}) {
        auto const keys = draw_runs<std::int32_t>(n, mean, random);
        auto const x = draw_many<item>(n, random);
        guarded<std::int32_t, device_memory> const given(keys, random() % 4), keys_out(n, random() % 4);
        guarded<item, device_memory> const in(x, random() % 16), out(n, random() % 16);
        guarded<std::int64_t, device_memory> const count(1);
        auto const law = [&](std::string const& what, auto const& first, std::vector<item> const& items) {
          auto const want = run_fold_oracle(keys, items, heisenberg_product{}, equal_items{});
          auto const title = what + ", n = " + std::to_string(n) + ", mean " + std::to_string(mean);
          sweep::reduce_by_key_into(sweep::device, given.begin(), given.end(), first, keys_out.begin(),
                                    out.begin(), count.begin(), equal_items{}, heisenberg_product{});
          expect_equal(count.read(), {static_cast<std::int64_t>(want.keys.size())}, title + ", the count");
          expect_start(keys_out.read(), want.keys, title + ", keys");
          expect_start(out.read(), want.folds, title + ", folds");
          expect(out.guards_intact() && keys_out.guards_intact(), title + ": writes the outputs only");
        };
        law("through a function", thrust::make_transform_iterator(in.begin(), unchanged{}), x);
        law("from behind",
            thrust::make_transform_iterator(thrust::make_reverse_iterator(in.end()), unchanged{}),
            std::vector<item>(x.rbegin(), x.rend()));
      }
  });
}

TEST_CASE("device reductions by key: keys and items made of what lies in memory") {
  in_tiles_of_both_kinds([](std::size_t) {
    random_source random("run fold sources");
    for (auto const n : few_sizes()) run_fold_source_laws(on_device, n, 7, random);
  });
}
