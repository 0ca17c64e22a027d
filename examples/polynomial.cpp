// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a polynomial of many terms. At x a stretch of its coefficients is a pair: x to the power of
// how many they are, and what they add up to; two stretches are (p, v) and (q, w) -> (p q, v + p w), and the
// polynomial's value is one reduction. Horner's rule is the recurrence b[i] = x b[i + 1] + c[i]: its scan
// divides the polynomial by what vanishes at x, the remainder is the value, and the quotient's value there is
// the derivative.
#include "program.hpp"

#include <sweep/recurrence.hpp>
#include <sweep/reduce.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct stretch {
  double power, value;
};

double value_at(double x, double const* coefficients, std::int64_t n) {
  return sweep::transform_reduce(
             sweep::host, coefficients, coefficients + n, stretch{1, 0},
             [](stretch a, stretch b) {
               return stretch{a.power * b.power, a.value + a.power * b.value};
             },
             [x](double c) {
               return stretch{x, c};
             })
      .value;
}

/// The value and the derivative.
struct values {
  double value, derivative;
};
values by_division(double x, std::vector<double> const& coefficients) {
  auto const n = static_cast<std::int64_t>(coefficients.size());
  std::vector<double> quotient(coefficients.size());
  sweep::linear_recurrence(sweep::host, x, coefficients.begin(), coefficients.end(), quotient.begin(),
                           sweep::backward);
  return {quotient[0], value_at(x, quotient.data() + 1, n - 1)};
}

/// Both by Horner's rule, and as much as their terms can add up to, which is what rounding is measured by.
bool is_right(double x, std::vector<double> const& coefficients, double reduced, values divided) {
  double value = 0, derivative = 0, size = 0, slope = 0;
  for (auto i = coefficients.size(); i-- > 0;) {
    derivative = x * derivative + value;
    slope = std::abs(x) * slope + size;
    value = x * value + coefficients[i];
    size = std::abs(x) * size + std::abs(coefficients[i]);
  }
  auto const unit = 1e-15 * (10 + static_cast<double>(coefficients.size()));
  return std::abs(reduced - value) <= unit * size && std::abs(divided.value - value) <= unit * size &&
         std::abs(divided.derivative - derivative) <= unit * slope;
}

std::vector<double> read(std::string const& name) {
  std::vector<double> coefficients;
  program::for_each_line(program::read(name), [&](std::int64_t line, std::string_view text) {
    if (program::trimmed(text).empty()) return;
    if (!program::is_number(text, coefficients.emplace_back()))
      throw program::bad_file(name, line, "'" + std::string(program::trimmed(text)) + "' is no coefficient");
  });
  if (coefficients.empty()) throw program::bad_file(name, "has no coefficients");
  return coefficients;
}

char const* const help =
    "polynomial [FILE X...]: the values and derivatives at each X of the polynomial whose coefficients are "
    "the lines\n"
    "of a file, the constant term first. Without a file: of the first 40 terms of the exponential series.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    bool right = true;
    auto const show = [&](std::vector<double> const& coefficients, double x) {
      auto const reduced = value_at(x, coefficients.data(), static_cast<std::int64_t>(coefficients.size()));
      auto const divided = by_division(x, coefficients);
      right = right && is_right(x, coefficients, reduced, divided);
      std::printf("at %g: value %.12g, derivative %.12g\n", x, reduced, divided.derivative);
    };
    if (!arguments.empty()) {
      if (arguments.size() < 2) throw std::runtime_error("at which X? (see --help)");
      auto const coefficients = read(arguments[0]);
      for (std::size_t k = 1; k < arguments.size(); ++k)
        show(coefficients, program::number<double>(arguments[k]));
      return right;
    }
    std::vector<double> exponential{1};
    while (exponential.size() < 40)
      exponential.push_back(exponential.back() / static_cast<double>(exponential.size()));
    for (double x : {-1.0, 0.0, 0.5, 1.0, 2.0}) show(exponential, x);
    std::vector<double> many(300'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i * i % 101) - 50;
    for (double x : {0.999, -0.99999, 1.0, -1.0}) show(many, x);
    return right;
  });
}
