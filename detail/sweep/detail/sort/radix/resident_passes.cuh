// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RESIDENT_PASSES_CUH
#define SWEEP_DETAIL_SORT_RADIX_RESIDENT_PASSES_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/frequent_keys.cuh>
#include <sweep/detail/sort/radix/frequent_words.cuh>
#include <sweep/detail/sort/radix/keys_set_apart.cuh>
#include <sweep/detail/sort/radix/large_groups.cuh>
#include <sweep/detail/sort/radix/radix_code.cuh>
#include <sweep/detail/sort/radix/radix_finish.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/radix/radix_sample.cuh>
#include <sweep/detail/sort/radix/resident_items.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// All passes of a radix sort in one kernel, whose blocks all run at the same time: each has one chunk,
/// counts it and moves it, and meets the others in between. So what is decided on the device, which passes
/// are made and whether the shorter way is gone, costs nothing where it is not made. Items end in the last
/// memory, or where the shorter way leaves them to be finished.
template <class Key, class Value, class Order, bool CanFinish>
struct radix_passes_job {
  using shape = split_shape_here<Key, Value>;
  using pass_type = radix_pass<Key, Value, Order>;
  static constexpr int threads = shape::threads, blocks = shape::blocks, warps = threads / 32;
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>,
                        any_order = !has_values && Order::is_exact,
                        has_parts = CanFinish && Order::has_exponent,
                        has_frequent = CanFinish && has_frequent_keys<Key, Value, Order>,
                        has_words = CanFinish && has_frequent_words<Key, Value>;
  using frequent_type = frequent_keys<Key>;
  using here = resident_items<Key, Value, has_frequent>;
  static constexpr split_numbers numbers(int arch) { return split_numbers_of<Key, Value>(arch); }
  static constexpr std::size_t frequent_bytes = [] {
    if constexpr (has_frequent) return frequent_type::shared_bytes(warps);
    else return std::size_t{0};
  }();
  static constexpr std::size_t counting_bytes =
      std::max(split_counting<pass_type, threads>::bytes, frequent_bytes);
  /// Behind what a block moves with, or counts with.
  SWEEP_HD static constexpr std::size_t parts_at(std::size_t moving_bytes) {
    return moving_bytes > counting_bytes ? moving_bytes : counting_bytes;
  }
  static constexpr std::size_t parts_bytes = sizeof(code_part) * code_parts;
  using shares_parts_here =
      std::bool_constant<has_parts && shape::bytes + parts_bytes + 4096 <= shared_bytes_of(arch_here())>;
  /// Whether a block has a copy of the parts: where there is room for it, with what else it shares.
  static constexpr bool shares_parts(int arch) {
    return has_parts && numbers(arch).bytes + parts_bytes + 4096 <= shared_bytes_of(arch);
  }
  static constexpr std::size_t dynamic_bytes(int arch) {
    return parts_at(numbers(arch).bytes) + (shares_parts(arch) ? parts_bytes : 0);
  }
  static constexpr int most_of_shorter = 5;  ///< passes
  /// Three a pass, of the shorter way and of all digits, and eight more of the shorter way.
  SWEEP_HD static constexpr int most_meetings(int digits) {
    return 3 * digits + (CanFinish ? 3 * most_of_shorter + 8 : 0);
  }

  radix_memory<Key> key_memory;
  radix_memory<Value> value_memory;
  std::int64_t n;
  Order order;
  radix_digits digits;
  bool in_place;
  std::uint32_t* differing;
  unsigned char* told;  ///< memory of told_bins
  split_counts counts;
  ticket_counter tickets;
  // Of the shorter way, if it may be gone.
  radix_shorter* shorter;
  radix_code<Order> const* code;
  sampled_parts* parts;  ///< of numbers with an exponent
  radix_windows windows;
  frequent_type* frequent;                            ///< of keys that may be set apart
  frequent_words<typename Order::word> const* words;  ///< of values' keys, or null
  bool counted_ahead;                                 ///< the first digit, of keys as they were

  /// Inlined whatever its size: a call would copy all members into local memory.
  __device__ __forceinline__ void operator()() const {
    grid_barrier grid(tickets, static_cast<unsigned>(most_meetings(digits.count)));
    here::choose_items({key_memory, value_memory, n, counts.chunk_items, in_place});
    bool finishes = false;
    if constexpr (CanFinish) finishes = way_of(digits) != radix_way::not_gone && go_shorter(grid);
    if constexpr (has_frequent)
      if (digits.shorter && digits.shorter->frequent != 0) set_apart(grid);
    if (!finishes) {
      go_by_digits(grid);
      if constexpr (has_frequent)
        if (is_set_apart()) apart().put_back(grid, here::others().all);
      if constexpr (CanFinish) bring_large_back(grid);
    }
    if constexpr (has_words)
      if (way_of(digits) == radix_way::finished && is_by_words() && !is_last()) bring_split(grid, finishes);
    grid.leave();
  }

