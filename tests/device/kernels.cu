// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sweep::seq in kernels: a thread of every block works on a row of its own, and finds what the host's loop
// finds.
#include <support/device_places.hpp>
#include <support/random.hpp>

#include <sweep/sweep.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace sweep_test;

namespace {

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct affine {  // does not commute
  __host__ __device__ int operator()(int a, int b) const {
    return static_cast<int>(static_cast<unsigned>(a) * 3u + static_cast<unsigned>(b));
  }
};
struct negated {
  __host__ __device__ int operator()(int x) const { return -x; }
};

constexpr int forms = 22;

/// Every form on one row: form k writes to out + k * n, and says in told[k] how much.
struct work_on_row {
  template <class Policy>
  __host__ __device__ void operator()(Policy const& policy, int const* x, int const* keys, int n, int* out,
                                      int* told) const {
    int k = 0;
    auto const end = x + n;
    int* o = out;
    auto const next = [&](int* to) {
      told[k] = static_cast<int>(to - o);
      o = out + ++k * n;
    };
    next(sweep::inclusive_scan(policy, x, end, o));
    next(sweep::inclusive_scan(policy, x, end, o, affine{}, 5));
    next(sweep::inclusive_scan(policy, x, end, o, affine{}, sweep::backward));
    next(sweep::exclusive_scan(policy, x, end, o, 7, affine{}));
    next(sweep::transform_inclusive_scan(policy, x, end, o, affine{}, negated{}));
    next(sweep::transform_exclusive_scan(policy, x, end, o, 3, affine{}, negated{}));
    next(sweep::adjacent_difference(policy, x, end, o));
    next(sweep::adjacent_difference(policy, x, end, o, affine{}, sweep::backward));
    next(sweep::inclusive_scan_by_key(policy, keys, keys + n, x, o));
    next(sweep::exclusive_scan_by_key(policy, keys, keys + n, x, o, 9));
    next(sweep::segmented_inclusive_scan(policy, x, end, sweep::segments::by_head_flags(keys), o, affine{},
                                         sweep::backward));
    next(sweep::copy_if(policy, x, end, o, is_even{}));
    next(sweep::copy_if(policy, x, end, keys, o, is_even{}));
    next(sweep::remove_copy_if(policy, x, end, o, is_even{}));
    next(sweep::unique_copy(policy, keys, keys + n, o));
    next(sweep::partition_copy(policy, x, end, o, out + forms * n, is_even{}).first);
    next(sweep::enumerate(policy, keys, keys + n, o));
    next(sweep::reduce_into(policy, x, end, o, 4, affine{}));
    o[0] = sweep::reduce(policy, x, end, 4, affine{}) + sweep::reduce(policy, x, end);
    next(o + 1);
    o[0] = sweep::transform_reduce(policy, x, end, 4, affine{}, negated{});
    next(o + 1);
    for (int i = 0; i < n; ++i) o[i] = x[i];
    next(sweep::remove_if(policy, o, o + n, is_even{}));
    for (int i = 0; i < n; ++i) o[i] = keys[i];
    next(sweep::unique(policy, o, o + n));
  }
};

constexpr int questions = 45;  // places that a row of them takes

/// Every other call: answers, lists as long as the row, and how long they are. `out` has room for (questions,
/// 2 n + 2) integers.
struct ask_row {
  template <class Policy>
  __host__ __device__ void operator()(Policy const& policy, int const* x, int const* keys, int n, int* out,
                                      int* told) const {
    int k = 0;
    int const room = 2 * n + 2;
    auto const end = x + n, keys_end = keys + n;
    int* o = out;
    auto const next = [&](int answer) {
      told[k] = answer;
      o = out + ++k * room;
    };
    auto const to = [&](int const* last) { next(static_cast<int>(last - o)); };
    auto const at = [&](int const* found) { next(static_cast<int>(found - x)); };
    // Segments in every notation: offsets with an empty one, made of flags.
    int* const offsets = out + (questions - 1) * room;
    auto const by_flags = sweep::segments::by_head_flags(keys);
    auto const written = sweep::segments::to_offsets(policy, by_flags, n, offsets);
    auto const segments = static_cast<int>(written - offsets) - 1;
    offsets[segments + 1] = n;
    auto const by_offsets = sweep::segments::by_offsets(offsets, offsets + segments + 2);
    int* const lengths = out + (questions - 2) * room;
    sweep::segments::to_lengths(policy, by_offsets, n, lengths);
    auto const by_lengths = sweep::segments::by_lengths(lengths, lengths + segments + 1);
    to(sweep::segments::to_head_flags(policy, by_lengths, n, o));
    to(sweep::segments::to_head_flags(policy, by_offsets, n, o));
    to(sweep::segments::to_lengths(policy, by_flags, n, o));
    to(sweep::segments::to_offsets(policy, by_lengths, n, o));
    to(sweep::segmented_reduce(policy, x, end, by_offsets, o, 3, affine{}));
    to(sweep::segmented_reduce(policy, x, end, by_lengths, o, 3, affine{}, sweep::backward));
    to(sweep::segmented_reduce(policy, x, end, by_flags, o, 3, affine{}));
    to(sweep::segmented_inclusive_scan(policy, x, end, by_offsets, o, affine{}));
    to(sweep::segmented_exclusive_scan(policy, x, end, by_lengths, o, 5, affine{}, sweep::backward));
    to(sweep::reduce_by_key(policy, keys, keys_end, x, o, o + n).second - n);
    // Searches, counts, extrema, bounds.
    at(sweep::find(policy, x, end, 7));
    at(sweep::find_if(policy, x, end, is_even{}));
    at(sweep::find_if_not(policy, x, end, is_even{}));
    next(sweep::any_of(policy, x, end, is_even{}) + 2 * sweep::all_of(policy, x, end, is_even{}) +
         4 * sweep::none_of(policy, x, end, is_even{}) + 8 * sweep::is_sorted(policy, x, end) +
         16 * sweep::is_partitioned(policy, x, end, is_even{}) + 32 * sweep::equal(policy, x, end, keys));
    at(sweep::mismatch(policy, x, end, keys).first);
    at(sweep::is_sorted_until(policy, x, end));
    to(sweep::find_if_into(policy, x, end, o, is_even{}));
    next(static_cast<int>(sweep::count_if(policy, x, end, is_even{}) +
                          1000 * sweep::count(policy, x, end, 7)));
    to(sweep::count_if_into(policy, x, end, o, is_even{}));
    at(sweep::min_element(policy, x, end));
    at(sweep::max_element(policy, x, end));
    at(sweep::minmax_element(policy, x, end).second);
    to(sweep::minmax_element_into(policy, x, end, o));
    next(static_cast<int>(sweep::lower_bound(policy, offsets, offsets + segments, n / 2) - offsets));
    next(static_cast<int>(sweep::upper_bound(policy, offsets, offsets + segments, n / 2) - offsets));
    next(sweep::binary_search(policy, offsets, offsets + segments, n / 2));
    to(sweep::lower_bound(policy, offsets, offsets + segments, x, end, o));
    to(sweep::binary_search(policy, offsets, offsets + segments, x, end, o));
    next(static_cast<int>(sweep::partition_point(policy, keys, keys_end, is_even{}) - keys));
    // Moves, runs, repetitions, histograms.
    to(sweep::gather(policy, keys, keys_end, x, o));
    to(sweep::gather_if(policy, keys, keys_end, x, x, o, is_even{}));
    for (int i = 0; i < n; ++i) o[i] = n - 1 - i;
    sweep::scatter(policy, x, end, o, o + n);
    next(0);
    to(sweep::run_length_encode(policy, keys, keys_end, o, o + n).first);
    to(sweep::run_length_encode_into(policy, keys, keys_end, o, o + n, o + 2 * n) - 2 * n);
    to(sweep::expand(policy, x, end, keys, o));
    to(sweep::expand(policy, x, x + segments + 1, by_offsets, o));
    to(sweep::run_length_decode(policy, x, end, keys, o));
    to(sweep::histogram(policy, keys, keys_end, o, 2));
    to(sweep::histogram_even(policy, x, end, o, 2, -50, 51));
    to(sweep::histogram_range(policy, x, end, o, offsets, offsets + 2));
    to(sweep::weighted_histogram(policy, keys, keys_end, x, o, 2));
  }
};

template <class Work>
__global__ void work_on_rows(Work work, int const* x, int const* keys, int n, int* out, int places, int* told,
                             int many) {
  auto const row = blockIdx.x;
  work(sweep::seq, x + row * n, keys + row * n, n, out + row * places, told + row * many);
}

/// What rows of random numbers give on the host, and in kernels.
template <class Work>
void compare(Work work, int n, int places, int many) {
  random_source random("kernels");
  constexpr int rows = 37;
  auto const all = static_cast<std::size_t>(rows * n), results = static_cast<std::size_t>(rows * places);
  std::vector<int> x(all), keys(all);
  for (auto& v : x) v = static_cast<int>(random.between(-50, 50));
  for (auto& v : keys) v = static_cast<int>(random.between(0, 1));
  for (int row = 0; row < rows; ++row) keys[static_cast<std::size_t>(row * n)] = n > 1 ? 1 : 0;
  std::vector<int> want(results, 77), told(static_cast<std::size_t>(rows * many), -1);
  for (int row = 0; row < rows; ++row)
    work(sweep::seq, x.data() + row * n, keys.data() + row * n, n, want.data() + row * places,
         told.data() + row * many);
  device_array<int> const on_device_x(x), on_device_keys(keys), got(std::vector<int>(results, 77)),
      got_told(std::vector<int>(told.size(), -1));
  work_on_rows<<<rows, 1>>>(work, on_device_x.begin(), on_device_keys.begin(), n, got.begin(), places,
                            got_told.begin(), many);
  succeed(cudaGetLastError());
  CHECK(got_told.read() == told);
  CHECK(got.read() == want);
}

}  // namespace

TEST_CASE("device kernels: sweep::seq does in a thread what it does on the host") {
  for (int const n : {1, 2, 31, 200}) {
    CAPTURE(n);
    compare(work_on_row{}, n, (forms + 1) * n, forms);
  }
}

TEST_CASE("device kernels: sweep::seq answers in a thread as on the host") {
  for (int const n : {1, 2, 31, 200}) {
    CAPTURE(n);
    compare(ask_row{}, n, questions * (2 * n + 2), questions);
  }
}
