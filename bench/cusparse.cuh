// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_CUSPARSE_CUH
#define SWEEP_BENCH_CUSPARSE_CUH

#include "device_support.cuh"

#if __has_include(<cusparse.h>) && __has_include(<dlfcn.h>)
#include <cusparse.h>
#include <dlfcn.h>
#define SWEEP_BENCH_CUSPARSE 1
#else
#define SWEEP_BENCH_CUSPARSE 0
#endif

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// cuSPARSE as a peer, found when the bench runs: a machine may have a GPU and not the library.
namespace bench {

#if SWEEP_BENCH_CUSPARSE
class cusparse_library {
 public:
  static cusparse_library const* find() {
    static cusparse_library const library;
    return library.at_ ? &library : nullptr;
  }
  template <class F>
  F function(char const* name) const {
    auto* const found = dlsym(at_, name);
    if (!found) throw std::runtime_error(std::string("cuSPARSE has no ") + name);
    return reinterpret_cast<F>(found);
  }

 private:
  cusparse_library() {
    for (auto const* name : {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"})
      if (!at_) at_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!at_) std::printf("SKIPPED  the peer cuSPARSE: %s\n", dlerror());
  }
  void* at_ = nullptr;
};
#define SWEEP_CUSPARSE(name) library_->function<decltype(&name)>(#name)

template <class T>
inline constexpr auto cusparse_type = std::is_same_v<T, float>    ? CUDA_R_32F
                                      : std::is_same_v<T, double> ? CUDA_R_64F
                                                                  : CUDA_R_16F;

/// y = A x, preprocessed, by one of cuSPARSE's algorithms for CSR. A are the entries, T all the rest.
template <class A, class T>
class cusparse_product {
 public:
  cusparse_product(cusparseSpMVAlg_t algorithm, int rows, int columns, std::int64_t entries,
                   int const* offsets, int const* indices, A const* values, T const* x, T* y)
      : library_{cusparse_library::find()}, algorithm_{algorithm} {
    succeed(SWEEP_CUSPARSE(cusparseCreate)(&handle_));
    succeed(SWEEP_CUSPARSE(cusparseSetStream)(handle_, stream()));
    succeed(SWEEP_CUSPARSE(cusparseCreateCsr)(&a_, rows, columns, entries, const_cast<int*>(offsets),
                                              const_cast<int*>(indices), const_cast<A*>(values),
                                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                              CUSPARSE_INDEX_BASE_ZERO, cusparse_type<A>));
    succeed(SWEEP_CUSPARSE(cusparseCreateDnVec)(&x_, columns, const_cast<T*>(x), cusparse_type<T>));
    succeed(SWEEP_CUSPARSE(cusparseCreateDnVec)(&y_, rows, y, cusparse_type<T>));
    std::size_t bytes = 0;
    succeed(SWEEP_CUSPARSE(cusparseSpMV_bufferSize)(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_,
                                                    &zero_, y_, cusparse_type<T>, algorithm, &bytes));
    scratch_.template get<std::byte>(static_cast<std::int64_t>(bytes) + 1);
    succeed(SWEEP_CUSPARSE(cusparseSpMV_preprocess)(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_,
                                                    &zero_, y_, cusparse_type<T>, algorithm, scratch()));
    run_ = SWEEP_CUSPARSE(cusparseSpMV);
  }
  cusparse_product(cusparse_product const&) = delete;
  cusparse_product& operator=(cusparse_product const&) = delete;
  ~cusparse_product() {
    SWEEP_CUSPARSE(cusparseDestroySpMat)(a_);
    SWEEP_CUSPARSE(cusparseDestroyDnVec)(x_);
    SWEEP_CUSPARSE(cusparseDestroyDnVec)(y_);
    SWEEP_CUSPARSE(cusparseDestroy)(handle_);
    scratch_.release();
  }
  void operator()() {
    succeed(run_(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_, x_, &zero_, y_, cusparse_type<T>,
                 algorithm_, scratch()));
  }

 private:
  static void succeed(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS)
      throw std::runtime_error("cuSPARSE: status " + std::to_string(static_cast<int>(status)));
  }
  std::byte* scratch() { return scratch_.template get<std::byte>(1); }

