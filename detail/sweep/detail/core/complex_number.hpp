// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_COMPLEX_NUMBER_HPP
#define SWEEP_DETAIL_CORE_COMPLEX_NUMBER_HPP

#include <sweep/version.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class T>
concept real_number = std::is_same_v<T, float> || std::is_same_v<T, double>;
/// std::complex, cuda::std::complex, thrust::complex of such.
template <class T>
concept complex_number = requires(T const& z) {
  typename T::value_type;
  requires real_number<typename T::value_type>;
  z.real();
  z.imag();
  T(z.real(), z.imag());
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
