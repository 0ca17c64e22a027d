// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A selective state-space layer (Gu and Dao 2023), forward and backward. Each channel of a sequence has some
// states, which fade at rates that the input chooses, step by step, and add up what the input lets in:
//   h[t, c, s] = exp(dt[t, c] A[c, s]) h[t - 1, c, s] + dt[t, c] B[t, s] x[t, c],
//   y[t, c] = sum over s of C[t, s] h[t, c, s].
// Along t that is a linear recurrence, whose gradient is one call; all sums are reductions along an axis.
#include "csv.hpp"

#include <sweep/recurrence.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using array = std::vector<double>;

/// The layer's input and parameters; its derivative has the same shape.
struct layer {
  std::int64_t steps, channels, states;
  array x, dt;  ///< (steps, channels)
  array A;      ///< (channels, states)
  array B, C;   ///< (steps, states)

  layer(std::int64_t t, std::int64_t c, std::int64_t s)
      : steps{t}, channels{c}, states{s}, x(t * c), dt(t * c), A(c * s), B(t * s), C(t * s) {}
  auto view(double* data) const { return sweep::strided(data, {steps, channels, states}); }
  std::int64_t items() const { return steps * channels * states; }

  /// f(i, t * channels + c, c * states + s, t * states + s) of each item i.
  template <class F>
  void for_each(F f) const {
    for (std::int64_t t = 0, i = 0; t < steps; ++t)
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t s = 0; s < states; ++s, ++i) f(i, t * channels + c, c * states + s, t * states + s);
  }
};

struct output {
  array fade, h;  ///< (steps, channels, states)
  array y;        ///< (steps, channels)
};

output forward(layer const& in) {
  output out{array(in.items()), array(in.items()), array(in.x.size())};
  array product(in.items());
  in.for_each([&](auto i, auto tc, auto cs, auto ts) {
    out.fade[i] = std::exp(in.dt[tc] * in.A[cs]);
    out.h[i] = in.dt[tc] * in.B[ts] * in.x[tc];
  });
  auto const h = in.view(out.h.data());
  sweep::linear_recurrence(sweep::host, in.view(out.fade.data()), h, h, sweep::along(0));
  in.for_each([&](auto i, auto, auto, auto ts) { product[i] = in.C[ts] * out.h[i]; });
  sweep::reduce(sweep::host, in.view(product.data()), sweep::strided(out.y.data(), {in.steps, in.channels}),
                sweep::along(2));
  return out;
}

/// The derivative of a number by everything that goes in, of its derivative by y.
layer backward(layer const& in, output& out, array const& by_y) {
  layer by(in.steps, in.channels, in.states);
  array by_h(in.items()), by_fade(in.items()), product(in.items());
  in.for_each([&](auto i, auto tc, auto, auto ts) { by_h[i] = in.C[ts] * by_y[tc]; });
  auto const h = in.view(by_h.data());
  sweep::linear_recurrence_gradient(sweep::host, in.view(out.fade.data()), in.view(out.h.data()), h,
                                    in.view(by_fade.data()), h, sweep::along(0));

  // Of each parameter the sum along the axis that it does not have.
  auto const sum = [&](array& result, std::int64_t rows, std::int64_t columns, int axis, auto term) {
    in.for_each([&](auto i, auto tc, auto cs, auto ts) { product[i] = term(i, tc, cs, ts); });
    sweep::reduce(sweep::host, in.view(product.data()), sweep::strided(result.data(), {rows, columns}),
                  sweep::along(axis));
  };
  // The derivative by dt[t, c] A[c, s], through the fading.
  auto const by_exponent = [&](auto i) { return by_fade[i] * out.fade[i]; };
  sum(by.x, in.steps, in.channels, 2,
      [&](auto i, auto tc, auto, auto ts) { return by_h[i] * in.dt[tc] * in.B[ts]; });
  sum(by.dt, in.steps, in.channels, 2, [&](auto i, auto tc, auto cs, auto ts) {
    return by_exponent(i) * in.A[cs] + by_h[i] * in.B[ts] * in.x[tc];
  });
  sum(by.A, in.channels, in.states, 0,
      [&](auto i, auto tc, auto, auto) { return by_exponent(i) * in.dt[tc]; });
  sum(by.B, in.steps, in.states, 1,
      [&](auto i, auto tc, auto, auto) { return by_h[i] * in.dt[tc] * in.x[tc]; });
  sum(by.C, in.steps, in.states, 1, [&](auto i, auto tc, auto, auto) { return by_y[tc] * out.h[i]; });
  return by;
}

