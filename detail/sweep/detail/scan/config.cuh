// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_CONFIG_CUH
#define SWEEP_DETAIL_SCAN_CONFIG_CUH

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/tile/lone_tile.cuh>
#include <sweep/detail/scan/tile/pipeline_size.cuh>
#include <sweep/detail/scan/tile/register_tile.cuh>
#include <sweep/detail/scan/tile/rows_aside.cuh>
#include <sweep/detail/scan/tile/shared_memory_tile.cuh>
#include <sweep/detail/scan/tuning.hpp>
#include <sweep/detail/segments/find_heads.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a kernel does all of a scan, or is one of the three of a form without look-back.
enum class passes { one, three };

/// Where rows wait that registers do not hold: in shared memory, or not at all.
enum class rows_are { set_aside, held };

/// Bytes of an item of each stream.
template <class Streams, int... K>
constexpr auto stream_bytes(std::integer_sequence<int, K...>) {
  struct {
    std::size_t of[Streams::streams + 1];
  } bytes{{sizeof(stream_value<Streams, K>)..., 0}};
  return bytes;
}
template <class Streams>
inline constexpr auto bytes_of_streams =
    stream_bytes<Streams>(std::make_integer_sequence<int, Streams::streams>{});

/// Whether there are several, some narrower than a word.
template <class Streams>
inline constexpr bool has_narrow_parts = [] {
  for (int k = 0; k < Streams::streams; ++k)
    if (Streams::streams > 1 && bytes_of_streams<Streams>.of[k] < 4) return true;
  return false;
}();

template <class Problem>
inline constexpr scan_shape shape_of_scan = [] {
  using raw = typename Problem::raw;
  using source = typename Problem::source;
  using sink = typename Problem::sink;
  using value = typename Problem::value;
  using heads = typename Problem::heads_type;
  scan_shape shape{
      sizeof(typename Problem::raw), 0,    sizeof(value), Problem::vector_items, heads::segmented,
      Problem::writes_at_tails,      false};
  shape.streams = source::streams;
  shape.sinks = sink::streams;
  shape.unit = 1;
  auto const items = bytes_of_streams<source>;
  auto const results = bytes_of_streams<sink>;
  // Lanes shift the items that they read into place; results that fill no words they write in whole words of
  // their own, and where there are none, items that fill no words are read so, without conflicts of banks.
  for (int k = 0; k < shape.streams; ++k) {
    shape.staged += items.of[k];
    if (shape.sinks == 0) shape.unit = std::max(shape.unit, window_unit(static_cast<int>(items.of[k])));
  }
  shape.gathers = source::reads_elsewhere;
  if (shape.gathers) {  // items are made of the streams
    shape.staged += sizeof(raw);
    if (shape.sinks == 0) shape.unit = std::max(shape.unit, window_unit(static_cast<int>(sizeof(raw))));
    ++shape.streams;
  }
  for (int k = 0; k < shape.sinks; ++k) {
    shape.results += results.of[k];
    shape.unit = std::max(shape.unit, window_unit(static_cast<int>(results.of[k])));
  }
  shape.bulk = (!heads::segmented || heads::packed_heads) && relocatable<raw> &&
               relocatable<typename Problem::out_value> && shape.staged + shape.results > 0;
  if (shape.bulk && shape.streams > 0) shape.item = shape.staged;
  // A lane's results take its own items' places where both are whole words, as many, in the same order. Where
  // they are wider than 8 bytes tiles would be larger.
  if constexpr (source::streams == 1 && sink::streams == 1 && !source::reads_elsewhere && !heads::segmented &&
                !Problem::staged_for_iterator) {
    using item = stream_value<source, 0>;
    using result = stream_value<sink, 0>;
    shape.in_place = shape.bulk && sizeof(item) == sizeof(result) && sizeof(item) <= 8 &&
                     natural_width<result> >= 4 && natural_width<result> <= natural_width<item> &&
                     stream_reversed<source, 0> == stream_reversed<sink, 0>;
  }
  shape.held = shape.segmented ? shape.item : std::max(shape.item, sizeof(raw));
  shape.numbers = std::is_arithmetic_v<value> || is_half<value>;
  shape.bytes = spreads_in_registers<value> && registers_of<value> > 4;
  shape.widest = std::max(std::max(shape.item, sizeof(typename Problem::out_value)), sizeof(value));
  return shape;
}();

