// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/tridiagonal.hpp>

#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

/// Tridiagonal systems on host threads, beside LAPACK's gtsv, a system a thread, and a plain Thomas loop.
/// gtsv writes over its matrix: it is measured as a call that leaves its matrix whole, which copies, and
/// alone.

#if defined(SWEEP_BENCH_LAPACK)
extern "C" {
void sgtsv_(int const*, int const*, float*, float*, float*, float*, int const*, int*);
void dgtsv_(int const*, int const*, double*, double*, double*, double*, int const*, int*);
}
#endif

namespace bench::host {
namespace {

enum class stand { behind, beside };  // one system behind the other, or side by side

template <class T>
struct systems {
  std::int64_t n, count, rights;
  stand how;
  std::shared_ptr<T[]> lower, diagonal, upper, right, x;

  std::int64_t row_stride() const { return how == stand::behind ? 1 : count; }
  std::int64_t first_of(std::int64_t s) const { return how == stand::behind ? s * n : s; }
  std::int64_t unknowns() const { return n * count; }
};

/// The backward error of a system's solution, in units of rounding.
template <class T>
double error_of(systems<T> const& all, T const* x, std::int64_t r, std::int64_t s) {
  auto const by = all.row_stride();
  T const* const mine = x + r * all.unknowns() + all.first_of(s);
  double residual = 0, norm = 0, of_x = 0, of_b = 0;
  for (std::int64_t i = 0; i < all.n; ++i) {
    auto const at = all.first_of(s) + i * by;
    double const a = i > 0 ? double(all.lower[at]) : 0, b = double(all.diagonal[at]),
                 c = i + 1 < all.n ? double(all.upper[at]) : 0,
                 d = double(all.right[r * all.unknowns() + at]);
    double const off = std::abs((i > 0 ? a * double(mine[(i - 1) * by]) : 0) + b * double(mine[i * by]) +
                                (i + 1 < all.n ? c * double(mine[(i + 1) * by]) : 0) - d);
    if (!(off <= residual)) residual = off;
    norm = std::max(norm, std::abs(a) + std::abs(b) + std::abs(c));
    of_x = std::max(of_x, std::abs(double(mine[i * by])));
    of_b = std::max(of_b, std::abs(d));
  }
  return residual / (norm * of_x + of_b) / double(std::numeric_limits<T>::epsilon());
}
/// Whether all errors are small.
template <class T>
bool are_solved(systems<T> const& all, T const* x) {
  std::atomic<bool> solved = true;
  in_parts(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), all.rights * all.count,
           [&](std::int64_t first, std::int64_t end) {
             for (auto k = first; k < end; ++k)
               if (!(error_of(all, x, k / all.count, k % all.count) <= 500)) solved = false;
           });
  return solved;
}

template <class T>
void thomas(systems<T> const& all, std::vector<T>& kept) {
  kept.resize(static_cast<std::size_t>(all.n));
  auto const by = all.row_stride();
  for (std::int64_t r = 0; r < all.rights; ++r)
    for (std::int64_t s = 0; s < all.count; ++s) {
      auto const first = all.first_of(s);
      T const *const a = all.lower.get() + first, *const b = all.diagonal.get() + first,
                     *const c = all.upper.get() + first;
      T const* const d = all.right.get() + r * all.unknowns() + first;
      T* const x = all.x.get() + r * all.unknowns() + first;
      T by_pivot = 1 / b[0];
      kept[0] = c[0] * by_pivot;
      x[0] = d[0] * by_pivot;
      for (std::int64_t i = 1; i < all.n; ++i) {
        by_pivot = 1 / (b[i * by] - a[i * by] * kept[static_cast<std::size_t>(i - 1)]);
        kept[static_cast<std::size_t>(i)] = c[i * by] * by_pivot;
        x[i * by] = (d[i * by] - a[i * by] * x[(i - 1) * by]) * by_pivot;
      }
      for (auto i = all.n - 2; i >= 0; --i) x[i * by] -= kept[static_cast<std::size_t>(i)] * x[(i + 1) * by];
    }
}

#if defined(SWEEP_BENCH_LAPACK)
template <class T>
void gtsv(std::int64_t n, std::int64_t rights, T* lower, T* diagonal, T* upper, T* x, std::int64_t apart) {
  int const size = static_cast<int>(n), count = static_cast<int>(rights), by = static_cast<int>(apart);
  int info = 0;
  if constexpr (std::is_same_v<T, float>) sgtsv_(&size, &count, lower, diagonal, upper, x, &by, &info);
  else dgtsv_(&size, &count, lower, diagonal, upper, x, &by, &info);
}

/// Systems [first, end) one behind the other, their matrices copied.
template <class T>
void lapack_behind(systems<T> const& all, std::int64_t first, std::int64_t end) {
  auto const n = all.n;
  std::vector<T> copies(static_cast<std::size_t>(3 * n));
  T *const a = copies.data(), *const b = a + n, *const c = b + n;
  for (auto s = first; s < end; ++s) {
    std::copy_n(all.lower.get() + s * n, n, a);
    std::copy_n(all.diagonal.get() + s * n, n, b);
    std::copy_n(all.upper.get() + s * n, n, c);
    for (std::int64_t r = 0; r < all.rights; ++r)
      std::copy_n(all.right.get() + r * all.unknowns() + s * n, n, all.x.get() + r * all.unknowns() + s * n);
    gtsv(n, all.rights, a + 1, b, c, all.x.get() + s * n, all.unknowns());
  }
}
/// Systems [first, end) side by side: a line of memory's worth of them at a time is brought into order and
/// back.
template <class T>
void lapack_beside(systems<T> const& all, std::int64_t first, std::int64_t end) {
  auto const n = all.n, most = static_cast<std::int64_t>(64 / sizeof(T));
  std::vector<T> copies(static_cast<std::size_t>(4 * n * most));
  T *const a = copies.data(), *const b = a + n * most, *const c = b + n * most, *const x = c + n * most;
  for (auto s = first; s < end; s += most) {
    auto const now = std::min(most, end - s);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < now; ++k) {
        auto const at = s + k + i * all.count;
        a[k * n + i] = all.lower[at];
        b[k * n + i] = all.diagonal[at];
        c[k * n + i] = all.upper[at];
        x[k * n + i] = all.right[at];
      }
    for (std::int64_t k = 0; k < now; ++k) gtsv(n, 1, a + k * n + 1, b + k * n, c + k * n, x + k * n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < now; ++k) all.x[s + k + i * all.count] = x[k * n + i];
  }
}
#endif

