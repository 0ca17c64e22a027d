// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_POLICY_HPP
#define SWEEP_POLICY_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/error.hpp>
#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

namespace sweep::inline SWEEP_ABI {

/// One thread, one loop: the meaning of every algorithm, and the oracle of its tests.
struct seq_policy {
  /// Does not compile: there is nothing to choose.
  ///
  /// \tparam Tag  a variant or a plan
  template <class Tag>
  constexpr seq_policy with(Tag) const {
    static_assert(detail::never<Tag>, "sweep: seq is one plain loop and has no variants or plans");
    return *this;
  }
};
/// Run in one loop. In a kernel too, by the thread that calls.
#if defined(__CUDA_ARCH__)
__device__ constexpr seq_policy seq{};
#else
inline constexpr seq_policy seq{};
#endif

/// Host threads. Tiles are handed to a team (OpenMP where the translation unit is compiled with it,
/// std::thread otherwise) in increasing order; results do not depend on the number of threads.
template <class... Tags>
class host_policy {
 public:
  constexpr host_policy() = default;
  /// A policy of so many threads.
  ///
  /// \param threads  how many; 0 means all that the machine has
  constexpr explicit host_policy(int threads) : threads_{threads} {}

  /// Run on so many threads, or on fewer where that is faster.
  ///
  /// \param count  how many at most; 0, the default, means all that the machine has
  constexpr host_policy threads(int count) const { return host_policy(count); }
  /// How many threads it runs on; 0 means all that the machine has.
  constexpr int threads() const { return threads_; }

  /// Check also the preconditions that cost something (offsets that decrease, lengths that do not add up,
  /// ...).
  constexpr auto checked() const {
    if constexpr (detail::has_checked<Tags...>) return *this;
    else return host_policy<Tags..., detail::checked_t>(threads_);
  }

  /// Choose a variant instead of the default.
  ///
  /// \tparam Tag  the type of one of the tags of sweep::variant
  template <class Tag>
  constexpr auto with(Tag) const {
    static_assert(detail::policy_tag<Tag>, "sweep: with() takes a tag of sweep::variant");
    if constexpr (detail::policy_tag<Tag>) {
      static_assert(!detail::is_plan<Tag>,
                    "sweep: plans are for sweep::device; the tiles of sweep::host are fixed");
      static_assert(
          !std::is_same_v<typename Tag::axis, within_tile>,
          "sweep: variants within a tile are for sweep::device; a host thread has one way to scan its "
          "tile");
      static_assert(!detail::has_axis<typename Tag::axis, Tags...>,
                    "sweep: this policy has a choice on that axis already");
      return host_policy<Tags..., Tag>(threads_);
    } else {
      return *this;
    }
  }

 private:
  int threads_ = 0;
};
/// Run on host threads.
inline constexpr host_policy<> host{};

}  // namespace sweep::inline SWEEP_ABI

#if defined(__CUDACC__)
#include <sweep/device.cuh>
#endif

#include <sweep/detail/macros/back.hpp>

#endif
