// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of forms of sparse matrices on the device.
#include <support/convert_csr_laws.hpp>
#include <support/device_places.hpp>

using namespace sweep_test;

TEST_CASE("device forms of sparse matrices: there, back and transposed") {
  random_source random("forms of matrices");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 5000), random.between(100'000, 600'000)}) {
      if (sanitizing() && size > 5000) continue;
      conversion_laws<std::int32_t, std::int32_t, float>(on_device, "f32", draw_pattern(kind, size, random),
                                                         random);
    }
}

TEST_CASE("device forms of sparse matrices: rows of any numbers") {
  random_source random("wild rows");
  for (std::size_t const n : {10, 3000}) wild_entry_law(on_device, n, random);
}

TEST_CASE("device forms of sparse matrices: bad input") {
  conversion_error_laws(on_device, sweep::device.checked());
  std::vector<int> const offsets{0, 1};
  device_array<int> const o(offsets), rows(1);
  expect_throw<sweep::bad_argument>({"sweep::csr_to_coo:", "how many entries"}, [&] {
    sweep::csr_to_coo(sweep::device, sweep::csr_view(1, 1, o.begin(), rows.begin()), rows.begin());
  });
}

TEST_CASE("device forms of sparse matrices: captured in a graph and replayed with other inputs") {
  random_source random("forms graph");
  auto const shape = draw_pattern(4, sanitizing() ? 2000 : 100'000, random);
  auto const n = shape.entries();
  auto const entries = static_cast<std::int64_t>(n);
  device_array<int> rows(n);
  device_array<int> const columns(shape.indices_as<int>());
  device_array<int> const offsets(static_cast<std::size_t>(shape.rows) + 1), indices(n), values(n);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::coo_to_csr(
        on,
        sweep::coo_view(shape.rows, shape.columns, entries, rows.begin(), columns.begin(), columns.begin()),
        offsets.begin(), indices.begin(), values.begin());
  });
  for (int replay = 0; replay < 2; ++replay) {
    single_entries<int> all{{}, shape.indices, shape.indices_as<int>()};
    for (std::size_t k = 0; k < n; ++k) all.rows.push_back(random.between(0, shape.rows - 1));
    rows.write(made_of<int>(all.rows));
    graph.launch(stream);
    stream.wait();
    auto const want = all.by_lines(false, shape.rows);
    expect_equal(offsets.read(), made_of<int>(want), "offsets of replay " + std::to_string(replay));
    expect_equal(values.read(), all.values, "values of replay " + std::to_string(replay));
  }
}
