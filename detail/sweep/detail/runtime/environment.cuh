// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_ENVIRONMENT_CUH
#define SWEEP_DETAIL_RUNTIME_ENVIRONMENT_CUH

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/resource.cuh>
#include <sweep/device.cuh>

#include <concepts>
#include <type_traits>

// What CCCL asks of environments, by its own queries, which are only declared here: whoever has an
// environment has included what it is made of. CCCL 3.0 has none.
#if __has_include(<cuda/__fwd/get_stream.h>) && __has_include(<cuda/__fwd/get_memory_resource.h>) && \
    __has_include(<cuda/__execution/determinism.h>) && __has_include(<cuda/std/__execution/env.h>)
#define SWEEP_HAS_ENVIRONMENTS
#include <cuda/__fwd/get_memory_resource.h>
#include <cuda/__fwd/get_stream.h>

#include <cuda/std/__cccl/prologue.h>
_CCCL_BEGIN_NAMESPACE_CUDA_EXECUTION
struct __get_requirements_t;
namespace determinism {
struct __get_determinism_t;
}
_CCCL_END_NAMESPACE_CUDA_EXECUTION
_CCCL_BEGIN_NAMESPACE_CUDA_STD_EXECUTION
template <class... Envs>
struct env;
_CCCL_END_NAMESPACE_CUDA_STD_EXECUTION
#include <cuda/std/__cccl/epilogue.h>
#endif

namespace sweep::inline SWEEP_ABI::detail {

template <class Env, class Query>
concept answers = std::is_class_v<Env> && requires(Env const& env, Query const& query) {
  env.query(query);
};

#if defined(SWEEP_HAS_ENVIRONMENTS)
using stream_query = ::cuda::get_stream_t;
using resource_query = ::cuda::mr::__get_memory_resource_t;
using requirements_query = ::cuda::execution::__get_requirements_t;
using determinism_query = ::cuda::execution::determinism::__get_determinism_t;

template <class Env>
inline constexpr bool is_env = false;
template <class... Envs>
inline constexpr bool is_env<::cuda::std::execution::env<Envs...>> = true;

/// Not the policies of CCCL's own algorithms, which are environments too and promise other things.
template <class Env>
concept environment = is_env<Env> ||((answers<Env, stream_query> || answers<Env, resource_query> ||
                                      answers<Env, requirements_query>)&&!requires { Env::__get_policy(); });

template <class Env, class Query = stream_query>
cudaStream_t stream_in(Env const& env) {
  if constexpr (answers<Env, Query>) return stream_of(env.query(Query{}));
  else return nullptr;
}

/// A resource that the environment hands out by reference stays where it is, if it can be used as it is
/// there; any other is copied.
template <class Env, class Query = resource_query>
auto source_in(Env const& env) {
  if constexpr (answers<Env, Query>) {
    using given = decltype(env.query(Query{}));
    using held = std::remove_cvref_t<given>;
    if constexpr (std::is_lvalue_reference_v<given> && memory_resource<std::remove_reference_t<given>>)
      return scratch_source_of(env.query(Query{}));
    else return scratch_source_of(held(env.query(Query{})));
  } else {
    return pool_scratch{};
  }
}

/// Results are the same from run to run whether that is required or not; from one model of GPU to another
/// where all folds are exact.
template <bool Exact, class Env, class Query = requirements_query, class Which = determinism_query>
SWEEP_HD constexpr void require_determinism() {
  if constexpr (answers<Env, Query>) {
    using required = std::remove_cvref_t<decltype(std::declval<Env const&>().query(Query{}))>;
    if constexpr (answers<required, Which>) {
      using level = std::remove_cvref_t<decltype(std::declval<required const&>().query(Which{}))>;
      constexpr int gpu_to_gpu = 2;  // after not_guaranteed and run_to_run
      static_assert(Exact || static_cast<int>(level::value) != gpu_to_gpu,
                    "sweep: results are the same from run to run on one model of GPU, not from one model to "
                    "another where an operator rounds: require determinism::run_to_run, or nothing");
    }
  }
}
#else
template <class Env>
concept environment = false;
template <bool, class Env>
SWEEP_HD constexpr void require_determinism() {}  // a name that is looked up where the template is read
#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
