// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_SCAN_CASES_CUH
#define SWEEP_BENCH_SCAN_CASES_CUH

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/scan.hpp>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <cuda/std/iterator>

#include <type_traits>

namespace bench {

enum class kind { inclusive, exclusive };
enum class direction { forward, backward };

/// The accumulator that both sides use: what the operator returns.
template <class Op, class T>
using accumulator = std::decay_t<std::invoke_result_t<Op&, T, T>>;

/// One scan of ours with the given policy.
template <kind Kind, direction Direction, class Policy, class T, class Op>
void sweep_scan(Policy const& policy, T const* in, T* out, std::int64_t n, Op op, T init) {
  auto const scan = [&](auto towards) {
    if constexpr (Kind == kind::inclusive) sweep::inclusive_scan(policy, in, in + n, out, op, towards);
    else sweep::exclusive_scan(policy, in, in + n, out, init, op, towards);
  };
  if constexpr (Direction == direction::forward) scan(sweep::forward);
  else scan(sweep::backward);
}

/// One scan of CUB's, its scratch of `bytes` allocated beforehand; with no scratch it says how much it needs.
template <kind Kind, direction Direction, class T, class Op>
void cub_scan(void* scratch, std::size_t& bytes, T const* in, T* out, std::int64_t n, Op op, T init) {
  auto const scan = [&](auto from, auto to) {
    if constexpr (Kind == kind::inclusive)
      check(cub::DeviceScan::InclusiveScan(scratch, bytes, from, to, op, n, stream()),
            "cub::DeviceScan::InclusiveScan");
    else
      check(cub::DeviceScan::ExclusiveScan(scratch, bytes, from, to, op, init, n, stream()),
            "cub::DeviceScan::ExclusiveScan");
  };
  if constexpr (Direction == direction::forward) scan(in, out);
  else scan(cuda::std::make_reverse_iterator(in + n), cuda::std::make_reverse_iterator(out + n));
}

/// The definition, item by item.
template <kind Kind, direction Direction, class T, class Op>
std::vector<T> serial_scan(std::vector<T> const& in, Op op, T init) {
  std::vector<T> out(in.size());
  auto const n = in.size();
  auto const at = [n](std::size_t i) { return Direction == direction::forward ? i : n - 1 - i; };
  using A = accumulator<Op, T>;
  A sum = static_cast<A>(init);
  for (std::size_t i = 0; i < n; ++i) {
    T const x = in[at(i)];
    if constexpr (Kind == kind::exclusive) out[at(i)] = static_cast<T>(sum);
    sum = Kind == kind::inclusive && i == 0 ? static_cast<A>(x) : static_cast<A>(op(sum, x));
    if constexpr (Kind == kind::inclusive) out[at(i)] = static_cast<T>(sum);
  }
  return out;
}

template <class T>
std::vector<T> to_host(T const* device, std::int64_t n) {
  std::vector<T> host(static_cast<std::size_t>(n));
  check(cudaMemcpyAsync(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost, stream()),
        "cudaMemcpyAsync");
  wait();
  return host;
}

/// Items where the two differ, for results of any comparable type.
template <class T>
std::string host_differences(std::vector<T> const& a, std::vector<T> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return "item " + std::to_string(i) + " is not the serial scan's";
  return {};
}

inline constexpr std::int64_t largest_serial = std::int64_t{1} << 16;

/// CUB's scratch, allocated and big enough.
template <kind Kind, direction Direction, class T, class Op>
void* cub_scratch(std::size_t& bytes, T const* in, T* out, std::int64_t n, Op op, T init) {
  cub_scan<Kind, Direction>(nullptr, bytes, in, out, n, op, init);
  return memory().scratch.get<std::byte>(static_cast<std::int64_t>(bytes));
}

/// CUB adds 16-bit floats in pairs, out of order, where its partial sums round and ours do not.
template <class T, class Op>
inline constexpr bool peer_rounds = sizeof(T) == 2 &&
                                    !std::is_integral_v<T> && std::is_same_v<accumulator<Op, T>, T>;

/// What the inclusive scan of random_item is.
template <direction Direction, class T, class Item>
struct scanned_item {
  Item item;
  std::int64_t n;
  __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    return Direction == direction::forward ? item.sum(input_seed, 0, i) : item.sum(input_seed, i, n - 1);
  }
};

