// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_REFEREE_CUH
#define SWEEP_BENCH_LAW_REFEREE_CUH

#include <cuda/std/iterator>
#include <law/sources.cuh>

#include <cstdint>
#include <string>

/// Where two results differ: which of them is wrong.
namespace law {

// ---- Scans: right where every result is one step from the one before it ----------------------------------

/// Whether item i > 0 begins a segment.
struct no_heads {
  __host__ __device__ bool operator()(std::int64_t) const { return false; }
};
template <class Keys>
struct heads_by_key {
  Keys keys;
  __host__ __device__ bool operator()(std::int64_t i) const { return !(keys[i] == keys[i - 1]); }
};
struct heads_by_offsets {
  segments_of segments;
  __host__ __device__ bool operator()(std::int64_t i) const {
    std::int64_t low = 0, high = segments.count;  // the first offset that is not below i
    while (low < high) {
      auto const middle = (low + high) / 2;
      if (segments.offsets[middle] < i) low = middle + 1;
      else high = middle;
    }
    return segments.offsets[low] == i;
  }
};

template <class T, class Heads, class In, class Results, class Operator>
__global__ void steps_kernel(Heads heads, In in, Results results, std::int64_t n, Operator op, bool exclusive,
                             unsigned long long* wrong) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    bool const first = i == 0 || heads(i);
    T want{};
    if (!exclusive || !first) {
      cuda::std::iter_value_t<In> const item = in[exclusive ? i - 1 : i];
      if (first) want = static_cast<T>(item);
      else {
        T const before = results[i - 1];
        want = static_cast<T>(op(before, item));
      }
    }
    T const got = results[i];
    if (!(got == want)) atomicAdd(wrong, 1ull);
  }
}

/// What a race of scans ends with: whether both results agree, and of each whether it is a scan. Exclusive
/// ones begin with T{}. `along` makes of an output's pointer what is walked through beside the input.
template <class T, class Heads, class In, class Operator, class Along>
struct steps_agreement {
  outputs<T> out;
  std::int64_t n;
  Heads heads;
  In in;
  Operator op;
  bool exclusive;
  Along along;

  bool operator()() const { return agree(out, n); }
  bool right(T* results) const {
    auto* const wrong = memory().verdict.get<unsigned long long>(2);
    check(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream()), "cudaMemsetAsync");
    steps_kernel<T><<<1056, 256, 0, stream()>>>(heads, in, along(results), n, op, exclusive, wrong);
    return value_of(wrong) == 0;
  }
  bool ours_right() const { return right(out.ours); }
  bool peers_right() const { return right(out.peers); }
};
struct as_it_lies {
  template <class T>
  T* operator()(T* results) const {
    return results;
  }
};
template <class T, class Heads, class In, class Operator, class Along = as_it_lies>
auto agree_by_steps(outputs<T> out, std::int64_t n, Heads heads, In in, Operator op, bool exclusive = false,
                    Along along = {}) {
  return steps_agreement<T, Heads, In, Operator, Along>{out, n, heads, in, op, exclusive, along};
}

// ---- All others: wrong is what does not give the same again ----------------------------------------------

enum class verdict { equal, different, ours_wrong, peer_wrong, both_wrong };

inline char const* words_of(verdict said) {
  switch (said) {
  case verdict::equal:
    return "yes";
  case verdict::ours_wrong:
    return "sweep wrong";
  case verdict::peer_wrong:
    return "peer wrong";
  case verdict::both_wrong:
    return "both wrong";
  default:
    return "no";
  }
}

template <class Ours, class Peer, class Agree>
verdict judge(Ours const& ours, Peer const& peer, Agree const& agreed) {
  if (agreed()) return verdict::equal;
  if constexpr (requires { agreed.ours_right(); }) {
    bool const ours_right = agreed.ours_right(), peers_right = agreed.peers_right();
    if (ours_right != peers_right) return ours_right ? verdict::peer_wrong : verdict::ours_wrong;
    return ours_right ? verdict::different : verdict::both_wrong;
  } else {
    auto const agreed_after = [&](auto const& call) {
      call();
      wait();
      return agreed();
    };
    for (int again = 0; again < 3; ++again) {
      if (agreed_after(peer)) return verdict::peer_wrong;
      if (agreed_after(ours)) return verdict::ours_wrong;
    }
    return verdict::different;
  }
}

}  // namespace law

#endif
