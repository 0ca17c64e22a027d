// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_CUH
#define SWEEP_BENCH_LAW_RACES_CUH

#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are raced whatever their future

#include <sweep/sweep.hpp>

#include <cub/cub.cuh>
#include <cub/device/device_find.cuh>
#include <cub/device/device_segmented_scan.cuh>
#include <law/race.cuh>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/discard_iterator.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

/// The algorithms' races: each takes sources, types and operators, which bench/law.py draws.
namespace law {

inline auto on() { return sweep::device.on(stream()); }
inline auto thrust_policy() { return thrust::cuda::par_nosync.on(stream()); }

/// For peers to whom a device_vector's iterator gives references that they do not all convert.
template <class It>
It bare(It it) {
  return it;
}
template <class T>
T* bare(thrust::device_ptr<T> it) {
  return thrust::raw_pointer_cast(it);
}

/// The neutral value of an operator.
template <class T, class Operator>
T neutral() {
  if constexpr (std::is_same_v<Operator, larger>) return std::numeric_limits<T>::lowest();
  else if constexpr (std::is_same_v<T, mat2>) return {1, 0, 0, std::is_same_v<Operator, mat2_product>};
  else if constexpr (is_affine<T>) return {1, 0};
  else return T{};
}

// ---- Scans -----------------------------------------------------------------------------------------------

template <class Source, class Result, class Operator, bool Exclusive, bool Backward>
struct scan {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = Source::held + 2 * sizeof(Result);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<Result>(2, n, d.out_shift);
    auto const ours = [=] {
      if constexpr (Exclusive && Backward)
        sweep::exclusive_scan(on(), in, in + n, out.ours, Result{}, Operator{}, sweep::backward);
      else if constexpr (Exclusive) sweep::exclusive_scan(on(), in, in + n, out.ours, Result{}, Operator{});
      else if constexpr (Backward)
        sweep::inclusive_scan(on(), in, in + n, out.ours, Operator{}, sweep::backward);
      else sweep::inclusive_scan(on(), in, in + n, out.ours, Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      auto const call = [&](auto from, auto to) {
        if constexpr (Exclusive)
          return cub::DeviceScan::ExclusiveScan(t, b, from, to, Operator{}, Result{}, n, stream());
        else return cub::DeviceScan::InclusiveScan(t, b, from, to, Operator{}, n, stream());
      };
      if constexpr (Backward)
        return call(thrust::make_reverse_iterator(bare(in) + n),
                    thrust::make_reverse_iterator(out.peers + n));
      else return call(bare(in), out.peers);
    });
    return race((Source::read + sizeof(Result)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n); });
  }
};

template <class T, class Operator>
struct scan_in_place {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = 2 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    outputs<T> const at{input<T>(2, d, d.in_shift), input<T>(3, d, d.in_shift)};
    fill(at.peers, n, drawn_item<T>{}, d.seed + 2);
    auto const ours = [=] { sweep::inclusive_scan(on(), at.ours, at.ours + n, at.ours, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveScan(t, b, at.peers, at.peers, Operator{}, n, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(at, n); });
  }
};

template <class T, int Width>
struct scan_zipped {
  static constexpr char const* peer = "cub::DeviceScan";
  static constexpr double held = 3.0 * Width * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = zipped<T, Width>::make(d, 0);
    auto const a = output<T>(2, n, d.out_shift), b = output<T>(4, n, d.out_shift),
               c = output<T>(8, Width == 3 ? n : 1, d.out_shift);
    auto const to = [](auto* x, auto* y, auto* z) {
      if constexpr (Width == 2) return thrust::make_zip_iterator(x, y);
      else return thrust::make_zip_iterator(x, y, z);
    };
    auto const mine = to(a.ours, b.ours, c.ours);
    auto const other = to(a.peers, b.peers, c.peers);
    auto const ours = [=] { sweep::inclusive_scan(on(), in, in + n, mine, plus_each{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(t, bytes, in, other, plus_each{}, n, stream());
    });
    return race(2.0 * Width * sizeof(T) * static_cast<double>(n), ours, theirs,
                [=] { return agree(a, n) && agree(b, n) && (Width == 2 || agree(c, n)); });
  }
};

template <class Source, class Operator>
struct adjacent_difference {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceAdjacentDifference";
  static constexpr double held = Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] { sweep::adjacent_difference(on(), in, in + n, out.ours, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, bare(in), out.peers, n, Operator{},
                                                             stream());
    });
    return race((Source::read + sizeof(item)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n); });
  }
};