/// Both by loops over the steps.
array plain_forward(layer const& in, array& h) {
  array y(in.x.size());
  auto const row = in.channels * in.states;
  in.for_each([&](auto i, auto tc, auto cs, auto ts) {
    h[i] = (i < row ? 0 : std::exp(in.dt[tc] * in.A[cs]) * h[i - row]) + in.dt[tc] * in.B[ts] * in.x[tc];
    y[tc] += in.C[ts] * h[i];
  });
  return y;
}
layer plain_backward(layer const& in, array const& h, array const& by_y) {
  layer by(in.steps, in.channels, in.states);
  auto const row = in.channels * in.states;
  array by_state(row);
  for (auto t = in.steps; t-- > 0;)
    for (std::int64_t c = 0; c < in.channels; ++c)
      for (std::int64_t s = 0; s < in.states; ++s) {
        auto const tc = t * in.channels + c, cs = c * in.states + s, ts = t * in.states + s;
        auto const fade = std::exp(in.dt[tc] * in.A[cs]), before = t ? h[(t - 1) * row + cs] : 0;
        auto const by_h = by_state[cs] + in.C[ts] * by_y[tc];
        by.C[ts] += by_y[tc] * h[t * row + cs];
        by.x[tc] += by_h * in.dt[tc] * in.B[ts];
        by.dt[tc] += by_h * (before * fade * in.A[cs] + in.B[ts] * in.x[tc]);
        by.A[cs] += by_h * before * fade * in.dt[tc];
        by.B[ts] += by_h * in.dt[tc] * in.x[tc];
        by_state[cs] = fade * by_h;
      }
  return by;
}

/// The largest difference, compared with the largest item.
double difference(array const& a, array const& b) {
  double worst = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return worst / size;
}

/// What the input chooses: how fast states fade, what they let in, and what is heard of them.
void select(layer& in) {
  for (std::int64_t t = 0; t < in.steps; ++t) {
    double mean = 0;
    for (std::int64_t c = 0; c < in.channels; ++c) {
      auto const x = in.x[t * in.channels + c];
      in.dt[t * in.channels + c] = 0.1 * std::log1p(std::exp(std::clamp(x, -20.0, 20.0)));
      mean += x / static_cast<double>(in.channels);
    }
    for (std::int64_t s = 0; s < in.states; ++s) {
      in.B[t * in.states + s] = std::tanh(mean + 0.3 * static_cast<double>(s));
      in.C[t * in.states + s] = std::cos(mean * static_cast<double>(s + 1));
    }
  }
  for (std::int64_t c = 0; c < in.channels; ++c)
    for (std::int64_t s = 0; s < in.states; ++s) in.A[c * in.states + s] = -static_cast<double>(s + 1);
}

char const* const help = "state_space [FILE.csv]: a selective state-space layer of eight states a channel, "
                         "forward and backward. The columns\n"
                         "of numbers of the table are the channels, its rows the steps. Without a file: of "
                         "2000 steps of 6 channels.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() > 1) throw std::runtime_error("one file, or none (see --help)");
    layer in(2000, 6, 8);
    if (arguments.empty()) {
      for (std::int64_t i = 0; i < in.steps * in.channels; ++i)
        in.x[i] = std::sin(0.003 * static_cast<double>(i * (1 + i % in.channels)));
    } else {
      auto const t = csv::read(arguments[0]);
      in = layer(t.rows, t.columns(), 8);
      in.x = t.values;
    }
    select(in);

    auto out = forward(in);
    auto const by = backward(in, out, out.y);  // of half the sum of the squares of y

    array h(in.items());
    auto const y = plain_forward(in, h);
    auto const plain = plain_backward(in, h, y);
    bool right = true;
    auto const compare = [&](char const* what, array const& found, array const& expected) {
      auto const by_how_much = difference(found, expected);
      right = right && by_how_much < 1e-10;
      std::printf("%-20s %7zu numbers, off the loop's by %.0e\n", what, found.size(), by_how_much);
    };
    compare("y", out.y, y);
    compare("derivative by x", by.x, plain.x);
    compare("derivative by dt", by.dt, plain.dt);
    compare("derivative by A", by.A, plain.A);
    compare("derivative by B", by.B, plain.B);
    compare("derivative by C", by.C, plain.C);

    // And by what becomes of the number where a parameter is moved a little.
    auto more = in, less = in;
    auto const which = in.A.size() / 2;
    more.A[which] += 1e-5;
    less.A[which] -= 1e-5;
    auto const above = forward(more).y, below = forward(less).y;
    double slope = 0;
    for (std::size_t i = 0; i < above.size(); ++i)
      slope += (above[i] - below[i]) * (above[i] + below[i]) / 2 / 2e-5;
    auto const derivative = by.A[which];
    std::printf("derivative by one of A: %.6g, by a small step %.6g\n", derivative, slope);
    return right && std::abs(slope - derivative) <= 1e-5 * (std::abs(slope) + 1);
  });
}
