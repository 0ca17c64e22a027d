// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SORT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SORT_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/sort.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// The laws of sorts, for any place: the same bytes as a stable sort by the standard library, of keys and of
// what goes with them.
namespace sweep_test {

/// A T of these bits; what is wider goes on with others.
template <class T>
T from_bits(uint128 bits) {
  unsigned char bytes[sizeof(T)];
  for (std::size_t at = 0; at < sizeof(T); at += sizeof bits, bits = bits * 0x9e3779b97f4a7c15u + at)
    std::memcpy(bytes + at, &bits, std::min(sizeof bits, sizeof(T) - at));
  T x;
  std::memcpy(static_cast<void*>(&x), bytes, sizeof(T));
  return x;
}
inline uint128 draw_bits(random_source& random) { return static_cast<uint128>(random()) << 64 | random(); }

/// Keys by bytes: NaNs and zeros with a sign are told apart.
template <class T>
std::vector<std::array<unsigned char, sizeof(T)>> bytes_of(std::vector<T> const& x) {
  std::vector<std::array<unsigned char, sizeof(T)>> all(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    T const one = x[i];
    std::memcpy(all[i].data(), &one, sizeof(T));
  }
  return all;
}

/// The order that is promised of numbers: NaNs are one, behind all others.
struct number_less {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_class_v<T>) return (*this)(static_cast<float>(a), static_cast<float>(b));
    else if constexpr (std::is_floating_point_v<T>) return a != a ? false : b != b ? true : a < b;
    else return a < b;
  }
};
struct number_greater {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return number_less{}(b, a);
  }
};

enum class key_shape {
  uniform,
  few,
  equal,
  sorted,
  reversed,
  nearly_sorted,
  low_bits,
  high_bits,
  two_ends,
  saw,
  pipe,
  skewed,
  alternating,
  both_signs,
};
inline constexpr int key_shapes = static_cast<int>(key_shape::both_signs) + 1;

/// n keys of a shape; what sorted means says Less.
template <class T, class Less>
std::vector<T> draw_keys(key_shape shape, std::size_t n, random_source& random, Less less) {
  std::vector<T> x(n);
  constexpr int bits = static_cast<int>(std::min<std::size_t>(16, sizeof(T))) * 8;
  auto const any = [&] { return from_bits<T>(draw_bits(random)); };
  for (auto& one : x) one = any();
  switch (shape) {
  case key_shape::uniform:
    break;
  case key_shape::few: {
    std::vector<T> pool(16);
    for (auto& one : pool) one = any();
    for (auto& one : x) one = pool[random() % pool.size()];
    break;
  }
  case key_shape::equal:
    for (auto& one : x) one = from_bits<T>(1);
    break;
  case key_shape::low_bits:
    for (auto& one : x) one = from_bits<T>(draw_bits(random) & 255);
    break;
  case key_shape::high_bits:
    for (auto& one : x) one = from_bits<T>(draw_bits(random) << (bits - 5));
    break;
  case key_shape::two_ends:
    for (auto& one : x) one = from_bits<T>((draw_bits(random) & 3) | draw_bits(random) << (bits - 2));
    break;
  case key_shape::skewed:
    for (auto& one : x)
      one = from_bits<T>(draw_bits(random) & draw_bits(random) & draw_bits(random) & draw_bits(random));
    break;
  case key_shape::alternating:
    for (std::size_t i = 0; i < n; ++i) x[i] = from_bits<T>(i % 2 == 0 ? ~uint128{0} : uint128{0});
    break;
  case key_shape::both_signs:  // small numbers: where negative, all high bits of an integer are turned over
    for (auto& one : x) {
      int const small = static_cast<int>(random() % 13) - 6;
      if constexpr (sweep::detail::is_radix_float<T>) one = static_cast<T>(static_cast<float>(small) / 4);
      else one = from_bits<T>(static_cast<uint128>(static_cast<std::int64_t>(small)));
    }
    break;
  default:
    std::stable_sort(x.begin(), x.end(), less);
    if (shape == key_shape::reversed) std::reverse(x.begin(), x.end());
    if (shape == key_shape::nearly_sorted)
      for (std::size_t i = 0; i < n / 50 + 1 && n > 1; ++i) {
        auto const a = random() % n, b = random() % n;
        T const kept = x[a];
        x[a] = x[b];
        x[b] = kept;
      }
    if (shape == key_shape::saw) {
      auto const sorted = x;
      auto const teeth = 1 + random() % 50;
      for (std::size_t i = 0; i < n; ++i) x[i] = sorted[i * teeth % n];
    }
    if (shape == key_shape::pipe && n > 1)
      std::reverse(x.begin() + static_cast<std::ptrdiff_t>(n / 2), x.end());
  }
  return x;
}