/// Whether a row of the tuning table is for a scan of this shape.
constexpr bool fits(scan_row const& row, int arch, size_class size, passes in, scan_shape const& shape) {
  auto const heads = shape.segmented ? segments_are::some : segments_are::none;
  bool const in_registers = row.plan.stages == 0;
  return arch >= static_cast<int>(row.since) && (row.size == size || row.size == size_class::any) &&
         (row.segments == heads || row.segments == segments_are::any ||
          (row.segments == segments_are::reduced && shape.reduces)) &&
         (in_registers ? shape.held : shape.item) <= row.item && shape.widest <= row.widest &&
         (row.accumulators == accumulators_are::any ||
          (row.accumulators == accumulators_are::bytes ? shape.bytes : shape.numbers)) &&
         (shape.value <= 4 || row.accumulators != accumulators_are::words) &&
         (row.items == items_are::any ||
          (row.items == items_are::gathered ? shape.gathers : shape.in_place)) &&
         (in_registers ||
          (in == passes::one && shape.bulk && scan_staged_bytes(row.plan, shape) <= shared_bytes_of(arch)));
}

/// How blocks scan their tiles, with the numbers of the architecture at hand. Own is the tag of the caller's
/// plan.
template <class Problem, size_class Size, within_tile How, class Own, passes In = passes::one,
          rows_are Held = rows_are::set_aside>
struct scan_config {
  static constexpr scan_shape shape = shape_of_scan<Problem>;
  /// Looked for in the table once and for all: a call asks often.
  static constexpr auto plans = [] {
    struct {
      scan_plan of[std::size(known_archs)];
    } all{};
    for (int const arch : known_archs) {
      auto const tuned =
          pick(scan_table, [=](scan_row const& row) { return fits(row, arch, Size, In, shape); });
      if constexpr (std::is_same_v<Own, no_plan>) all.of[kind_of(arch)] = tuned;
      else all.of[kind_of(arch)] = In == passes::three && Own::value.stages > 0 ? tuned : Own::value;
    }
    return all;
  }();
  static constexpr scan_plan plan(int arch) { return plans.of[kind_of(arch)]; }
  static constexpr scan_plan here = plan(arch_here());
  static constexpr bool has_tiny = Size == size_class::small && std::is_same_v<Own, no_plan>;
  /// A vector's items that are read elsewhere, or what leads there, which all rows wait for together.
  static constexpr std::size_t gathered_bytes = [] {
    std::size_t widest = sizeof(typename Problem::raw);
    for (int k = 0; k < Problem::source::streams; ++k)
      widest = std::max(widest, bytes_of_streams<typename Problem::source>.of[k]);
    return Problem::vector_items * widest;
  }();
  static constexpr std::size_t vector_bytes = Problem::vector_items * sizeof(typename Problem::raw);
  /// Whether vectors are so much narrower than 16 bytes, where results are wider than items, that registers
  /// hold more: each takes its words and what comes before it, which is one word. But a warp that has many
  /// takes long for them.
  static constexpr bool has_narrow_vectors =
      has_tiny && vector_bytes <= 8 && sizeof(typename Problem::value) <= 4 &&
      Problem::source::streams <= 1 && !shape.segmented && !shape.gathers;
  /// Rows of a thread; of tiny inputs fewer: a kernel for small inputs has code for both.
  static constexpr int rows_of(scan_plan const& p) {
    if (shape.gathers) return vector_rows(p.rows, gathered_bytes);
    constexpr int words = static_cast<int>((vector_bytes + 3) / 4);
    if (has_narrow_vectors) return std::min(std::max(p.rows * (4 + 1) / (words + 1), words == 1 ? 7 : 1), 11);
    return vector_rows(p.rows, vector_bytes);
  }
  /// Where tiles in registers are not enough for one wave of them, each has several batches of rows, of which
  /// all but one wait in shared memory: at most as many as there is room for where blocks share a
  /// multiprocessor. Items that fill no words have no registers for it.
  static constexpr bool may_set_aside =
      Held == rows_are::set_aside && Size == size_class::small && In == passes::one &&
      !Problem::writes_at_tails && sizeof(typename Problem::raw) <= 8 &&
      (shape.segmented ? may_ignore_left<typename Problem::value>
                       : !shape.gathers && sizeof(typename Problem::value) <= 8 &&
                             (shape.numbers || sizeof(typename Problem::value) % 4 == 0));
  static constexpr std::size_t bytes_aside(scan_plan const& p, int block_threads, int batches) {
    return std::size_t{16} * waiting_chunks<Problem>(rows_of(p)) * (block_threads - 32) * (batches - 1);
  }
  static constexpr int most_batches(scan_plan const& p, int arch) {
    int batches = 1;
    if (!may_set_aside || p.stages > 0) return batches;
    auto const runs = static_cast<std::size_t>(rows_of(p) * (p.threads / 32 - 1)),
               run_bytes = 4 * Problem::vector_items + sizeof(typename Problem::value),
               room = shared_bytes_of(arch) / p.blocks - 4096;
    while (batches < 4 && bytes_aside(p, p.threads, batches + 1) + (batches + 2) * runs * run_bytes <= room)
      ++batches;
    return batches;
  }
  using tile = scan_register_tile<Problem, here, rows_of(here), most_batches(here, arch_here())>;
  static constexpr bool reads_flags = [] {
    if constexpr (shape.segmented) return has_flags_in_memory<decltype(Problem::heads_type::source)>;
    else return false;
  }();
  static constexpr int tiny_rows_of(scan_plan const& p) {
    if (shape.gathers && !shape.segmented) return vector_rows((p.rows + 1) / 2, gathered_bytes);
    return vector_rows(
        std::min(p.rows, scan_tiny_rows(shape.segmented ? Problem::vector_items : 1, reads_flags)),
        shape.gathers ? gathered_bytes : vector_bytes);
  }
  using tiny_tile = scan_register_tile<Problem, here, has_tiny ? tiny_rows_of(here) : rows_of(here)>;
  /// Of so few items that one block has them all. Kernels that read head bits have no registers to spare for
  /// one more way of wide values.
  static constexpr bool has_lone =
      has_tiny && (!Problem::heads_type::packed_heads || registers_of<typename Problem::value> <= 4);
  static constexpr int lone_rows = [] {
    constexpr int registers = registers_of<typename Problem::value>;
    return registers <= 2 ? 4 : registers <= 4 ? 2 : 1;
  }();
  using lone_tile = scan_lone_tile<Problem, here.threads, lone_rows>;
  static constexpr bool is_lone(scan_plan const& p, std::int64_t n) {
    return has_lone && n <= p.threads * lone_rows;
  }
  static constexpr int threads = here.threads, blocks = here.blocks;

