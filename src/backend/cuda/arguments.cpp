// From drafts to launch arguments.
#include "src/backend/cuda/arguments.h"

#include "src/kernels/encode.h"

namespace weft::cuda {

Guard guard_of(const Conditions& when, const Emission& e) {
  Guard guard{};
  for (std::size_t i = 0; i < when.size(); ++i) {
    guard.when[i] = kernels::encode(when[i]);
    guard.at[i] = reinterpret_cast<const std::uint32_t*>(e.memory->at({{when[i].counter}}, e.call.clock));
  }
  return guard;
}

kernels::Operands operands_of(const Instruction& instruction, const Emission& e) {
  kernels::Operands operands{};
  const Guard guard = guard_of(instruction.when, e);
  for (std::size_t i = 0; i < 3; ++i) {
    operands.in[i] = at(e, instruction.in[i]);
    operands.out[i] = at(e, instruction.out[i]);
    operands.when[i] = guard.at[i];
  }
  return operands;
}

Forms forms_of(const Draft& d, const Emission& e) {
  return {.plain = d.plain && d.result.present() ? at(e, d.result) : nullptr,
          .half = d.half ? reinterpret_cast<std::uint16_t*>(at(e, *d.half)) : nullptr,
          .finite = d.finite ? reinterpret_cast<std::uint16_t*>(at(e, *d.finite)) : nullptr,
          .turned = d.turned ? at(e, *d.turned) : nullptr,
          .half_row = padded(d.extent.columns),
          .turned_row = padded(d.extent.rows),
          .turned_finite = d.turned_finite,
          .zeroes = d.zeroes};
}

Projection projection_of(const Draft& d) {
  const Instruction* i = d.kind == Draft::Kind::kProject ? d.code : d.projection;
  if (i == nullptr) return {1, 1, 1.0f};
  const std::int64_t given = i->op == Opcode::kProject ? i->k : i->m * i->n;
  return {given, i->m * i->n, static_cast<float>(i->scale)};
}

Finish finish_of(const Draft& d, const Emission& e) {
  const Instruction& i = *d.code;
  Finish finish;
  if (i.op == Opcode::kForward) {
    finish.kind = Finish::Kind::kActivate;
    finish.z = at(e, d.between);
    finish.bias = at(e, i.in[2]);
    finish.activation = static_cast<kernels::Act>(i.activation);
  } else if (i.op == Opcode::kUpdate) {
    finish.kind = Finish::Kind::kDescend;
    finish.y = at(e, i.out[0]);
    finish.scale = static_cast<float>(i.scale);
    finish.state = e.state();
  } else if (d.delta != nullptr) {
    finish.kind = Finish::Kind::kDelta;
    finish.y = at(e, d.between);
    finish.z = at(e, d.delta->in[1]);
    finish.activation = static_cast<kernels::Act>(d.delta->activation);
    finish.a = projection_of(d).a;
    finish.scale = static_cast<float>(d.delta->scale);
  } else {
    finish.y = at(e, i.out[0]);
    finish.accumulates = i.accumulate;
  }
  if (d.result.present()) finish.to = forms_of(d, e);
  if (finish.kind == Finish::Kind::kDescend) finish.to.plain = nullptr;  // which is y
  return finish;
}

}  // namespace weft::cuda
