// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RELOCATABLE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RELOCATABLE_LAWS_HPP

#include <support/expect.hpp>
#include <support/values.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/gather.hpp>
#include <sweep/reduce.hpp>
#include <sweep/remove.hpp>
#include <sweep/run_length.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/unique.hpp>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <thrust/type_traits/is_trivially_relocatable.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

// Values that are moved about as bytes, although their own copies are not trivial, for any place.
namespace sweep_test {

/// Assigning asks whether there is a value to assign to; copying into new memory is trivial, or is not.
template <bool TrivialCopy>
struct fussy_map {
  static constexpr std::uint32_t there = 0x5eed5eed;
  std::uint32_t a = 1, b = 0, magic = there, unused = 0;
  fussy_map() = default;
  SWEEP_TEST_HD fussy_map(std::uint32_t x, std::uint32_t y) : a{x}, b{y} {}
  fussy_map(fussy_map const&) requires TrivialCopy = default;
  SWEEP_TEST_HD fussy_map(fussy_map const& other) requires(!TrivialCopy) : a{other.a}, b{other.b} {}
  SWEEP_TEST_HD fussy_map& operator=(fussy_map const& other) {
    if (magic == there) {
      a = other.a;
      b = other.b;
    }
    return *this;
  }
};
using fussy = fussy_map<true>;
using proclaimed = fussy_map<false>;

using map_pair = cuda::std::pair<std::uint32_t, std::uint32_t>;
using map_tuple = cuda::std::tuple<std::uint32_t, std::uint32_t>;
static_assert(!std::is_trivially_copyable_v<fussy> && std::is_trivially_copy_constructible_v<fussy> &&
              !std::is_trivially_copy_constructible_v<proclaimed>);

template <bool TrivialCopy>
SWEEP_TEST_HD std::uint32_t factor(fussy_map<TrivialCopy> const& m) {
  return m.a;
}
SWEEP_TEST_HD inline std::uint32_t factor(map_pair const& m) { return m.first; }
SWEEP_TEST_HD inline std::uint32_t factor(map_tuple const& m) { return cuda::std::get<0>(m); }
template <bool TrivialCopy>
SWEEP_TEST_HD std::uint32_t shift(fussy_map<TrivialCopy> const& m) {
  return m.b;
}
SWEEP_TEST_HD inline std::uint32_t shift(map_pair const& m) { return m.second; }
SWEEP_TEST_HD inline std::uint32_t shift(map_tuple const& m) { return cuda::std::get<1>(m); }

/// Maps x -> a x + b, the left one applied first: it does not commute.
struct maps_then {
  template <class M>
  SWEEP_TEST_HD M operator()(M const& x, M const& y) const {
    return M(factor(x) * factor(y), shift(x) * factor(y) + shift(y));
  }
};
struct odd_shift {
  template <class M>
  SWEEP_TEST_HD bool operator()(M const& m) const {
    return shift(m) % 2 != 0;
  }
};
struct same_half {
  template <class M>
  SWEEP_TEST_HD bool operator()(M const& x, M const& y) const {
    return shift(x) / 2 == shift(y) / 2;
  }
};

template <class M>
bool all_equal(std::vector<M> const& x, std::vector<M> const& y) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (factor(x[i]) != factor(y[i]) || shift(x[i]) != shift(y[i])) return false;
  return true;
}

/// Memory of a place for values that are not trivially copyable.
template <class M, class Place>
class array_of_maps {
  struct bytes {
    alignas(M) unsigned char of[sizeof(M)];
  };
  typename Place::template array<bytes> memory_;
  static std::vector<bytes> bytes_of(std::vector<M> const& x) {
    std::vector<bytes> all(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      std::memcpy(&all[i], static_cast<void const*>(&x[i]), sizeof(M));
    return all;
  }

 public:
  explicit array_of_maps(std::vector<M> const& x) : memory_(bytes_of(x)) {}
  M* begin() const { return reinterpret_cast<M*>(memory_.begin()); }
  M* end() const { return reinterpret_cast<M*>(memory_.end()); }
  std::vector<M> read(M const* until) const {
    auto const all = memory_.read();
    std::vector<M> x(static_cast<std::size_t>(until - begin()));
    for (std::size_t i = 0; i < x.size(); ++i) std::memcpy(static_cast<void*>(&x[i]), &all[i], sizeof(M));
    return x;
  }
  bool guards_intact() const { return memory_.guards_intact(); }
};

template <class M>
std::vector<M> some_maps(std::size_t n) {
  std::vector<M> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(M(static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * i % 7)));
  return x;
}

template <class M, class Place>
void relocatable_scan_laws(Place const& at, std::string const& name, std::size_t n) {
  auto const x = some_maps<M>(n);
  auto const title = std::string(at.name) + ", " + name + ", n = " + std::to_string(n) + ": ";
  array_of_maps<M, Place> const in(x), out(std::vector<M>(n, M(1, 0)));
  auto want = x;
  for (std::size_t i = 1; i < n; ++i) want[i] = maps_then{}(want[i - 1], x[i]);
  auto const written = [&](M* end, std::vector<M> const& right, char const* what) {
    expect(all_equal(out.read(end), right), title + what);
    expect(out.guards_intact(), title + what + std::string(" writes its output only"));
  };
  written(sweep::inclusive_scan(at.policy, in.begin(), in.end(), out.begin(), maps_then{}), want,
          "inclusive_scan");
  auto const all = sweep::reduce(at.policy, in.begin(), in.end(), M(1, 0), maps_then{});
  expect(factor(all) == factor(want.back()) && shift(all) == shift(want.back()), title + "reduce");
  std::vector<std::uint32_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::uint32_t>(i / 100);
  typename Place::template array<std::uint32_t> const keys(ids), keys_out(n);
  auto by_key = x;
  std::vector<M> folds;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 100 > 0) by_key[i] = maps_then{}(by_key[i - 1], x[i]);
    if (i % 100 == 99 || i + 1 == n) folds.push_back(by_key[i]);
  }
  written(sweep::inclusive_scan_by_key(at.policy, keys.begin(), keys.end(), in.begin(), out.begin(),
                                       sweep::segments::equal_keys{}, maps_then{}),
          by_key, "inclusive_scan_by_key");
  written(sweep::reduce_by_key(at.policy, keys.begin(), keys.end(), in.begin(), keys_out.begin(), out.begin(),
                               sweep::segments::equal_keys{}, maps_then{})
              .second,
          folds, "reduce_by_key");
}

