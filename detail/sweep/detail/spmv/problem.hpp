// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_PROBLEM_HPP
#define SWEEP_DETAIL_SPMV_PROBLEM_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/core/complex_number.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A place on the merge path of rows and entries, where a row's end stands behind its last entry: how many
/// row ends and entries lie before it.
struct path_place {
  std::int64_t row, entry;
};

/// Where shares of that path begin, as a plan keeps it: so many shares of so many steps. None are kept where
/// there are none. Of some matrices a plan has found out whether the path takes less time than tiles of rows.
struct kept_cuts {
  path_place const* at = nullptr;
  std::int64_t steps_of_share = 0, shares = 0;
  bool are_uneven_rows = false;
};

/// A matrix, and what is kept for its products.
template <class Matrix>
struct planned_matrix {
  Matrix matrix;
  kept_cuts cuts;

  /// The same, of which a product writes some rows alone.
  template <class Flags>
  SWEEP_HD constexpr auto where(Flags flags) const {
    auto const masked = matrix.where(flags);
    return planned_matrix<std::remove_const_t<decltype(masked)>>{masked, cuts};
  }
};

/// Columns of a plan in 16 bits: of every group of so many neighbouring entries the least, and the others
/// less that. It stands for indices in a matrix.
inline constexpr int near_group = 128;
SWEEP_HD constexpr std::int64_t near_groups(std::int64_t n) { return (n + near_group - 1) / near_group; }
SWEEP_HD constexpr bool fits_narrow(std::int64_t lowest, std::int64_t highest) {
  // Differences of any two integers, as unsigned ones, for columns may be anything.
  return static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) < 1u << 16;
}
template <class Index>
struct near_columns {
  using value_type = Index;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Index;
  using iterator_category = std::random_access_iterator_tag;
  std::uint16_t const* low = nullptr;
  Index const* least = nullptr;
  SWEEP_HD Index operator[](std::int64_t k) const {
    return static_cast<Index>(least[k / near_group] + static_cast<Index>(low[k]));
  }
  SWEEP_HD Index operator*() const { return (*this)[0]; }
};
template <class T>
inline constexpr bool is_near_columns = false;
template <class Index>
inline constexpr bool is_near_columns<near_columns<Index>> = true;

/// A planned matrix that also has its columns so, where all of them fit.
template <class Matrix>
struct narrow_matrix : planned_matrix<Matrix> {
  using index = std::remove_cv_t<value_of<decltype(Matrix::indices)>>;
  near_columns<index> near;

  template <class Flags>
  SWEEP_HD constexpr auto where(Flags flags) const {
    auto const masked = planned_matrix<Matrix>::where(flags);
    return narrow_matrix<std::remove_const_t<decltype(masked.matrix)>>{{masked}, near};
  }
  /// The matrix with those columns.
  SWEEP_HD constexpr auto narrowed() const {
    auto const& a = this->matrix;
    using narrow = csr_view<decltype(a.offsets), near_columns<index>, decltype(a.values), decltype(a.wanted)>;
    return planned_matrix<std::remove_const_t<narrow>>{
        narrow(a.rows, a.columns, a.nonzeros, a.offsets, near, a.values, a.wanted), this->cuts};
  }
};

template <class T>
inline constexpr bool is_planned = false;
template <class Matrix>
inline constexpr bool is_planned<planned_matrix<Matrix>> = true;
template <class Matrix>
inline constexpr bool is_planned<narrow_matrix<Matrix>> = true;
/// What owns such a matrix (sweep/spmv_plan.hpp), and where its arrays are.
template <class T>
inline constexpr bool is_product_plan = false;
template <class T>
inline constexpr bool plan_is_on_host = false;

/// What products take as a matrix.
template <class T>
concept product_matrix = is_csr<T> || is_planned<T> || is_product_plan<T>;

template <product_matrix Matrix>
SWEEP_HD constexpr auto planned_of(Matrix const& a) {
  if constexpr (is_csr<Matrix>) return planned_matrix<Matrix>{a, {}};
  else if constexpr (is_planned<Matrix>) return a;
  else return a.planned();
}
template <class Matrix>
using matrix_of = decltype(planned_of(std::declval<Matrix const&>()).matrix);

/// times(value, x[index]) of an entry, from what lies beneath its index and its value.
template <class V, class Pairs, class X, class Times>
struct product_source {
  using value_type = V;
  static constexpr int streams = Pairs::streams;
  /// The vector is read too; but neighbouring lanes read no more of its neighbours than the matrix makes
  /// them.
  static constexpr bool reads_elsewhere = Pairs::reads_elsewhere;
  Pairs pairs;
  X x;
  mutable Times times;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    return pairs.template stream<K>();
  }
  SWEEP_NO_EXEC_CHECK
  template <int First = 0, class Read>
  SWEEP_HD V item(std::int64_t i, Read const& read) const {
    auto const entry = pairs.template item<First>(i, read);
    return static_cast<V>(times(entry.value, x[static_cast<std::int64_t>(entry.index)]));
  }
};
template <class Index, class Value>
struct matrix_entry {
  Index index;
  Value value;
};

