// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/axes.hpp>
#include <sweep/recurrence.hpp>
#include <sweep/strided.hpp>
#include <sweep/summed_area_table.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#if defined(SWEEP_BENCH_TBB)
#include <tbb/parallel_for.h>
#endif

namespace bench::host {
namespace {

/// An array as calls along one of its axes see it: so many blocks, in each of which lines of so many items
/// stand beside each other.
struct lines {
  std::int64_t blocks, length, beside;

  std::int64_t count() const { return blocks * beside; }
  std::int64_t items() const { return count() * length; }
};

/// Columns that a tuned loop takes at a time: a row of them stays in the cache until the next one is made.
constexpr std::int64_t columns = 2048;

/// tile(first, end, at): lines [first, end) of those that stand beside each other, from item `at` on; or
/// where none do, one line.
template <class Tile>
void for_tiles(lines const& all, std::int64_t width, std::int64_t from, std::int64_t to, Tile tile) {
  auto const tiles = (all.beside + width - 1) / width;
  for (auto t = from; t < to; ++t) {
    auto const column = t % tiles * width;
    tile(t / tiles * all.length * all.beside + column, std::min(width, all.beside - column));
  }
}
std::int64_t tiles_of(lines const& all, std::int64_t width) {
  return all.blocks * ((all.beside + width - 1) / width);
}
/// Tiles shared out by threads, TBB and OpenMP, after one thread with the widest.
template <class Tile>
void add_loops(std::vector<contender>& contenders, lines const& all, int threads, std::int64_t written,
               Tile tile) {
  auto const width = std::min(columns, std::max<std::int64_t>(16, all.beside / threads));
  auto const tiles = tiles_of(all, width);
  if (tiles < threads) return;
  contenders.push_back({"tuned loop, threads", [=] {
                          in_parts(threads, tiles, [=](std::int64_t first, std::int64_t end) {
                            for_tiles(all, width, first, end, tile);
                          });
                          return written;
                        }});
#if defined(SWEEP_BENCH_TBB)
  contenders.push_back({"tbb::parallel_for" + tbb_version, [=] {
                          tbb::parallel_for(tbb_range(0, tiles), [=](tbb_range const& r) {
                            for_tiles(all, width, r.begin(), r.end(), tile);
                          });
                          return written;
                        }});
#endif
#if defined(_OPENMP)
  contenders.push_back({"omp parallel for", [=] {
#pragma omp parallel for schedule(dynamic)
                          for (std::int64_t t = 0; t < tiles; ++t) for_tiles(all, width, t, t + 1, tile);
                          return written;
                        }});
#endif
}

/// Inclusive sums: out row = previous out row + in row, or a chain where lines are not beside each other.
template <class T, class U>
void sum_tile(T const* in, U* out, std::int64_t length, std::int64_t stride, std::int64_t width) {
  if (stride == 1) {
    U sum{};
    for (std::int64_t i = 0; i < length; ++i) out[i] = sum = static_cast<U>(sum + in[i]);
    return;
  }
  for (std::int64_t k = 0; k < width; ++k) out[k] = static_cast<U>(in[k]);
  for (std::int64_t i = 1; i < length; ++i)
    for (std::int64_t k = 0; k < width; ++k)
      out[i * stride + k] = static_cast<U>(out[(i - 1) * stride + k] + in[i * stride + k]);
}

template <class T>
std::shared_ptr<T[]> small_numbers(std::int64_t n, std::int64_t salt) {
  return made<T>(n, [salt](std::int64_t i) {
    if constexpr (std::is_unsigned_v<T>) return bits(i + salt) & 7u;
    else return static_cast<int>(bits(i + salt) % 3) - 1;  // sums of floats are exact in any brackets
  });
}
template <class T>
void keep_output(work& w, std::shared_ptr<T[]> const& y, std::int64_t n) {
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * static_cast<std::size_t>(n);
  w.keep.push_back(y);
}

template <class T, class U, std::int64_t Blocks, std::int64_t Length, std::int64_t Beside>
work scan_along_work() {
  lines const all{Blocks, Length, Beside};
  auto const n = all.items();
  auto const x = small_numbers<T>(n, 0);
  auto const y = made<U>(n, [](std::int64_t) { return 0; });
  work w{n, double(n) * (sizeof(T) + sizeof(U))};
  keep_output(w, y, n);
  w.keep.push_back(x);
  w.contenders = [=, in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    auto const tile = [=](std::int64_t at, std::int64_t width) {
      sum_tile(in + at, out + at, all.length, all.beside, width);
    };
    std::vector<contender> them;
    them.push_back({"plain loop", [=] {
                      for_tiles(all, columns, 0, tiles_of(all, columns), tile);
                      return n;
                    }});
    them.push_back({"sweep", [=] {
                      std::int64_t const extents[]{all.blocks, all.length, all.beside};
                      sweep::inclusive_scan(sweep::host.threads(threads), sweep::strided(in, extents),
                                            sweep::strided(out, extents), sweep::along(1), std::plus<U>{},
                                            U{});
                      return n;
                    }});
    if (all.beside == 1 && std::is_same_v<T, U>)
      them.push_back({"std::partial_sum", [=] {
                        for (std::int64_t at = 0; at < n; at += all.length)
                          std::partial_sum(in + at, in + at + all.length, out + at);
                        return n;
                      }});
    add_loops(them, all, threads, n, tile);
    return them;
  };
  return w;
}

template <std::int64_t Blocks, std::int64_t Length, std::int64_t Beside>
work reduce_along_work() {
  lines const all{Blocks, Length, Beside};
  auto const n = all.items();
  auto const x = small_numbers<float>(n, 0);
  auto const y = made<float>(all.count(), [](std::int64_t) { return 0; });
  work w{n, double(n + all.count()) * sizeof(float)};
  keep_output(w, y, all.count());
  w.keep.push_back(x);
  w.contenders = [=, in = static_cast<float const*>(x.get()), out = y.get()](int threads) {
    auto const tile = [=](std::int64_t at, std::int64_t width) {
      auto const* const from = in + at;
      auto* const to = out + at / (all.length * all.beside) * all.beside + at % all.beside;
      if (all.beside == 1) {
        constexpr int lanes = 32;
        float sums[lanes] = {};
        std::int64_t i = 0;
        for (; i + lanes <= all.length; i += lanes)
          for (int k = 0; k < lanes; ++k) sums[k] += from[i + k];
        for (; i < all.length; ++i) sums[0] += from[i];
        *to = std::accumulate(sums, sums + lanes, 0.0f);
        return;
      }
      std::fill_n(to, width, 0.0f);
      for (std::int64_t i = 0; i < all.length; ++i)
        for (std::int64_t k = 0; k < width; ++k) to[k] += from[i * all.beside + k];
    };
    std::vector<contender> them;
    them.push_back({"plain loop", [=] {
                      for_tiles(all, columns, 0, tiles_of(all, columns), tile);
                      return all.count();
                    }});
    them.push_back({"sweep", [=] {
                      sweep::reduce(sweep::host.threads(threads),
                                    sweep::strided(in, {all.blocks, all.length, all.beside}),
                                    sweep::strided(out, {all.blocks, all.beside}), sweep::along(1), 0.0f);
                      return all.count();
                    }});
    add_loops(them, all, threads, all.count(), tile);
    return them;
  };
  return w;
}

template <std::int64_t Blocks, std::int64_t Length, std::int64_t Beside>
work recurrence_work() {
  lines const all{Blocks, Length, Beside};
  auto const n = all.items();
  auto const factors = small_numbers<float>(n, 1);
  auto const x = small_numbers<float>(n, 0);
  auto const y = made<float>(n, [](std::int64_t) { return 0; });
  work w{n, double(n) * 3 * sizeof(float)};
  keep_output(w, y, n);
  w.keep.push_back(factors);
  w.keep.push_back(x);
  w.contenders = [=, a = static_cast<float const*>(factors.get()), in = static_cast<float const*>(x.get()),
                  out = y.get()](int threads) {
    auto const tile = [=](std::int64_t at, std::int64_t width) {
      auto const stride = all.beside;
      if (stride == 1) {
        float last = 0;
        for (auto i = at; i < at + all.length; ++i) out[i] = last = a[i] * last + in[i];
        return;
      }
      for (std::int64_t k = 0; k < width; ++k) out[at + k] = in[at + k];
      for (auto i = at + stride; i < at + all.length * stride; i += stride)
        for (std::int64_t k = 0; k < width; ++k) out[i + k] = a[i + k] * out[i + k - stride] + in[i + k];
    };
    std::vector<contender> them;
    them.push_back({"plain loop", [=] {
                      for_tiles(all, columns, 0, tiles_of(all, columns), tile);
                      return n;
                    }});
    them.push_back({"sweep", [=] {
                      std::int64_t const extents[]{all.blocks, all.length, all.beside};
                      sweep::linear_recurrence(sweep::host.threads(threads), sweep::strided(a, extents),
                                               sweep::strided(in, extents), sweep::strided(out, extents),
                                               sweep::along(1));
                      return n;
                    }});
    add_loops(them, all, threads, n, tile);
    return them;
  };
  return w;
}

template <class T, class U, std::int64_t Side>
work summed_area_work() {
  constexpr auto n = Side * Side;
  auto const x = small_numbers<T>(n, 0);
  auto const y = made<U>(n, [](std::int64_t) { return 0; });
  work w{n, double(n) * (sizeof(T) + sizeof(U))};
  keep_output(w, y, n);
  w.keep.push_back(x);
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    std::vector<contender> them;
    them.push_back({"plain loop", [=] {
                      for (std::int64_t i = 0; i < Side; ++i) {
                        U sum{};
                        auto* const row = out + i * Side;
                        for (std::int64_t k = 0; k < Side; ++k)
                          row[k] = sum = static_cast<U>(sum + in[i * Side + k]);
                        for (std::int64_t k = 0; k < Side && i > 0; ++k)
                          row[k] = static_cast<U>(row[k - Side] + row[k]);
                      }
                      return n;
                    }});
    them.push_back({"sweep", [=] {
                      sweep::summed_area_table(sweep::host.threads(threads), sweep::strided(in, {Side, Side}),
                                               sweep::strided(out, {Side, Side}));
                      return n;
                    }});
    them.push_back({"rows and then columns, threads", [=] {
                      in_parts(threads, Side, [=](std::int64_t first, std::int64_t end) {
                        for (auto i = first; i < end; ++i)
                          sum_tile(in + i * Side, out + i * Side, Side, 1, 1);
                      });
                      in_parts(threads, Side, [=](std::int64_t first, std::int64_t end) {
                        for (std::int64_t i = 1; i < Side; ++i)
                          for (auto k = first; k < end; ++k)
                            out[i * Side + k] = static_cast<U>(out[(i - 1) * Side + k] + out[i * Side + k]);
                      });
                      return n;
                    }});
    return them;
  };
  return w;
}

constexpr std::int64_t k = 1024, m = k * k;
template <class T, class U, std::int64_t Blocks, std::int64_t Length, std::int64_t Beside>
void add_scan(std::string const& name) {
  add("axes/" + name, Blocks * Length * Beside, scan_along_work<T, U, Blocks, Length, Beside>);
}

}  // namespace

