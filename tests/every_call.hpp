// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_EVERY_CALL_HPP
#define SWEEP_TESTS_EVERY_CALL_HPP

// Every public call of Sweep, to be compiled; what it runs on is the caller's. The calls take floats and a
// struct of 12 bytes in turn, forward and backward: every call and every type, but not every pair of them.
// Calls that differ in how they answer alone (f, f_into) take the same types, and so the same kernels, which
// stay few.

#include <sweep/sweep.hpp>

#include <cstdint>

namespace sweep_test {

/// Operators that some types have, and that nothing may take for the language's, are deleted.
struct triple {
  float a, b, c;
  void operator&() const = delete;
  template <class Other>
  void operator,(Other const&) const = delete;
  friend SWEEP_HD bool operator==(triple x, triple y) { return x.a == y.a && x.b == y.b && x.c == y.c; }
};
/// Affine maps one after the other, and a sum beside them: it does not commute.
struct compose {
  SWEEP_HD triple operator()(triple x, triple y) const { return {x.a * y.a, x.b * y.a + y.b, x.c + y.c}; }
};
struct negate {
  SWEEP_HD float operator()(float x) const { return -x; }
  SWEEP_HD triple operator()(triple x) const { return {-x.a, x.b, x.c}; }
};
struct is_low {
  SWEEP_HD bool operator()(int x) const { return x < 1; }
  SWEEP_HD bool operator()(float x) const { return x < 1; }
  SWEEP_HD bool operator()(triple x) const { return x.a < 1; }
};
struct is_high {
  SWEEP_HD bool operator()(float x) const { return x > 2; }
  SWEEP_HD bool operator()(triple x) const { return x.a > 2; }
};

struct lower {
  SWEEP_HD bool operator()(triple x, triple y) const { return x.a < y.a; }
};

struct floats {
  float const* in;
  float* out;
  float* more;
};
struct triples {
  triple const* in;
  triple* out;
  triple* more;
};
struct helpers {
  std::int64_t* counts;
  int const* keys;
  int* keys_out;
  unsigned char const* flags;
  unsigned char* flags_out;
  std::uint32_t* words;
  int* offsets;
};

/// Runs before each call, where a test has put something there.
inline void (*before_each_call)() = nullptr;
template <class Policy>
Policy const& next(Policy const& policy) {
  if (before_each_call) before_each_call();
  return policy;
}

template <class Policy>
void scans(Policy const& policy, floats f, triples t, std::int64_t n) {
  using sweep::backward;
  sweep::inclusive_scan(next(policy), f.in, f.in + n, f.out);
  sweep::inclusive_scan(next(policy), t.in, t.in + n, t.out, compose{}, backward);
  sweep::exclusive_scan(next(policy), f.in, f.in + n, f.out, backward);
  sweep::exclusive_scan(next(policy), t.in, t.in + n, t.out, triple{1, 0, 0}, compose{});
  sweep::transform_inclusive_scan(next(policy), t.in, t.in + n, t.out, compose{}, negate{});
  sweep::transform_exclusive_scan(next(policy), f.in, f.in + n, f.out, 0.0f, sweep::detail::plus{}, negate{});
  sweep::distribute(next(policy), t.in, t.in + n, t.out);
}

template <class Policy>
void many_ranges(Policy const& policy, floats f, triples t, std::int64_t n) {
  sweep::scan_range<float const*, float*> const* const of_floats = nullptr;
  sweep::scan_range<triple const*, triple*> const* const of_triples = nullptr;
  (void)f, (void)t, (void)n;
  sweep::inclusive_scan_many(next(policy), of_floats, of_floats);
  sweep::exclusive_scan_many(next(policy), of_triples, of_triples, triple{1, 0, 0}, compose{},
                             sweep::backward);
}

/// Lines so few and long that they are cut into chunks.
template <class Policy>
void along_axes(Policy const& policy, floats f, triples t, std::int64_t n) {
  using sweep::along;
  using sweep::backward;
  auto const half = n / 2;
  auto const f_in = sweep::strided(f.in, {half, std::int64_t{2}});
  auto const t_in = sweep::strided(t.in, {std::int64_t{2}, half});
  auto const f_out = sweep::strided(f.out, {half, std::int64_t{2}});
  auto const t_out = sweep::strided(t.out, {std::int64_t{2}, half});
  sweep::inclusive_scan(next(policy), f_in, f_out, along(0));
  sweep::inclusive_scan(next(policy), f_in, f_out, along(0), sweep::detail::plus{}, backward);
  sweep::exclusive_scan(next(policy), f_in, f_out, along(0), backward);
  sweep::exclusive_scan(next(policy), t_in, t_out, along(1), triple{1, 0, 0}, compose{});
  sweep::transform_inclusive_scan(next(policy), t_in, t_out, along(1), compose{}, negate{});
  sweep::transform_exclusive_scan(next(policy), f_in, f_out, along(0), 0.0f, sweep::detail::plus{},
                                  sweep::detail::identity{});
  sweep::linear_recurrence(next(policy), f_in, f_in, f_out, along(0), backward);
  sweep::linear_recurrence(next(policy), 0.5f, f.in, f.in + n, f.out);
  sweep::linear_recurrence_gradient(next(policy), 0.5f, f.in, f.in, f.in + n, f.out, f.more);
  sweep::segmented_linear_recurrence(next(policy), f.in, f.in, f.in + n, sweep::segments::by_head_flags(f.in),
                                     f.out);
  sweep::linear_recurrence_gradient(next(policy), f_in, f_in, f_in, f_out,
                                    sweep::strided(f.more, {half, std::int64_t{2}}), along(0));
  auto const heads = sweep::segments::by_head_flags(f_in);
  sweep::segmented_inclusive_scan(next(policy), f_in, heads, f_out, along(0));
  sweep::segmented_exclusive_scan(next(policy), f_in, heads, f_out, along(0), 0.0f, sweep::backward);
  sweep::summed_area_table(next(policy), f_in, f_out);
  (void)sweep::box_sum(next(policy), f_in, sweep::box<2>{{0, 0}, {2, 2}});
  sweep::box_sum(next(policy), f_in, sweep::around(1, 1), f_out);
  sweep::box_sum(next(policy), f_in, static_cast<sweep::box<2> const*>(nullptr),
                 static_cast<sweep::box<2> const*>(nullptr), f.out);
  sweep::reduce(next(policy), f_in, sweep::strided(f.out, {2}), along(0));
  sweep::transform_reduce(next(policy), f_in, sweep::strided(f.out, {1}), along(0, 1), 0.0f,
                          sweep::detail::plus{}, sweep::detail::identity{});
}

template <class Policy>
void differences(Policy const& policy, floats f, triples t, std::int64_t n) {
  sweep::adjacent_difference(next(policy), f.in, f.in + n, f.out);
  sweep::adjacent_difference(next(policy), t.in, t.in + n, t.out, compose{}, sweep::backward);
}

template <class Policy>
void reductions(Policy const& policy, floats f, triples t, std::int64_t n) {
  sweep::reduce(next(policy), f.in, f.in + n);
  sweep::reduce_into(next(policy), f.in, f.in + n, f.out);
  sweep::reduce_into(next(policy), t.in, t.in + n, t.out, triple{1, 0, 0}, compose{});
  sweep::transform_reduce(next(policy), f.in, f.in + n, f.in, 0.0f);
  sweep::inner_product(next(policy), f.in, f.in + n, f.in, 0.0f);
  sweep::inner_product_into(next(policy), f.in, f.in + n, f.in, f.out, 0.0f);
  sweep::transform_reduce_into(next(policy), t.in, t.in + n, t.out, triple{1, 0, 0}, compose{}, negate{});
}

template <class Policy>
void counts_and_extrema(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::count(next(policy), f.in, f.in + n, 1.0f);
  sweep::count_into(next(policy), f.in, f.in + n, h.counts, 1.0f);
  sweep::count_if(next(policy), t.in, t.in + n, is_low{});
  sweep::count_if_into(next(policy), t.in, t.in + n, h.counts, is_low{});
  sweep::min_element(next(policy), f.in, f.in + n);
  sweep::min_element_into(next(policy), f.in, f.in + n, h.counts);
  sweep::max_element(next(policy), t.in, t.in + n, lower{});
  sweep::max_element_into(next(policy), t.in, t.in + n, h.counts, lower{});
  sweep::minmax_element(next(policy), t.in, t.in + n, lower{});
  sweep::minmax_element_into(next(policy), t.in, t.in + n, h.counts, lower{});
}

template <class Policy>
void searches(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  auto* const answer = h.flags_out;
  sweep::find(next(policy), f.in, f.in + n, 1.0f);
  sweep::find_into(next(policy), f.in, f.in + n, h.counts, 1.0f);
  sweep::find_if(next(policy), t.in, t.in + n, is_low{});
  sweep::find_if_into(next(policy), t.in, t.in + n, h.counts, is_low{});
  sweep::find_if_not(next(policy), f.in, f.in + n, is_low{});
  sweep::find_if_not_into(next(policy), f.in, f.in + n, h.counts, is_low{});
  (void)sweep::any_of(next(policy), t.in, t.in + n, is_low{});
  sweep::any_of_into(next(policy), t.in, t.in + n, answer, is_low{});
  (void)sweep::none_of(next(policy), t.in, t.in + n, is_low{});
  sweep::none_of_into(next(policy), t.in, t.in + n, answer, is_low{});
  (void)sweep::all_of(next(policy), f.in, f.in + n, is_low{});
  sweep::all_of_into(next(policy), f.in, f.in + n, answer, is_low{});
  sweep::is_sorted_until(next(policy), f.in, f.in + n);
  sweep::is_sorted_until_into(next(policy), f.in, f.in + n, h.counts);
  (void)sweep::is_sorted(next(policy), t.in, t.in + n, lower{});
  sweep::is_sorted_into(next(policy), t.in, t.in + n, answer, lower{});
  (void)sweep::is_partitioned(next(policy), f.in, f.in + n, is_low{});
  sweep::is_partitioned_into(next(policy), f.in, f.in + n, answer, is_low{});
  sweep::mismatch(next(policy), f.in, f.in + n, f.out);
  sweep::mismatch_into(next(policy), f.in, f.in + n, f.out, h.counts);
  (void)sweep::equal(next(policy), t.in, t.in + n, t.out);
  sweep::equal_into(next(policy), t.in, t.in + n, t.out, answer);
}

template <class Policy>
void bounds(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  triple const one{1, 0, 0};
  sweep::lower_bound(next(policy), f.in, f.in + n, 1.0f);
  sweep::lower_bound_into(next(policy), f.in, f.in + n, h.counts, 1.0f);
  sweep::lower_bound(next(policy), f.in, f.in + n, f.in, f.in + n, h.keys_out);
  sweep::upper_bound(next(policy), t.in, t.in + n, one, lower{});
  sweep::upper_bound_into(next(policy), t.in, t.in + n, h.counts, one, lower{});
  sweep::upper_bound(next(policy), t.in, t.in + n, t.in, t.in + n, h.keys_out, lower{});
  (void)sweep::binary_search(next(policy), f.in, f.in + n, 1.0f);
  sweep::binary_search_into(next(policy), f.in, f.in + n, h.flags_out, 1.0f);
  sweep::binary_search(next(policy), f.in, f.in + n, f.in, f.in + n, h.flags_out);
  sweep::partition_point(next(policy), t.in, t.in + n, is_low{});
  sweep::partition_point_into(next(policy), t.in, t.in + n, h.counts, is_low{});
  sweep::equal_range(next(policy), f.in, f.in + n, 1.0f);
}

template <class Policy>
void segmented_scans(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  using sweep::backward;
  auto const bits = sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(h.words));
  auto const flags = sweep::segments::by_head_flags(h.flags);
  triple const one{1, 0, 0};
  sweep::segmented_inclusive_scan(next(policy), f.in, f.in + n, bits, f.out);
  sweep::segmented_inclusive_scan(next(policy), t.in, t.in + n, bits, t.out, compose{}, backward);
  sweep::segmented_exclusive_scan(next(policy), f.in, f.in + n, flags, f.out, backward);
  sweep::segmented_transform_inclusive_scan(next(policy), f.in, f.in + n, bits, f.out, sweep::detail::plus{},
                                            negate{});
  sweep::segmented_transform_exclusive_scan(next(policy), t.in, t.in + n, bits, t.out, one, compose{},
                                            negate{});
  sweep::inclusive_scan_by_key(next(policy), h.keys, h.keys + n, f.in, f.out);
  sweep::exclusive_scan_by_key(next(policy), h.keys, h.keys + n, t.in, t.out, one,
                               sweep::segments::equal_keys{}, compose{});
  sweep::segmented_scan_by_key(next(policy), h.keys, h.keys + n, f.in, f.out);
  sweep::distribute(next(policy), f.in, f.in + n, bits, f.out);
}