/// What the entries of a matrix make with a vector, as an iterator: item k is times(values[k],
/// x[indices[k]]).
template <class V, class Indices, class Values, class X, class Times>
struct entry_products {
  using value_type = V;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = V;
  using iterator_category = std::random_access_iterator_tag;
  using index = value_of<Indices>;
  using entry_value = value_of<Values>;
  using vector_value = value_of<X>;

  Indices indices;
  Values values;
  X x;
  mutable Times times;  ///< a caller's function need not be const

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V operator[](std::int64_t k) const {
    return static_cast<V>(times(values[k], x[static_cast<std::int64_t>(indices[k])]));
  }
  SWEEP_HD V operator*() const { return (*this)[0]; }
  /// Adds items [from, to) to a sum, one after the other.
  SWEEP_NO_EXEC_CHECK
  template <class Plus>
  SWEEP_HD void add(V& sum, std::int64_t from, std::int64_t to, Plus& plus) const {
    for (auto k = from; k < to; ++k) sum = static_cast<V>(plus(sum, (*this)[k]));
  }
  /// The fold of items [first, end), of which there are some, one after the other; a vector whose items are
  /// several numbers makes it itself.
  SWEEP_NO_EXEC_CHECK
  template <class Plus>
  SWEEP_HD V fold(std::int64_t first, std::int64_t end, Plus& plus) const {
    if constexpr (requires { x.fold(indices, values, first, end, times, plus); }) {
      return x.fold(indices, values, first, end, times, plus);
    } else {
      V sum = (*this)[first];
      add(sum, first + 1, end, plus);
      return sum;
    }
  }
  SWEEP_HD constexpr auto taken_apart() const {
    auto const pairs =
        zipped_sources<matrix_entry<index, entry_value>>(source_of(indices), source_of(values));
    return product_source<V, std::remove_const_t<decltype(pairs)>, X, Times>{pairs, x, times};
  }
};

