// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTS_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTS_LAWS_HPP

#include <support/expect.hpp>
#include <support/segment_layouts.hpp>
#include <support/values.hpp>

#include <sweep/convert_segments.hpp>
#include <sweep/distribute.hpp>
#include <sweep/split.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace sweep_test {

/// Any notation gives the flags, bits, offsets and lengths of the same segments. Forms: the notations.
template <class Place>
void conversion_laws(Place const& all_places, std::vector<std::size_t> const& sizes) {
  random_source random("conversions");
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const places = all_places.for_turn(given.turn);
    using P = std::decay_t<decltype(places)>;
    auto const n = given.n;
    auto const& heads = given.heads;
    auto const& all = given.all;
    auto const items = static_cast<std::int64_t>(n);
    std::vector<unsigned char> flags(heads.begin(), heads.end());
    std::vector<std::uint32_t> bits((n + 31) / 32);
    for (std::size_t i = 0; i < n; ++i)
      if (heads[i]) bits[i / 32] |= std::uint32_t{1} << i % 32;
    auto const from = [&](auto const& at, char const* name, auto const& segments, bool keeps_empty) {
      if (at.skipped) return;
      auto const title =
          std::string(at.name) + ": from " + name + ", " + given.name + ", n = " + std::to_string(n);
      std::vector<std::int64_t> offsets(all.offsets.begin(), all.offsets.end()), lengths = all.lengths;
      if (!keeps_empty) {
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
        std::erase(lengths, 0);
      }
      typename P::template array<unsigned char> const flags_out(n);
      typename P::template array<std::uint32_t> const bits_out(bits.size());
      typename P::template array<std::int64_t> const offsets_out(offsets.size()), lengths_out(lengths.size());
      namespace to = sweep::segments;
      expect(to::to_head_flags(at.policy, segments, items, flags_out.begin()) == flags_out.end(), title);
      expect(to::to_head_bits(at.policy, segments, items, bits_out.begin()) == bits_out.end(), title);
      expect(to::to_offsets(at.policy, segments, items, offsets_out.begin()) == offsets_out.end(), title);
      expect(to::to_lengths(at.policy, segments, items, lengths_out.begin()) == lengths_out.end(), title);
      expect_equal(flags_out.read(), flags, title + " to flags");
      expect_equal(bits_out.read(), bits, title + " to bits");
      expect_equal(offsets_out.read(), offsets, title + " to offsets");
      expect_equal(lengths_out.read(), lengths, title + " to lengths");
      expect(flags_out.guards_intact() && bits_out.guards_intact() && offsets_out.guards_intact() &&
                 lengths_out.guards_intact(),
             title + ": writes its outputs only");
    };
    namespace by = sweep::segments;
    typename P::template array<std::int32_t> const keys(all.keys), offsets(all.offsets);
    typename P::template array<unsigned char> const given_flags(all.flags);
    typename P::template array<std::uint32_t> const given_bits(all.bits);
    typename P::template array<std::int64_t> const lengths(all.lengths);
    from(at_form<0>(places), "key", by::by_key(keys.begin()), false);
    from(at_form<1>(places), "flags", by::by_head_flags(given_flags.begin()), false);
    from(at_form<2>(places), "bits", by::by_head_bits(given_bits.begin(), given_bits.end()), false);
    from(at_form<3>(places), "offsets", by::by_offsets(offsets.begin(), offsets.end()), true);
    from(at_form<4>(places), "lengths", by::by_lengths(lengths.begin(), lengths.end()), true);
  });
}