  cusparse_library const* library_;
  cusparseSpMVAlg_t algorithm_;
  cusparseHandle_t handle_{};
  cusparseSpMatDescr_t a_{};
  cusparseDnVecDescr_t x_{}, y_{};
  buffer scratch_;
  T one_{1}, zero_{0};
  decltype(&cusparseSpMV) run_ = nullptr;
};

/// y = A x of a dense x with so many columns, both by rows.
class cusparse_dense_product {
 public:
  cusparse_dense_product(int rows, int columns, std::int64_t entries, int const* offsets, int const* indices,
                         float const* values, float const* x, float* y, int width)
      : library_{cusparse_library::find()} {
    succeed(SWEEP_CUSPARSE(cusparseCreate)(&handle_));
    succeed(SWEEP_CUSPARSE(cusparseSetStream)(handle_, stream()));
    succeed(SWEEP_CUSPARSE(cusparseCreateCsr)(&a_, rows, columns, entries, const_cast<int*>(offsets),
                                              const_cast<int*>(indices), const_cast<float*>(values),
                                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    succeed(SWEEP_CUSPARSE(cusparseCreateDnMat)(&x_, columns, width, width, const_cast<float*>(x), CUDA_R_32F,
                                                CUSPARSE_ORDER_ROW));
    succeed(SWEEP_CUSPARSE(cusparseCreateDnMat)(&y_, rows, width, width, y, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    std::size_t bytes = 0;
    succeed(SWEEP_CUSPARSE(cusparseSpMM_bufferSize)(handle_, as_is, as_is, &one_, a_, x_, &zero_, y_,
                                                    CUDA_R_32F, algorithm, &bytes));
    at_ = scratch_.get<std::byte>(static_cast<std::int64_t>(bytes) + 1);
    succeed(SWEEP_CUSPARSE(cusparseSpMM_preprocess)(handle_, as_is, as_is, &one_, a_, x_, &zero_, y_,
                                                    CUDA_R_32F, algorithm, at_));
    run_ = SWEEP_CUSPARSE(cusparseSpMM);
  }
  cusparse_dense_product(cusparse_dense_product const&) = delete;
  cusparse_dense_product& operator=(cusparse_dense_product const&) = delete;
  ~cusparse_dense_product() {
    SWEEP_CUSPARSE(cusparseDestroySpMat)(a_);
    SWEEP_CUSPARSE(cusparseDestroyDnMat)(x_);
    SWEEP_CUSPARSE(cusparseDestroyDnMat)(y_);
    SWEEP_CUSPARSE(cusparseDestroy)(handle_);
    scratch_.release();
  }
  void operator()() {
    succeed(run_(handle_, as_is, as_is, &one_, a_, x_, &zero_, y_, CUDA_R_32F, algorithm, at_));
  }

 private:
  static constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr auto algorithm = CUSPARSE_SPMM_CSR_ALG2;  // the one for matrices by rows
  static void succeed(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS)
      throw std::runtime_error("cuSPARSE: status " + std::to_string(static_cast<int>(status)));
  }
  cusparse_library const* library_;
  cusparseHandle_t handle_{};
  cusparseSpMatDescr_t a_{};
  cusparseDnMatDescr_t x_{}, y_{};
  buffer scratch_;
  std::byte* at_ = nullptr;
  float one_ = 1, zero_ = 0;
  decltype(&cusparseSpMM) run_ = nullptr;
};
#undef SWEEP_CUSPARSE
#endif

inline std::vector<contender> cusparse_dense_peers(int rows, int columns, std::int64_t entries,
                                                   int const* offsets, int const* indices,
                                                   float const* values, float const* x, float* y, int width) {
  std::vector<contender> peers;
#if SWEEP_BENCH_CUSPARSE
  if (cusparse_library::find()) {
    auto product = std::make_shared<cusparse_dense_product>(rows, columns, entries, offsets, indices, values,
                                                            x, y, width);
    peers.push_back({"cusparse spmm", [product](std::int64_t) { (*product)(); }});
  }
#endif
  return peers;
}

/// Both algorithms for CSR, where the library is there.
template <class A, class T>
std::vector<contender> cusparse_peers(int rows, int columns, std::int64_t entries, int const* offsets,
                                      int const* indices, A const* values, T const* x, T* y) {
  std::vector<contender> peers;
#if SWEEP_BENCH_CUSPARSE
  if (cusparse_library::find())
    for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
      auto product = std::make_shared<cusparse_product<A, T>>(algorithm, rows, columns, entries, offsets,
                                                              indices, values, x, y);
      peers.push_back({algorithm == CUSPARSE_SPMV_CSR_ALG1 ? "cusparse csr 1" : "cusparse csr 2",
                       [product](std::int64_t) { (*product)(); }});
    }
#endif
  return peers;
}

}  // namespace bench

#endif
