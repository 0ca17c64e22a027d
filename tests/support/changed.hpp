// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_CHANGED_HPP
#define SWEEP_TESTS_SUPPORT_CHANGED_HPP

#include <type_traits>
#include <utility>

namespace sweep_test {

/// A limit of the library has another value while this lives: small inputs go the ways of large ones.
template <class T>
class changed {
 public:
  changed(T& limit, std::type_identity_t<T> value) : limit_{limit}, before_{std::exchange(limit, value)} {}
  changed(changed const&) = delete;
  changed& operator=(changed const&) = delete;
  ~changed() { limit_ = before_; }

 private:
  T& limit_;
  T before_;
};

}  // namespace sweep_test

#endif
