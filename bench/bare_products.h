// BareProducts: the matrix products of a training program, done by OpenBLAS alone in memory laid out as in training.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/program/cost.h"
#include "weft/random.hpp"

namespace weft::bench {

/// Does a program's products in their order, each on the buffers that the instruction names; all else is left out. What
/// the program does in some calls only, by a counter of calls, is done in those.
class BareProducts {
 public:
  BareProducts(const Program& program, const BufferTable& buffers) {
    for (const Instruction& instruction : program.code) {
      if (product_operations(instruction) == 0.0) continue;
      products_.push_back({instruction, turn_of(instruction, program)});
      for (const Operand& operand : {instruction.in[0], instruction.in[1], instruction.out[0]})
        give_memory(operand.buffer, buffers[operand.buffer], instruction);
    }
  }

  /// So many calls.
  void run(std::int64_t calls) {
    for (; calls > 0; --calls, ++clock_) {
      for (const Product& product : products_) {
        if (product.turn.due(clock_)) multiply(product.instruction);
      }
    }
  }

  /// Operations of all calls so far.
  double operations() const {
    double sum = 0.0;
    for (std::uint64_t call = 0; call < clock_; ++call) {
      for (const Product& product : products_)
        if (product.turn.due(call)) sum += product_operations(product.instruction);
    }
    return sum;
  }

 private:
  /// In which calls an instruction is carried out: those whose number, taken modulo, is (or is not) the remainder.
  struct Turn {
    std::uint64_t modulus = 1, remainder = 0;
    bool is = true;
    bool due(std::uint64_t call) const { return (call % modulus == remainder) == is; }
  };
  struct Product {
    Instruction instruction;
    Turn turn;
  };
  struct Memory {
    std::int64_t elements = 0, slots = 1;  // elements of one slot
    std::vector<float> values;
  };

  static Turn turn_of(const Instruction& instruction, const Program& program) {
    for (const Predicate& predicate : instruction.when) {
      if (!predicate.present()) continue;
      if (predicate.test == Predicate::Test::kModulo) return {predicate.modulus, predicate.remainder, true};
      const bool set = predicate.test == Predicate::Test::kNonZero;
      for (const Instruction& maker : program.code) {
        if (maker.out[0].buffer != predicate.counter) continue;
        if (maker.op == Opcode::kRefresh) return {maker.period, 0, set};
        if (maker.op == Opcode::kEquals) return {1, 0, set};  // from the second call on what was kept fits
      }
    }
    return {};
  }

  void give_memory(BufferId id, const Buffer& buffer, const Instruction& i) {
    Memory& memory = memory_[id];
    // The call's arguments have no size of their own.
    const std::int64_t elements = std::max({buffer.elements, i.m * i.k, std::int64_t{1}});
    if (memory.elements >= elements) return;
    memory.elements = elements;
    memory.slots = buffer.slots;
    memory.values.resize(static_cast<std::size_t>(elements * buffer.slots));
    Random random(static_cast<std::uint64_t>(id) + 1);
    for (float& value : memory.values) value = static_cast<float>(random.uniform(-0.05, 0.05));
  }

  float* at(const Operand& operand) {
    Memory& memory = memory_.find(operand.buffer)->second;
    const auto slots = static_cast<std::uint64_t>(memory.slots);
    const std::uint64_t slot = (clock_ + slots * 1024 - static_cast<std::uint64_t>(operand.lag)) % slots;
    return memory.values.data() + static_cast<std::int64_t>(slot) * memory.elements;
  }

  void multiply(const Instruction& i) {
    constexpr float kRate = -1e-9F;  // the weights stay what they are
    const int m = static_cast<int>(i.m), n = static_cast<int>(i.n), k = static_cast<int>(i.k);
    float *a = at(i.in[0]), *b = at(i.in[1]), *c = at(i.out[0]);
    const float beta = i.accumulate ? 1.0F : 0.0F;
    switch (i.op) {
      case Opcode::kForward:
        return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0F, a, k, b, k, 0.0F, c, n);
      case Opcode::kGradInput:
      case Opcode::kTargetBelow:
        return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1.0F, a, n, b, k, beta, c, k);
      case Opcode::kWeightGrad:
        return cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, 1.0F, a, n, b, k, beta, c, k);
      case Opcode::kUpdate:
        return cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, kRate, a, n, b, k, 1.0F, c, k);
      default: return;
    }
  }

  std::vector<Product> products_;
  std::map<BufferId, Memory> memory_;
  std::uint64_t clock_ = 0;
};

}  // namespace weft::bench