// ---- Reductions ------------------------------------------------------------------------------------------

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

// ---- Compactions -----------------------------------------------------------------------------------------

template <class Source>
struct copy_if {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceSelect::If";
  static constexpr double held = Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const chosen = selected::with(d.density);
    auto const ours = [=] { sweep::copy_if_into(on(), in, in + n, out.ours, count.ours, chosen); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSelect::If(t, b, bare(in), out.peers, count.peers, n, chosen, stream());
    });
    return race((Source::read + sizeof(item) * d.density) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, agreed_count(count)); });
  }
};

template <class Source>
struct partition_copy {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DevicePartition::If";
  static constexpr double held = Source::held + 4 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift), rest = output<item>(6, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const chosen = selected::with(d.density);
    auto const ours = [=] {
      sweep::partition_copy_into(on(), in, in + n, out.ours, rest.ours, count.ours, chosen);
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {  // writes the rejected ones behind, backward
      return cub::DevicePartition::If(t, b, bare(in), out.peers, count.peers, n, chosen, stream());
    });
    return race((Source::read + sizeof(item)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, agreed_count(count)); });
  }
};

template <class Source>
struct pack {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceSelect::Flagged";
  static constexpr double held = Source::held + 2 * sizeof(item) + 1;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const* const wanted = flags(d, 10);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const ours = [=] { sweep::pack_into(on(), in, in + n, wanted, out.ours, count.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSelect::Flagged(t, b, bare(in), wanted, out.peers, count.peers, n, stream());
    });
    return race((Source::read + 1 + sizeof(item) * d.density) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, agreed_count(count)); });
  }
};

/// Items are chosen by what a second range says of them.
template <class Source, class Stencil>
struct copy_if_stencil {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceSelect::FlaggedIf";
  static constexpr double held = Source::held + 2 * sizeof(item) + sizeof(Stencil);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    Stencil const* const stencil = input<Stencil>(10, d, d.out_shift);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const chosen = selected::with(d.density);
    auto const ours = [=] { sweep::copy_if_into(on(), in, in + n, stencil, out.ours, count.ours, chosen); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSelect::FlaggedIf(t, b, bare(in), stencil, out.peers, count.peers, n, chosen,
                                          stream());
    });
    return race((Source::read + sizeof(Stencil) + sizeof(item) * d.density) * static_cast<double>(n), ours,
                theirs, [=] { return agree(out, agreed_count(count)); });
  }
};

template <class Key>
struct unique {
  static constexpr char const* peer = "cub::DeviceSelect::Unique";
  static constexpr double held = 3 * sizeof(Key);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const in = keys<Key>(d, 0);
    auto const out = output<Key>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const ours = [=] { sweep::unique_copy_into(on(), in, in + n, out.ours, count.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSelect::Unique(t, b, bare(in), out.peers, count.peers, n, stream());
    });
    return race(sizeof(Key) * (1 + d.runs_per_item()) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, agreed_count(count)); });
  }
};

template <class Key, class Source>
struct unique_by_key {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceSelect::UniqueByKey";
  static constexpr double held = 3 * sizeof(Key) + Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const names = keys<Key>(d, 10);
    auto const in = Source::make(d, 0);
    auto const ends = output<Key>(6, n, d.out_shift);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const ours = [=] {
      sweep::unique_by_key_copy_into(on(), names, names + n, in, ends.ours, out.ours, count.ours);
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSelect::UniqueByKey(t, b, names, bare(in), ends.peers, out.peers, count.peers, n,
                                            cuda::std::equal_to<>{}, stream());
    });
    auto const bytes = sizeof(Key) + Source::read + (sizeof(Key) + sizeof(item)) * d.runs_per_item();
    return race(bytes * static_cast<double>(n), ours, theirs, [=] {
      auto const k = agreed_count(count);
      return agree(out, k) && agree(ends, k);
    });
  }
};

// ---- Keys ------------------------------------------------------------------------------------------------