template <class M, class Place>
void relocatable_item_laws(Place const& at, std::string const& name, std::size_t n) {
  auto const x = some_maps<M>(n);
  auto const title = std::string(at.name) + ", " + name + ", n = " + std::to_string(n) + ": ";
  array_of_maps<M, Place> const in(x), out(std::vector<M>(n, M(1, 0)));
  std::vector<M> odd, even, runs, products = x;
  for (std::size_t i = 0; i < n; ++i) {
    (odd_shift{}(x[i]) ? odd : even).push_back(x[i]);
    if (i == 0 || !same_half{}(x[i - 1], x[i])) runs.push_back(x[i]);
    if (i > 0) products[i] = maps_then{}(x[i], x[i - 1]);
  }
  auto const written = [&](array_of_maps<M, Place> const& to, M* end, std::vector<M> const& right,
                           char const* what) {
    expect(all_equal(to.read(end), right), title + what);
    expect(to.guards_intact(), title + what + std::string(" writes its output only"));
  };
  written(out, sweep::copy_if(at.policy, in.begin(), in.end(), out.begin(), odd_shift{}), odd, "copy_if");
  written(out, sweep::unique_copy(at.policy, in.begin(), in.end(), out.begin(), same_half{}), runs,
          "unique_copy");
  written(out, sweep::adjacent_difference(at.policy, in.begin(), in.end(), out.begin(), maps_then{}),
          products, "adjacent_difference");
  array_of_maps<M, Place> const both(x);
  written(both, sweep::remove_if(at.policy, both.begin(), both.end(), odd_shift{}), even, "remove_if");
}

template <class M, class Place>
void relocatable_move_laws(Place const& at, std::string const& name, std::size_t n) {
  auto const x = some_maps<M>(n);
  auto const title = std::string(at.name) + ", " + name + ", n = " + std::to_string(n) + ": ";
  std::vector<std::uint32_t> backwards(n), lengths;
  std::vector<M> turned, firsts;
  for (std::size_t i = 0; i < n; ++i) {
    backwards[i] = static_cast<std::uint32_t>(n - 1 - i);
    turned.push_back(x[n - 1 - i]);
    if (i == 0 || !same_half{}(x[i - 1], x[i])) {
      firsts.push_back(x[i]);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  typename Place::template array<std::uint32_t> const map(backwards), counts(n);
  auto const none = std::vector<M>(n, M(1, 0));
  array_of_maps<M, Place> const in(x), gathered(none), scattered(none), values(none);
  sweep::gather(at.policy, map.begin(), map.end(), in.begin(), gathered.begin());
  expect(all_equal(gathered.read(gathered.end()), turned), title + "gather");
  sweep::scatter(at.policy, in.begin(), in.end(), map.begin(), scattered.begin());
  expect(all_equal(scattered.read(scattered.end()), turned), title + "scatter");
  auto const ends =
      sweep::run_length_encode(at.policy, in.begin(), in.end(), values.begin(), counts.begin(), same_half{});
  expect(all_equal(values.read(ends.first), firsts), title + "run_length_encode");
  auto counted = counts.read();
  counted.resize(lengths.size());
  expect(counted == lengths, title + "run_length_encode, lengths");
  expect(gathered.guards_intact() && scattered.guards_intact() && values.guards_intact(),
         title + "moves write their output only");
}

/// A scan whose results, totals or items stand in scratch or in shared memory on their way.
template <class M, class Place, class Policy>
void relocatable_variant_law(Place const& at, Policy const& policy, std::string const& name, std::size_t n) {
  auto const x = some_maps<M>(n);
  auto want = x;
  for (std::size_t i = 1; i < n; ++i) want[i] = maps_then{}(want[i - 1], x[i]);
  array_of_maps<M, Place> const in(x), out(std::vector<M>(n, M(1, 0)));
  sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), maps_then{});
  expect(all_equal(out.read(out.end()), want),
         std::string(at.name) + ", " + name + ", n = " + std::to_string(n) + ": inclusive_scan");
}

template <class Place>
void relocatable_laws(Place const& at, std::size_t n) {
  relocatable_scan_laws<proclaimed>(at, "a proclaimed type", n);
  relocatable_item_laws<fussy>(at, "a type with an assignment of its own", n);
  relocatable_scan_laws<map_pair>(at, "cuda::std::pair", n);
  relocatable_item_laws<map_tuple>(at, "cuda::std::tuple", n);
  relocatable_move_laws<proclaimed>(at, "a proclaimed type", n);
  relocatable_move_laws<fussy>(at, "a type with an assignment of its own", n);
}

}  // namespace sweep_test

THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(sweep_test::proclaimed)

#endif
