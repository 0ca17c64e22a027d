// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes a kernel and what it calls: names become registers, constants and places in memory (decode.cpp),
// and instructions become handlers (select*.cpp).
#ifndef SWEEP_TESTS_EMULATOR_DECODER_HPP
#define SWEEP_TESTS_EMULATOR_DECODER_HPP

#include "handlers.hpp"

#include <optional>

namespace emulator {

/// A value that an instruction reads or writes, and its register's size.
struct value {
  operand where = no_operand;
  unsigned bytes = 0;
};

/// "[base + offset]".
struct place_text {
  operand base = no_operand;
  bool narrow = false;  ///< the base has 32 bits
  std::int64_t offset = 0;
  std::optional<space> in;  ///< where the base is a variable: its space
};

/// An instruction cut into pieces: "@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1];"
struct parts {
  std::string_view text;
  std::string_view guard;  ///< with its "!"
  std::vector<std::string_view> words, arguments;
  std::string_view op() const { return words[0]; }
  bool has(std::string_view word) const;
  type of() const { return type_named(words.back()); }
};

class decoder {
 public:
  decoder(module_text const& module, addresses const& globals, program& p)
      : module_{module}, globals_{globals}, p_{p} {}
  void decode_all(std::string const& kernel);

 private:
  struct named {
    type of;
    operand where = no_operand;        ///< a register
    std::optional<piece> in_frame;     ///< a local variable or a function's parameter
    std::int64_t parameter = -1;       ///< a kernel's: its offset
    std::vector<std::string> targets;  ///< a table of labels
  };
  struct numbered {  ///< registers %r0, %r1, ...
    type of;
    operand first = 0;
    unsigned count = 0;
  };
  struct scope {
    int parent = -1;
    std::unordered_map<std::string, named> names;
    std::unordered_map<std::string, numbered> families;
    std::unordered_map<std::string, std::uint32_t> labels;
  };
  struct jump {
    std::size_t instruction;
    int scope;
    std::string label;
  };

  // ---- Functions and names (decode.cpp) ----
  void decode_function(routine const& r, function& into);
  void directive(statement const& s);
  void declare_registers(std::string_view text);
  int number_of_function(std::string const& name);
  named const* look_up(std::string_view name) const;
  operand new_register(type t);
  piece new_in_frame(variable const& v);
  operand constant(u64 low, unsigned bytes, u64 high = 0);
  operand shared_address(std::string const& name, std::int64_t offset, unsigned bytes);
  void resolve_jumps();
  void place_shared();

  // ---- Operands ----
  /// A register as it is, or a constant of the type's size.
  value read(std::string_view text, type t);
  /// The same, made to have the type's size.
  operand read_as(std::string_view text, type t);
  value written(std::string_view text);  ///< "_" is no operand
  operand predicate(std::string_view text);
  place_text place(std::string_view text);
  operand address_in_register(std::string_view text, unsigned bytes);
  std::optional<u64> number(std::string_view text, type t) const;
  std::vector<std::string_view> items(std::string_view text) const;
  std::optional<operand> symbol(std::string_view text, unsigned bytes);
  [[noreturn]] void refuse(std::string const& why) const;

  // ---- Instructions (select.cpp) ----
  void instruction_of(statement const& s);
  instruction& emit(handler run, std::initializer_list<operand> operands, bool moves = false);
  void select(parts const& a);
  bool select_memory(parts const& a);
  bool select_exchange(parts const& a);
  bool select_barrier(parts const& a);
  bool select_control(parts const& a);
  bool select_copy(parts const& a);
  void select_move(parts const& a);
  void select_comparison(parts const& a);
  void select_conversion(parts const& a);
  void select_call(parts const& a);
  bool select_arithmetic(parts const& a);
  void computed(std::string const& name, operand d, std::initializer_list<operand> sources);

  module_text const& module_;
  addresses const& globals_;
  program& p_;
  routine const* routine_ = nullptr;
  std::size_t function_ = 0;
  std::vector<scope> scopes_;
  int scope_ = 0;
  std::vector<jump> jumps_;
  std::uint32_t window_ = 0, frame_ = 0, line_ = 0;
  source_line source_;
  operand guard_ = no_operand;
  bool guard_inverted_ = false;
  std::unordered_map<std::string, operand> constants_;
  std::unordered_map<std::string, int> function_numbers_;
  struct shared_use {
    std::string name;
    std::int64_t offset;
    unsigned bytes;
    operand where;
  };
  std::vector<shared_use> shared_uses_;
  std::unordered_map<std::string, variable> shared_here_;  ///< declared within functions
};

}  // namespace emulator

#endif
