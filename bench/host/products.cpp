// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"
#include "matrices.hpp"

#include <sweep/semiring.hpp>
#include <sweep/spmv.hpp>
#include <sweep/strided.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#if defined(SWEEP_BENCH_EIGEN)
#include <Eigen/Core>
#include <Eigen/SparseCore>
#endif

namespace bench::host {
namespace {

/// What is multiplied, the same for every semiring: whole numbers so small that each sum is exact.
template <class T>
struct operands {
  matrix a;
  std::shared_ptr<T[]> values, x, y;

  operands(matrix (*draw)(), std::int64_t columns)
      : a{draw()},
        values{made<T>(static_cast<std::int64_t>(a.indices.size()),
                       [](std::int64_t k) { return 1 + static_cast<int>(bits(k) % 4); })},
        x{made<T>(a.columns * columns, [](std::int64_t i) { return static_cast<int>(bits(i) % 5) - 2; })},
        y{made<T>(a.rows * columns, [](std::int64_t) { return 0; })} {}

  auto view() const {
    return sweep::csr_view(a.rows, a.columns, static_cast<std::int64_t>(a.indices.size()), a.offsets.data(),
                           a.indices.data(), static_cast<T const*>(values.get()));
  }
#if defined(SWEEP_BENCH_EIGEN)
  auto eigen() const {
    return Eigen::Map<Eigen::SparseMatrix<T, Eigen::RowMajor, int> const>(
        a.rows, a.columns, static_cast<Eigen::Index>(a.indices.size()), a.offsets.data(), a.indices.data(),
        values.get());
  }
#endif
};
#if defined(SWEEP_BENCH_EIGEN)
std::string const eigen_name = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                               std::to_string(EIGEN_MAJOR_VERSION) + "." +
                               std::to_string(EIGEN_MINOR_VERSION);
#endif

template <class T>
work work_of(std::shared_ptr<operands<T>> const& all, std::int64_t columns) {
  auto const& a = all->a;
  work w{a.rows, double(a.indices.size()) * (4 + sizeof(T)) + 4.0 * a.rows +
                     double(sizeof(T)) * static_cast<double>(columns * (a.rows + a.columns))};
  w.out = reinterpret_cast<std::byte*>(all->y.get());
  w.out_bytes = sizeof(T) * static_cast<std::size_t>(a.rows * columns);
  w.keep.push_back(all);
  return w;
}

struct plus_times {
  template <class T>
  static T zero() {
    return {};
  }
  template <class T>
  static T next(T sum, T a, T x) {
    return sum + a * x;
  }
  template <class T>
  static auto ring() {
    return sweep::semirings::plus_times<T>();
  }
};
struct min_plus {
  template <class T>
  static T zero() {
    return std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T next(T sum, T a, T x) {
    return std::min(sum, a + x);
  }
  template <class T>
  static auto ring() {
    return sweep::semirings::min_plus<T>();
  }
};

template <class T, class Ring, matrix (*Draw)()>
work spmv_work() {
  auto const all = std::make_shared<operands<T>>(Draw, 1);
  auto w = work_of(all, 1);
  w.contenders = [o = all.get()](int threads) {
    std::int64_t const rows = o->a.rows;
    std::vector<contender> who;
    who.push_back({"plain loop", [=] {
                     int const *const at = o->a.offsets.data(), *const column = o->a.indices.data();
                     T const *const values = o->values.get(), *const x = o->x.get();
                     T* const y = o->y.get();
                     for (std::int64_t r = 0; r < rows; ++r) {
                       T sum = Ring::template zero<T>();
                       for (int k = at[r]; k < at[r + 1]; ++k) sum = Ring::next(sum, values[k], x[column[k]]);
                       y[r] = sum;
                     }
                     return rows;
                   }});
    who.push_back({"sweep", [=] {
                     return sweep::spmv(sweep::host.threads(threads), o->view(), o->x.get(), o->y.get(),
                                        Ring::template ring<T>()) -
                            o->y.get();
                   }});
#if defined(SWEEP_BENCH_EIGEN)
    if constexpr (std::is_same_v<Ring, plus_times>)
      who.push_back({eigen_name, [=] {
                       using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
                       Eigen::Map<vector>(o->y.get(), rows).noalias() =
                           o->eigen() * Eigen::Map<vector const>(o->x.get(), o->a.columns);
                       return rows;
                     }});
#endif
    return who;
  };
  return w;
}

/// Columns of dense matrices by rows.
constexpr std::int64_t dense_columns = 8;

template <class T, matrix (*Draw)()>
work spmm_work() {
  auto const all = std::make_shared<operands<T>>(Draw, dense_columns);
  auto w = work_of(all, dense_columns);
  w.contenders = [o = all.get()](int threads) {
    std::int64_t const rows = o->a.rows, columns = o->a.columns;
    std::vector<contender> who;
    who.push_back({"plain loop", [=] {
                     int const *const at = o->a.offsets.data(), *const column = o->a.indices.data();
                     T const *const values = o->values.get(), *const x = o->x.get();
                     T* const y = o->y.get();
                     for (std::int64_t r = 0; r < rows; ++r) {
                       T sums[dense_columns]{};
                       for (int k = at[r]; k < at[r + 1]; ++k)
                         for (int c = 0; c < dense_columns; ++c)
                           sums[c] += values[k] * x[std::int64_t{column[k]} * dense_columns + c];
                       for (int c = 0; c < dense_columns; ++c) y[r * dense_columns + c] = sums[c];
                     }
                     return rows;
                   }});
    who.push_back({"sweep", [=] {
                     sweep::spmm(sweep::host.threads(threads), o->view(),
                                 sweep::strided(o->x.get(), {columns, dense_columns}),
                                 sweep::strided(o->y.get(), {rows, dense_columns}));
                     return rows;
                   }});
#if defined(SWEEP_BENCH_EIGEN)
    who.push_back({eigen_name, [=] {
                     using dense = Eigen::Matrix<T, Eigen::Dynamic, dense_columns, Eigen::RowMajor>;
                     Eigen::Map<dense>(o->y.get(), rows, dense_columns).noalias() =
                         o->eigen() * Eigen::Map<dense const>(o->x.get(), columns, dense_columns);
                     return rows;
                   }});
#endif
    return who;
  };
  return w;
}

constexpr int side = 1 << 11, band_rows = 1 << 17, power_law_rows = 1 << 20, dense_row_rows = 1 << 20,
              empty_rows = 10'000'000;
matrix grid() { return poisson(side); }
matrix power_law_rows_of_13() { return power_law(power_law_rows, 12.8, draws{bench::seed()}); }
matrix one_dense_row() { return rows_of_three_and_a_dense_one(dense_row_rows); }
matrix band_of_81() { return band(band_rows, 81); }
matrix nine_of_ten_empty() { return mostly_empty(empty_rows, draws{bench::seed()}); }

template <class T, matrix (*Draw)()>
void add_matrix(std::string const& name, std::string const& type, std::int64_t rows) {
  add("spmv/" + type + "/" + name, rows, spmv_work<T, plus_times, Draw>);
  if constexpr (std::is_same_v<T, float>)
    add("spmv/min_plus_" + type + "/" + name, rows, spmv_work<T, min_plus, Draw>);
  add("spmm_8/" + type + "/" + name, rows, spmm_work<T, Draw>);
}
template <class T>
void add_type(std::string const& type) {
  add_matrix<T, grid>("poisson", type, side * side);
  add_matrix<T, power_law_rows_of_13>("power_law", type, power_law_rows);
  add_matrix<T, one_dense_row>("rows_of_3_one_dense", type, dense_row_rows);
  add_matrix<T, band_of_81>("band_81", type, band_rows);
  add_matrix<T, nine_of_ten_empty>("nine_of_ten_empty", type, empty_rows);
}

}  // namespace

void add_products() {
  add_type<float>("f32");
  add_type<double>("f64");
}

}  // namespace bench::host
