// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_PROBLEM_HPP
#define SWEEP_DETAIL_SPMV_PROBLEM_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

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
  SWEEP_HD constexpr auto taken_apart() const {
    auto const pairs =
        zipped_sources<matrix_entry<index, entry_value>>(source_of(indices), source_of(values));
    return product_source<V, std::remove_const_t<decltype(pairs)>, X, Times>{pairs, x, times};
  }
};

/// y = A x: what a row gives is written as it is.
struct as_it_is {};
/// y = alpha A x + beta y. Where beta is the semiring's zero, y is not read.
template <class Alpha, class Beta>
struct scaled_by {
  Alpha alpha;
  Beta beta;
  bool reads_y;
};

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

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t offset(std::int64_t row) const {
    auto const at = static_cast<std::int64_t>(offsets[row]);
    return at < 0 ? 0 : at < n ? at : n;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V item(std::int64_t k) const { return in[k]; }
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
    if constexpr (std::is_same_v<Result, as_it_is>) {
      out[row] = static_cast<written_value<Y, V>>(fold);
    } else {
      auto sum = static_cast<V>(in.times(result.alpha, fold));
      if (result.reads_y) sum = static_cast<V>(op(sum, static_cast<V>(in.times(result.beta, out[row]))));
      out[row] = static_cast<written_value<Y, V>>(sum);
    }
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_empty(std::int64_t row) const { put(row, zero); }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