template <class Policy>
void segmented_reductions(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  int const* const offsets = h.offsets;
  auto const by_offsets = sweep::segments::by_offsets(offsets, offsets + n);
  auto const by_bits = sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(h.words));
  triple const one{1, 0, 0};
  sweep::segmented_reduce(next(policy), f.in, f.in + n, by_offsets, f.out);
  sweep::segmented_reduce_into(next(policy), t.in, t.in + n, by_bits, t.out, h.counts, one, compose{},
                               sweep::backward);
  sweep::segmented_transform_reduce(next(policy), t.in, t.in + n, by_offsets, t.out, one, compose{},
                                    negate{});
  sweep::reduce_by_key(next(policy), h.keys, h.keys + n, f.in, h.keys_out, f.out);
  sweep::reduce_by_key_into(next(policy), h.keys, h.keys + n, f.in, h.keys_out, f.out, h.counts);
}

template <class Policy>
void conversions(Policy const& policy, helpers h, std::int64_t n) {
  using namespace sweep::segments;
  int const* const offsets = h.offsets;
  to_head_flags(next(policy), by_offsets(offsets, offsets + n), n, h.flags_out);
  to_head_bits(next(policy), by_head_flags(h.flags), n, h.words);
  to_offsets(next(policy), by_key(h.keys), n, h.offsets);
  to_lengths(next(policy), by_offsets(offsets, offsets + n), n, h.keys_out);
}

