// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies beneath an iterator gives the same items, whatever stands between.
#if __has_include(<thrust/iterator/counting_iterator.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#define CCCL_IGNORE_DEPRECATED_API
#endif
#include <doctest/doctest.h>

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/zip.hpp>

#include <iterator>
#include <type_traits>
#include <vector>

#if SWEEP_HAS_THRUST
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#endif

using namespace sweep::detail;

namespace {

/// Items of a source whose streams are read where they are.
template <int K, class Source>
auto read_stream(Source const& source, std::int64_t i) {
  return *source.template stream<K>().lowest(i, 1);
}

template <class It>
void has_the_items_of(It it, int streams, bool elsewhere, int n) {
  auto const source = source_of(it);
  using source_type = std::remove_const_t<decltype(source)>;
  static_assert(std::is_same_v<typename source_type::value_type, value_of<It>>);
  CHECK(source_type::streams == streams);
  CHECK(source_type::reads_elsewhere == elsewhere);
  for (std::int64_t i = 0; i < n; ++i) {
    value_of<It> const got =
        source.item(i, [&](auto k) { return read_stream<decltype(k)::value>(source, i); });
    value_of<It> const expected = it[i];
    CHECK((got == expected));
  }
}

struct halved {
  double operator()(int x) const { return x / 2.0; }
};

struct squares {
  using value_type = long;
  using reference = long;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  long operator[](std::ptrdiff_t i) const { return i * i; }
};

}  // namespace

TEST_CASE("Contiguous iterators are one stream, in either order") {
  std::vector<int> const x{3, 1, 4, 1, 5, 9};
  has_the_items_of(x.data(), 1, false, 6);
  has_the_items_of(x.begin(), 1, false, 6);
  has_the_items_of(x.rbegin(), 1, false, 6);
  CHECK(source_of(x.rbegin()).lowest(1, 3) == x.data() + 2);
}

TEST_CASE("An iterator of which nothing is known has no streams") {
  has_the_items_of(squares{}, 0, true, 6);
  std::vector<bool> const bits{true, false, true};
  has_the_items_of(bits.begin(), 0, true, 3);
}

#if SWEEP_HAS_THRUST
TEST_CASE("Thrust's iterators are taken apart") {
  std::vector<int> const x{3, 1, 4, 1, 5, 9};
  std::vector<float> const y{2, 7, 1, 8, 2, 8};
  std::vector<unsigned> const order{5, 0, 1, 3, 2, 2};
  has_the_items_of(thrust::make_counting_iterator(7l), 0, false, 6);
  has_the_items_of(thrust::make_constant_iterator(2.5), 0, false, 6);
  has_the_items_of(thrust::make_transform_iterator(x.data(), halved{}), 1, false, 6);
  has_the_items_of(thrust::make_transform_iterator(thrust::make_counting_iterator(7), halved{}), 0, false, 6);
  has_the_items_of(thrust::make_zip_iterator(x.data(), y.begin()), 2, false, 6);
  has_the_items_of(thrust::make_zip_iterator(y.rbegin(), thrust::make_counting_iterator(0),
                                             thrust::make_transform_iterator(x.data(), halved{})),
                   2, false, 6);
  has_the_items_of(thrust::make_permutation_iterator(y.begin(), order.data()), 1, true, 6);
  has_the_items_of(
      thrust::make_permutation_iterator(thrust::make_transform_iterator(x.data(), halved{}), order.begin()),
      1, true, 6);
  has_the_items_of(thrust::make_permutation_iterator(x.data(), thrust::make_counting_iterator(1)), 0, true,
                   5);
}
#endif

TEST_CASE("Ranges side by side are taken apart") {
  std::vector<int> const x{3, 1, 4};
  std::vector<double> const y{2, 7, 1};
  auto const both = zipped(x.begin(), y.begin());
  auto const source = source_of(both);
  static_assert(decltype(source)::streams == 2);
  for (int i = 0; i < 3; ++i) {
    auto const pair = source.item(i, [&](auto k) { return read_stream<decltype(k)::value>(source, i); });
    CHECK(pair.first == x[static_cast<std::size_t>(i)]);
    CHECK(pair.second == y[static_cast<std::size_t>(i)]);
  }
}
