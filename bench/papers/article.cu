// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers_cases.cuh"

/// The article's table: exclusive scans of 64M floats by every variant, against the copy and CUB.

namespace bench {
namespace {

template <class Across, class Within>
void add_variant(std::string const& variant, Across across, Within within) {
  add_case(
      case_name("papers/exclusive_sum/f32/" + variant, power(26)),
      [=](benchmark::State& state, std::string const& name) {
        compare_scan<kind::exclusive, direction::forward>(
            state, name, power(26), cuda::std::plus<>{}, 0.0f, elements::random_item<float>{},
            [=] { return default_policy().with(across).with(within); });
      },
      paper_rounds);
}

template <class Across>
void add_across(std::string const& name, Across across) {
  namespace variant = sweep::variant;
  add_variant(name + "+warp_shuffle", across, variant::warp_shuffle);
  add_variant(name + "+hillis_steele", across, variant::hillis_steele);
  add_variant(name + "+blelloch", across, variant::blelloch);
  add_variant(name + "+blelloch_padded", across, variant::blelloch_padded);
  add_variant(name + "+brent_kung", across, variant::brent_kung);
  add_variant(name + "+matrix", across, variant::matrix);
}

}  // namespace

void add_article() {
  namespace variant = sweep::variant;
  add_across("ordered_lookback", variant::ordered_lookback);
  add_across("decoupled_lookback", variant::decoupled_lookback);
  add_across("chained", variant::chained);
  add_across("reduce_then_scan", variant::reduce_then_scan);
  add_across("scan_then_propagate", variant::scan_then_propagate);
}

}  // namespace bench