template <class Key, class Source, class Operator>
struct scan_by_key {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceScan::InclusiveScanByKey";
  static constexpr double held = sizeof(Key) + Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const names = keys<Key>(d, 10);
    auto const in = Source::make(d, 0);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] {
      sweep::inclusive_scan_by_key(on(), names, names + n, in, out.ours, sweep::segments::equal_keys{},
                                   Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceScan::InclusiveScanByKey(t, b, names, bare(in), out.peers, Operator{}, n,
                                                 cuda::std::equal_to<>{}, stream());
    });
    return race((sizeof(Key) + Source::read + sizeof(item)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n); });
  }
};

/// With Discarding, nobody wants the keys of the runs.
template <class Key, class Source, class Operator, bool Discarding>
struct reduce_by_key {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceReduce::ReduceByKey";
  static constexpr double held = 3 * sizeof(Key) + Source::held + 2 * sizeof(item);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const names = keys<Key>(d, 10);
    auto const in = Source::make(d, 0);
    auto const ends = output<Key>(6, Discarding ? 1 : n);
    auto const out = output<item>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const to = [](Key* at) {
      if constexpr (Discarding) return thrust::make_discard_iterator();
      else return at;
    };
    auto const ours = [=] {
      sweep::reduce_by_key_into(on(), names, names + n, in, to(ends.ours), out.ours, count.ours,
                                sweep::segments::equal_keys{}, Operator{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceReduce::ReduceByKey(t, b, names, to(ends.peers), bare(in), out.peers, count.peers,
                                            Operator{}, n, stream());
    });
    auto const bytes =
        sizeof(Key) + Source::read + ((Discarding ? 0 : sizeof(Key)) + sizeof(item)) * d.runs_per_item();
    return race(bytes * static_cast<double>(n), ours, theirs, [=] {
      auto const k = agreed_count(count);
      return agree(out, k) && (Discarding || agree(ends, k));
    });
  }
};

template <class Key, class Length>
struct run_length_encode {
  static constexpr char const* peer = "cub::DeviceRunLengthEncode::Encode";
  static constexpr double held = 3 * sizeof(Key) + 2 * sizeof(Length);
  static result run(draw const& d) {
    auto const n = d.n;
    auto const* const in = keys<Key>(d, 10);
    auto const ends = output<Key>(6, n);
    auto const lengths = output<Length>(2, n, d.out_shift);
    auto const count = output<std::int64_t>(4, 1);
    auto const ours = [=] {
      sweep::run_length_encode_into(on(), in, in + n, ends.ours, lengths.ours, count.ours);
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRunLengthEncode::Encode(t, b, bare(in), ends.peers, lengths.peers, count.peers, n,
                                                stream());
    });
    return race((sizeof(Key) + (sizeof(Key) + sizeof(Length)) * d.runs_per_item()) * static_cast<double>(n),
                ours, theirs, [=] {
                  auto const k = agreed_count(count);
                  return agree(lengths, k) && agree(ends, k);
                });
  }
};

// ---- Segments --------------------------------------------------------------------------------------------

template <class Source, class Notation, class Operator>
struct segmented_scan {
  using item = typename Source::item;
  static constexpr char const* peer = "cub::DeviceSegmentedScan";
  static constexpr double held = Source::held + 2 * sizeof(item) + Notation::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const segments = drawn_offsets(d, 10);
    auto const noted = Notation::make(segments, d, 11);
    auto const out = output<item>(2, n, d.out_shift);
    auto const ours = [=] { sweep::segmented_inclusive_scan(on(), in, in + n, noted, out.ours, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedScan::InclusiveSegmentedScan(t, b, bare(in), out.peers, segments.offsets,
                                                              segments.offsets + 1, segments.count,
                                                              Operator{}, stream());
    });
    return race((Source::read + sizeof(item) + Notation::read) * static_cast<double>(n) +
                    4.0 * static_cast<double>(segments.count),
                ours, theirs, [=] { return agree(out, n); });
  }
};

