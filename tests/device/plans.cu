// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans: every default one fits its architecture, saying a default changes nothing, and a device with less
// shared memory gets a plan that fits.
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/partition_items.hpp>

#include <sweep/sweep.hpp>

#include <cstdint>
#include <functional>
#include <type_traits>

namespace sweep_test::plans {
using namespace sweep::detail;

// ---- What is known when compiling
// -------------------------------------------------------------------------------

constexpr std::size_t widths[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 256};

/// The plan of a scan of every combination of item, result and accumulator fits every architecture.
consteval bool scans_fit(bool segmented, size_class size) {
  for (int const arch : known_archs)
    for (auto const item : widths)
      for (auto const value : widths)
        for (auto const result : {item, value, std::size_t{8}}) {
          scan_shape shape{item,      std::max(std::max(item, result), value),
                           value,     items_per_16_bytes(item),
                           segmented, false,
                           true};
          shape.staged = item;
          shape.results = result;
          shape.unit = std::max(window_unit(static_cast<int>(item)), window_unit(static_cast<int>(result)));
          auto const plan = pick(
              scan_table, [=](scan_row const& row) { return fits(row, arch, size, passes::one, shape); });
          if (plan.stages > 0 && scan_staged_bytes(plan, shape) > shared_bytes_of(arch)) return false;
          if (plan.stages > 0 && arch < 90) return false;
        }
  return true;
}
static_assert(scans_fit(false, size_class::small));
static_assert(scans_fit(false, size_class::large));
static_assert(scans_fit(true, size_class::small));
static_assert(scans_fit(true, size_class::large));

/// Items of another width than the results stand in shared memory in their own.
inline constexpr auto from_short_to_int64 =
    shape_of_scan<scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, short*, std::int64_t*,
                               plus, identity>>;
static_assert(from_short_to_int64.bulk && from_short_to_int64.staged == 2 &&
              from_short_to_int64.results == 8);

template <class Options, class Given, class Wanted>
constexpr bool resolves_to(Given, Wanted) {
  return std::is_same_v<decltype(resolve<Options>(std::declval<Given>()).policy), Wanted>;
}
static_assert(resolves_to<scan_options>(sweep::device.with(sweep::variant::ordered_lookback),
                                        sweep::device_policy<sweep::pool_scratch>{}));
static_assert(resolves_to<scan_options>(sweep::device.with(sweep::variant::warp_shuffle),
                                        sweep::device_policy<sweep::pool_scratch>{}));
static_assert(resolves_to<reduce_options>(sweep::device.with(sweep::variant::warp_shuffle),
                                          sweep::device_policy<sweep::pool_scratch>{}));
static_assert(resolves_to<partition_options>(sweep::device.with(sweep::variant::single_pass),
                                             sweep::device_policy<sweep::pool_scratch>{}));
static_assert(resolves_to<scan_options>(sweep::host.with(sweep::variant::ordered_lookback),
                                        sweep::host_policy<>{}));
static_assert(!resolves_to<scan_options>(sweep::device.with(sweep::variant::chained),
                                         sweep::device_policy<sweep::pool_scratch>{}));

// ---- Where there is less shared memory
// --------------------------------------------------------------------------

/// Pretends for a while that blocks may have so many bytes.
class less_shared_memory {
 public:
  explicit less_shared_memory(std::size_t bytes) { most_shared_bytes = bytes; }
  less_shared_memory(less_shared_memory const&) = delete;
  less_shared_memory& operator=(less_shared_memory const&) = delete;
  ~less_shared_memory() { most_shared_bytes = ~std::size_t{0}; }
};

using U = std::uint32_t;

/// What call(out) writes, with all of the shared memory and with little of it.
template <class Call>
void same_with_less(char const* what, std::size_t results, Call call) {
  device_array<U> all(results), little(results);
  call(all.begin());
  {
    less_shared_memory const now(std::size_t{99} << 10);
    call(little.begin());
  }
  expect(all.read() == little.read(), what);
}

struct wide {
  std::uint64_t low, high;
  friend bool operator==(wide const&, wide const&) = default;
};
struct add_wide {
  __host__ __device__ wide operator()(wide a, wide b) const { return {a.low + b.low, a.high ^ b.high}; }
};
struct widen {
  __host__ __device__ wide operator()(U x) const { return {x, x}; }
};

struct record {
  U words[12];
};
struct first_is_odd {
  __host__ __device__ bool operator()(record const& x) const { return x.words[0] % 2 == 1; }
};

}  // namespace sweep_test::plans

using namespace sweep_test;
using namespace sweep_test::plans;

