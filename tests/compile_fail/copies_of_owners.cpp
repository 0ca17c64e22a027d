// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: this call copies its items, and what these are can only be moved
#include <sweep/copy_if.hpp>
#include <sweep/remove.hpp>

#include <memory>
#include <vector>

using owners = std::vector<std::unique_ptr<int>>;
struct is_set {
  bool operator()(std::unique_ptr<int> const& x) const { return x != nullptr; }
};

void kept(owners& x, owners& out) {
#if defined(SWEEP_TEST_FIXED)
  (void)out;
  sweep::remove_if(sweep::host, x, is_set{});
#else
  sweep::copy_if(sweep::host, x, out, is_set{});
#endif
}
