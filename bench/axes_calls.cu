// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/axes.hpp>
#include <sweep/policy.hpp>
#include <sweep/recurrence.hpp>
#include <sweep/scan_many.hpp>
#include <sweep/summed_area_table.hpp>

#include <limits>

// Of bench_axes: what else goes along axes, against the copy of as many bytes. Results are checked against
// their neighbours': numbers are such that all sums and products are exact.

namespace bench {
namespace {

/// wrong(i) for all i.
template <class Wrong>
__global__ void count_if_wrong(std::int64_t n, Wrong wrong, unsigned long long* found) {
  for (auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (wrong(i)) atomicAdd(found, 1ull);
}

/// Runs, looks at the results, and times: `bytes` are those that must move, of which a copy has half each
/// way.
template <class Run, class Wrong>
void time_checked(benchmark::State& state, std::string const& name, std::int64_t n, double bytes, Run run,
                  Wrong wrong) {
  auto* const found = memory().verdict.get<unsigned long long>(2);
  run(0);
  check(cudaMemsetAsync(found, 0, sizeof *found, stream()), "cudaMemsetAsync");
  count_if_wrong<<<2048, 256, 0, stream()>>>(n, wrong, found);
  if (auto const count = value_of(found); count != 0)
    return fail(state, name, std::to_string(count) + " wrong results");
  compare(
      state,
      {.name = name, .items = n, .min_bytes = bytes, .copy = copy_of(bytes), .contenders = {{"sweep", run}}});
}

struct matrix_case {
  std::string name;
  std::int64_t rows, columns;
  std::int64_t items() const { return rows * columns; }
  auto view(auto* memory) const { return sweep::strided(memory, {rows, columns}); }
};

/// The index of item k along an axis of a matrix, and how far apart neighbours are.
struct along_matrix {
  std::int64_t length, step;
  along_matrix(matrix_case const& of, int axis)
      : length{axis == 0 ? of.rows : of.columns}, step{axis == 0 ? of.columns : 1} {}
  __host__ __device__ std::int64_t index(std::int64_t k) const { return k / step % length; }
  __host__ __device__ std::int64_t line(std::int64_t k) const { return step == 1 ? k / length : k % step; }
};

struct sign_or_small {
  bool sign;
  __host__ __device__ float operator()(std::uint64_t seed, std::int64_t i) const {
    auto const bits = elements::random_bits(seed, i);
    return sign ? (bits >> 63 != 0 ? -1.0f : 1.0f) : static_cast<float>(static_cast<int>(bits % 3) - 1);
  }
};

struct wrong_recurrence {
  float const *a, *x, *y;
  along_matrix along;
  __device__ bool operator()(std::int64_t k) const {
    return y[k] != (along.index(k) == 0 ? x[k] : a[k] * y[k - along.step] + x[k]);
  }
};
struct wrong_gradient {
  float const *a, *y, *gy, *ga, *gx;
  along_matrix along;
  __device__ bool operator()(std::int64_t k) const {
    auto const i = along.index(k);
    auto const x = i + 1 == along.length ? gy[k] : gy[k] + a[k + along.step] * gx[k + along.step];
    return gx[k] != x || ga[k] != (i == 0 ? 0.0f : gx[k] * y[k - along.step]);
  }
};

void time_recurrence(benchmark::State& state, std::string const& name, matrix_case const& matrix, int axis,
                     bool gradient) {
  auto const n = matrix.items();
  auto* const in = memory().input.get<float>(3 * n);
  auto* const out = memory().output.get<float>(2 * n);
  auto *const a = in, *const x = in + n, *const gy = in + 2 * n;
  fill(a, n, sign_or_small{true}, seed());
  fill(x, 2 * n, sign_or_small{false}, seed() + 1);
  auto const along = sweep::along(axis);
  auto const on = sweep::device.on(stream());
  auto const read = [&](float const* at) { return matrix.view(at); };
  auto const write = [&](float* at) { return matrix.view(at); };
  if (!gradient) {
    auto const run = [=, from_a = read(a), from_x = read(x), to = write(out)](std::int64_t) {
      sweep::linear_recurrence(on, from_a, from_x, to, along);
    };
    return time_checked(state, name, n, 12.0 * static_cast<double>(n), run,
                        wrong_recurrence{a, x, out, {matrix, axis}});
  }
  auto const run = [=, of_a = read(a), of_y = read(x), of_gy = read(gy), to_a = write(out),
                    to_x = write(out + n)](std::int64_t) {
    sweep::linear_recurrence_gradient(on, of_a, of_y, of_gy, to_a, to_x, along);
  };
  time_checked(state, name, n, 20.0 * static_cast<double>(n), run,
               wrong_gradient{a, x, gy, out, out + n, {matrix, axis}});
}

/// Of one long line, as a range.
template <class T, bool Backward>
struct wrong_long_recurrence {
  T const *a, *x, *y;
  std::int64_t n;
  __device__ bool operator()(std::int64_t k) const {
    auto const before = Backward ? k + 1 : k - 1;
    return y[k] != (before < 0 || before == n ? x[k] : a[k] * y[before] + x[k]);
  }
};
template <class T, bool Backward>
void time_long_recurrence(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto* const a = memory().input.get<T>(2 * n);
  auto* const x = a + n;
  auto* const out = memory().output.get<T>(n);
  fill(a, n, sign_or_small{true}, seed());
  fill(x, n, sign_or_small{false}, seed() + 1);
  auto const run = [=](std::int64_t) {
    auto const on = sweep::device.on(stream());
    if constexpr (Backward) sweep::linear_recurrence(on, a, x, x + n, out, sweep::backward);
    else sweep::linear_recurrence(on, a, x, x + n, out);
  };
  time_checked(state, name, n, 3.0 * sizeof(T) * static_cast<double>(n), run,
               wrong_long_recurrence<T, Backward>{a, x, out, n});
}

using indexed = sweep::pair<float, std::int64_t>;
struct earlier_largest {
  __host__ __device__ indexed operator()(indexed const& a, indexed const& b) const {
    return b.first > a.first ? b : a;
  }
};
struct wrong_maximum {
  float const* x;
  indexed const* y;
  along_matrix along;
  __device__ bool operator()(std::int64_t k) const {
    indexed const own{x[k], along.index(k)};
    return !(y[k] == (own.second == 0 ? own : earlier_largest{}(y[k - along.step], own)));
  }
};
void time_maximum(benchmark::State& state, std::string const& name, matrix_case const& matrix, int axis) {
  auto const n = matrix.items();
  auto* const in = memory().input.get<float>(n);
  auto* const out = memory().output.get<indexed>(n);
  fill(in, n, elements::random_item<float>{}, seed());
  auto const from = sweep::with_index(matrix.view(static_cast<float const*>(in)), sweep::along(axis));
  auto const run = [=, to = matrix.view(out)](std::int64_t) {
    sweep::inclusive_scan(sweep::device.on(stream()), from, to, sweep::along(axis), earlier_largest{});
  };
  time_checked(state, name, n, 20.0 * static_cast<double>(n), run, wrong_maximum{in, out, {matrix, axis}});
}

/// Of each line: whether none is larger, nor as large and earlier, and it stands where its index says.
struct wrong_largest {
  float const* x;
  indexed const* y;
  along_matrix along;
  __device__ bool operator()(std::int64_t k) const {
    auto const found = y[along.line(k)];
    auto const index = along.index(k);
    if (index == found.second) return x[k] != found.first;
    return index < found.second ? x[k] >= found.first : x[k] > found.first;
  }
};
void time_largest(benchmark::State& state, std::string const& name, matrix_case const& matrix, int axis) {
  auto const n = matrix.items(), lines = n / along_matrix{matrix, axis}.length;
  auto* const in = memory().input.get<float>(n);
  auto* const out = memory().output.get<indexed>(n / 4);
  fill(in, n, elements::random_item<float>{}, seed());
  auto const from = sweep::with_index(matrix.view(static_cast<float const*>(in)), sweep::along(axis));
  auto const run = [=, to = sweep::strided(out, {lines})](std::int64_t) {
    sweep::reduce(sweep::device.on(stream()), from, to, sweep::along(axis),
                  indexed{-std::numeric_limits<float>::infinity(), -1}, earlier_largest{});
  };
  time_checked(state, name, n, 4.0 * static_cast<double>(n) + 16.0 * static_cast<double>(lines), run,
               wrong_largest{in, out, {matrix, axis}});
}

struct wrong_segment {
  float const* x;
  std::uint8_t const* heads;
  float const* y;
  along_matrix along;
  __device__ bool operator()(std::int64_t k) const {
    return y[k] != (along.index(k) == 0 || heads[k] ? x[k] : y[k - along.step] + x[k]);
  }
};
struct rare_head {
  __host__ __device__ std::uint8_t operator()(std::uint64_t seed, std::int64_t i) const {
    return elements::random_bits(seed, i) % 100 == 0;
  }
};
void time_segments(benchmark::State& state, std::string const& name, matrix_case const& matrix, int axis) {
  auto const n = matrix.items();
  auto* const in = memory().input.get<float>(n);
  auto* const heads = memory().peer_output.get<std::uint8_t>(n);
  auto* const out = memory().output.get<float>(n);
  fill(in, n, sign_or_small{false}, seed());
  fill(heads, n, rare_head{}, seed());
  auto const segments = sweep::segments::by_head_flags(matrix.view(static_cast<std::uint8_t const*>(heads)));
  auto const run = [=, from = matrix.view(static_cast<float const*>(in)),
                    to = matrix.view(out)](std::int64_t) {
    sweep::segmented_inclusive_scan(sweep::device.on(stream()), from, segments, to, sweep::along(axis));
  };
  time_checked(state, name, n, 9.0 * static_cast<double>(n), run,
               wrong_segment{in, heads, out, {matrix, axis}});
}

/// An item of a table: what it adds to its neighbours'.
template <class T, class R>
struct wrong_table {
  T const* x;
  R const* table;
  std::int64_t rows, columns;  ///< of an image
  __device__ bool operator()(std::int64_t k) const {
    auto const row = k / columns % rows, column = k % columns;
    R const* const image = table + k / columns / rows * rows * columns;
    auto const at = [&](std::int64_t r, std::int64_t c) {
      return r < 0 || c < 0 ? R{} : image[r * columns + c];
    };
    return at(row, column) - at(row - 1, column) - at(row, column - 1) + at(row - 1, column - 1) !=
           static_cast<R>(x[k]);
  }
};
template <class T, class R, class Item>
void time_table(benchmark::State& state, std::string const& name, matrix_case const& matrix, Item item) {
  auto const n = matrix.items();
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<R>(n);
  fill(in, n, item, seed());
  auto const run = [=, from = matrix.view(static_cast<T const*>(in)), to = matrix.view(out)](std::int64_t) {
    sweep::summed_area_table(sweep::device.on(stream()), from, to);
  };
  time_checked(state, name, n, static_cast<double>(n) * (sizeof(T) + sizeof(R)), run,
               wrong_table<T, R>{in, out, matrix.rows, matrix.columns});
}

/// In three dimensions: against the sums of planes, which are the differences of neighbours along the first
/// axis.
struct wrong_volume {
  float const* x;
  float const* table;
  std::int64_t side;
  __device__ float plane(std::int64_t p, std::int64_t r, std::int64_t c) const {
    if (p < 0 || r < 0 || c < 0) return 0;
    return table[(p * side + r) * side + c];
  }
  __device__ bool operator()(std::int64_t k) const {
    auto const p = k / side / side, r = k / side % side, c = k % side;
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      auto const value = plane(p - (corner & 1), r - (corner >> 1 & 1), c - (corner >> 2));
      sum += __popc(static_cast<unsigned>(corner)) % 2 == 0 ? value : -value;
    }
    return sum != x[k];
  }
};
void time_volume(benchmark::State& state, std::string const& name, std::int64_t side) {
  auto const n = side * side * side;
  auto* const in = memory().input.get<float>(n);
  auto* const out = memory().output.get<float>(n);
  fill(in, n, sign_or_small{false}, seed());
  auto const run = [=](std::int64_t) {
    sweep::summed_area_table(sweep::device.on(stream()),
                             sweep::strided(static_cast<float const*>(in), {side, side, side}),
                             sweep::strided(out, {side, side, side}));
  };
  time_checked(state, name, n, 8.0 * static_cast<double>(n), run, wrong_volume{in, out, side});
}

/// Windows over a table of ones: as many items as they have.
struct wrong_window {
  float const* sums;
  std::int64_t rows, columns, reach;
  __device__ static std::int64_t covered(std::int64_t i, std::int64_t n, std::int64_t reach) {
    return min(i + reach + 1, n) - max(i - reach, std::int64_t{0});
  }
  __device__ bool operator()(std::int64_t k) const {
    return sums[k] !=
           static_cast<float>(covered(k / columns, rows, reach) * covered(k % columns, columns, reach));
  }
};
struct table_of_ones {
  std::int64_t columns;
  __host__ __device__ float operator()(std::uint64_t, std::int64_t k) const {
    return static_cast<float>((k / columns + 1) * (k % columns + 1));
  }
};
void time_windows(benchmark::State& state, std::string const& name, matrix_case const& matrix,
                  std::int64_t reach) {
  auto const n = matrix.items();
  auto* const table = memory().input.get<float>(n);
  auto* const out = memory().output.get<float>(n);
  fill(table, n, table_of_ones{matrix.columns}, seed());
  auto const run = [=, from = matrix.view(static_cast<float const*>(table)),
                    to = matrix.view(out)](std::int64_t) {
    sweep::box_sum(sweep::device.on(stream()), from, sweep::around(reach, reach), to);
  };
  time_checked(state, name, n, 8.0 * static_cast<double>(n), run,
               wrong_window{out, matrix.rows, matrix.columns, reach});
}

/// Ranges of random lengths, one behind the other, with gaps.
struct wrong_range {
  sweep::scan_range<float const*, float*> const* ranges;
  __device__ bool operator()(std::int64_t k) const {
    auto const range = ranges[k];
    float sum = 0;
    for (std::int64_t i = 0; i < range.count; ++i) {
      sum += range.first[i];
      if (range.out[i] != sum) return true;
    }
    return false;
  }
};
void time_ranges(benchmark::State& state, std::string const& name, std::int64_t count, std::int64_t most) {
  using range = sweep::scan_range<float const*, float*>;
  auto* const in = memory().input.get<float>(count * (most + 1));
  auto* const out = memory().output.get<float>(count * (most + 1));
  auto* const ranges = memory().peer_output.get<range>(count);
  std::vector<range> drawn;
  std::int64_t items = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    auto const length = static_cast<std::int64_t>(elements::random_bits(seed(), k) >> 32) % most + 1;
    drawn.push_back({in + items + k, length, out + items + k});
    items += length;
  }
  fill(in, count * (most + 1), sign_or_small{false}, seed());
  check(cudaMemcpyAsync(ranges, drawn.data(), drawn.size() * sizeof(range), cudaMemcpyHostToDevice, stream()),
        "cudaMemcpyAsync");
  wait();
  auto const run = [=](std::int64_t) {
    sweep::inclusive_scan_many(sweep::device.on(stream()), ranges, ranges + count);
  };
  time_checked(state, name, count, 8.0 * static_cast<double>(items), run, wrong_range{ranges});
}

}  // namespace