 private:
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(128) unsigned char bytes[];
    return bytes;
  }
  /// 0. The compiler is not told: it would make the loop over digits twice, once for the first.
  __device__ static int first_digit() {
    int digit = 0;
    asm volatile("" : "+r"(digit));
    return digit;
  }
  __device__ std::int64_t chunk_items_of(std::int64_t all) const {
    constexpr int unit = 1024;  // as chunks have
    return ((all + counts.chunks - 1) / counts.chunks + unit - 1) / unit * unit;
  }
  /// When items have been moved: then they are side by side.
  __device__ void meet_moved(grid_barrier& grid) const {
    grid.arrive();
    if constexpr (has_frequent)
      if (threadIdx.x == 0 && here::others().are_of_chunks) {
        here::others().are_of_chunks = false;
        here::items().n = here::others().all;
        here::items().chunk_items = chunk_items_of(here::others().all);
      }
    grid.wait();
  }
  template <class Pass>
  __device__ void count(Pass const& from) const {
    sees_nothing seen;
    count(from, seen);
  }
  /// The same of the first pass, by which something is found.
  template <class Pass>
  __device__ void count_first(Pass const& from) const {
    auto seen = from.observer();
    count(from, seen);
    seen.tell();
  }
  template <class Pass, class Seen>
  __device__ void count(Pass const& from, Seen& seen) const {
    auto const begin = here::chunk_begin();
    auto const sum = split_counting<Pass, threads>::count(from, seen, begin, here::chunk_end(begin),
                                                          reinterpret_cast<unsigned*>(memory()));
    if (unsigned const t = thread_here(); t < parts_of_pass)
      counts.table[t * counts.chunks + here::own_chunk()] = sum;
  }
  /// Whether a pass tells the next one's bins: where most keys are of bins of which a block has so many in a
  /// tile that what it tells of them is of whole sectors. Told otherwise, bytes take more time than keys to
  /// count; the sooner, the narrower keys are and the more moves with them.
  __device__ bool tells_next(int bins) const {
    constexpr float of_bin = has_values ? 1.0f / 64 : 1.0f / 160, of_all = sizeof(Key) > 4 ? 0.6f : 0.75f;
    __shared__ int whole;  // of 4,096 keys
    int const t = static_cast<int>(thread_here());
    if (t == 0) whole = 0;
    __syncthreads();
    auto const all = has_frequent ? here::others().all : here::items().n;
    if (t < bins) {
      auto const share = static_cast<float>(counts.totals[t]) / static_cast<float>(all);
      if (share >= of_bin) atomicAdd(&whole, static_cast<int>(share * 4096));
    }
    __syncthreads();
    return whole >= static_cast<int>(of_all * 4096);
  }
  __device__ static bool& is_told() {
    __shared__ bool told;
    return told;
  }
  /// Which digit a pass is of: not kept in a register while it is made.
  __device__ static int& digit_of_pass() {
    __shared__ int digit;
    return digit;
  }
  /// Behind all counts: a warp for each bin, of as many blocks as there are.
  __device__ void place_counts(int bins, grid_barrier& grid) const {
#pragma unroll 1
    for (auto bin = here::own_chunk() + thread_here() / 32 * counts.chunks; bin < bins;
         bin += warps * counts.chunks)
      detail::place_counts(counts, static_cast<int>(bin));
    grid.meet();
  }
  template <class Pass>
  __device__ void move(Pass const& from) const {
    auto own = counts;
    own.chunk_items = here::items().chunk_items;
    if (here::chunk_begin() < here::items().n) move_split_chunk(from, own, here::own_chunk(), memory());
  }

  __device__ void go_by_digits(grid_barrier& grid) const {
    auto const pass_of = [&](int d, radix_route const& route) {
      int const bits = digits.bits_of(d);
      pass_type pass{
          {here::items().n, order, 1 << bits, bits}, digits.begin_of(d), d == 0 ? differing : nullptr};
      pass.go(here::items().keys, here::items().values, route);
      return pass;
    };
    int d = first_digit();
#pragma unroll 1
    while (d < digits.count) {
      radix_route route{radix_route::start(digits), radix_side::last};
      bool counts_told = false;
      if (d > 0) {
        // Behind the first digit's counts it is known which digits there are, and so where items come from.
        auto const active = digits.active();
        if (active >> d == 0) break;
        d += __ffs(static_cast<int>(active >> d)) - 1;
        route = radix_route::of(digits, active, d, here::items().in_place);
        if ((active & ((1u << d) - 1)) != 0) {
          meet_moved(grid);
          counts_told = pass_type::tells_next && is_told();
        }
      }
      bool const is_counted =
          has_values && d == 0 && counted_ahead && digits.shorter && digits.shorter->digits == 0;
      if (d == 0) {
        if (!is_counted) count_first(pass_of(d, route));
      } else if (counts_told) count(told_bins{told_bins::at(told, here::items().keys.of(route.from))});
      else count(pass_of(d, route));
      if (threadIdx.x == 0) digit_of_pass() = d;
      if (is_counted) __syncthreads();
      else grid.meet();
      d = digit_of_pass();
      if ((digits.active() >> d & 1u) != 0) {
        place_counts(1 << digits.bits_of(d), grid);
        d = digit_of_pass();
        auto const active = digits.active();
        auto pass = pass_of(d, radix_route::of(digits, active, d, here::items().in_place));
        if constexpr (pass_type::tells_next) {
          auto const behind = active >> d >> 1;
          bool const tells = tells_next(1 << pass.bits) && behind != 0;
          if (threadIdx.x == 0) is_told() = tells;
          if (tells) {
            int const next = d + __ffs(static_cast<int>(behind));
            pass.next = {told_bins::at(told, pass.keys_out), digits.begin_of(next), digits.bits_of(next)};
          }
        }
        // The first has no order to keep, where all bits of keys count. With the shorter way, digits that are
        // spread are not for this one.
        bool moved = false;
        if constexpr (any_order && !CanFinish)
          if ((active & ((1u << d) - 1)) == 0 && digits.begin == 0 && digits.end == Order::bits) {
            move(radix_pass<Key, Value, Order, true>{pass, pass.shift, nullptr, pass.next});
            moved = true;
          }
        if (!moved) move(pass);
      }
      d = digit_of_pass() + 1;
    }
    auto const side = side_at_end();
    if (side == radix_side::last) return;
    if (digits.active() != 0) meet_moved(grid);
    bring_from(side);
  }
  /// Where keys that are frequent may be set apart, of which others go by their digits then.
  using apart_type = keys_set_apart<Key, Order, threads, radix_sample_job<Key, Value, Order>::keys_of_sample>;
  __device__ apart_type apart() const {
    return {key_memory, n, counts.chunk_items, order, frequent, told, memory()};
  }
  __device__ bool is_set_apart() const {
    return digits.shorter && digits.shorter->frequent != 0 && frequent->in_vain == 0;
  }
  __device__ void set_apart(grid_barrier& grid) const {
    auto const own =
        apart().count(grid, digits.shorter->frequent == static_cast<std::uint32_t>(set_apart_by::more_keys));
    if (frequent->in_vain != 0) return;
    here::choose_items({{key_memory.between, key_memory.between, key_memory.last},
                        value_memory,
                        here::chunk_begin() + own,
                        counts.chunk_items,
                        true});
    if (threadIdx.x == 0) {
      here::others() = {std::int64_t{frequent->others}, true};
      atomicOr(differing, 1u);  // a pass at least brings them together
    }
    __syncthreads();
  }
  __device__ radix_side side_at_end() const {
    return radix_route::at_end(digits, digits.active(), here::items().in_place);
  }
  /// To the last memory, what is not there.
  __device__ void bring_from(radix_side side) const {
    here::template bring<threads>(here::items().keys, side);
    if constexpr (has_values) here::template bring<threads>(here::items().values, side);
  }
  /// All that has been split by words between; what is to be finished is overwritten.
  __device__ void bring_split(grid_barrier& grid, bool finishes) const {
    if (!finishes) grid.meet();  // large gaps have gone by their digits
    here::choose_items({key_memory, value_memory, n, counts.chunk_items, in_place});
    bring_from(radix_side::between);
  }

  __device__ radix_code<Order> own_code() const {
    auto own = *code;
    if constexpr (Order::has_exponent) own.parts = shares_parts_here::value ? shared_parts() : parts->parts;
    return own;
  }
  __device__ static code_part* shared_parts() {
    return reinterpret_cast<code_part*>(memory() + parts_at(shape::bytes));
  }
  /// Where groups fill much of a block, one block's sample is not enough to say how many words each part
  /// has: all look for more of them. Where a block has no copy of the parts, each writes the same.
  __device__ void find_parts(grid_barrier& grid) const {
    auto* const own = shares_parts_here::value ? shared_parts() : parts->parts;
    int const t = static_cast<int>(threadIdx.x);
    if ((n >> 8 * shorter->digits) * 3 <= windows.most_of_group) {
      if (shares_parts_here::value)
        for (int p = t; p < code_parts; p += threads) own[p] = parts->parts[p];
      __syncthreads();
      return;
    }
    constexpr int rows = 2;
    auto const groups = *code;
    auto* const words = reinterpret_cast<unsigned*>(memory());
    for (int p = t; p < code_parts; p += threads) words[p] = 0;
    __syncthreads();
    unsigned const first =
        radix_sample_job<Key, Value, Order>::keys_of_sample + blockIdx.x * threads + threadIdx.x;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const at = drawn_place(first + static_cast<unsigned>(r) * gridDim.x * threads, n);
      auto const word = order.word_of(key_memory.first[at]);
      if (!groups.zeros || word != groups.zero) atomicAdd(words + groups.part_of(word), 1u);
    }
    __syncthreads();
    for (int p = t; p < code_parts; p += threads)
      if (words[p] != 0) atomicAdd(parts->words + p, words[p]);
    grid.meet();
    for (int p = t; p < code_parts; p += threads) words[p] = __ldcg(parts->words + p);
    __syncthreads();
    share_codes<threads>(words, own);
  }
  /// Whether items are in groups then, which can be finished, and none is to go by its digits.
  __device__ bool go_shorter(grid_barrier& grid) const {
    if (!is_by_words() && !split_by_code(grid)) return false;
    if constexpr (has_words)
      if (is_by_words()) split_by_words(grid);
    grid.meet();
    return way_of(digits) == radix_way::finished && large_are_in_order(grid);
  }
  __device__ bool is_by_words() const {
    return has_words && shorter->alike == radix_shorter::of_frequent_words;
  }
  /// By the code's digits; whether keys are where the sample's are.
  __device__ bool split_by_code(grid_barrier& grid) const {
    if constexpr (Order::has_exponent) find_parts(grid);
    using stable = radix_group_pass<Key, Value, Order, false>;
    auto const pass_of = [&](int d) {
      stable pass{{n, order, 256, 8}, own_code().at_digit(d), d == 0 ? shorter : nullptr};
      pass.go(key_memory, value_memory, radix_route::shorter(d));
      return pass;
    };
    int d = first_digit();
#pragma unroll 1
    while (d < static_cast<int>(shorter->digits)) {
      if (d == 0) count_first(pass_of(d));
      else count(pass_of(d));
      if (threadIdx.x == 0) digit_of_pass() = d;
      grid.meet();
      if (digit_of_pass() == 0 && way_of(digits) == radix_way::not_gone) return false;
      place_counts(parts_of_pass, grid);
      d = digit_of_pass();
      auto const pass = pass_of(d);
      // Only the first has no order to keep: behind it, that of the digits before.
      if constexpr (any_order) {
        if (d == 0) move(radix_group_pass<Key, Value, Order, true>{pass, pass.code});
        else move(pass);
      } else {
        move(pass);
      }
      grid.meet();
      d = digit_of_pass() + 1;
    }
    auto const* const keys = key_memory.of(radix_route::behind_shorter(digits));
    bool in_vain = false;
    if (shorter->alike == radix_shorter::of_groups) {
      auto const begin = here::chunk_begin();
      in_vain = groups_differ<threads>(order, own_code(), digits.begin, keys, begin, here::chunk_end(begin));
    } else {
      auto const groups = own_code();
#pragma unroll 1
      for (auto w = std::int64_t{blockIdx.x} * threads + threadIdx.x; w <= windows.count;
           w += std::int64_t{gridDim.x} * threads)
        in_vain = windows.place(w, n, shorter->large, [&](std::int64_t i) {
          return groups.of(order.word_of(keys[i]));
        }) || in_vain;
    }
    if (in_vain) atomicOr(&shorter->too_large, 1u);
    return true;
  }
  /// By frequent words and others; what is between two is a group.
  __device__ void split_by_words(grid_barrier& grid) const {
    using pass_by_words = frequent_words_pass<Key, Value, Order>;
    pass_by_words::template read<threads>(*words);
    auto const pass = [&] {
      pass_by_words made{{n, order, 256, 8}};
      made.go(key_memory, value_memory, radix_route::by_words(in_place));
      return made;
    };
    count(pass());
    grid.meet();
    place_counts(parts_of_pass, grid);
    move(pass());
    windows.place_gaps(pass_by_words::words(), counts.totals, n, shorter->large, memory());
  }
  /// Whether groups that no block has room for are of one word each. Items of others go by their digits, of
  /// all these groups together, in memory that nothing is in: if there is not enough of it, all items go.
  __device__ bool large_are_in_order(grid_barrier& grid) const {
    int const count = static_cast<int>(shorter->large);
    if (count == 0) return true;
    auto const& groups = read_large();
    auto const* const keys = key_memory.of(radix_route::behind_shorter(digits));
    bool differ = is_by_words();
    if (!differ)
      groups.for_each_run(count, [&](std::int64_t at, std::int64_t, std::int64_t some, std::int64_t first) {
        auto const word = order.word_of(keys[first]);
        if constexpr (Order::has_exponent)
          if (code->zeros && word == code->zero) return;  // zeros are alone
        look_at_run<threads>(keys + at, some, [&](Key const& x, std::int64_t) {
          differ |= static_cast<typename Order::word>((order.word_of(x) ^ word) >> digits.begin) != 0;
        });
      });
    if (__syncthreads_or(differ ? 1 : 0) != 0 && threadIdx.x == 0) atomicOr(&shorter->large_differ, 1u);
    grid.meet();
    bool const in_order = shorter->large_differ == 0;
    auto const all = std::int64_t{groups.before[count]}, room = (all + 63) / 64 * 64;
    if (in_order) {
      if (!is_last()) bring_large(large_to::last);
    } else if (2 * room > n) {
      if (threadIdx.x == 0) atomicOr(&shorter->too_large, 1u);
    } else {
      bring_large(large_to::together);
      here::choose_items(
          {together(key_memory, room), together(value_memory, room), all, chunk_items_of(all), true});
    }
    if (!in_order) grid.meet();
    return in_order;
  }
  /// Those that have gone by their digits.
  __device__ void bring_large_back(grid_barrier& grid) const {
    if (way_of(digits) != radix_way::finished) return;
    grid.meet();
    read_large();
    bring_large(large_to::group);
    if (is_last() || is_by_words()) return;
    grid.meet();  // they have been in the last memory
    bring_large(large_to::last);
  }
  __device__ large_groups& read_large() const {
    auto& groups = *reinterpret_cast<large_groups*>(memory());
    groups.read(windows.large, static_cast<int>(shorter->large));
    return groups;
  }
  /// Whether groups are in the last memory.
  __device__ bool is_last() const { return radix_route::behind_shorter(digits) == radix_side::last; }
  /// What is in large groups: from them together, into the memory that the shorter way has left; from there
  /// to its group again; or from its group to the last memory.
  enum class large_to { together, group, last };
  __device__ void bring_large(large_to where) const {
    bring_large_of(key_memory, where);
    if constexpr (has_values) bring_large_of(value_memory, where);
  }
  template <class T>
  __device__ T* left_memory(radix_memory<T> const& memory) const {
    return is_last() ? memory.between : memory.last;
  }
  template <class T>
  __device__ void bring_large_of(radix_memory<T> const& memory, large_to where) const {
    auto const& groups = *reinterpret_cast<large_groups const*>(this->memory());
    auto* const left = left_memory(memory);
    T* const grouped = memory.to(radix_route::behind_shorter(digits));
    T const* const from = where == large_to::group ? left : grouped;
    T* const to = where == large_to::group ? grouped : left;
    groups.for_each_run(static_cast<int>(shorter->large),
                        [&](std::int64_t at, std::int64_t place, std::int64_t some, std::int64_t) {
                          auto* const goes = to + (where == large_to::together ? place : at);
                          look_at_run<threads>(from + (where == large_to::group ? place : at), some,
                                               [&](T const& x, std::int64_t i) { put_bytes(goes[i], x); });
                        });
  }
  template <class T>
  __device__ radix_memory<T> together(radix_memory<T> const& memory, std::int64_t room) const {
    if constexpr (std::is_same_v<T, keys_alone>) {
      return {};
    } else {
      auto* const here = left_memory(memory);
      return {here, here, here + room};
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
