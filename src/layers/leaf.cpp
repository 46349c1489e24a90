// What all leaves share: projection, the optimizer step, parameter buffers.
#include "src/layers/leaf.h"

namespace weft {

Value Leaf::projected(Builder& builder, const Tape& tape, const Value& gap, double scale) const {
  const Shape& shape = tape.y.shape;
  if (gap.elements() == shape.elements() && scale == 1.0) return {gap.at, shape};
  const Value result = builder.scratch(name_ + ".gap", shape);
  resize(builder, gap, result, scale);
  return result;
}

void Leaf::resize(Builder& builder, const Value& gap, const Value& to, double scale) {
  if (gap.elements() == to.elements())
    builder.scale(gap, to, scale);
  else
    builder.project(gap, to, scale);
}

void Leaf::apply(Builder& builder, double rate) const {
  if (parameters_.front().step != kNoBuffer) builder.count({parameters_.front().step});
  for (const Parameter& parameter : parameters_) builder.apply(gradient_of(builder, parameter), parameter, rate);
}

void Leaf::add_parameter(const std::string& which, const Shape& shape, MountContext& context) {
  Parameter parameter;
  parameter.name = name_ + "." + which;
  parameter.shape = shape;
  const auto make = [&](const std::string& name, Role role) {
    return context.buffers.require(name, Element::kStorage, role, shape.elements());
  };
  parameter.value = make(parameter.name, Role::kParameter);
  const OptimizerKind kind = context.optimizer.kind;
  if (kind != OptimizerKind::kSgd) parameter.moment = make(parameter.name + ".moment", Role::kOptimizer);
  if (kind == OptimizerKind::kAdamW) {
    parameter.second_moment = make(parameter.name + ".second_moment", Role::kOptimizer);
    parameter.step = context.buffers.require(name_ + ".step", Element::kCounter, Role::kOptimizer, 1);
  }
  parameters_.push_back(std::move(parameter));
}

}  // namespace weft
