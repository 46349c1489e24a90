// CaseWriter: draws the buffers of cases and keeps the cases.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <utility>

#include "tests/metal/emulate/kernel_case.h"
#include "weft/random.hpp"

namespace weft::test {

class CaseWriter {
 public:
  explicit CaseWriter(Opcode op) : op_(op), random_(100 + static_cast<std::uint64_t>(op)) {}

  /// A new case of those sizes; what follows is about this one.
  KernelCase& begin(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& variant = "") {
    KernelCase made;
    made.name = fmt::format("{} m={} n={} k={}{}{}", to_string(op_), m, n, k, variant.empty() ? "" : " ", variant);
    made.instruction.op = op_;
    made.instruction.m = m, made.instruction.n = n, made.instruction.k = k;
    made.instruction.scale = -0.75;
    cases_.push_back(std::move(made));
    return cases_.back();
  }

  /// A float's value, so that every device starts from the same bits.
  double number(double low = -2.0, double high = 2.0) {
    return static_cast<double>(static_cast<float>(random_.uniform(low, high)));
  }

  Operand numbers(std::int64_t count, double low = -2.0, double high = 2.0) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = number(low, high);
    return add({Element::kStorage, std::move(values)});
  }
  Operand holding(std::vector<double> values) { return add({Element::kStorage, std::move(values)}); }
  Operand real(double value) { return add({Element::kReal, {value}}); }
  Operand counter(std::uint32_t value) { return add({Element::kCounter, {static_cast<double>(value)}}); }

  /// A sum of that many products of factors up to 2, on top of a number up to 2.
  void is_sum(std::int64_t terms, double rate = 1.0) {
    cases_.back().op_class = OpClass::kSum;
    cases_.back().terms = terms;
    cases_.back().magnitude = 2.0 + rate * 4.0 * std::sqrt(static_cast<double>(terms));
  }

  KernelCase& last() { return cases_.back(); }
  std::vector<KernelCase> take() { return std::move(cases_); }

 private:
  Operand add(CaseBuffer buffer) {
    cases_.back().buffers.push_back(std::move(buffer));
    return {static_cast<BufferId>(cases_.back().buffers.size()) - 1, 0};
  }

  Opcode op_;
  Random random_;
  std::vector<KernelCase> cases_;
};

}  // namespace weft::test