/// Diagonals that outweigh their rows, or random ones that no branch predictor knows.
enum class matrices { dominant, random };

template <class T, matrices Kind, bool Pivots, stand How, std::int64_t N, std::int64_t Count,
          std::int64_t Rights>
work solves() {
  systems<T> all{N, Count, Rights, How, {}, {}, {}, {}, {}};
  auto const unknowns = all.unknowns();
  auto const draw = [](std::int64_t which, std::int64_t i) {
    return double(bits(4 * i + which) % 2'000'001) / 1e6 - 1;
  };
  all.lower = made<T>(unknowns, [=](std::int64_t i) { return draw(0, i); });
  all.diagonal =
      made<T>(unknowns, [=](std::int64_t i) { return draw(1, i) + (Kind == matrices::dominant ? 4 : 0); });
  all.upper = made<T>(unknowns, [=](std::int64_t i) { return draw(2, i); });
  all.right = made<T>(unknowns * Rights, [=](std::int64_t i) { return draw(3, i); });
  all.x = made<T>(unknowns * Rights, [](std::int64_t) { return 0; });
  work w{unknowns * Rights, double(unknowns) * double(3 + 2 * Rights) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(all.x.get());
  w.out_bytes = sizeof(T) * static_cast<std::size_t>(unknowns * Rights);
  for (auto const& array : {all.lower, all.diagonal, all.upper, all.right, all.x}) w.keep.push_back(array);
  w.agrees = [all](std::byte const* mine, std::byte const*, std::int64_t) {
    return are_solved(all, reinterpret_cast<T const*>(mine));
  };
  w.contenders = [all](int threads) {
    auto const written = all.unknowns() * all.rights;
    std::vector<contender> they;
    they.push_back({"plain loop", [all, written, kept = std::vector<T>{}]() mutable {
                      thomas(all, kept);
                      return written;
                    }});
    they.push_back({"sweep", [=] {
                      auto system = sweep::tridiagonal(all.lower.get(), all.diagonal.get(), all.upper.get(),
                                                       all.right.get(), all.x.get(), all.n);
                      system =
                          all.how == stand::behind ? system.batch(all.count) : system.interleaved(all.count);
                      if (all.rights > 1) system = system.right_hand_sides(all.rights, all.unknowns());
                      auto const policy = sweep::host.threads(threads);
                      if constexpr (Pivots) sweep::tridiagonal_solve(policy, system);
                      else sweep::tridiagonal_solve(policy.with(sweep::variant::no_pivoting), system);
                      return written;
                    }});
#if defined(SWEEP_BENCH_LAPACK)
    they.push_back({"LAPACK gtsv", [=] {
                      in_parts(threads, all.count, [&](std::int64_t first, std::int64_t end) {
                        if (all.how == stand::behind) lapack_behind(all, first, end);
                        else lapack_beside(all, first, end);
                      });
                      return written;
                    }});
    if (all.how == stand::behind) {
      systems<T> over = all;
      auto const nothing = [](std::int64_t) { return 0; };
      over.lower = made<T>(all.unknowns(), nothing);
      over.diagonal = made<T>(all.unknowns(), nothing);
      over.upper = made<T>(all.unknowns(), nothing);
      they.push_back({"LAPACK gtsv, matrix overwritten",
                      [=] {
                        in_parts(threads, over.count, [&](std::int64_t first, std::int64_t end) {
                          for (auto s = first; s < end; ++s) {
                            auto const at = s * over.n;
                            gtsv(over.n, over.rights, over.lower.get() + at + 1, over.diagonal.get() + at,
                                 over.upper.get() + at, over.x.get() + at, over.unknowns());
                          }
                        });
                        return written;
                      },
                      [=] {
                        auto const copied = [threads](T const* from, T* to, std::int64_t count) {
                          in_parts(threads, count, [=](std::int64_t first, std::int64_t end) {
                            std::copy(from + first, from + end, to + first);
                          });
                        };
                        copied(all.lower.get(), over.lower.get(), all.unknowns());
                        copied(all.diagonal.get(), over.diagonal.get(), all.unknowns());
                        copied(all.upper.get(), over.upper.get(), all.unknowns());
                        copied(all.right.get(), over.x.get(), written);
                      }});
    }
#endif
    return they;
  };
  return w;
}

template <class T>
void add_of(std::string const& type) {
  constexpr auto dominant = matrices::dominant;
  constexpr auto behind = stand::behind, beside = stand::beside;
  constexpr std::int64_t k = 1024, m = k * k;
  auto const all = "tridiagonal/" + type + "/";
  add(all + "512_of_512", 512 * 512, solves<T, dominant, true, behind, 512, 512, 1>);
  add(all + "16384_of_1024", 16 * m, solves<T, dominant, true, behind, k, 16 * k, 1>);
  add(all + "16384_of_1024/not_dominant", 16 * m, solves<T, matrices::random, true, behind, k, 16 * k, 1>);
  add(all + "16384_of_1024/no_pivoting", 16 * m, solves<T, dominant, false, behind, k, 16 * k, 1>);
  add(all + "16_of_2^20", 16 * m, solves<T, dominant, true, behind, m, 16, 1>);
  add(all + "1_of_2^24", 16 * m, solves<T, dominant, true, behind, 16 * m, 1, 1>);
  add(all + "interleaved_2^16_of_256", 16 * m, solves<T, dominant, true, beside, 256, 64 * k, 1>);
  add(all + "1024_of_1024/8_right_hand_sides", 8 * m, solves<T, dominant, true, behind, k, k, 8>);
}

}  // namespace

void add_tridiagonal() {
  add_of<float>("f32");
  add_of<double>("f64");
}

}  // namespace bench::host
