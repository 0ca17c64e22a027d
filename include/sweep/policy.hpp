// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_POLICY_HPP
#define SWEEP_POLICY_HPP

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/error.hpp>
#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

namespace sweep {

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
/// Run in one loop.
inline constexpr seq_policy seq{};

/// Host threads. Tiles are handed to a team (OpenMP where the translation unit is compiled with it,
/// std::thread otherwise) in increasing order; results do not depend on the number of threads.
template <class... Choices>
class host_policy {
 public:
  constexpr host_policy() = default;
  /// A policy of so many threads.
  ///
  /// \param threads  how many; 0 means all that the machine has
  /// \param checked  whether preconditions that cost something are checked
  constexpr explicit host_policy(int threads, bool checked = false) : threads_{threads}, checked_{checked} {}

  /// Run on so many threads.
  ///
  /// \param count  how many; 0, the default, means all that the machine has
  constexpr host_policy threads(int count) const { return host_policy(count, checked_); }
  /// How many threads it runs on; 0 means all that the machine has.
  constexpr int threads() const { return threads_; }

  /// Check also the preconditions that cost something (offsets that decrease, lengths that do not add up,
  /// ...).
  constexpr host_policy checked() const { return host_policy(threads_, true); }
  /// Whether preconditions that cost something are checked.
  constexpr bool is_checked() const { return checked_; }

  /// Choose a variant across tiles instead of the default.
  ///
  /// \tparam Tag  the type of one of the tags of sweep::variant
  template <class Tag>
  constexpr auto with(Tag) const {
    static_assert(detail::is_choice<Tag>, "sweep: with() takes a tag of sweep::variant");
    static_assert(detail::axis_of<Tag> != detail::axis::scan_plan &&
                      detail::axis_of<Tag> != detail::axis::reduce_plan &&
                      detail::axis_of<Tag> != detail::axis::partition_plan,
                  "sweep: plans are for sweep::device; the tiles of sweep::host are fixed");
    static_assert(
        !detail::is_choice<Tag> || detail::axis_of<Tag> != detail::axis::within_tile,
        "sweep: variants within a tile are for sweep::device; a host thread has one way to scan its tile");
    static_assert(!detail::has_axis<Tag, Choices...>, "sweep: this policy has a choice on that axis already");
    return host_policy<Choices..., Tag>(threads_, checked_);
  }

 private:
  int threads_ = 0;
  bool checked_ = false;
};
/// Run on host threads.
inline constexpr host_policy<> host{};

}  // namespace sweep

#if defined(__CUDACC__)
#include <sweep/device.cuh>
#endif

#endif
