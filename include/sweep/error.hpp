// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_ERROR_HPP
#define SWEEP_ERROR_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/version.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

namespace sweep {

/// A precondition that does not hold; what() names the call, the argument and what was wrong with it.
/// Thrown before anything is written.
struct bad_argument : std::invalid_argument {
  /// Says sweep::CALL: ARGUMENT WRONG.
  ///
  /// \param call      the public call
  /// \param argument  its parameter
  /// \param wrong     what is wrong with it
  [[gnu::cold]] bad_argument(char const* call, char const* argument, std::string const& wrong)
      : std::invalid_argument(std::string("sweep::") + call + ": " + argument + " " + wrong) {}
};

/// Trouble reported by the CUDA runtime; what() names the algorithm, the CUDA call and CUDA's own message.
/// code() holds the cudaError_t in the category "cuda".
struct cuda_error : std::system_error {
  using std::system_error::system_error;
};

}  // namespace sweep

#include <sweep/detail/macros/back.hpp>

#endif