template <class Policy>
void splits(Policy const& policy, floats f, helpers h, std::int64_t n) {
  auto const bits = sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(h.words));
  sweep::split(next(policy), f.in, f.in + n, bits, f.out, is_low{});
  sweep::split_and_segment(next(policy), f.in, f.in + n, bits, f.out, h.flags_out, is_low{});
}

template <class Policy>
void selections(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::copy_if(next(policy), f.in, f.in + n, f.out, is_low{});
  sweep::copy_if_into(next(policy), f.in, f.in + n, f.out, h.counts, is_low{});
  sweep::copy_if_into(next(policy), t.in, t.in + n, h.keys, t.out, h.counts, is_low{});
  sweep::pack(next(policy), f.in, f.in + n, h.flags, f.out);
  sweep::pack_into(next(policy), f.in, f.in + n, h.flags, f.out, h.counts);
  sweep::enumerate(next(policy), h.flags, h.flags + n, h.keys_out);
  sweep::remove_copy_if(next(policy), f.in, f.in + n, h.keys, f.out, is_low{});
  sweep::remove_copy_if_into(next(policy), f.in, f.in + n, h.keys, f.out, h.counts, is_low{});
  sweep::remove_if(next(policy), t.out, t.out + n, is_low{});
  sweep::remove_if_into(next(policy), t.out, t.out + n, h.counts, is_low{});
  sweep::remove_copy(next(policy), f.in, f.in + n, f.out, 1.0f);
  sweep::remove_copy_into(next(policy), f.in, f.in + n, f.out, h.counts, 1.0f);
  sweep::remove(next(policy), f.out, f.out + n, 1.0f);
  sweep::remove_into(next(policy), f.out, f.out + n, h.counts, 1.0f);
}

