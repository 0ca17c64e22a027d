// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_STANDARD_HPP
#define SWEEP_DETAIL_CORE_STANDARD_HPP

// std::min, max and copy, iterators, pointers, and the functors of <functional>. nvcc reads every header once
// for the host and once for each architecture, and of libstdc++ <algorithm>, <functional>, <iterator> and
// <memory> alone take it longer than all of Sweep. Where the smaller headers that these consist of are known,
// they are included instead.

#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>  // std::min, max, copy, fill
#else
#include <algorithm>
#endif

#if __has_include(<bits/stl_function.h>) && __has_include(<bits/ranges_cmp.h>)
#include <bits/ranges_cmp.h>    // std::identity
#include <bits/stl_function.h>  // std::plus, multiplies, equal_to
#else
#include <functional>
#endif

#if __has_include(<bits/stl_iterator.h>) && __has_include(<bits/iterator_concepts.h>)
#include <bits/iterator_concepts.h>
#include <bits/stl_iterator.h>
#else
#include <iterator>
#endif

#if __has_include(<bits/align.h>) && __has_include(<bits/ptr_traits.h>) && __has_include(<bits/unique_ptr.h>)
#include <bits/align.h>
#include <bits/ptr_traits.h>  // std::to_address
#include <bits/unique_ptr.h>
#else
#include <memory>
#endif

#include <type_traits>
#include <utility>

#endif
