// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_EXPECT_HPP
#define SWEEP_TESTS_SUPPORT_EXPECT_HPP

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace sweep_test {

inline void expect(bool holds, std::string const& what) {
  if (holds) CHECK(holds);  // counted
  else FAIL_CHECK(what);
}

/// got == want, item by item; the message names the first that differs.
template <class T>
void expect_equal(std::vector<T> const& got, std::vector<T> const& want, std::string const& what) {
  std::size_t i = 0;
  while (i < got.size() && i < want.size() && got[i] == want[i]) ++i;
  bool const equal = got.size() == want.size() && i == got.size();
  expect(equal,
         equal ? what
               : what + ": item " + std::to_string(i) + " of " + std::to_string(want.size()) + " differs");
}

/// Sums of random numbers against the same sums in double. Rounding errors of a sum wander like the square
/// root of its length and are in proportion to the sum of magnitudes, `magnitude`.
template <class T>
void expect_near(std::vector<T> const& got, std::vector<double> const& want,
                 std::vector<double> const& magnitude, std::string const& what) {
  std::size_t i = 0;
  auto const near = [&](std::size_t at) {
    auto const allowed = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                         std::sqrt(static_cast<double>(want.size())) * (1e-3 + magnitude[at]);
    return std::abs(static_cast<double>(got[at]) - want[at]) <= allowed;
  };
  while (i < got.size() && i < want.size() && near(i)) ++i;
  bool const all = got.size() == want.size() && i == got.size();
  expect(all, all ? what
                  : what + ": item " + std::to_string(i) + " of " + std::to_string(want.size()) + " is off");
}

/// Runs `call`, which must throw an E whose message holds every one of the words.
template <class E, class Call>
void expect_throw(std::vector<std::string> const& words, Call call) {
  std::string said = "(nothing was thrown)";
  try {
    call();
  } catch (E const& error) {
    said = error.what();
    for (auto const& word : words)
      expect(said.find(word) != std::string::npos, "'" + word + "' in the message: " + said);
    return;
  } catch (std::exception const& other) { said = std::string("another exception: ") + other.what(); }
  expect(false, "the expected exception was not thrown: " + said);
}

}  // namespace sweep_test

#endif