template <class Policy>
void runs(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::unique_copy(next(policy), t.in, t.in + n, t.out);
  sweep::unique_copy_into(next(policy), t.in, t.in + n, t.out, h.counts);
  sweep::unique(next(policy), f.out, f.out + n);
  sweep::unique_into(next(policy), f.out, f.out + n, h.counts);
  sweep::unique_count(next(policy), f.in, f.in + n);
  sweep::unique_count_into(next(policy), f.in, f.in + n, h.counts);
  sweep::unique_by_key_copy(next(policy), h.keys, h.keys + n, f.in, h.keys_out, f.out);
  sweep::unique_by_key_copy_into(next(policy), h.keys, h.keys + n, f.in, h.keys_out, f.out, h.counts);
  sweep::unique_by_key(next(policy), h.keys_out, h.keys_out + n, t.out);
  sweep::unique_by_key_into(next(policy), h.keys_out, h.keys_out + n, t.out, h.counts);
}

template <class Policy>
void partitions(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::partition_copy(next(policy), f.in, f.in + n, f.out, f.more, is_low{});
  sweep::partition_copy_into(next(policy), f.in, f.in + n, f.out, f.more, h.counts, is_low{});
  sweep::stable_partition_copy(next(policy), f.in, f.in + n, f.out, f.more, is_low{});
  sweep::stable_partition_copy_into(next(policy), f.in, f.in + n, f.out, f.more, h.counts, is_low{});
  sweep::partition(next(policy), t.out, t.out + n, is_low{});
  sweep::partition_into(next(policy), t.out, t.out + n, h.counts, is_low{});
  sweep::stable_partition(next(policy), t.out, t.out + n, is_low{});
  sweep::stable_partition_into(next(policy), t.out, t.out + n, h.counts, is_low{});
  sweep::three_way_partition_copy(next(policy), t.in, t.in + n, t.out, t.more, t.more + n, is_low{},
                                  is_high{});
  sweep::three_way_partition_copy_into(next(policy), t.in, t.in + n, t.out, t.more, t.more + n, h.counts,
                                       is_low{}, is_high{});
}