/// The order that a stable sort gives.
template <class T, class Less>
std::vector<std::size_t> stable_order(std::vector<T> const& x, Less less) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    T const left = x[a], right = x[b];
    return less(left, right);
  });
  return order;
}
template <class T>
std::vector<T> taken(std::vector<T> const& x, std::vector<std::size_t> const& order) {
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[order[i]];
  return y;
}

/// What of a sort is asked for: each has kernels of its own.
enum class sorts { keys, pairs, indices };

/// One form of sort with one set of keys, in place and not.
template <sorts What, class V, class Place, class T, class Comp, class Less>
void sort_law(Place const& at, std::string const& what, std::vector<T> const& x, std::size_t offset,
              Comp comp, Less less, random_source& random) {
  auto const n = x.size();
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ", offset " +
                     std::to_string(offset);
  auto const order = stable_order(x, less);
  auto const want = bytes_of(taken(x, order));
  auto const same = [&](auto const& array, auto const& all, char const* said) {
    expect_equal(bytes_of(array.read()), all, title + ", " + said);
    expect(array.guards_intact(), title + ", " + said + ": writes the output only");
  };
  typename Place::template array<T> const in(x, offset), sorted(x, offset + 1), out(n, offset);
  if constexpr (What == sorts::keys) {
    sweep::sort(at.policy, sorted.begin(), sorted.end(), comp);
    same(sorted, want, "sort");
    expect(sweep::stable_sort_copy(at.policy, in.begin(), in.end(), out.begin(), comp) == out.end(),
           title + ": sort_copy returns the end of the output");
    same(out, want, "sort_copy");
  } else if constexpr (What == sorts::pairs) {
    std::vector<V> values(n);
    for (auto& v : values) v = from_bits<V>(draw_bits(random));
    auto const want_values = bytes_of(taken(values, order));
    typename Place::template array<V> const given(values, offset), moved(values, offset + 2),
        to(n, offset + 1);
    sweep::stable_sort_by_key(at.policy, sorted.begin(), sorted.end(), moved.begin(), comp);
    same(sorted, want, "sort_by_key, keys");
    same(moved, want_values, "sort_by_key, values");
    auto const end = sweep::sort_by_key_copy(at.policy, in.begin(), in.end(), given.begin(), out.begin(),
                                             to.begin(), comp);
    expect(end.first == out.end() && end.second == to.end(),
           title + ": sort_by_key_copy returns the ends of the outputs");
    same(out, want, "sort_by_key_copy, keys");
    same(to, want_values, "sort_by_key_copy, values");
    same(given, bytes_of(values), "the values");
  } else {
    typename Place::template array<V> const to(n, offset);
    std::vector<V> indices(n);
    for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<V>(order[i]);
    expect(sweep::argsort(at.policy, in.begin(), in.end(), to.begin(), comp) == to.end(),
           title + ": argsort returns the end of the output");
    same(to, bytes_of(indices), "argsort");
  }
  same(in, bytes_of(x), "the input");
}

/// Which of so many cases of a law are run: all, or one that is drawn under racecheck, where a kernel takes a
/// good part of a second.
inline std::vector<int> some_cases(int count, random_source& random) {
  if (racechecking()) return {static_cast<int>(random.between(0, count - 1))};
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}
/// few_sizes(), or two of them under racecheck.
inline std::vector<std::size_t> few_sort_sizes() {
  if (racechecking()) return {33, 3000};
  return few_sizes();
}

/// Every shape, at sizes where something changes.
template <class T, sorts What, class V = std::uint32_t, class Places, class Comp, class Less>
void sort_laws_of(std::string const& what, std::size_t most, Places const& places, Comp comp, Less less) {
  random_source random(what);
  auto sizes = edge_sizes(sizeof(T), most, random);
  std::size_t turn = 0;
  if (racechecking()) {
    turn = random() % key_shapes;
    sizes = {sizes[random() % sizes.size()]};
  }
  for (auto const n : sizes) {
    auto const shape = static_cast<key_shape>((turn + random() % 2 * (random() % key_shapes)) % key_shapes);
    auto const x = draw_keys<T>(shape, n, random, less);
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    sort_law<What, V>(places.for_turn(turn), what + ", shape " + std::to_string(static_cast<int>(shape)), x,
                      offset, comp, less, random);
    ++turn;
  }
}

