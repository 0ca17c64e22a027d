// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_ORACLE_HPP
#define SWEEP_TESTS_SUPPORT_ORACLE_HPP

#include <cstddef>
#include <optional>
#include <vector>

// What every algorithm means, in the plainest loops.
namespace sweep_test {

struct same {
  template <class T>
  T const& operator()(T const& x) const {
    return x;
  }
};

template <class T, class X, class Op, class Unary = same>
std::vector<T> scan_oracle(bool inclusive, bool backward, std::vector<X> const& x, Op op,
                           std::optional<T> init, Unary unary = {}) {
  std::vector<T> out(x.size());
  bool begun = init.has_value();
  T sum = begun ? *init : T{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const at = backward ? x.size() - 1 - i : i;
    auto const item = static_cast<T>(unary(x[at]));
    if (!inclusive) out[at] = sum;
    sum = begun ? static_cast<T>(op(sum, item)) : item;
    begun = true;
    if (inclusive) out[at] = sum;
  }
  return out;
}

template <class T, class X, class Op, class Unary = same>
T reduce_oracle(std::vector<X> const& x, Op op, T init, Unary unary = {}) {
  for (auto const& item : x) init = static_cast<T>(op(init, static_cast<T>(unary(item))));
  return init;
}

}  // namespace sweep_test

#endif