template <class Source, class Notation, class Result, class Operator>
struct segmented_reduce {
  static constexpr char const* peer = "cub::DeviceSegmentedReduce";
  static constexpr double held = Source::held + 2 * sizeof(Result) + Notation::held;
  static result run(draw const& d) {
    auto const n = d.n;
    auto const in = Source::make(d, 0);
    auto const segments = drawn_offsets(d, 10);
    auto const noted = Notation::make(segments, d, 11);
    auto const out = output<Result>(2, segments.count, d.out_shift);
    auto const init = neutral<Result, Operator>();
    auto const ours = [=] { sweep::segmented_reduce(on(), in, in + n, noted, out.ours, init, Operator{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedReduce::Reduce(t, b, bare(in), out.peers, segments.count, segments.offsets,
                                                segments.offsets + 1, Operator{}, init, stream());
    });
    return race(Source::read * static_cast<double>(n) +
                    (4.0 + sizeof(Result)) * static_cast<double>(segments.count),
                ours, theirs, [=] { return agree(out, segments.count); });
  }
};

// ---- Moves, bounds, histograms ---------------------------------------------------------------------------

template <class T>
struct gather {
  static constexpr char const* peer = "thrust::gather";
  static constexpr double held = 3 * sizeof(T) + 4;
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const* const places = input<std::uint32_t>(12, d, 0, hop{n});
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::gather(on(), places, places + n, in, out.ours); };
    auto const theirs = [=] { thrust::gather(thrust_policy(), places, places + n, in, out.peers); };
    return race((2.0 * sizeof(T) + 4) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T>
struct lower_bound {
  static constexpr char const* peer = "cub::DeviceFind::LowerBound";
  static constexpr double held = 2 * sizeof(T) + 16;
  struct ascending {
    __host__ __device__ T operator()(std::uint64_t, std::int64_t i) const { return static_cast<T>(2 * i); }
  };
  struct anywhere {
    std::int64_t n;
    __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
      return static_cast<T>(elements::random_bits(seed, i) % static_cast<std::uint64_t>(2 * n));
    }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift, ascending{});
    T const* const needles = input<T>(10, d, 0, anywhere{n});
    auto const out = output<std::int64_t>(2, n);
    auto const ours = [=] { sweep::lower_bound(on(), in, in + n, needles, needles + n, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceFind::LowerBound(t, b, bare(in), n, needles, n, out.peers, cuda::std::less<>{},
                                         stream());
    });
    return race((2.0 * sizeof(T) + 8) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T>
struct histogram_even {
  static constexpr char const* peer = "cub::DeviceHistogram::HistogramEven";
  static constexpr double held = sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    // The peer counts bins, and what lies between the first and the last, in the items' own type.
    using limits = std::numeric_limits<T>;
    constexpr bool whole = std::is_integral_v<T>;
    constexpr int most = whole && sizeof(T) == 1 ? int{limits::max()} : 16384;
    auto const bins = std::clamp(static_cast<int>(d.mean_segment), 1, most);
    auto const low = static_cast<T>(whole ? limits::lowest() / 2 : -4),
               high = static_cast<T>(whole ? limits::max() / (std::is_signed_v<T> ? 2 : 1) : 4);
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<std::uint32_t>(2, bins);
    auto const ours = [=] { sweep::histogram_even(on(), in, in + n, out.ours, bins, low, high); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceHistogram::HistogramEven(t, b, bare(in), out.peers, bins + 1, low, high, n, stream());
    });
    return race(sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, bins); });
  }
};

// ---- Along an axis ---------------------------------------------------------------------------------------

/// An array as calls along one of its axes see it, drawn from what a case has drawn: at most so many items.
struct drawn_array {
  std::int64_t blocks, length, beside;
  static drawn_array of(draw const& d, bool last_axis) {
    auto const part = [&](std::int64_t most, std::int64_t salt) {
      auto const unit = static_cast<double>(elements::random_bits(d.seed, salt) >> 11) * 0x1p-53;
      auto const drawn = std::exp2(unit * std::log2(static_cast<double>(most)));
      return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, most);
    };
    auto const length = part(d.n, 1), beside = last_axis ? 1 : part(d.n / length, 2);
    return {d.n / (length * beside), length, beside};
  }
  std::int64_t lines() const { return blocks * beside; }
  std::int64_t items() const { return lines() * length; }
};
/// Where item k lies when lines follow each other; which line it is of.
struct place_along {
  drawn_array array;
  __host__ __device__ std::int64_t operator()(std::int64_t k) const {
    auto const line = k / array.length, block = line / array.beside;
    return (block * array.length + k % array.length) * array.beside + line % array.beside;
  }
};
struct line_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t k) const { return k / length; }
};
struct offset_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t line) const { return line * length; }
};
template <class F>
auto counted_by(F f) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), f);
}
/// An array's items with one line after the other, as peers want them.
template <bool LastAxis, class T>
auto line_by_line(T* items, drawn_array const& array) {
  if constexpr (LastAxis) return items;
  else return thrust::make_permutation_iterator(items, counted_by(place_along{array}));
}