/// A key beside other things: what a comparison does not look at tells whether a sort is stable.
struct record {
  std::uint32_t key, serial;
  friend bool operator==(record const&, record const&) = default;
};
struct by_low_bits {
  SWEEP_TEST_HD bool operator()(record const& a, record const& b) const {
    return a.key % 1000 < b.key % 1000;
  }
};
/// As wide as no machine word.
struct wide_record {
  std::uint64_t key, parts[4];
};
struct by_key_downwards {
  template <class Record>
  SWEEP_TEST_HD bool operator()(Record const& a, Record const& b) const {
    return b.key < a.key;
  }
};
/// A projection to two numbers.
struct parts_of_record {
  SWEEP_TEST_HD sweep::pair<std::uint8_t, float> operator()(record const& x) const {
    return {static_cast<std::uint8_t>(x.key % 7), static_cast<float>(x.serial % 100) - 50.0f};
  }
};
struct by_parts_of_record {
  bool operator()(record const& a, record const& b) const {
    auto const x = parts_of_record{}(a), y = parts_of_record{}(b);
    return x.first != y.first ? x.first < y.first : x.second < y.second;
  }
};

/// Some bits of a word alone, and an order turned: those that are not asked for keep the items' order.
template <class Places>
void sort_bits_laws(Places const& places) {
  random_source random("sort bits");
  std::size_t turn = 0;
  for (auto const n : few_sort_sizes()) {
    int const begin = static_cast<int>(random.between(0, 31)),
              end = static_cast<int>(random.between(begin, 32));
    auto const x = draw_keys<std::uint32_t>(key_shape::uniform, n, random, std::less<>{});
    auto const cut = [=](std::uint32_t w) {
      return begin == end ? 0u : static_cast<std::uint32_t>(w >> begin) & (~0u >> (32 - (end - begin)));
    };
    auto const at = places.for_turn(turn++);
    auto const what = "bits " + std::to_string(begin) + " to " + std::to_string(end);
    sort_law<sorts::keys, std::uint32_t>(
        at, what, x, n % 3, sweep::radix_key().bits(begin, end),
        [&](std::uint32_t a, std::uint32_t b) { return cut(a) < cut(b); }, random);
    sort_law<sorts::keys, std::uint32_t>(
        at, what + " descending", x, n % 3, sweep::radix_key().bits(begin, end).descending(),
        [&](std::uint32_t a, std::uint32_t b) { return cut(b) < cut(a); }, random);
  }
}

/// Comparisons that are no order at all.
struct no_order {
  std::uint32_t kind;
  SWEEP_TEST_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (kind == 0) return true;
    if (kind == 1) return a <= b;
    if (kind == 2) return a != b;
    return ((a * 0x9e3779b9u ^ b) * 0x85ebca6bu >> 13) % 2 != 0;
  }
};
/// They end, and touch nothing outside; where `Permutes`, no item is lost. Of as many items at most.
template <bool Permutes, class Places>
void no_order_laws(Places const& places, std::size_t most = 30'000) {
  random_source random("no order");
  std::size_t turn = 0;
  for (auto n : few_sort_sizes())
    for (auto const which : some_cases(4, random)) {
      auto const kind = static_cast<std::uint32_t>(which);
      n = std::min(n, most);
      auto const at = places.for_turn(turn++);
      auto x =
          draw_keys<std::uint32_t>(static_cast<key_shape>(random() % key_shapes), n, random, std::less<>{});
      typename std::decay_t<decltype(at)>::template array<std::uint32_t> const keys(x, n % 4);
      sweep::sort(at.policy, keys.begin(), keys.end(), no_order{kind});
      auto const title =
          std::string(at.name) + ": no order " + std::to_string(kind) + ", n = " + std::to_string(n);
      expect(keys.guards_intact(), title + ": writes the range only");
      if constexpr (Permutes) {
        auto y = keys.read();
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        expect_equal(y, x, title + ": the same items");
      }
    }
}

struct by_low_bits_of {
  SWEEP_TEST_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 64 < b % 64; }
};

