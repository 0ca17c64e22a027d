// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "complex_item.cuh"
#include "scan_cases.cuh"

namespace bench {
void add_struct_scans() {
  using namespace elements;
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/complex_f32", cuda::std::plus<>{},
                                                cuda::std::complex<float>{},
                                                random_item<cuda::std::complex<float>>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/affine_f32", compose_affine{},
                                                affine{1, 0}, random_item<affine>{});
  add_scan<kind::inclusive, direction::backward>("scan/inclusive_scan/affine_f32", compose_affine{},
                                                 affine{1, 0}, random_item<affine>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/unitriangular2_f32", matrix_product{},
                                                unitriangular2{}, random_item<unitriangular2>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/unitriangular3_f32", matrix_product{},
                                                unitriangular3{}, random_item<unitriangular3>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_scan/bicyclic_u32", concatenate_brackets{},
                                                bicyclic{}, random_item<bicyclic>{});
  add_scan<kind::inclusive, direction::forward>("scan/inclusive_sum/vec4_f32", add_vec4{}, vec4{},
                                                random_item<vec4>{});
}

}  // namespace bench
