// Builder: fills in one instruction per call.
#include "src/program/builder.h"

#include <cassert>

namespace weft {

Value Builder::scratch(const std::string& name, const Shape& shape) {
  return {{buffers_.require(name, Element::kStorage, Role::kScratch, shape.elements()), 0}, shape};
}

Value Builder::kept(const std::string& name, const Shape& shape) {
  return {{buffers_.require(name, Element::kStorage, Role::kRule, shape.elements()), 0}, shape};
}

Operand Builder::real(const std::string& name, Role role) {
  return {buffers_.require(name, Element::kReal, role, 1), 0};
}

Operand Builder::counter(const std::string& name, Role role) {
  return {buffers_.require(name, Element::kCounter, role, 1), 0};
}

Predicate Builder::if_modulo(Operand counter, std::int64_t modulus, std::int64_t remainder) {
  return {counter.buffer, Predicate::Test::kModulo, static_cast<std::uint32_t>(modulus),
          static_cast<std::uint32_t>(remainder)};
}

Instruction& Builder::emit(Opcode op) {
  Instruction& instruction = program_.code.emplace_back();
  instruction.op = op;
  assert(guards_.size() <= instruction.when.size());
  for (std::size_t i = 0; i < guards_.size(); ++i) instruction.when[i] = guards_[i];
  return instruction;
}

void Builder::forward(const Value& x, const Parameter& weight, const Parameter* bias, const Value& z, const Value& y,
                      Activation activation) {
  Instruction& i = emit(Opcode::kForward);
  i.activation = activation;
  i.m = x.shape.rows(), i.n = weight.shape[0], i.k = weight.shape[1];
  i.in = {x.at, Operand{weight.value}, Operand{bias ? bias->value : kNoBuffer}};
  i.out = {z.at, y.at};
}

void Builder::delta(const Value& gap, const Value& z, const Value& d, Activation activation, double scale) {
  Instruction& i = emit(Opcode::kDelta);
  i.activation = activation;
  i.scale = scale;
  i.m = z.shape.rows(), i.n = z.shape.features();
  i.in = {gap.at, z.at};
  i.out = {d.at};
}

void Builder::grad_input(const Value& d, const Parameter& weight, const Value& gx, bool accumulate) {
  Instruction& i = emit(Opcode::kGradInput);
  i.accumulate = accumulate;
  i.m = gx.shape.rows(), i.n = weight.shape[0], i.k = weight.shape[1];
  i.in = {d.at, Operand{weight.value}};
  i.out = {gx.at};
}

void Builder::weight_grad(const Value& d, const Value& x, const Value& dw, bool accumulate) {
  Instruction& i = emit(Opcode::kWeightGrad);
  i.accumulate = accumulate;
  i.m = x.shape.rows(), i.n = dw.shape[0], i.k = dw.shape[1];
  i.in = {d.at, x.at};
  i.out = {dw.at};
}

void Builder::bias_grad(const Value& d, const Value& db, bool accumulate) {
  Instruction& i = emit(Opcode::kBiasGrad);
  i.accumulate = accumulate;
  i.m = d.elements() / db.elements(), i.n = db.elements();
  i.in = {d.at};
  i.out = {db.at};
}

void Builder::apply(const Value& gradient, const Parameter& parameter, double rate) {
  if (const double limit = program_.optimizer.clip; limit > 0.0) {
    const Operand factor = real(parameter.name + ".clip");
    clip(gradient, limit, factor);
    scale(gradient, gradient, 1.0, false, factor);
  }
  Instruction& i = emit(Opcode::kApply);
  i.scale = rate;
  i.m = parameter.shape.rows(), i.n = parameter.shape.features();
  i.in = {gradient.at, Operand{parameter.step}};
  i.out = {Operand{parameter.value}, Operand{parameter.moment}, Operand{parameter.second_moment}};
}

void Builder::ascend(const Value& gradient, Operand factor, const Parameter& parameter, double scale) {
  Instruction& i = emit(Opcode::kAscend);
  i.scale = scale;
  i.m = parameter.shape.rows(), i.n = parameter.shape.features();
  i.in = {gradient.at, factor};
  i.out = {Operand{parameter.value}};
}

void Builder::scale(const Value& x, const Value& y, double scale, bool accumulate, Operand factor) {
  Instruction& i = emit(Opcode::kScale);
  i.scale = scale;
  i.accumulate = accumulate;
  i.m = y.shape.rows(), i.n = y.shape.features();
  i.in = {x.at, factor};
  i.out = {y.at};
}

void Builder::subtract(const Value& x, const Value& w, const Value& y) {
  Instruction& i = emit(Opcode::kSubtract);
  i.m = y.shape.rows(), i.n = y.shape.features();
  i.in = {x.at, w.at};
  i.out = {y.at};
}

void Builder::zero(const Value& y) {
  Instruction& i = emit(Opcode::kZero);
  i.m = y.shape.rows(), i.n = y.shape.features();
  i.out = {y.at};
}

void Builder::project(const Value& x, const Value& y, double scale) {
  Instruction& i = emit(Opcode::kProject);
  i.scale = scale;
  i.n = y.elements(), i.k = x.elements();
  i.in = {x.at};
  i.out = {y.at};
}

void Builder::copy_columns(const Value& x, std::int64_t in_at, const Value& y, std::int64_t out_at,
                           std::int64_t count) {
  Instruction& i = emit(Opcode::kCopyColumns);
  i.m = y.shape.rows(), i.n = count, i.k = x.shape.features(), i.width = y.shape.features();
  i.in_at = in_at, i.out_at = out_at;
  i.in = {x.at};
  i.out = {y.at};
}

void Builder::softmax(const Value& x, const Value& y) {
  Instruction& i = emit(Opcode::kSoftmax);
  i.m = y.shape.rows(), i.n = y.shape.features();
  i.in = {x.at};
  i.out = {y.at};
}

void Builder::softmax_grad(const Value& y, const Value& dy, const Value& dx) {
  Instruction& i = emit(Opcode::kSoftmaxGrad);
  i.m = y.shape.rows(), i.n = y.shape.features();
  i.in = {y.at, dy.at};
  i.out = {dx.at};
}

void Builder::scale_rows(const Value& x, const Value& weights, std::int64_t column, const Value& y, bool accumulate) {
  Instruction& i = emit(Opcode::kScaleRows);
  i.accumulate = accumulate;
  i.m = y.shape.rows(), i.n = y.shape.features(), i.width = weights.shape.features();
  i.in_at = column;
  i.in = {x.at, weights.at};
  i.out = {y.at};
}

void Builder::row_dot(const Value& x, const Value& w, const Value& y, std::int64_t column) {
  Instruction& i = emit(Opcode::kRowDot);
  i.m = x.shape.rows(), i.n = x.shape.features(), i.width = y.shape.features();
  i.out_at = column;
  i.in = {x.at, w.at};
  i.out = {y.at};
}

void Builder::loss_gap(const Value& output, const Value& target, const Value* gap) {
  program_.loss_value = real("loss").buffer;
  program_.loss_finite = counter("loss_finite").buffer;
  Instruction& i = emit(Opcode::kLossGap);
  i.m = output.shape.rows(), i.n = output.shape.features();
  i.in = {output.at, target.at};
  i.out = {gap ? gap->at : Operand{}, Operand{program_.loss_value}, Operand{program_.loss_finite}};
}

void Builder::rms(const Value& x, Operand result) {
  Instruction& i = emit(Opcode::kRms);
  i.m = x.shape.rows(), i.n = x.shape.features();
  i.in = {x.at};
  i.out = {result};
}

void Builder::clip(const Value& x, double limit, Operand result) {
  Instruction& i = emit(Opcode::kClip);
  i.scale = limit;
  i.m = x.shape.rows(), i.n = x.shape.features();
  i.in = {x.at};
  i.out = {result};
}

void Builder::ratio(Operand x, Operand w, Operand result) {
  Instruction& i = emit(Opcode::kRatio);
  i.in = {x, w};
  i.out = {result};
}

void Builder::is_finite(const Value& x, Operand flag) {
  Instruction& i = emit(Opcode::kIsFinite);
  i.m = x.shape.rows(), i.n = x.shape.features();
  i.in = {x.at};
  i.out = {flag};
}

void Builder::count(Operand counter) { emit(Opcode::kCount).out = {counter}; }

void Builder::set(Operand counter, std::uint32_t value) {
  Instruction& i = emit(Opcode::kSet);
  i.value = value;
  i.out = {counter};
}

void Builder::equals(Operand counter, std::uint32_t value, Operand flag) {
  Instruction& i = emit(Opcode::kEquals);
  i.value = value;
  i.in = {counter};
  i.out = {flag};
}

void Builder::refresh(Operand calls, Operand tag, Operand kept_rms, std::uint32_t period, std::uint32_t tag_wanted,
                      Operand flag) {
  Instruction& i = emit(Opcode::kRefresh);
  i.period = period;
  i.value = tag_wanted;
  i.in = {calls, tag, kept_rms};
  i.out = {flag};
}

void Builder::target_below(const Value& tau, const Parameter& weight, const Value& below) {
  Instruction& i = emit(Opcode::kTargetBelow);
  i.m = below.shape.rows(), i.n = weight.shape[0], i.k = weight.shape[1];
  i.in = {tau.at, Operand{weight.value}};
  i.out = {below.at};
}

void Builder::link_budget(const Value& x, const Value& w, double scale, Operand rate, Operand active) {
  Instruction& i = emit(Opcode::kLinkBudget);
  i.scale = scale;
  i.m = x.shape.rows(), i.n = x.shape.features();
  i.in = {x.at, w.at};
  i.out = {rate, active};
}

}  // namespace weft
