// Plan: a model as mounted. Shapes checked, leaves numbered, buffers listed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "src/layers/leaf.h"
#include "src/layers/sequence.h"
#include "weft/grid.hpp"
#include "weft/loss.hpp"
#include "weft/optimizer.hpp"

namespace weft {

struct MountedCell {
  std::unique_ptr<Layer> op;  // null where the cell has none
  bool disabled = false;
  std::int64_t source = 0;  // the cell it reads: its remote link, else the one before it, for cell 0 itself
};

struct Plan {
  Plan(Loss loss_used, Optimizer optimizer_used) : loss(loss_used), optimizer(optimizer_used) {}

  Loss loss;
  Optimizer optimizer;
  DType storage = DType::kFloat32;
  BufferTable buffers;
  std::unique_ptr<SequenceLayer> stack;  // one of these two
  std::vector<MountedCell> cells;
  std::vector<Leaf*> leaves;  // leaf order

  bool is_grid() const { return stack == nullptr; }
};

/// Errors: kInvalidArgument or kUnsupported naming the layer, the value seen and the value wanted.
Result<std::unique_ptr<Plan>> make_plan(const Stack& model, Loss loss, const Optimizer& optimizer);
Result<std::unique_ptr<Plan>> make_plan(const Grid& model, Loss loss, const Optimizer& optimizer);

}  // namespace weft
