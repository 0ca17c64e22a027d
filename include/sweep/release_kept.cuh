// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_RELEASE_KEPT_CUH
#define SWEEP_RELEASE_KEPT_CUH

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/runtime/stream_cache.cuh>
#include <sweep/version.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI {

/// Gives back the device memory that the library keeps between calls: what it keeps for streams, destroyed
/// ones included, and what its pools hold in reserve, on all devices. What calls of other threads use just
/// now stays. The next call on a stream is as a first one. See docs/execution.md for how much is kept.
///
/// \return how many bytes streams had kept
///
/// \par Promises
/// - **Waiting:** until the devices have done the work that they have been given; so not while a stream
///   is being captured, anywhere in the program.
/// - **Errors:** `cuda_error`; what could not be waited for stays kept.
/// - **Threads:** may be called at any time from any thread.
inline std::size_t release_kept() { return detail::all_kept::instance().release("release_kept"); }

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
