// The views of every instruction, from the sizes that instructions.def gives.
#include "src/generate/views.h"

namespace weft {
namespace {

using Form = OperandView::Form;

struct Shape2 {
  Form form = Form::kMatrix;
  std::int64_t rows = 1, cols = 1;
  bool aligned = false;
};

struct Shapes {
  std::array<Shape2, 3> in{}, out{};
};

Shapes shapes_of(const Instruction& i) {
  const Shape2 number{Form::kNumber};
  const Shape2 mn{Form::kMatrix, i.m, i.n}, mk{Form::kMatrix, i.m, i.k}, nk{Form::kMatrix, i.n, i.k};
  const auto own = [](Shape2 shape) { return shape.aligned = true, shape; };
  const Shape2 each = own(mn), row_n{Form::kMatrix, 1, i.n}, wide{Form::kMatrix, i.m, i.width};
  const Shape2 flat_k{Form::kFlat, 1, i.k}, flat_n{Form::kFlat, 1, i.n, true};
  switch (i.op) {
    case Opcode::kForward: return {{mk, nk, row_n}, {each, each}};
    case Opcode::kDelta: return {{each, each}, {each}};
    case Opcode::kGradInput: return {{mn, nk}, {own(mk)}};
    case Opcode::kWeightGrad:
    case Opcode::kUpdate: return {{mn, mk}, {own(nk)}};
    case Opcode::kBiasGrad:
    case Opcode::kBiasUpdate: return {{mn}, {own(row_n)}};
    case Opcode::kApply: return {{each, number}, {each, each, each}};
    case Opcode::kScale: return {{each, number}, {each}};
    case Opcode::kSubtract: return {{each, each}, {each}};
    case Opcode::kZero: return {{}, {each}};
    case Opcode::kProject: return {{flat_k}, {flat_n}};
    case Opcode::kCopyColumns: return {{mk}, {wide}};
    case Opcode::kSoftmax: return {{mn}, {mn}};
    case Opcode::kSoftmaxGrad: return {{mn, mn}, {mn}};
    case Opcode::kScaleRows: return {{each, wide}, {each}};
    case Opcode::kRowDot: return {{mn, mn}, {wide}};
    case Opcode::kLossGap: return {{each, each}, {each, number, number}};
    case Opcode::kRms:
    case Opcode::kClip:
    case Opcode::kIsFinite: return {{each}, {number}};
    case Opcode::kLinkBudget: return {{each, each}, {number, number}};
    case Opcode::kRatio:
    case Opcode::kCount:
    case Opcode::kSet:
    case Opcode::kEquals:
    case Opcode::kRefresh: return {{number, number, number}, {number, number, number}};
    case Opcode::kTargetBelow: return {{mn, nk}, {own(mk)}};
    case Opcode::kAscend: return {{each, number}, {each}};
  }
  return {};
}

}  // namespace

std::vector<OperandView> views(const Instruction& instruction) {
  const Shapes shapes = shapes_of(instruction);
  std::vector<OperandView> found;
  const auto add = [&](Operand operand, const Shape2& shape, std::size_t place, bool writes) {
    if (operand.present())
      found.push_back({operand, static_cast<int>(place), writes, shape.form, shape.rows, shape.cols, shape.aligned});
  };
  for (std::size_t i = 0; i < 3; ++i) add(instruction.in[i], shapes.in[i], i, false);
  for (std::size_t i = 0; i < 3; ++i) add(instruction.out[i], shapes.out[i], i, true);
  return found;
}

Extent result_of(const Instruction& i) {
  switch (i.op) {
    case Opcode::kGradInput:
    case Opcode::kTargetBelow: return {i.m, i.k};
    case Opcode::kWeightGrad:
    case Opcode::kUpdate: return {i.n, i.k};
    case Opcode::kBiasGrad:
    case Opcode::kBiasUpdate:
    case Opcode::kProject: return {1, i.n};
    case Opcode::kSoftmax:
    case Opcode::kSoftmaxGrad:
    case Opcode::kRowDot: return {i.m, 1};  // a thread a row
    default: return {i.m, i.n};
  }
}

}  // namespace weft