void add_calls_along_axes() {
  std::vector<matrix_case> const matrices{
      {"2^20x32", power(20), 32}, {"32x2^20", 32, power(20)}, {"8192x8192", 8192, 8192}};
  for (auto const& matrix : matrices)
    for (int axis = 0; axis < 2; ++axis) {
      auto const add = [&](std::string const& what, auto time) {
        add_case(
            case_name("axes/" + what + "/" + matrix.name + " axis " + std::to_string(axis), matrix.items()),
            [=](benchmark::State& state, std::string const& name) { time(state, name, matrix, axis); });
      };
      add("recurrence/f32", [](auto& state, auto const& name, auto const& of, int along) {
        time_recurrence(state, name, of, along, false);
      });
      add("recurrence gradient/f32", [](auto& state, auto const& name, auto const& of, int along) {
        time_recurrence(state, name, of, along, true);
      });
      add("maximum with index/f32", [](auto& state, auto const& name, auto const& of, int along) {
        time_maximum(state, name, of, along);
      });
      add("sum by flags/f32", [](auto& state, auto const& name, auto const& of, int along) {
        time_segments(state, name, of, along);
      });
    }
  auto folded = matrices;
  folded.push_back({"2^22x7", power(22), 7});
  folded.push_back({"2^18x256", power(18), 256});
  for (auto const& matrix : folded)
    for (int axis = 0; axis < 2; ++axis)
      add_case(
          case_name("axes/largest with index/f32/" + matrix.name + " axis " + std::to_string(axis),
                    matrix.items()),
          [=](benchmark::State& state, std::string const& name) { time_largest(state, name, matrix, axis); });
  auto const add_long = [&]<class T, bool Backward>(std::string const& what, std::int64_t n) {
    add_case(case_name("axes/" + what, n), [=](benchmark::State& state, std::string const& name) {
      time_long_recurrence<T, Backward>(state, name, n);
    });
  };
  for (int const k : {22, 28}) {
    add_long.operator()<float, false>("recurrence/f32/one line", power(k));
    add_long.operator()<double, false>("recurrence/f64/one line", power(k));
  }
  add_long.operator()<float, true>("recurrence backward/f32/one line", power(28));
  add_long.operator()<double, true>("recurrence backward/f64/one line", power(28));
  std::vector<matrix_case> const images{{"8192x8192", 8192, 8192}, {"16384x4096", 16384, 4096}};
  for (auto const& image : images) {
    add_case(case_name("axes/summed-area table/f32/" + image.name, image.items()),
             [=](benchmark::State& state, std::string const& name) {
               time_table<float, float>(state, name, image, sign_or_small{false});
             });
    add_case(case_name("axes/summed-area table/u8 to u32/" + image.name, image.items()),
             [=](benchmark::State& state, std::string const& name) {
               time_table<std::uint8_t, std::uint32_t>(state, name, image,
                                                       elements::random_small<std::uint8_t>{});
             });
  }
  add_case(case_name("axes/summed-area table/f32/512x512x512", power(27)),
           [](benchmark::State& state, std::string const& name) { time_volume(state, name, 512); });
  add_case(case_name("axes/box sum/f32/4096x4096 around 9", power(24)),
           [](benchmark::State& state, std::string const& name) {
             time_windows(state, name, {"", 4096, 4096}, 9);
           });
  add_case(case_name("axes/many ranges/f32/10000 of up to 4096", 10'000),
           [](benchmark::State& state, std::string const& name) { time_ranges(state, name, 10'000, 4096); });
  add_case(case_name("axes/many ranges/f32/1000 of up to 64", 1'000),
           [](benchmark::State& state, std::string const& name) { time_ranges(state, name, 1'000, 64); });
}

}  // namespace bench