/// One case: random items, checked on poisoned outputs, then timed in turns with CUB and the copy. `sets` > 1
/// goes round that many pairs of buffers. `policy` is built per call, as users do.
template <kind Kind, direction Direction, class T, class Op, class Item, class Policy>
void compare_scan(benchmark::State& state, std::string const& name, std::int64_t n, Op op, T init, Item item,
                  Policy policy, std::int64_t sets = 1) {
  auto* const in = memory().input.get<T>(n * sets);
  auto* const out = memory().output.get<T>(n * sets);
  auto* const expected = memory().peer_output.get<T>(n * sets);
  auto const bytes = static_cast<double>(n) * 2 * sizeof(T);
  for (std::int64_t s = 0; s < sets; ++s) fill(in + s * n, n, item, seed() + static_cast<std::uint64_t>(s));
  std::size_t scratch_bytes = 0;
  void* const scratch = cub_scratch<Kind, Direction>(scratch_bytes, in, expected, n, op, init);

  memory().output.poison(n * sets * static_cast<std::int64_t>(sizeof(T)));
  memory().peer_output.poison(n * sets * static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t s = 0; s < sets; ++s) {
    sweep_scan<Kind, Direction>(policy(), in + s * n, out + s * n, n, op, init);
    cub_scan<Kind, Direction>(scratch, scratch_bytes, in + s * n, expected + s * n, n, op, init);
  }
  if constexpr (peer_rounds<T, Op>)
    for (std::int64_t s = 0; s < sets; ++s)
      fill(expected + s * n, n, scanned_item<Direction, T, Item>{item, n},
           seed() + static_cast<std::uint64_t>(s));
  wait();
  if (auto const why = differences(out, expected, n * sets); !why.empty())
    return fail(state, name, "against what is known: " + why);
  if (n <= largest_serial) {
    auto const serial = serial_scan<Kind, Direction>(to_host(in, n), op, init);
    if (auto const why = host_differences(to_host(out, n), serial); !why.empty())
      return fail(state, name, why);
  }

  compare(
      state,
      {.name = name,
       .items = n,
       .min_bytes = bytes,
       .copy = {"copy", [=](std::int64_t i) { copy_bytes(out + i % sets * n, in + i % sets * n, bytes); }},
       .contenders = {{"sweep",
                       [=](std::int64_t i) {
                         auto const s = i % sets * n;
                         sweep_scan<Kind, Direction>(policy(), in + s, out + s, n, op, init);
                       }},
                      {cccl_peer("cub"), [=](std::int64_t i) {
                         auto const s = i % sets * n;
                         auto size = scratch_bytes;
                         cub_scan<Kind, Direction>(scratch, size, in + s, expected + s, n, op, init);
                       }}}});
}

inline auto default_policy() { return sweep::device.on(stream()); }

/// The default policy against CUB at every size, in one direction.
template <kind Kind, direction Direction, class T, class Op, class Item>
void add_scan(std::string const& prefix, Op op, T init, Item item,
              std::vector<int> const& powers = {16, 20, 24, 28}) {
  for (int const k : powers)
    add_case(case_name(prefix + (Direction == direction::forward ? "/forward" : "/backward"), power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_scan<Kind, Direction>(state, name, power(k), op, init, item,
                                             [] { return default_policy(); });
             });
}

// One translation unit each.
void add_float_scans();
void add_integer_scans();
void add_narrow_scans();
void add_wide_scans();
void add_struct_scans();

}  // namespace bench

#endif