template <class Place>
void distribute_laws(Place const& all_places, std::vector<std::size_t> const& sizes) {
  random_source random("distribute");
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const places = all_places.for_turn(given.turn);
    using P = std::decay_t<decltype(places)>;
    auto const n = given.n;
    auto const& heads = given.heads;
    auto const& all = given.all;
    auto const x = draw_many<std::uint32_t>(n, random);
    std::vector<std::uint32_t> first(n), last(n);
    for (std::size_t i = 0; i < n; ++i) first[i] = heads[i] ? x[i] : first[i - 1];
    for (std::size_t i = n; i-- > 0;) last[i] = i + 1 == n || heads[i + 1] ? x[i] : last[i + 1];
    typename P::template array<std::uint32_t> const in(x), out(n);
    typename P::template array<std::uint32_t> const bits(all.bits);
    auto const segments = sweep::segments::by_head_bits(bits.begin());
    auto const law = [&](auto const& at, std::vector<std::uint32_t> const& want, char const* what,
                         auto call) {
      if (at.skipped) return;
      call(at.policy);
      expect_equal(out.read(), want,
                   std::string(at.name) + ": distribute" + what + ", " + given.name +
                       ", n = " + std::to_string(n));
    };
    law(at_form<0>(places), first, "",
        [&](auto const& policy) { sweep::distribute(policy, in.begin(), in.end(), segments, out.begin()); });
    law(at_form<1>(places), last, " backward", [&](auto const& policy) {
      sweep::distribute(policy, in.begin(), in.end(), segments, out.begin(), sweep::backward);
    });
    law(at_form<2>(places), std::vector<std::uint32_t>(n, n > 0 ? x.front() : 0), " of the whole range",
        [&](auto const& policy) { sweep::distribute(policy, in.begin(), in.end(), out.begin()); });
    law(at_form<3>(places), std::vector<std::uint32_t>(n, n > 0 ? x.back() : 0),
        " of the whole range backward", [&](auto const& policy) {
          sweep::distribute(policy, in.begin(), in.end(), out.begin(), sweep::backward);
        });
  });
}

struct is_odd {
  SWEEP_TEST_HD bool operator()(std::uint32_t x) const { return x % 2 != 0; }
};

template <class Place>
void split_laws(Place const& all_places, std::vector<std::size_t> const& sizes) {
  random_source random("split");
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const places = all_places.for_turn(given.turn);
    using P = std::decay_t<decltype(places)>;
    auto const n = given.n;
    auto const& heads = given.heads;
    auto const& all = given.all;
    auto const x = draw_many<std::uint32_t>(n, random);
    auto want = x;
    std::vector<unsigned char> new_heads(n);
    for (std::size_t begin = 0; begin < n;) {
      auto end = begin + 1;
      while (end < n && !heads[end]) ++end;
      auto const from = want.begin() + static_cast<std::ptrdiff_t>(begin),
                 to = want.begin() + static_cast<std::ptrdiff_t>(end);
      auto const middle = std::stable_partition(from, to, is_odd{});
      new_heads[begin] = 1;
      if (middle != to) new_heads[static_cast<std::size_t>(middle - want.begin())] = 1;
      begin = end;
    }
    typename P::template array<std::uint32_t> const in(x), out(n);
    typename P::template array<unsigned char> const flags(all.flags), heads_out(n);
    auto const segments = sweep::segments::by_head_flags(flags.begin());
    auto const title_at = [&](auto const& at, char const* what) {
      return std::string(at.name) + ": " + what + ", " + given.name + ", n = " + std::to_string(n);
    };
    if (auto const& at = at_form<0>(places); !at.skipped) {
      auto const title = title_at(at, "split");
      expect(sweep::split(at.policy, in.begin(), in.end(), segments, out.begin(), is_odd{}) == out.end(),
             title);
      expect_equal(out.read(), want, title);
      expect(out.guards_intact(), title + ": writes its output only");
    }
    if (auto const& at = at_form<1>(places); !at.skipped) {
      auto const title = title_at(at, "split_and_segment");
      typename P::template array<std::uint32_t> const again(n);
      sweep::split_and_segment(at.policy, in.begin(), in.end(), segments, again.begin(), heads_out.begin(),
                               is_odd{});
      expect_equal(again.read(), want, title);
      expect_equal(heads_out.read(), new_heads, title + ": the new segments");
      expect(again.guards_intact() && heads_out.guards_intact(), title + ": writes its outputs only");
    }
  });
}

}  // namespace sweep_test

#endif
