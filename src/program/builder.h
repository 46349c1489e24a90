// Builder: writes a program, one call per instruction, over the buffers of a plan.
#pragma once

#include <string>
#include <vector>

#include "src/program/program.h"
#include "weft/shape.hpp"

namespace weft {

/// A tensor in a buffer.
struct Value {
  Operand at;
  Shape shape;
  bool present() const { return at.present(); }
  std::int64_t elements() const { return shape.elements(); }
};

/// What an optimizer keeps for a parameter, and the parameter itself. Absent buffers are kNoBuffer.
struct Parameter {
  BufferId value = kNoBuffer;
  BufferId moment = kNoBuffer;
  BufferId second_moment = kNoBuffer;
  BufferId step = kNoBuffer;  // counter of the leaf's own updates
  Shape shape;
  std::string name;  // "leaf.2.weight"
};

class Builder {
 public:
  Builder(BufferTable& buffers, Program& program) : buffers_(buffers), program_(program) {}

  BufferTable& buffers() { return buffers_; }
  Program& program() { return program_; }

  // Buffers. Equal names are the same memory in every program of a session.
  Value scratch(const std::string& name, const Shape& shape);
  Value kept(const std::string& name, const Shape& shape);  // Role::kRule
  Operand real(const std::string& name, Role role = Role::kScratch);
  Operand counter(const std::string& name, Role role = Role::kScratch);

  /// While it lives, every instruction emitted runs only where the predicate holds.
  class Guard {
   public:
    Guard(Builder& builder, Predicate predicate) : builder_(builder) { builder_.guards_.push_back(predicate); }
    ~Guard() { builder_.guards_.pop_back(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    Builder& builder_;
  };
  static Predicate if_set(Operand flag) { return {flag.buffer, Predicate::Test::kNonZero, 1, 0}; }
  static Predicate if_clear(Operand flag) { return {flag.buffer, Predicate::Test::kZero, 1, 0}; }
  static Predicate if_modulo(Operand counter, std::int64_t modulus, std::int64_t remainder);

  // Dense.
  void forward(const Value& x, const Parameter& weight, const Parameter* bias, const Value& z, const Value& y,
               Activation activation);
  void delta(const Value& gap, const Value& z, const Value& d, Activation activation, double scale);
  void grad_input(const Value& d, const Parameter& weight, const Value& gx, bool accumulate = false);
  void weight_grad(const Value& d, const Value& x, const Value& dw, bool accumulate = false);
  void bias_grad(const Value& d, const Value& db, bool accumulate = false);
  /// Clips the gradient in place first, where the optimizer asks for it.
  void apply(const Value& gradient, const Parameter& parameter, double rate);
  void ascend(const Value& gradient, Operand factor, const Parameter& parameter, double scale);

  // Signals.
  void scale(const Value& x, const Value& y, double scale = 1.0, bool accumulate = false, Operand factor = {});
  void copy(const Value& x, const Value& y) { scale(x, y); }
  void subtract(const Value& x, const Value& w, const Value& y);
  void zero(const Value& y);
  void project(const Value& x, const Value& y, double scale);
  void copy_columns(const Value& x, std::int64_t in_at, const Value& y, std::int64_t out_at, std::int64_t count);
  void softmax(const Value& x, const Value& y);
  void softmax_grad(const Value& y, const Value& dy, const Value& dx);
  void scale_rows(const Value& x, const Value& weights, std::int64_t column, const Value& y, bool accumulate);
  void row_dot(const Value& x, const Value& w, const Value& y, std::int64_t column);

  // Loss and decisions.
  void loss_gap(const Value& output, const Value& target, const Value* gap);
  void rms(const Value& x, Operand result);
  void clip(const Value& x, double limit, Operand result);
  void ratio(Operand x, Operand w, Operand result);
  void is_finite(const Value& x, Operand flag);
  void count(Operand counter);
  void set(Operand counter, std::uint32_t value);
  void equals(Operand counter, std::uint32_t value, Operand flag);
  void refresh(Operand calls, Operand tag, Operand kept_rms, std::uint32_t period, std::uint32_t tag_wanted,
               Operand flag);

  // Mesh target propagation.
  void target_below(const Value& tau, const Parameter& weight, const Value& below);
  void link_budget(const Value& x, const Value& w, double scale, Operand rate, Operand active);

 private:
  Instruction& emit(Opcode op);

  BufferTable& buffers_;
  Program& program_;
  std::vector<Predicate> guards_;
};

}  // namespace weft