void add_axes() {
  add_scan<float, float, 1, 8 * k, 8 * k>("inclusive_sum/f32/8192x8192/axis_0");
  add_scan<float, float, 8 * k, 8 * k, 1>("inclusive_sum/f32/8192x8192/axis_1");
  add_scan<float, float, 1, 256, m>("inclusive_sum/f32/256x1024x1024/axis_0");
  add_scan<float, float, 256, k, 256>("inclusive_sum/f32/256x1024x256/axis_1");
  add_scan<float, float, 256 * k, 256, 1>("inclusive_sum/f32/262144x256/axis_1");
  add_scan<float, float, 1, m, 32>("inclusive_sum/f32/2^20x32/axis_0");
  add_scan<float, float, m, 32, 1>("inclusive_sum/f32/2^20x32/axis_1");
  add_scan<float, float, 1, 32, m>("inclusive_sum/f32/32x2^20/axis_0");
  add_scan<float, float, 32, m, 1>("inclusive_sum/f32/32x2^20/axis_1");
  add_scan<float, float, 4 * k, 3, 4 * k>("inclusive_sum/f32/4096x3x4096/axis_1");
  add_scan<float, float, 1, 4 * m, 7>("inclusive_sum/f32/2^22x7/axis_0");
  add_scan<float, float, k, k, 3>("inclusive_sum/f32/1024x1024x3/axis_1");
  add_scan<float, float, 8 * m, 3, 1>("inclusive_sum/f32/2^23x3/axis_1");
  add_scan<std::uint8_t, std::uint32_t, 1, 8 * k, 8 * k>("inclusive_sum/u8_to_u32/8192x8192/axis_0");
  add_scan<std::uint8_t, std::uint32_t, 8 * k, 8 * k, 1>("inclusive_sum/u8_to_u32/8192x8192/axis_1");
  add("axes/reduce_sum/f32/8192x8192/axis_0", 64 * m, reduce_along_work<1, 8 * k, 8 * k>);
  add("axes/reduce_sum/f32/8192x8192/axis_1", 64 * m, reduce_along_work<8 * k, 8 * k, 1>);
  add("axes/linear_recurrence/f32/4096x8192/axis_0", 32 * m, recurrence_work<1, 4 * k, 8 * k>);
  add("axes/linear_recurrence/f32/8192x4096/axis_1", 32 * m, recurrence_work<8 * k, 4 * k, 1>);
  add("axes/summed_area_table/f32/4096x4096", 16 * m, summed_area_work<float, float, 4 * k>);
  add("axes/summed_area_table/u8_to_u32/4096x4096", 16 * m,
      summed_area_work<std::uint8_t, std::uint32_t, 4 * k>);
}

}  // namespace bench::host