  static constexpr std::size_t dynamic_bytes(int arch) {
    auto const p = plan(arch);
    if (p.stages > 0) return scan_staged_bytes(p, shape);
    return std::max(bytes_aside(p, p.threads, most_batches(p, arch)), bytes_of_share(p, arch));
  }
  static constexpr std::size_t dynamic_bytes_for(int arch, int block_threads, std::int64_t n) {
    auto const p = plan(arch);
    if (p.stages > 0) return dynamic_bytes(arch);
    auto const aside = bytes_aside(p, block_threads, batches_for(arch, n));
    return is_shared_out(p, arch, block_threads, n) ? std::max(aside, bytes_of_share(p, arch)) : aside;
  }
  /// Blocks that are resident all at once are to be as many on each multiprocessor: where they are small, so
  /// that more fit, they take so much shared memory that no more do. Else those that start while the kernel
  /// before still runs crowd where its first blocks have ended.
  static constexpr std::size_t bytes_of_share(scan_plan const& p, int arch) {
    bool const shares = Held == rows_are::set_aside && Size == size_class::small && In == passes::one;
    return shares ? shared_bytes_of(arch) / (p.blocks + 1) : 0;
  }
  static constexpr bool is_shared_out(scan_plan const& p, int arch, int block_threads, std::int64_t n) {
    std::int64_t const tile = tile_items(arch, block_threads, n), each = multiprocessors_of(arch),
                       places = n + Problem::vector_items - 1;
    return block_threads < p.threads && places > each * tile && places <= p.blocks * each * tile;
  }
  /// The same, on a device that has less shared memory than its architecture's kernels want.
  using in_registers = scan_config<Problem, Size, How, Own, In, rows_are::held>;
  /// Items of a tile of a block of so many threads.
  static constexpr int tile_items(scan_plan const& p, int block_threads, bool tiny) {
    if (p.stages > 0) return 32 * chunks_of(p) * scan_lane_items(p, shape);
    int const used = has_tiny && tiny ? tiny_rows_of(p) : rows_of(p);
    return (block_threads - 32) * used * Problem::vector_items;
  }
  static constexpr int tile_items(int arch, int block_threads, std::int64_t n) {
    auto const p = plan(arch);
    if (is_lone(p, n)) return p.threads * lone_rows + Problem::vector_items;  // wherever vectors would begin
    return tile_items(p, block_threads, is_tiny(p, arch, n)) * batches_for(arch, n);
  }
  /// As many as make all of it one wave; else one.
  static constexpr int batches_for(int arch, std::int64_t n) {
    auto const p = plan(arch);
    if (!may_set_aside || p.stages > 0) return 1;
    auto const batches = (n + one_wave(arch) - 1) / one_wave(arch);
    return batches <= most_batches(p, arch) ? static_cast<int>(batches) : 1;
  }
  /// Whether tiles with few rows are resident all at once.
  static constexpr bool is_tiny(scan_plan const& p, int arch, std::int64_t n) {
    return n <= p.blocks * one_each(p, arch, true);
  }
  /// Items of as many tiles as there are multiprocessors, and of as many as are resident at once.
  static constexpr std::int64_t one_each(scan_plan const& p, int arch, bool tiny) {
    return std::int64_t{multiprocessors_of(arch)} * tile_items(p, p.threads, tiny);
  }
  static constexpr std::int64_t one_wave(int arch) {
    auto const p = plan(arch);
    return p.blocks * one_each(p, arch, false);
  }
  /// The most items of which some tiles of several batches are resident all at once.
  static constexpr std::int64_t most_resident(int arch) {
    return std::min(scan_resident_bytes / static_cast<std::int64_t>(shape.staged + shape.results),
                    most_batches(plan(arch), arch) * one_wave(arch));
  }
  /// Threads of a block for n items. What is resident at once gets equal shares; where there is less than a
  /// tile for every multiprocessor, tiles are as large as they can be, so that few look back, but many enough
  /// for the multiprocessors to share the memory, or the reads elsewhere, of which each takes its turns in
  /// the first-level cache. Part of what fixes the result's bits, so it depends on nothing but the plan and
  /// n.
  static constexpr int threads_for(int arch, std::int64_t n) {
    std::int64_t const tiles_wanted = shape.gathers ? multiprocessors_of(arch) : 16;
    auto const p = plan(arch);
    if (p.stages > 0) return p.threads;
    if (is_lone(p, n)) return std::max(32, std::min(p.threads, (static_cast<int>(n) + 31) / 32 * 32));
    int block_threads = p.threads;
    // What one tile holds, wherever vectors begin, is one tile: it waits for no other.
    if (constexpr int V = Problem::vector_items; n + V - 1 <= tile_items(arch, block_threads, n)) {
      auto const warp_items = tile_items(arch, 64, n);
      return static_cast<int>((n + V - 1 + warp_items - 1) / warp_items) * 32 + 32;
    }
    bool const tiny = is_tiny(p, arch, n);
    auto const each = one_each(p, arch, tiny);  // of one tile a multiprocessor
    if (tiny && n <= each) {
      while (block_threads > 64 && n < tiles_wanted * tile_items(arch, block_threads, n))
        block_threads = std::max(64, block_threads / 64 * 32);
    } else if (auto const tiles_each =
                   n <= each || batches_for(arch, n) > 1 ? std::int64_t{p.blocks} : (n + each - 1) / each;
               tiles_each <= p.blocks) {
      std::int64_t const warp_items = tile_items(arch, 64, n), tiles = tiles_each * multiprocessors_of(arch),
                         places = n + Problem::vector_items - 1;
      auto const warps = static_cast<int>((places + tiles * warp_items - 1) / (tiles * warp_items));
      block_threads = std::min(p.threads, warps * 32 + 32);
    }
    return block_threads;
  }