template <class Policy>
void run_lengths(Policy const& policy, floats f, helpers h, std::int64_t n) {
  sweep::run_length_encode(next(policy), f.in, f.in + n, f.out, h.keys_out);
  sweep::run_length_encode_into(next(policy), f.in, f.in + n, f.out, h.keys_out, h.counts);
}

template <class Policy>
void histograms(Policy const& policy, floats f, helpers h, std::int64_t n) {
  sweep::histogram(next(policy), h.keys, h.keys + n, h.keys_out, n);
  sweep::histogram_even(next(policy), f.in, f.in + n, h.keys_out, n, 0.0f, 1.0f);
  sweep::histogram_range(next(policy), f.in, f.in + n, f.out, f.in, f.in + n);
  sweep::weighted_histogram(next(policy), h.keys, h.keys + n, h.keys, h.keys_out, n);
  sweep::weighted_histogram_even(next(policy), h.keys, h.keys + n, f.in, f.out, n, 0, 100);
  sweep::weighted_histogram_range(next(policy), h.keys, h.keys + n, h.flags, f.out, h.keys, h.keys + n);
}

/// The keys are counts, whose repetitions more than n are left out.
template <class Policy>
void expansions(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  int const* const offsets = h.offsets;
  sweep::expand(next(policy), f.in, f.in + n - 1, sweep::segments::by_offsets(offsets, offsets + n), f.out);
  sweep::expand_into(next(policy), t.in, t.in + n, h.keys, t.out, n, h.counts);
  sweep::run_length_decode(next(policy), f.in, f.in + n, h.flags, f.out);
  sweep::run_length_decode_into(next(policy), t.in, t.in + n, h.keys, t.out, n, h.counts);
}

struct part_of {
  SWEEP_HD int operator()(float x) const { return static_cast<int>(x) & 3; }
  SWEEP_HD int operator()(int x) const { return x & 7; }
};

template <class Policy>
void multisplits(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::multisplit(next(policy), f.in, f.in + n, f.out, 4, part_of{});
  sweep::multisplit_into(next(policy), f.in, f.in + n, f.out, h.counts, 4, part_of{});
  sweep::multisplit_by_key(next(policy), h.keys, h.keys + n, t.in, h.keys_out, t.out, 300, part_of{});
  sweep::multisplit_by_key_into(next(policy), h.keys, h.keys + n, t.in, h.keys_out, t.out, h.counts, 8,
                                part_of{});
}

/// The keys are places of items.
template <class Policy>
void moves(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::gather(next(policy), h.keys, h.keys + n, f.in, f.out);
  sweep::gather_if(next(policy), h.keys, h.keys + n, h.flags, t.in, t.out);
  sweep::scatter(next(policy), t.in, t.in + n, h.keys, t.out);
  sweep::scatter_if(next(policy), f.in, f.in + n, h.keys, f.in, f.out, is_low{});
}

template <class Policy>
void merges(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  auto const half = n / 2;
  sweep::merge(next(policy), t.in, t.in + half, t.in + half, t.in + n, t.out, lower{});
  sweep::merge_by_key(next(policy), f.in, f.in + half, f.in + half, f.in + n, h.keys, h.keys, f.out,
                      h.keys_out);
}

