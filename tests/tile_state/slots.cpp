// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as runs of tagged words: what is there is read whole, what is not is not read at all.
#include <support/expect.hpp>
#include <support/values.hpp>

#include <sweep/detail/lookback/slots.hpp>

#include <thread>
#include <vector>

using namespace sweep_test;
using sweep::detail::slots;

namespace {

template <class T>
void slot_laws() {
  random_source random("slots");
  constexpr std::int64_t count = 5;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(count * slots<T>::words));
  slots<T> const now(words.data(), 3), later(words.data(), 4);
  auto const values = draw_many<T>(static_cast<std::size_t>(count), random);
  auto const old = draw<T>(random);
  T value = old;
  for (std::int64_t i = 0; i < count; ++i) {
    expect(!now.try_read(i, value) && value == old, "an empty slot gives nothing");
    now.publish(i, values[static_cast<std::size_t>(i)]);
    expect(now.try_read(i, value) && value == values[static_cast<std::size_t>(i)], "what was put is got");
    value = old;
    expect(!later.try_read(i, value) && value == old, "another launch's value is not there");
  }
  later.publish(2, old);
  expect(later.try_read(2, value) && value == old, "a slot serves the next launch");
  expect(!now.try_read(2, value), "and no longer this one");
  expect(now.try_read(1, value) && value == values[1] && now.try_read(3, value) && value == values[3],
         "its neighbours are as they were");

  // A value is there only when its last word is.
  for (std::size_t missing = 0; missing < static_cast<std::size_t>(slots<T>::words); ++missing) {
    std::vector<std::uint64_t> torn(words.begin(), words.begin() + slots<T>::words);
    torn[missing] = 0;
    value = old;
    expect(!slots<T>(torn.data(), 3).try_read(0, value) && value == old,
           "a value that lacks a word is not there");
  }
}

}  // namespace

TEST_CASE("slots: values of 1 to 48 bytes") {
  slot_laws<std::uint8_t>();
  slot_laws<affine<std::uint8_t>>();
  slot_laws<heisenberg<std::uint8_t>>();
  slot_laws<std::uint32_t>();
  slot_laws<double>();
  slot_laws<heisenberg<std::uint32_t>>();
  slot_laws<matrix2>();
  slot_laws<heisenberg<std::uint64_t>>();
  slot_laws<motion>();
}

TEST_CASE("slots: a reader beside the writer sees whole values or none") {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(slots<motion>::words));
  random_source random("beside");
  for (std::uint32_t launch = 1; launch <= 300; ++launch) {
    slots<motion> const shared(words.data(), launch);
    auto const sent = draw<motion>(random);
    motion got{};
    std::jthread reader([&] {
      while (!shared.try_read(0, got)) std::this_thread::yield();
    });
    shared.publish(0, sent);
    reader.join();
    expect(got == sent, "launch " + std::to_string(launch));
  }
}