  static constexpr bool fits_everywhere = fits_known_archs([](int arch) { return dynamic_bytes(arch); });
  static_assert(!std::is_same_v<Own, no_plan> || fits_everywhere);
};

template <class Problem, size_class Size, within_tile How, class Own, passes In, rows_are Held>
  requires(How != within_tile::warp_shuffle)
struct scan_config<Problem, Size, How, Own, In, Held> {
  static constexpr scan_plan here{};
  using tile = scan_shared_memory_tile<Problem, How>;
  using tiny_tile = tile;
  static constexpr bool has_lone = false, may_set_aside = false;
  static constexpr int threads = tile::threads, blocks = 1;
  static constexpr scan_plan plan(int) { return here; }
  static constexpr std::size_t dynamic_bytes(int) { return 0; }
  static constexpr std::int64_t one_wave(int) {
    return (std::int64_t{12} << 20) / sizeof(typename Problem::raw);
  }
  static constexpr int threads_for(int, std::int64_t) { return threads; }
  static constexpr int tile_items(int, int, std::int64_t) { return tile::items; }
};

/// Bytes of an item that say whether an input is small. Where widths differ, tiles in registers move the
/// narrower in short accesses and lose sooner: items and results count.
template <class Problem>
inline constexpr std::int64_t scan_bytes = [] {
  auto const item = static_cast<std::int64_t>(sizeof(typename Problem::raw));
  auto const result = static_cast<std::int64_t>(sizeof(typename Problem::out_value));
  return Problem::writes_at_tails || item == result ? item : item + result;
}();

/// Whether two configurations have the same plan on all architectures.
template <class A, class B>
inline constexpr bool same_plans = [] {
  for (int const arch : known_archs)
    if (!(A::plan(arch) == B::plan(arch))) return false;
  return true;
}();

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