/// n numbers in any order, which nobody stores.
struct made_up_keys {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint32_t;
  std::ptrdiff_t at;
  SWEEP_TEST_HD std::uint32_t operator[](std::ptrdiff_t i) const {
    return static_cast<std::uint32_t>(at + i) * 0x9e3779b9u;
  }
  SWEEP_TEST_HD std::uint32_t operator*() const { return (*this)[0]; }
  friend SWEEP_TEST_HD made_up_keys operator+(made_up_keys a, std::ptrdiff_t i) { return {a.at + i}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(made_up_keys a, made_up_keys b) { return a.at - b.at; }
};

/// Iterators that are no pointers, and outputs of another type.
template <class Place>
void sort_iterator_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("sort iterators");
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const size = static_cast<std::ptrdiff_t>(n);
  std::vector<U> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = made_up_keys{0}[static_cast<std::ptrdiff_t>(i)];
  auto const order = stable_order(made, std::less<>{});
  auto const sorted = taken(made, order);

  typename Place::template array<std::uint64_t> const wider(n, 1);
  typename Place::template array<double> const values_out(n, 2);
  typename Place::template array<float> const values([&] {
    std::vector<float> all(n);
    std::iota(all.begin(), all.end(), 0.0f);
    return all;
  }());
  sweep::sort_by_key_copy(at.policy, made_up_keys{0}, made_up_keys{size}, values.begin(), wider.begin(),
                          values_out.begin());
  expect_equal(wider.read(), std::vector<std::uint64_t>(sorted.begin(), sorted.end()), title + "wider keys");
  std::vector<double> want_values(n);
  for (std::size_t i = 0; i < n; ++i) want_values[i] = static_cast<double>(order[i]);
  expect_equal(values_out.read(), want_values, title + "wider values");

  using reverse = std::reverse_iterator<U*>;
  typename Place::template array<U> const turned(made, 3);
  sweep::sort(at.policy, reverse(turned.end()), reverse(turned.begin()));
  expect_equal(turned.read(), std::vector<U>(sorted.rbegin(), sorted.rend()), title + "from the end");

  std::vector<U> spread(2 * n, 7), want(2 * n, 7);
  for (std::size_t i = 0; i < n; ++i) spread[2 * i] = made[i];
  typename Place::template array<U> const every_second(spread, 1);
  auto const first = strided<U*>(every_second.begin(), 2);
  sweep::sort(at.policy, first, first + size, by_low_bits_of{});
  expect(every_second.guards_intact() && turned.guards_intact() && wider.guards_intact() &&
             values_out.guards_intact(),
         title + "writes the output only");
  auto const kept = every_second.read();
  auto by_bits = made;
  std::stable_sort(by_bits.begin(), by_bits.end(), by_low_bits_of{});
  for (std::size_t i = 0; i < n; ++i) want[2 * i] = by_bits[i];
  expect_equal(kept, want, title + "every second, by a comparison");
}

/// Bad input, and that nothing is written.
template <class Place>
void sort_error_laws(Place const& at) {
  std::vector<std::uint32_t> const x{3, 1, 2, 0};
  typename Place::template array<std::uint32_t> const keys(x), values(x), out(4);
  std::uint32_t* const none = nullptr;
  auto const& p = at.policy;
  expect_throw<sweep::bad_argument>({"sweep::sort:", "last", "2 items before first"},
                                    [&] { sweep::sort(p, keys.end(), keys.end() - 2); });
  expect_throw<sweep::bad_argument>({"sweep::sort:", "first", "null"},
                                    [&] { sweep::sort(p, none, none + 2); });
  expect_throw<sweep::bad_argument>({"sweep::sort_copy:", "out", "null"},
                                    [&] { sweep::sort_copy(p, keys.begin(), keys.end(), none); });
  expect_throw<sweep::bad_argument>({"sweep::sort_by_key:", "values_first", "null"},
                                    [&] { sweep::sort_by_key(p, keys.begin(), keys.end(), none); });
  expect_throw<sweep::bad_argument>({"sweep::sort:", "bits", "begin at 9 and end at 8"}, [&] {
    sweep::sort(p, keys.begin(), keys.end(), sweep::radix_key().bits(9, 8));
  });
  expect_equal(keys.read(), x, "nothing is written");
  expect_equal(values.read(), x, "nothing is written to values");
  sweep::sort(p, none, none);
  sweep::sort_by_key(p, none, none, none);
}

}  // namespace sweep_test

#endif
