// Instruction: one step of a program. instructions.def says what each does.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "src/program/buffer.h"
#include "weft/activation.hpp"

namespace weft {

enum class Opcode : std::uint8_t {
#define WEFT_INSTRUCTION(identifier, ...) k##identifier,
#include "src/program/instructions.def"
#undef WEFT_INSTRUCTION
};

/// A buffer, and for one with several slots the age of the sample meant: slot (clock - lag) mod slots.
struct Operand {
  BufferId buffer = kNoBuffer;
  std::int32_t lag = 0;
  bool present() const { return buffer != kNoBuffer; }
  bool operator==(const Operand&) const = default;
};

/// A condition on a counter of the device; absent (always true) where counter is kNoBuffer.
struct Predicate {
  enum class Test : std::uint8_t { kNonZero, kZero, kModulo };
  BufferId counter = kNoBuffer;
  Test test = Test::kNonZero;
  std::uint32_t modulus = 1;  // kModulo: counter mod modulus == remainder
  std::uint32_t remainder = 0;
  bool present() const { return counter != kNoBuffer; }
  bool holds(std::uint64_t count) const {
    switch (test) {
      case Test::kNonZero: return count != 0;
      case Test::kZero: return count == 0;
      case Test::kModulo: return count % modulus == remainder;
    }
    return true;
  }
  bool operator==(const Predicate&) const = default;
};

struct Instruction {
  Opcode op = Opcode::kZero;
  Activation activation = Activation::kLinear;
  bool accumulate = false;
  std::array<Operand, 3> in{};
  std::array<Operand, 3> out{};
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t in_at = 0, out_at = 0, width = 0;
  double scale = 1.0;
  std::uint32_t value = 0, period = 1;
  std::array<Predicate, 3> when{};  // all must hold, else the instruction does nothing
};

std::string_view to_string(Opcode op);
/// The operands' names, separated by spaces, optional ones in brackets.
std::string_view input_names(Opcode op);
std::string_view output_names(Opcode op);

/// Whether the instruction reads what its outputs held before: it accumulates or updates in place.
bool reads_outputs(const Instruction& instruction);

}  // namespace weft
