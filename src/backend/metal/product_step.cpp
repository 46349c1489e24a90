// Which instructions are products of their own, and what is left of them.
#include "src/backend/metal/product_step.h"

#include <algorithm>

#include "src/core/try.h"
#include "src/kernels/encode.h"
#include "src/program/cost.h"

namespace weft::metal {
namespace {

/// Operations from which a product is worth an end of the encoder before it and a new one after it.
constexpr double kLargeProduct = 2e6;

bool is_product(const Instruction& code) {
  const bool conditional = std::any_of(code.when.begin(), code.when.end(), [](auto& when) { return when.present(); });
  switch (code.op) {
    case Opcode::kForward:
    case Opcode::kGradInput:
    case Opcode::kWeightGrad: return !conditional && product_operations(code) >= kLargeProduct;
    // Its product may be taken in vain; what it is used for asks for the condition.
    case Opcode::kUpdate: return product_operations(code) >= kLargeProduct;
    default: return false;
  }
}

ProductShape shape_of(const Instruction& code) {
  const auto m = static_cast<UInteger>(code.m), n = static_cast<UInteger>(code.n), k = static_cast<UInteger>(code.k);
  switch (code.op) {
    case Opcode::kForward: return {m, n, k, false, true, false};
    case Opcode::kGradInput: return {m, k, n, false, false, code.accumulate};
    case Opcode::kWeightGrad: return {n, k, m, true, false, code.accumulate};
    default: return {n, k, m, true, false, false};
  }
}

}  // namespace

Result<std::unique_ptr<ProductStep>> ProductStep::make(const Instruction& code, const Program& program,
                                                       const Memory& memory) {
  if (!MatrixProduct::available() || !is_product(code)) return std::unique_ptr<ProductStep>();
  std::unique_ptr<ProductStep> step(new ProductStep(code, memory));
  WEFT_RETURN_IF_ERROR(step->prepare(program));
  return step;
}

Status ProductStep::prepare(const Program& program) {
  Device& device = memory_.device();
  WEFT_ASSIGN_OR_RETURN(product_, MatrixProduct::make(device.id(), shape_of(code_)));
  rest_ = kernels::encode(code_, program);
  if (code_.op == Opcode::kForward) {
    WEFT_ASSIGN_OR_RETURN(finish_forward_, WEFT_METAL_KERNEL(device.kernels(), finish_forward));
  } else if (code_.op == Opcode::kUpdate) {
    // Only plain SGD is fused into updates, so the rest of one is a step of the program's optimizer.
    rest_.op = kernels::Op::kApply, rest_.m = code_.n, rest_.n = code_.k;
    WEFT_ASSIGN_OR_RETURN(apply_, step_kernel(device.kernels(), rest_.op));
    return gradient_.reserve(device, static_cast<std::size_t>(code_.n * code_.k), "the gradient of an update");
  }
  return {};
}

void ProductStep::encode(Command& command, float rate, std::uint64_t clock) const {
  const bool updates = code_.op == Opcode::kUpdate;
  product_->encode(command.between_encoders(), memory_.at(code_.in[0], clock), memory_.at(code_.in[1], clock),
                   updates ? gradient_.slice() : memory_.at(code_.out[0], clock));
  if (code_.op == Opcode::kForward) finish_forward(command.encoder(), clock);
  if (updates) descend(command.encoder(), rate, clock);
}

void ProductStep::finish_forward(Id encoder, std::uint64_t clock) const {
  finish_forward_.launch(encoder, grid_of_items(code_.m * code_.n, finish_forward_.max_threads()), rest_,
                         memory_.at(code_.in[2], clock), memory_.at(code_.out[0], clock),
                         memory_.at(code_.out[1], clock));
}

void ProductStep::descend(Id encoder, float rate, std::uint64_t clock) const {
  const Slice<float> none = memory_.at({});
  const auto when = [&](std::size_t i) { return memory_.at<std::uint32_t>({code_.when[i].counter}, clock); };
  apply_.launch(encoder, grid_of(rest_, apply_), rest_, rate, gradient_.slice(), none, none,
                memory_.at(code_.out[0], clock), none, none, when(0), when(1), when(2));
}

}  // namespace weft::metal