TEST_CASE("device plans: a device with 99 KiB of shared memory a block") {
  random_source random("99 KiB");
  auto const n = sanitizing() ? std::size_t{50'021} : (std::size_t{100} << 20) / sizeof(U) + 12'345;
  device_array<U> const in(draw_bytes<U>(n, random));
  same_with_less("inclusive_scan", n,
                 [&](U* out) { sweep::inclusive_scan(sweep::device, in.begin(), in.end(), out); });
  same_with_less("segmented scan by bits", n, [&](U* out) {
    sweep::segmented_inclusive_scan(sweep::device, in.begin(), in.end(),
                                    sweep::segments::by_head_bits(in.begin()), out);
  });
  same_with_less("scan by key", n, [&](U* out) {
    sweep::inclusive_scan_by_key(sweep::device, in.begin(), in.end(), in.begin(), out);
  });
  same_with_less("copy_if_into", n + 2, [&](U* out) {
    sweep::copy_if_into(sweep::device, in.begin(), in.end(), out + 2, out, some_of_1024{500});
  });
  std::vector<U> offsets{0};
  while (offsets.back() < n)
    offsets.push_back(static_cast<U>(std::min<std::size_t>(n, offsets.back() + random.between(0, 900))));
  device_array<U> const from(offsets);
  same_with_less("segmented_reduce by offsets", offsets.size() - 1, [&](U* out) {
    sweep::segmented_reduce(sweep::device, in.begin(), in.end(),
                            sweep::segments::by_offsets(from.begin(), from.end()), out);
  });
}

TEST_CASE("device plans: a plan of the caller's that does not fit is refused") {
  device_array<U> const in(1000), out(1000);
  less_shared_memory const now(std::size_t{1} << 10);
  expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "plan", "shared memory"}, [&] {
    sweep::inclusive_scan(
        sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 256, .rows = 3, .stages = 2}>), in.begin(),
        in.end(), out.begin());
  });
}

TEST_CASE("device plans: wide accumulators over narrow items, in large inputs") {
  random_source random("wide accumulators");
  auto const n = sanitizing() ? std::size_t{20'011} : (std::size_t{13} << 20) / sizeof(U) + 99;
  auto const x = draw_bytes<U>(n, random);
  device_array<U> const in(x);
  auto const heads = draw_bytes<U>((n + 31) / 32, random);
  device_array<U> const bits(heads);
  device_array<wide> const out(n);
  sweep::segmented_transform_inclusive_scan(sweep::device, in.begin(), in.end(),
                                            sweep::segments::by_head_bits(bits.begin()), out.begin(),
                                            add_wide{}, widen{});
  auto const got = out.read();
  std::size_t wrong = 0;
  wide sum{};
  for (std::size_t i = 0; i < n; ++i) {
    bool const head = i == 0 || (heads[i / 32] >> i % 32 & 1u) != 0;
    sum = head ? widen{}(x[i]) : add_wide{}(sum, widen{}(x[i]));
    wrong += got[i] != sum;
  }
  expect(wrong == 0, "segmented sums of 16 bytes over items of 4");

  auto const m = sanitizing() ? std::size_t{20'011} : (std::size_t{13} << 20) / 2 + 7;
  auto const y = draw_bytes<std::int16_t>(m, random);
  device_array<std::int16_t> const narrow(y);
  device_array<std::int64_t> const sums(m);
  sweep::inclusive_scan(sweep::device, narrow.begin(), narrow.end(), sums.begin(), std::plus<>{},
                        std::int64_t{0});
  auto const found = sums.read();
  std::int64_t all = 0;
  wrong = 0;
  for (std::size_t i = 0; i < m; ++i) wrong += found[i] != (all += y[i]);
  expect(wrong == 0, "i16 summed in i64");
}

TEST_CASE("device plans: stencils of 48 bytes, and of one byte beside items of 12") {
  random_source random("stencils");
  std::size_t const n = 10'007;
  auto const x = draw_bytes<U>(n, random);
  auto const stencil = draw_bytes<record>(n, random);
  device_array<U> const in(x), out(n);
  device_array<record> const decides(stencil);
  auto* const end =
      sweep::copy_if(sweep::device, in.begin(), in.end(), decides.begin(), out.begin(), first_is_odd{});
  std::vector<U> want;
  for (std::size_t i = 0; i < n; ++i)
    if (first_is_odd{}(stencil[i])) want.push_back(x[i]);
  expect(first_items(out.read(), static_cast<std::size_t>(end - out.begin())) == want,
         "stencils of 48 bytes");

  using item = parcel<12>;
  auto const items = draw_bytes<item>(n, random);
  auto const flags = draw_bytes<std::uint8_t>(n, random);
  device_array<item> const from(items), to(n);
  device_array<std::uint8_t> const marks(flags);
  auto* const last = sweep::pack(sweep::device, from.begin(), from.end(), marks.begin(), to.begin());
  std::vector<item> kept;
  for (std::size_t i = 0; i < n; ++i)
    if (flags[i] != 0) kept.push_back(items[i]);
  expect(first_items(to.read(), static_cast<std::size_t>(last - to.begin())) == kept,
         "byte flags of 12-byte items");
}

TEST_CASE("device plans: saying a default gives the same bits") {
  random_source random("defaults");
  std::vector<float> x(3'300'007);
  if (sanitizing()) x.resize(20'011);
  for (auto& v : x) v = static_cast<float>(random.between(-1000, 1000)) / 7.0f;
  device_array<float> const in(x), plain(x.size()), said(x.size());
  device_array<U> const keys(std::vector<U>(x.size(), 3u));
  sweep::inclusive_scan_by_key(sweep::device, keys.begin(), keys.end(), in.begin(), plain.begin());
  sweep::inclusive_scan_by_key(sweep::device.with(sweep::variant::ordered_lookback), keys.begin(), keys.end(),
                               in.begin(), said.begin());
  expect(plain.read() == said.read(), "inclusive_scan_by_key");
}