template <class Policy>
void sorts(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  sweep::sort(next(policy), f.out, f.out + n);
  sweep::stable_sort(next(policy), t.out, t.out + n, lower{});
  sweep::sort_copy(next(policy), t.in, t.in + n, t.out, lower{});
  sweep::stable_sort_copy(next(policy), f.in, f.in + n, f.out);
  sweep::sort_by_key(next(policy), h.keys_out, h.keys_out + n, t.out);
  sweep::stable_sort_by_key(next(policy), t.out, t.out + n, f.out, lower{});
  sweep::sort_by_key_copy(next(policy), t.in, t.in + n, f.in, t.out, f.out, lower{});
  sweep::stable_sort_by_key_copy(next(policy), h.keys, h.keys + n, t.in, h.keys_out, t.out);
  sweep::argsort(next(policy), t.in, t.in + n, h.keys_out, sweep::radix_key(&triple::a));
}

template <class Policy>
void segmented_sorts(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  int const* const offsets = h.offsets;
  auto const bits = sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(h.words));
  sweep::segmented_sort(next(policy), f.out, f.out + n, bits);
  sweep::segmented_sort_by_key(next(policy), t.out, t.out + n, h.keys_out,
                               sweep::segments::by_offsets(offsets, offsets + n), lower{});
  sweep::segmented_sort_copy(next(policy), f.in, f.in + n, bits, f.out);
  sweep::segmented_sort_by_key_copy(next(policy), t.in, t.in + n, h.keys,
                                    sweep::segments::by_offsets(offsets, offsets + n), t.out, h.keys_out,
                                    lower{});
}

struct weigh {
  SWEEP_HD triple operator()(float w, triple x) const { return {w * x.a, x.b, x.c}; }
};
template <class Policy>
void products(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  int const *const offsets = h.offsets, *const columns = h.keys;
  sweep::csr_view const a(n, n, n, offsets, columns, f.in);
  sweep::spmv(next(policy), 2.0f, a, f.in, 3.0f, f.out);
  sweep::spmv(next(policy), a.where(h.flags), t.in, t.out,
              sweep::semiring{compose{}, weigh{}, triple{1, 0, 0}});
  // A column, of which each row of x is the next item.
  sweep::strided_view<float const*, 2> const x{f.in, {n, 1}, {1, 1}}, row{f.in, {1, n}, {1, 1}};
  sweep::spmm(next(policy), 2.0f, a, x, 0.5f, sweep::strided_view<float*, 2>{f.out, {n, 1}, {1, 1}});
  sweep::sddmm(next(policy), a, x, row, f.out);
  auto const plan = sweep::spmv_plan(next(policy), a, sweep::transposed);
  sweep::spmv(next(policy), 2.0f, plan, f.in, 3.0f, f.out);
  auto const narrow = sweep::spmv_plan(next(policy), a, sweep::narrow_columns);
  sweep::spmv(next(policy), 2.0f, narrow, f.in, 3.0f, f.out);
}

template <class Policy>
void sparse_forms(Policy const& policy, floats f, helpers h, std::int64_t n) {
  int const *const offsets = h.offsets, *const columns = h.keys;
  auto* const more_keys = static_cast<int*>(static_cast<void*>(f.more));
  sweep::coo_view const entries(n, n, n, h.keys, columns, f.in);
  sweep::csr_view const a(n, n, n, offsets, columns, f.in);
  sweep::coo_to_csr(next(policy), entries, h.offsets, h.keys_out, f.out);
  sweep::coo_to_csr(next(policy), entries, h.keys_out);
  sweep::csr_to_coo(next(policy), a, h.keys_out);
  sweep::transpose_csr(next(policy), a, h.keys_out, more_keys, f.out);
}