/// A column of a dense matrix, as a vector; and how many there are, from this one on, for kernels that have
/// all of them.
template <class It>
struct strided_column {
  using value_type = value_of<It>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = typename std::iterator_traits<It>::reference;
  using iterator_category = std::random_access_iterator_tag;
  It first;
  std::int64_t stride, column_stride = 0;
  int columns = 1;
  SWEEP_HD strided_column at(int column) const { return {first + column * column_stride, stride}; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD decltype(auto) operator[](std::int64_t row) const { return first[row * stride]; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD decltype(auto) operator*() const { return first[0]; }
};

/// Items of one row in C neighbouring columns: what is folded where a product has several.
template <class T, int C>
struct column_items {
  T of[C];
};

template <class V>
inline constexpr int columns_of_value = 0;
template <class T, int C>
inline constexpr int columns_of_value<column_items<T, C>> = C;

template <class X>
inline constexpr bool has_columns = false;
template <class It>
inline constexpr bool has_columns<strided_column<It>> = true;
/// How many vectors a product has, one after the other.
template <class X>
SWEEP_HD int columns_of(X const& x) {
  if constexpr (has_columns<X>) return x.columns;
  else return 1;
}

/// Whether C neighbours of an array can be one vector, of which memory has whole ones.
template <class It, int C>
inline constexpr bool is_vector_of = [] {
  if constexpr (std::is_pointer_v<It>) {
    constexpr auto bytes = C * sizeof(value_of<It>);
    return C > 1 && relocatable<value_of<It>> && std::is_default_constructible_v<value_of<It>> &&
           (bytes % 16 == 0 || bytes == 2 || bytes == 4 || bytes == 8);
  } else {
    return false;
  }
}();

/// Whether rows of an array lie so near each other that one multiplication of 32 bits each finds one.
template <class It>
SWEEP_HD bool are_near_rows(It const&, std::int64_t row_stride) {
  return row_stride >= 0 &&
         static_cast<std::uint64_t>(row_stride) < (std::uint64_t{1} << 31) / sizeof(value_of<It>);
}
/// Whether columns from `first` on are read, or written, in vectors of C of a row's items.
template <int C, class It>
SWEEP_HD bool in_vectors(It const& first, std::int64_t row_stride, std::int64_t column_stride, int count) {
  if constexpr (is_vector_of<It, C>) {
    constexpr auto bytes = C * sizeof(value_of<It>), aligned_to = bytes < 16 ? bytes : 16;
    auto const row_bytes = static_cast<std::uint64_t>(row_stride) * sizeof(value_of<It>);
    return count % C == 0 && column_stride == 1 && are_near_rows(first, row_stride) &&
           row_bytes % aligned_to == 0 && reinterpret_cast<std::uintptr_t>(first) % aligned_to == 0;
  } else {
    return false;
  }
}

/// What stands at an item of an output that is added to.
SWEEP_NO_EXEC_CHECK
template <class Y>
SWEEP_HD decltype(auto) read_of(Y const& y, std::int64_t row) {
  if constexpr (requires { y.sums_of(row); }) return y.sums_of(row);
  else return y[row];
}

/// y = A x: what a row gives is written as it is.
struct as_it_is {};
/// y = alpha A x + beta y. Where beta is the semiring's zero, y is not read.
template <class Alpha, class Beta>
struct scaled_by {
  Alpha alpha;
  Beta beta;
  bool reads_y;
};

/// How results are written, known for one column, for each of some.
template <class Result>
struct as_made {
  Result result;
  template <class V>
  SWEEP_HD constexpr Result operator()(V const&) const {
    return result;
  }
};
template <class Result>
as_made(Result) -> as_made<Result>;

/// Writes a fold as item i of an output, alone or into the sum that stands there.
SWEEP_NO_EXEC_CHECK
template <class Out, class V, class Plus, class Times, class Result>
SWEEP_HD void put_result(Out const& out, std::int64_t i, V const& fold, Plus& plus, Times& times,
                         Result const& result) {
  if constexpr (std::is_same_v<Result, as_it_is>) {
    out[i] = static_cast<written_value<Out, V>>(fold);
  } else {
    auto sum = static_cast<V>(times(result.alpha, fold));
    if (result.reads_y) sum = static_cast<V>(plus(sum, static_cast<V>(times(result.beta, read_of(out, i)))));
    out[i] = static_cast<written_value<Out, V>>(sum);
  }
}

/// What a sum of numbers begins with: of floats the zero that leaves the other one as it is.
template <class V>
SWEEP_HD constexpr V empty_sum() {
  if constexpr (complex_number<V>) {
    using part = std::remove_cvref_t<decltype(V{}.real())>;
    return V(empty_sum<part>(), empty_sum<part>());
  } else if constexpr (std::is_floating_point_v<V>) {
    return -V{0};
  } else {
    return V{0};
  }
}

/// Everything that was asked for, with its types complete: a fold of each row's products, V what is folded.
/// Rows are segments of the entries (segmented_reduce/host.hpp).
template <class V, class Offsets, class Products, class Y, class Plus, class Rows, class Result>
struct spmv_problem {
  using value = V;
  using raw = V;
  static constexpr bool masked = !std::is_same_v<Rows, every_row>;
  /// Of an entry, read once.
  static constexpr std::size_t item_bytes =
      sizeof(typename Products::index) + sizeof(typename Products::entry_value);

  std::int64_t count;  ///< of rows
  std::int64_t n;      ///< of entries; -1 where only offsets[count] says so
  Offsets offsets;
  Products in;
  Y out;
  mutable Plus op;  ///< a caller's function need not be const
  V zero;
  Rows wanted;
  Result result;
  identity unary{};

  /// The product with one of the vectors, of several.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD spmv_problem of_column(int column) const {
    auto made = *this;
    made.in.x = in.x.at(column);
    made.out = out.at(column);
    return made;
  }
  /// One of several passes, each with some columns.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD spmv_problem of_pass(int pass) const {
    auto made = *this;
    made.in.x = in.x.of_pass(pass);
    made.out = out.of_pass(in.x.passes, pass);
    return made;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t offset(std::int64_t row) const {
    auto const at = static_cast<std::int64_t>(offsets[row]);
    return static_cast<std::uint64_t>(at) <= static_cast<std::uint64_t>(n) ? at : at < 0 ? 0 : n;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V item(std::int64_t k) const { return in[k]; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void add(V& sum, std::int64_t from, std::int64_t to) const { in.add(sum, from, to, op); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V fold(std::int64_t first, std::int64_t end) const { return in.fold(first, end, op); }
  /// Whether a row is written.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool wants(std::int64_t row) const {
    if constexpr (masked) return static_cast<bool>(wanted[row]);
    else return true;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t row, V const& fold) const {
    if constexpr (masked)
      if (!wants(row)) return;
    put_result(out, row, fold, op, in.times, result);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_empty(std::int64_t row) const { put(row, zero); }
};

/// What is read and folded, by whatever kind of tile.
template <class Problem>
struct product_types {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using vector_value = typename products::vector_value;
  using offset = value_of<decltype(Problem::offsets)>;
  /// Of entries along the path, of which there may be as many as an offset's bits can tell.
  using path_entry = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
