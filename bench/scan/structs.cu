// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "scan_cases.cuh"

#include <cuda/std/complex>

namespace bench {
namespace {

using complex = cuda::std::complex<float>;

struct random_complex {
  __device__ complex operator()(std::uint64_t seed, std::int64_t i) const {
    return {static_cast<float>(elements::step(seed, i, 20, 0)), static_cast<float>(elements::step(seed, i, 20, 1))};
  }
};

} // namespace

void add_struct_scans() {
  using namespace elements;
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/complex_f32", cuda::std::plus<>{}, complex{},
                                                random_complex{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/affine_f32", compose_affine{}, affine{1, 0},
                                                random_item<affine>{});
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_scan/affine_f32", compose_affine{}, affine{1, 0},
                                                 random_item<affine>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/unitriangular2_f32", matrix_product{},
                                                unitriangular2{}, random_item<unitriangular2>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/unitriangular3_f32", matrix_product{},
                                                unitriangular3{}, random_item<unitriangular3>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/bicyclic_u32", concatenate_brackets{}, bicyclic{},
                                                random_item<bicyclic>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/vec4_f32", add_vec4{}, vec4{}, random_item<vec4>{});
}

} // namespace bench
