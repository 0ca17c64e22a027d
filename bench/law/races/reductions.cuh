// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_REDUCTIONS_CUH
#define SWEEP_BENCH_LAW_RACES_REDUCTIONS_CUH

#include <cub/device/device_find.cuh>
#include <law/races/peers.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

// Races of reductions, counts, extrema and searches.
namespace law {

template <class Source, class Result, class Operator>
struct reduce {
  static constexpr char const* peer = "cub::DeviceReduce";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<Result>(2, 1);
    auto const init = neutral<Result, Operator>();
    auto const ours = [=] { sweep::reduce_into(on(), in, in + n, out.ours, init, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::Reduce(t, b, bare(in), out.peers, n, Operator{}, init, stream());
    });
    return race(std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, 1); });
  }
};

template <class Source, class Result, class Operator>
struct reduce_to_value {
  static constexpr char const* peer = "cub::DeviceReduce and a copy";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const there = output<Result>(2, 1);
    auto const init = neutral<Result, Operator>();
    auto const got = std::make_shared<std::array<Result, 2>>();
    auto const ours = [=] { (*got)[0] = sweep::reduce(on(), in, in + n, init, Operator{}); };
    auto const call = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::Reduce(t, b, bare(in), there.peers, n, Operator{}, init, stream());
    });
    auto const theirs = [=] {
      call();
      check(cudaMemcpyAsync(&(*got)[1], there.peers, sizeof(Result), cudaMemcpyDeviceToHost, stream()),
            "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    };
    return race(
        std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
        [=] { return (*got)[0] == (*got)[1]; }, time_as::call);
  }
};

template <class Source>
struct reduce_argmax {
  using value = thrust::tuple<typename Source::item, std::int64_t>;
  static constexpr char const* peer = "cub::DeviceReduce";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in =
        thrust::make_zip_iterator(Source::make(d, 0), thrust::make_counting_iterator(std::int64_t{0}));
    auto const out = output<value>(2, 1);
    value const init{std::numeric_limits<typename Source::item>::lowest(), std::int64_t{1} << 40};
    auto const ours = [=] { sweep::reduce_into(on(), in, in + n, out.ours, init, first_largest{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::Reduce(t, b, bare(in), out.peers, n, first_largest{}, init, stream());
    });
    return race(std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, 1); });
  }
};

/// Sums of x, x^2 and 1 in doubles.
template <class T>
struct moments_of {
  __host__ __device__ block_of<double, 3> operator()(T const& x) const {
    auto const v = static_cast<double>(static_cast<float>(x));
    return {v, v * v, 1.0};
  }
};
template <class Source>
struct reduce_moments {
  static constexpr char const* peer = "cub::DeviceReduce::TransformReduce";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    using value = block_of<double, 3>;
    auto const out = output<value>(2, 1);
    auto const ours = [=] {
      sweep::transform_reduce_into(on(), in, in + n, out.ours, value{}, plus{},
                                   moments_of<typename Source::item>{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::TransformReduce(t, b, bare(in), out.peers, n, plus{},
                                                moments_of<typename Source::item>{}, value{}, stream());
    });
    return race(std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, 1); });
  }
};

struct multiplied {
  template <class Pair>
  __host__ __device__ auto operator()(Pair const& x) const {
    return thrust::get<0>(x) * thrust::get<1>(x);
  }
};
template <class T>
struct inner_product {
  static constexpr char const* peer = "cub::DeviceReduce::TransformReduce";
  static constexpr double held = 2 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    T const *const a = input<T>(0, d, d.in_shift), *const b = input<T>(6, d, d.out_shift);
    auto const out = output<T>(2, 1);
    auto const both = thrust::make_zip_iterator(a, b);
    auto const ours = [=] { sweep::inner_product_into(on(), a, a + n, b, out.ours, T{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(t, bytes, both, out.peers, n, plus{}, multiplied{}, T{},
                                                stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, 1); });
  }
};

template <class T>
struct as_count {
  selected chosen;
  __host__ __device__ std::int64_t operator()(T const& x) const { return chosen(x) ? 1 : 0; }
};
template <class Source>
struct count_if {
  static constexpr char const* peer = "cub::DeviceReduce::TransformReduce";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<std::int64_t>(2, 1);
    auto const chosen = selected::with(d.density);
    auto const ours = [=] { sweep::count_if_into(on(), in, in + n, out.ours, chosen); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::TransformReduce(t, b, bare(in), out.peers, n, cuda::std::plus<>{},
                                                as_count<typename Source::item>{chosen}, std::int64_t{0},
                                                stream());
    });
    return race(std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, 1); });
  }
};

template <class Source>
struct min_element {
  static constexpr char const* peer = "cub::DeviceReduce::ArgMin";
  static constexpr double held = Source::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<std::int64_t>(2, 1);
    auto* const least = role(4).get<typename Source::item>(1);
    auto const ours = [=] { sweep::min_element_into(on(), in, in + n, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::ArgMin(t, b, bare(in), least, out.peers, n, stream());
    });
    return race(std::max(Source::read, 1.0) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, 1); });
  }
};

/// The one item that is looked for lies where the density says.
template <class T>
struct find_if {
  static constexpr char const* peer = "cub::DeviceFind::FindIf";
  static constexpr double held = sizeof(T);
  struct is_one {
    __host__ __device__ bool operator()(T const& x) const { return x == T{1}; }
  };
  struct one_at {
    std::int64_t at;
    __host__ __device__ T operator()(std::uint64_t, std::int64_t i) const { return T(i == at ? 1 : 0); }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    auto const at = static_cast<std::int64_t>(d.density * static_cast<double>(n));
    T const* const in = input<T>(0, d, d.in_shift, one_at{at});
    auto const out = output<std::int64_t>(2, 1);
    auto const ours = [=] { sweep::find_if_into(on(), in, in + n, out.ours, is_one{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceFind::FindIf(t, b, bare(in), out.peers, is_one{}, n, stream());
    });
    return race(sizeof(T) * d.density * static_cast<double>(n), ours, theirs, [=] { return agree(out, 1); });
  }
};

}  // namespace law

#endif
