// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_BINS_HPP
#define SWEEP_DETAIL_HISTOGRAM_BINS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Which bin an item belongs to. Each has bins_of(x, bin), for V items at once, so that searches overlap.

/// The bin of items that belong to none.
inline constexpr std::uint32_t no_bin = 0xffffffff;

/// The type in which integers are compared: 64 bits that hold all of an item's type.
template <class X>
using wide_integer = std::conditional_t<std::is_unsigned_v<X> && sizeof(X) == 8, std::uint64_t, std::int64_t>;

/// An item is its own bin.
struct key_bins {
  std::uint32_t count;

  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& x) const {
    auto const key = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));  // negative ones become large
    return key < count ? static_cast<std::uint32_t>(key) : no_bin;
  }
  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    for (int v = 0; v < V; ++v) bin[v] = bin_of(x[v]);
  }
};

/// The bits of an item of one byte. Which bins they belong to is asked once they are counted.
struct byte_values {
  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& x) const {
    static_assert(sizeof(X) == 1);
    return *reinterpret_cast<unsigned char const*>(&x);
  }
  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    for (int v = 0; v < V; ++v) bin[v] = bin_of(x[v]);
  }
};

/// The upper half of a product.
SWEEP_HD inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b >> 64);
#endif
}
SWEEP_HD inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}

/// floor(d * count / range) for d < range, exactly, without a division. With count = whole * range + rest,
/// the quotient of d * rest by the range is one product with rest / range in as many bits as Word has, or one
/// more than that; the remainder tells, and is less than 2 * range, which Remainder holds.
template <class Word>
struct equal_shares {
  Word range, whole, rest, share;

  template <class Remainder = Word>
  SWEEP_HD std::uint32_t of(Word d) const {
    auto quotient = multiply_high(d, share);
    quotient += Remainder{d} * rest - Remainder{quotient} * range >= range ? 1 : 0;
    return static_cast<std::uint32_t>(d * whole + quotient);
  }
  /// The same where the range is no more than the root of what Word counts, or divides the count: the next
  /// share is then too large by less than makes a whole, and there is no remainder to look at.
  SWEEP_HD std::uint32_t of_short(Word d) const {
    return static_cast<std::uint32_t>(d * whole + multiply_high(d, share + 1));
  }
  SWEEP_HD bool is_short() const { return rest == 0 || range <= Word{1} << 4 * sizeof(Word); }
};

/// Equal bins of integers: floor((x - low) * count / (high - low)), exactly; in words of 32 bits where the
/// range allows.
template <class Wide>
class even_integer_bins {
 public:
  SWEEP_HD even_integer_bins(Wide low, Wide high, std::uint32_t count)
      : low_{static_cast<std::uint64_t>(low)},
        all_{shares_of<std::uint64_t>(static_cast<std::uint64_t>(high) - low_, count)},
        narrow_{all_.range < std::uint64_t{1} << 30},
        near_{low_ + (std::uint64_t{1} << 29) < std::uint64_t{1} << 30},
        in_words_{all_.range < std::uint64_t{1} << 32} {
    if (in_words_) few_ = shares_of<std::uint32_t>(all_.range, count);
  }

  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& x) const {
    auto const d = distance(x);
    return d < all_.range ? all_.of(d) : no_bin;
  }
  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    bool const narrow = narrow_ && (sizeof(X) > 2 || near_);
    if (narrow && few_.is_short()) {
      for (int v = 0; v < V; ++v) {
        auto const d = near_distance(x[v]);
        auto const of_d = few_.of_short(d);  // whatever d is, which spares a branch
        bin[v] = d < few_.range ? of_d : no_bin;
      }
    } else if (narrow) {
      for (int v = 0; v < V; ++v) {
        auto const d = near_distance(x[v]);
        auto const of_d = few_.of(d);
        bin[v] = d < few_.range ? of_d : no_bin;
      }
    } else if (sizeof(X) > 2 && in_words_) {
      for (int v = 0; v < V; ++v) {
        auto const d = near_distance(x[v]);
        auto const of_d = few_.template of<std::uint64_t>(d);  // whatever d is, which spares a branch
        bin[v] = d < few_.range ? of_d : no_bin;
      }
    } else {
      for (int v = 0; v < V; ++v) bin[v] = bin_of(x[v]);
    }
  }

 private:
  /// From the lowest item; what lies below it is far above the range.
  template <class X>
  SWEEP_HD std::uint64_t distance(X const& x) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(x)) - low_;
  }
  /// The same in 32 bits, for a range that has no more.
  template <class X>
  SWEEP_HD std::uint32_t near_distance(X const& x) const {
    if constexpr (sizeof(X) <= 2) {
      return static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(low_);
    } else {
      auto const d = distance(x);
      return d < few_.range ? static_cast<std::uint32_t>(d) : ~std::uint32_t{0};
    }
  }
  template <class Word>
  SWEEP_HD static equal_shares<Word> shares_of(std::uint64_t range, std::uint32_t count) {
    __extension__ using wide = unsigned __int128;
    auto const rest = count % range;
    auto const share = (static_cast<wide>(rest) << 8 * sizeof(Word)) / range;
    return {static_cast<Word>(range), static_cast<Word>(count / range), static_cast<Word>(rest),
            static_cast<Word>(share)};
  }

  std::uint64_t low_;
  equal_shares<std::uint64_t> all_;
  equal_shares<std::uint32_t> few_{};
  bool narrow_, near_;  ///< twice the range has 32 bits, and so have distances from items of 16
  bool in_words_;       ///< the range has 32 bits
};

