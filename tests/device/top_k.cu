// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of selections on the device: numbers, records, samples that fail, graphs, kernels.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/top_k_laws.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 200'000;

/// From how many items on there is a sample, room for its candidates, and how many items at most a block
/// selects from. No items are few enough to be sorted all.
class sample_limits {
 public:
  sample_limits(std::int64_t items, std::int64_t candidates, std::int64_t block)
      : items_(sweep::detail::least_items_to_sample, items),
        candidates_(sweep::detail::most_candidates, candidates),
        block_(sweep::detail::most_items_for_block, block),
        bits_(sweep::detail::most_bits_to_sort, 0) {}

 private:
  changed<std::int64_t> items_, candidates_, block_, bits_;
};
constexpr std::int64_t any_number = std::int64_t{1} << 60;

/// Each thread has a range of its own.
__global__ void select_in_threads(float* keys, float* out, int* indices, int each, int k) {
  int const t = static_cast<int>(threadIdx.x);
  float* const own = keys + t * each;
  sweep::top_k(sweep::seq, own, own + each, k, out + t * k);
  sweep::arg_top_k(sweep::seq, own, own + each, k, indices + t * k);
  sweep::nth_element(sweep::seq, own, own + k, own + each);
}

}  // namespace

TEST_CASE("device top_k: integers") {
  top_k_laws_of<std::uint32_t, tops::keys>("u32", most, on_device, std::greater<>{}, number_greater{});
  {
    sample_limits const in_block(1000, any_number, any_number);
    top_k_laws_of<std::uint32_t, tops::keys>("u32, sampled, in a block", most, on_device, std::greater<>{},
                                             number_greater{});
  }
  sample_limits const limits(1000, any_number, 0);
  top_k_laws_of<std::uint32_t, tops::keys>("u32, sampled", most, on_device, std::greater<>{},
                                           number_greater{});
  top_k_laws_of<std::uint8_t, tops::indices, int>("u8, sampled", most, on_device, std::greater<>{},
                                                  number_greater{});
}

TEST_CASE("device top_k: floating-point numbers, with zeros of both signs and NaNs") {
  sample_limits const limits(1000, any_number, 0);
  top_k_laws_of<float, tops::pairs>("f32, sampled", most, on_device, std::greater<>{}, number_greater{});
}

TEST_CASE("device top_k: candidates that have no room, and those that miss the k-th") {
  for (auto const block : {any_number, std::int64_t{0}}) {
    sample_limits const limits(1000, 20, block);
    top_k_laws_of<std::uint32_t, tops::keys>("u32, all again", most, on_device, std::greater<>{},
                                             number_greater{});
  }
  sample_limits const limits(1000, 20, 0);
  nth_laws_of<std::uint32_t>("u32, all again", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device top_k: the n-th") {
  nth_laws_of<std::uint32_t>("u32", most, on_device, std::less<>{}, number_less{});
  sample_limits const limits(1000, any_number, 0);
  nth_laws_of<std::uint32_t>("u32, sampled", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device top_k: comparisons, words of 40 bits, and what orders do not look at") {
  top_k_laws_of<record, tops::keys>("record", 50'000, on_device, by_low_bits{}, by_low_bits{});
  nth_laws_of<record>("record", 50'000, on_device, by_low_bits{}, by_low_bits{});
  sample_limits const limits(1000, any_number, 0);
  top_k_laws_of<record, tops::keys>("record by parts, sampled", most, on_device,
                                    sweep::radix_key(parts_of_record{}), by_parts_of_record{});
}

TEST_CASE("device top_k: iterators, and outputs of other types") {
  for (auto const n : few_sizes()) top_k_iterator_laws<false>(on_device, n);
}

TEST_CASE("device top_k: bad input") { top_k_error_laws(on_device); }

TEST_CASE("device top_k: captured in a graph and replayed with other inputs") {
  random_source random("top_k graph");
  std::size_t const n = sanitizing() ? 5'000 : 300'001, k = 100;
  sample_limits const limits(1000, any_number, 0);
  device_array<std::uint32_t> keys(n), out(k);
  own_stream const stream;
  captured_graph const graph(
      stream, [&] { sweep::top_k(sweep::device.on(stream), keys.begin(), keys.end(), k, out.begin()); });
  for (auto const shape : {key_shape::uniform, key_shape::equal, key_shape::skewed, key_shape::sorted}) {
    auto const x = draw_keys<std::uint32_t>(shape, n, random, std::less<>{});
    auto want = x;
    std::sort(want.begin(), want.end(), std::greater<>{});
    want.resize(k);
    keys.write(x);
    graph.launch(stream);
    stream.wait();
    expect_equal(out.read(), want, "shape " + std::to_string(static_cast<int>(shape)));
  }
}

TEST_CASE("device top_k: threads of a kernel select from ranges of their own") {
  random_source random("top_k in threads");
  int const each = 61, k = 7;
  auto const x = draw_keys<float>(key_shape::few, 32 * each, random, number_less{});
  device_array<float> const keys(x), out(32 * k);
  device_array<int> const indices(32 * k);
  select_in_threads<<<1, 32>>>(keys.begin(), out.begin(), indices.begin(), each, k);
  succeed(cudaGetLastError());
  auto const got = out.read(), split = keys.read();
  auto const at = indices.read();
  for (int t = 0; t < 32; ++t) {
    std::vector<float> const own(x.begin() + t * each, x.begin() + (t + 1) * each);
    auto const order = stable_order(own, number_greater{});
    std::vector<float> want;
    std::vector<int> want_at;
    for (int j = 0; j < k; ++j) {
      want.push_back(own[order[static_cast<std::size_t>(j)]]);
      want_at.push_back(static_cast<int>(order[static_cast<std::size_t>(j)]));
    }
    expect_equal(bytes_of(std::vector<float>(got.begin() + t * k, got.begin() + (t + 1) * k)), bytes_of(want),
                 "top_k of thread " + std::to_string(t));
    expect_equal(std::vector<int>(at.begin() + t * k, at.begin() + (t + 1) * k), want_at,
                 "arg_top_k of thread " + std::to_string(t));
    expect_equal(bytes_of(std::vector<float>(split.begin() + t * each, split.begin() + (t + 1) * each)),
                 bytes_of(split_around_nth(own, k, number_less{})),
                 "nth_element of thread " + std::to_string(t));
  }
}