template <class T, class Operator, bool LastAxis, bool Backward>
struct scan_along {
  static constexpr char const* peer = "cub::DeviceScan::InclusiveScanByKey";
  static constexpr double held = 3 * sizeof(T);
  static result run(draw const& d) {
    auto const array = drawn_array::of(d, LastAxis);
    auto const n = array.items();
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    std::int64_t const extents[]{array.blocks, array.length, array.beside};
    auto const from = sweep::strided(in, extents);
    auto const to = sweep::strided(out.ours, extents);
    auto const ours = [=] {
      if constexpr (Backward)
        sweep::inclusive_scan(on(), from, to, sweep::along(1), Operator{}, sweep::backward);
      else sweep::inclusive_scan(on(), from, to, sweep::along(1), Operator{});
    };
    auto const items = line_by_line<LastAxis>(in, array);
    auto const results = line_by_line<LastAxis>(out.peers, array);
    auto const lines = counted_by(line_of{array.length});
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      auto const call = [&](auto keys, auto values, auto sums) {
        return cub::DeviceScan::InclusiveScanByKey(t, b, keys, values, sums, Operator{}, n,
                                                   cuda::std::equal_to<>{}, stream());
      };
      if constexpr (Backward)
        return call(thrust::make_reverse_iterator(lines + n), thrust::make_reverse_iterator(items + n),
                    thrust::make_reverse_iterator(results + n));
      else return call(lines, items, results);
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T, class Operator, bool LastAxis>
struct reduce_along {
  static constexpr char const* peer = "cub::DeviceSegmentedReduce";
  static constexpr double held = 3 * sizeof(T);
  static result run(draw const& d) {
    auto const array = drawn_array::of(d, LastAxis);
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, array.lines(), d.out_shift);
    auto const init = neutral<T, Operator>();
    auto const from = sweep::strided(in, {array.blocks, array.length, array.beside});
    auto const to = sweep::strided(out.ours, {array.blocks, array.beside});
    auto const ours = [=] { sweep::reduce(on(), from, to, sweep::along(1), init, Operator{}); };
    auto const items = line_by_line<LastAxis>(in, array);
    auto const offsets = counted_by(offset_of{array.length});
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedReduce::Reduce(t, b, items, out.peers, array.lines(), offsets, offsets + 1,
                                                Operator{}, init, stream());
    });
    return race(static_cast<double>(sizeof(T)) * static_cast<double>(array.items() + array.lines()), ours,
                theirs, [=] { return agree(out, array.lines()); });
  }
};

// ---- Sorts
// ---------------------------------------------------------------------------------------------------

/// Of keys, or of keys with values of another type; stable on both sides, so that both are the same bits.
template <class T>
struct sort_keys {
  static constexpr char const* peer = "cub::DeviceRadixSort::SortKeys";
  static constexpr double held = 4 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::sort_copy(on(), in, in + n, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortKeys(t, b, in, out.peers, n, 0, static_cast<int>(sizeof(T)) * 8,
                                            stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T, class V>
struct sort_pairs {
  static constexpr char const* peer = "cub::DeviceRadixSort::SortPairs";
  static constexpr double held = 4 * (sizeof(T) + sizeof(V));
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    V const* const values = input<V>(10, d, 0);
    auto const out = output<T>(2, n, d.out_shift);
    auto const values_out = output<V>(4, n);
    auto const ours = [=] { sweep::sort_by_key_copy(on(), in, in + n, values, out.ours, values_out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortPairs(t, b, in, out.peers, values, values_out.peers, n, 0,
                                             static_cast<int>(sizeof(T)) * 8, stream());
    });
    return race(2.0 * (sizeof(T) + sizeof(V)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n) && agree(values_out, n); });
  }
};

/// By a comparison that says nothing of digits.
template <class T>
struct sort_by_comparison {
  static constexpr char const* peer = "cub::DeviceMergeSort::StableSortKeysCopy";
  static constexpr double held = 4 * sizeof(T);
  struct before {
    __host__ __device__ bool operator()(T const& a, T const& b) const { return a < b; }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::sort_copy(on(), in, in + n, out.ours, before{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceMergeSort::StableSortKeysCopy(t, b, in, out.peers, n, before{}, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

}  // namespace law

#endif