/// Equal bins of floating-point numbers: the whole part of (x - low) * (count / (high - low)), made in F.
template <class F>
struct even_float_bins {
  F low, high, scale;
  std::uint32_t count;

  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& item) const {
    auto const x = static_cast<F>(item);
    if (!(x >= low && x < high)) return no_bin;
    auto const bin = static_cast<std::uint32_t>((x - low) * scale);
    return bin < count ? bin : count - 1;  // rounding may lead to the upper edge
  }
  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    for (int v = 0; v < V; ++v) bin[v] = bin_of(x[v]);
  }
};

/// Bins between edges that do not decrease: edges[bin] <= x < edges[bin + 1].
template <class Edge>
struct edge_bins {
  Edge const* edges;
  std::uint32_t count;  ///< of edges
  std::uint32_t half;   ///< the largest power of two that is no more

  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    using C = std::common_type_t<X, Edge>;
    std::uint32_t below[V]{};  // so many edges are known to be no more than x
    for (auto step = half; step > 0; step /= 2)
      for (int v = 0; v < V; ++v)
        if (below[v] + step <= count && !(static_cast<C>(x[v]) < static_cast<C>(edges[below[v] + step - 1])))
          below[v] += step;
    for (int v = 0; v < V; ++v) bin[v] = below[v] > 0 && below[v] < count ? below[v] - 1 : no_bin;
  }
  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& item) const {
    X const x[1] = {item};
    std::uint32_t bin[1];
    bins_of<1>(x, bin);
    return bin[0];
  }
};

/// The same, of items that compare as C, with a guide: the range between the first edge and the last has so
/// many equal cells, and guide[c] edges lie in the cells before c. An item is looked for among the edges of
/// its own cell. That no edge of a cell before can be larger follows from cell_of() being monotone, rounding
/// and all.
template <class C, class Edge>
struct guided_edge_bins {
  Edge const* edges;
  std::uint32_t count, cells;  ///< of edges, at least 2
  std::uint16_t const* guide;  ///< cells + 1
  C low, high;
  float scale;  ///< cells a unit; 0 where the range is too wide or too narrow for that

  static SWEEP_HD guided_edge_bins between(Edge const* edges, std::uint32_t count, std::uint32_t cells,
                                           std::uint16_t const* guide) {
    auto const low = static_cast<C>(edges[0]), high = static_cast<C>(edges[count - 1]);
    auto const scale = static_cast<float>(cells) / distance(low, high);
    constexpr float most = 3e38f;
    bool const usable = scale > 0 && scale < most && distance(low, high) < most;
    return {edges, count, cells, guide, low, high, usable ? scale : 0};
  }

  /// Of an item between the first edge and the last.
  SWEEP_HD std::uint32_t cell_of(C x) const {
    if (scale == 0) return 0;
    auto const cell = static_cast<std::uint32_t>(distance(low, x) * scale);
    return cell < cells ? cell : cells - 1;
  }
  /// Edge i fills the cells behind the one of the edge before it, up to its own; i may be `count`.
  template <class Write>
  SWEEP_HD void fill_guide(std::uint32_t i, Write write) const {
    auto const last = i == count ? cells : cell_of(static_cast<C>(edges[i]));
    for (auto c = i == 0 ? 0 : cell_of(static_cast<C>(edges[i - 1])) + 1; c <= last; ++c) write(c, i);
  }

  template <int V, class X>
  SWEEP_HD void bins_of(X const (&x)[V], std::uint32_t (&bin)[V]) const {
    std::uint32_t from[V], to[V];  // so many edges are known to be no more than x, and at most
    for (int v = 0; v < V; ++v) {
      auto const y = static_cast<C>(x[v]);
      from[v] = to[v] = 0;
      if (y >= low && y < high) {
        auto const cell = cell_of(y);
        from[v] = guide[cell];
        to[v] = guide[cell + 1];
      }
    }
    for (bool open = true; open;) {
      open = false;
      for (int v = 0; v < V; ++v)
        if (from[v] < to[v]) {
          auto const middle = (from[v] + to[v]) / 2;
          if (static_cast<C>(x[v]) < static_cast<C>(edges[middle])) to[v] = middle;
          else from[v] = middle + 1;
          open |= from[v] < to[v];
        }
    }
    for (int v = 0; v < V; ++v) bin[v] = from[v] - 1;  // no_bin where no edge is known
  }
  template <class X>
  SWEEP_HD std::uint32_t bin_of(X const& item) const {
    X const x[1] = {item};
    std::uint32_t bin[1];
    bins_of<1>(x, bin);
    return bin[0];
  }

 private:
  /// From a to b, which is no less.
  static SWEEP_HD float distance(C a, C b) {
    if constexpr (std::is_integral_v<C>) {
      using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<C, bool>, char, C>>;
      return static_cast<float>(static_cast<U>(static_cast<U>(b) - static_cast<U>(a)));
    } else {
      return static_cast<float>(b - a);
    }
  }
};

SWEEP_NO_EXEC_CHECK
template <class Edge>
SWEEP_HD edge_bins<Edge> bins_between(Edge const* edges, std::int64_t count) {
  std::uint32_t half = count > 0 ? 1 : 0;
  while (half <= count / 2) half *= 2;
  return {edges, static_cast<std::uint32_t>(count), half};
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