template <class Policy>
void tridiagonal_systems(Policy const& policy, floats f, helpers h, std::int64_t n) {
  sweep::tridiagonal_solve(next(policy), sweep::tridiagonal(f.in, f.in, f.in, f.in, f.out, n));
  sweep::tridiagonal_solve_into(next(policy), sweep::tridiagonal(f.in, f.in, f.in, f.in, f.out, n), h.counts);
  int const* const offsets = h.offsets;
  sweep::tridiagonal_solve(next(policy), sweep::tridiagonal(f.in, f.in, f.in, f.in, f.out, n)
                                             .batch(sweep::segments::by_offsets(offsets, offsets + n)));
  sweep::small_matrix<float, 2> const block{{{4, 1}, {1, 4}}};
  auto* const blocks = reinterpret_cast<sweep::small_vector<float, 2>*>(f.out);
  sweep::tridiagonal_solve(next(policy), sweep::tridiagonal(1, block, 1, blocks, blocks, n / 2));
  sweep::pentadiagonal_solve(next(policy), sweep::pentadiagonal(1, f.in, 9, f.in, 1, f.in, f.out, n));
  sweep::pentadiagonal_solve_into(next(policy), sweep::pentadiagonal(1, f.in, 9, f.in, 1, f.in, f.out, n),
                                  h.counts);
  sweep::banded_solve(next(policy), sweep::pentadiagonal(1, f.in, 9, f.in, 1, f.in, f.out, n));
  sweep::banded_solve_into(next(policy), sweep::pentadiagonal(1, f.in, 9, f.in, 1, f.in, f.out, n), h.counts);
}

template <class Policy>
void tops(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  int const* const offsets = h.offsets;
  sweep::top_k(next(policy), f.in, f.in + n, n / 2, f.out);
  sweep::top_k_by_key(next(policy), t.in, t.in + n, f.in, n / 2, t.out, f.out, lower{});
  sweep::arg_top_k(next(policy), f.in, f.in + n, 3, h.keys_out);
  sweep::nth_element(next(policy), f.out, f.out + n / 2, f.out + n);
  sweep::nth_element(next(policy), t.out, t.out + n / 2, t.out + n, lower{});
  sweep::segmented_top_k(next(policy), f.in, f.in + n, sweep::segments::by_rows(1, n), 3, f.out);
  sweep::segmented_top_k_by_key(next(policy), t.in, t.in + n, f.in,
                                sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(h.words)), 1,
                                t.out, f.out, lower{});
  sweep::segmented_arg_top_k(next(policy), f.in, f.in + n, sweep::segments::by_offsets(offsets, offsets + n),
                             1, h.keys_out);
  sweep::segmented_top_k_with_indices(next(policy), f.in, f.in + n, sweep::segments::by_rows(n, 1), 1, f.out,
                                      h.keys_out);
}

/// begin(calls) for each family's calls: it runs them, or it does not.
template <class Policy, class Begin>
void each_family(Policy const& policy, floats f, triples t, helpers h, std::int64_t n, Begin begin) {
  begin([&] { scans(policy, f, t, n); });
  begin([&] { along_axes(policy, f, t, n); });
  begin([&] { many_ranges(policy, f, t, n); });
  begin([&] { differences(policy, f, t, n); });
  begin([&] { reductions(policy, f, t, n); });
  begin([&] { counts_and_extrema(policy, f, t, h, n); });
  begin([&] { searches(policy, f, t, h, n); });
  begin([&] { bounds(policy, f, t, h, n); });
  begin([&] { segmented_scans(policy, f, t, h, n); });
  begin([&] { segmented_reductions(policy, f, t, h, n); });
  begin([&] { conversions(policy, h, n); });
  begin([&] { splits(policy, f, h, n); });
  begin([&] { selections(policy, f, t, h, n); });
  begin([&] { runs(policy, f, t, h, n); });
  begin([&] { partitions(policy, f, t, h, n); });
  begin([&] { moves(policy, f, t, h, n); });
  begin([&] { multisplits(policy, f, t, h, n); });
  begin([&] { run_lengths(policy, f, h, n); });
  begin([&] { histograms(policy, f, h, n); });
  begin([&] { expansions(policy, f, t, h, n); });
  begin([&] { sorts(policy, f, t, h, n); });
  begin([&] { merges(policy, f, t, h, n); });
  begin([&] { segmented_sorts(policy, f, t, h, n); });
  begin([&] { products(policy, f, t, h, n); });
  begin([&] { sparse_forms(policy, f, h, n); });
  begin([&] { tridiagonal_systems(policy, f, h, n); });
  begin([&] { tops(policy, f, t, h, n); });
}

template <class Policy>
void every_call(Policy const& policy, floats f, triples t, helpers h, std::int64_t n) {
  each_family(policy, f, t, h, n, [](auto calls) { calls(); });
}

}  // namespace sweep_test

#endif
