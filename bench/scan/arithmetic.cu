// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan_cases.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace bench {
namespace {

using plus = cuda::std::plus<>;

/// 16-bit floats scanned in 32 bits: the accumulator is what the operator returns.
struct plus_f32 {
  __host__ __device__ float operator()(float x, float y) const { return x + y; }
};

template <class T, int Bits>
using steps = elements::random_item<T, Bits>;

}  // namespace

void add_integer_scans() {
  auto const item = steps<std::int32_t, 30>{};
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/i32", plus{}, std::int32_t{0}, item);
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_sum/i32", plus{}, std::int32_t{0}, item);
  add_scan<kind::exclusive, direction::forward>("scan/exclusive_sum/i32", plus{}, std::int32_t{0}, item);
  add_scan<kind::exclusive, direction::backward>("scan/exclusive_sum/i32", plus{}, std::int32_t{0}, item);
}

void add_narrow_scans() {
  // 8-bit items accumulate in int on both sides: the type of x + y.
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/u8", plus{}, std::uint8_t{0},
                                                elements::random_small<std::uint8_t>{});
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_sum/u8", plus{}, std::uint8_t{0},
                                                 elements::random_small<std::uint8_t>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/i8", plus{}, std::int8_t{0},
                                                steps<std::int8_t, 7>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/f16", plus{}, __half{},
                                                steps<__half, 10>{});
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_sum/f16", plus{}, __half{},
                                                 steps<__half, 10>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/bf16", plus{}, __nv_bfloat16{},
                                                steps<__nv_bfloat16, 7>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum_in_f32/f16", plus_f32{}, __half{},
                                                steps<__half, 10>{});
}

void add_wide_scans() {
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/f64", plus{}, 0.0, steps<double, 40>{});
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_sum/f64", plus{}, 0.0, steps<double, 40>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/i64", plus{}, std::int64_t{0},
                                                steps<std::int64_t, 60>{});
}

}  // namespace bench
