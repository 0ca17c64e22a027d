// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "complex_item.cuh"
#include "device_support.cuh"

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/plan.hpp>
#include <sweep/policy.hpp>
#include <sweep/scan.hpp>

#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <array>

/// bench_tune: candidate plans of one algorithm and class of items against the copy. bench/tune.py compiles
/// this file once per class and list of candidates, runs what it built and writes the best plan as a row of
/// the tuning table. By itself it holds a short list for scans of floats.

#if !defined(SWEEP_TUNE_ALGORITHM)
#define SWEEP_TUNE_ALGORITHM inclusive_scan
#endif
#if !defined(SWEEP_TUNE_CLASS)
#define SWEEP_TUNE_CLASS f32
#endif

namespace bench {
namespace {

using sweep::access;
using sweep::partition_plan;
using sweep::scan_plan;

namespace algorithms {
struct inclusive_scan {
  using plan = scan_plan;
};
struct copy_if {
  using plan = partition_plan;
};
struct partition_copy {
  using plan = partition_plan;
};
}  // namespace algorithms
using algorithm = algorithms::SWEEP_TUNE_ALGORITHM;
using plan_type = algorithm::plan;

#if defined(SWEEP_TUNE_CANDIDATES)
#include SWEEP_TUNE_CANDIDATES
#else
constexpr std::array candidates{
    plan_type{512, 8, 2, access::cached, access::cached},
    plan_type{512, 11, 2, access::cached, access::cached},
    plan_type{512, 11, 2, access::cached, access::streaming},
};
#endif

/// What is scanned: items, operator and random input of each class that a row of the table may be for.
template <class T, class Op, class Item>
struct scanned {
  using type = T;
  using op = Op;
  using item = Item;
};

namespace classes {
using plus = cuda::std::plus<>;
using f32 = scanned<float, plus, elements::random_item<float>>;
using i32 = scanned<std::int32_t, plus, elements::random_item<std::int32_t, 30>>;
using u8 = scanned<std::uint8_t, plus, elements::random_small<std::uint8_t>>;
using u16 = scanned<std::uint16_t, plus, elements::random_small<std::uint16_t>>;
using u32 = scanned<std::uint32_t, plus, elements::random_small<std::uint32_t>>;
using u64 = scanned<std::uint64_t, plus, elements::random_small<std::uint64_t>>;
using i8 = scanned<std::int8_t, plus, elements::random_item<std::int8_t, 7>>;
using f16 = scanned<__half, plus, elements::random_item<__half, 10>>;
using bf16 = scanned<__nv_bfloat16, plus, elements::random_item<__nv_bfloat16, 7>>;
using f64 = scanned<double, plus, elements::random_item<double, 40>>;
using i64 = scanned<std::int64_t, plus, elements::random_item<std::int64_t, 60>>;
using complex_f32 =
    scanned<cuda::std::complex<float>, plus, elements::random_item<cuda::std::complex<float>>>;
using affine_f32 =
    scanned<elements::affine, elements::compose_affine, elements::random_item<elements::affine>>;
using unitriangular2_f32 = scanned<elements::unitriangular2, elements::matrix_product,
                                   elements::random_item<elements::unitriangular2>>;
using unitriangular3_f32 = scanned<elements::unitriangular3, elements::matrix_product,
                                   elements::random_item<elements::unitriangular3>>;
using bicyclic_u32 =
    scanned<elements::bicyclic, elements::concatenate_brackets, elements::random_item<elements::bicyclic>>;
using vec4_f32 = scanned<elements::vec4, elements::add_vec4, elements::random_item<elements::vec4>>;
}  // namespace classes

using chosen = classes::SWEEP_TUNE_CLASS;
using T = chosen::type;

#define SWEEP_TUNE_TEXT_OF(x) #x
#define SWEEP_TUNE_TEXT(x) SWEEP_TUNE_TEXT_OF(x)
constexpr char const* algorithm_name = SWEEP_TUNE_TEXT(SWEEP_TUNE_ALGORITHM);
constexpr char const* class_name = SWEEP_TUNE_TEXT(SWEEP_TUNE_CLASS);

char const* name_of(access how) {
  return how == access::cached ? "cached" : how == access::l2 ? "l2" : "streaming";
}

/// The plan as a part of the case's name, in the order of its fields.
template <class Plan>
std::string name_of(Plan const& p) {
  auto name = std::to_string(p.threads) + "-" + std::to_string(p.rows) + "-" + std::to_string(p.blocks) +
              "-" + name_of(p.load) + "-";
  if constexpr (std::is_same_v<Plan, scan_plan>) name += std::string(name_of(p.store)) + "-";
  return name + std::to_string(p.stages) + "-" + std::to_string(p.loads);
}

/// A candidate must give what the table's plan gives, and is then timed in turns with the copy.
template <class Policy>
void scan(Policy const& policy, T const* in, T* out, std::int64_t n) {
  sweep::inclusive_scan(policy, in, in + n, out, chosen::op{});
}
/// Half of the items; what is dropped, or goes to the other side, has its place behind them.
template <class Policy>
void compact(Policy const& policy, T const* in, T* out, std::int64_t n) {
  static buffer count_memory;
  auto* const count = count_memory.get<std::int64_t>(1);
  if constexpr (std::is_same_v<algorithm, algorithms::copy_if>)
    sweep::copy_if_into(policy, in, in + n, out, count, elements::below{0.5f});
  else if constexpr (std::is_same_v<algorithm, algorithms::partition_copy>)
    sweep::partition_copy_into(policy, in, in + n, out, out + n, count, elements::below{0.5f});
}
template <class Policy>
void run(Policy const& policy, T const* in, T* out, std::int64_t n) {
  if constexpr (std::is_same_v<algorithm, algorithms::inclusive_scan>) scan(policy, in, out, n);
  else compact(policy, in, out, n);
}

constexpr bool both_sides = std::is_same_v<algorithm, algorithms::partition_copy>;

template <plan_type Plan>
void measure(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto const places = both_sides ? 2 * n : n, bytes_of_places = places * static_cast<std::int64_t>(sizeof(T));
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(places);
  auto* const expected = memory().peer_output.get<T>(places);
  auto const bytes =
      static_cast<double>(n) * sizeof(T) * (std::is_same_v<algorithm, algorithms::copy_if> ? 1.5 : 2.0);
  static std::int64_t filled = 0;  // every candidate is given the same items
  if (filled != n) {
    if constexpr (std::is_same_v<algorithm, algorithms::inclusive_scan>) fill(in, n, chosen::item{}, seed());
    else fill(in, n, elements::random_high_bits<T>{}, seed());
    memory().peer_output.poison(bytes_of_places);
    run(sweep::device.on(stream()), in, expected, n);
    filled = n;
  }
  auto const candidate = [=](std::int64_t) {
    run(sweep::device.on(stream()).with(sweep::plan<Plan>), in, out, n);
  };
  memory().output.poison(bytes_of_places);
  candidate(0);
  wait();
  if (auto const why = differences(out, expected, places); !why.empty()) return fail(state, name, why);
  compare(
      state,
      {name, n, bytes, {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }}, {{"sweep", candidate}}});
}

template <std::size_t... I>
void add_candidates(std::index_sequence<I...>) {
  for (int const k : {28, 24, 20, 16}) {
    auto const n = std::int64_t{1} << k;
    (add_case(
         case_name("tune/" + std::string(algorithm_name) + "/" + class_name + "/" + name_of(candidates[I]),
                   n),
         [n](benchmark::State& state, std::string const& name) { measure<candidates[I]>(state, name, n); },
         7),
     ...);
  }
}

void add_cases() { add_candidates(std::make_index_sequence<candidates.size()>{}); }

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }
