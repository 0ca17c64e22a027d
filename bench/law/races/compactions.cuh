// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_COMPACTIONS_CUH
#define SWEEP_BENCH_LAW_RACES_COMPACTIONS_CUH

#include <law/races/peers.cuh>

#include <cstdint>

// Races of compactions.
namespace law {

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

}  // namespace law

#endif
