// Mounting a model: layers made, widths checked along the chain, one dtype throughout.
#include "src/plan/plan.h"

#include <fmt/format.h>
#include <cmath>

#include "src/core/try.h"

namespace weft {
namespace {

Status check_optimizer(const Optimizer& optimizer) {
  const auto refuse = [](std::string_view field, double seen, std::string_view wanted) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("mount: optimizer {} is {}, wanted {}", field, seen, wanted));
  };
  if (optimizer.kind > OptimizerKind::kAdamW) return refuse("kind", static_cast<double>(optimizer.kind), "0 to 3");
  const auto share = [](double value) { return value >= 0.0 && value < 1.0; };
  if (!share(optimizer.momentum)) return refuse("momentum", optimizer.momentum, "0 or more and below 1");
  if (!share(optimizer.beta1)) return refuse("beta1", optimizer.beta1, "0 or more and below 1");
  if (!share(optimizer.beta2)) return refuse("beta2", optimizer.beta2, "0 or more and below 1");
  if (!(optimizer.epsilon > 0.0) || !std::isfinite(optimizer.epsilon))
    return refuse("epsilon", optimizer.epsilon, "a finite number above 0");
  if (!(optimizer.weight_decay >= 0.0) || !std::isfinite(optimizer.weight_decay))
    return refuse("weight_decay", optimizer.weight_decay, "a finite number of 0 or more");
  if (!(optimizer.clip >= 0.0) || !std::isfinite(optimizer.clip))
    return refuse("clip", optimizer.clip, "a finite number of 0 or more");
  return {};
}

Status check_options(Loss loss, const Optimizer& optimizer) {
  if (loss > Loss::kCrossEntropy)
    return {StatusCode::kInvalidArgument,
            fmt::format("mount: loss is number {}, wanted 0 or 1", static_cast<int>(loss))};
  return check_optimizer(optimizer);
}

Status prefixed(const Status& status) { return {status.code(), "mount: " + status.message()}; }

/// Every leaf in one dtype, every weight finite.
Status check_weights(Plan& plan, const std::vector<const Dense*>& ops) {
  if (ops.empty()) return {StatusCode::kInvalidArgument, "mount: the model has no leaf, wanted at least one dense op"};
  plan.storage = ops.front()->dtype;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string label = fmt::format("mount: {} (leaf {})", plan.leaves[i]->label(), i + 1);
    if (ops[i]->dtype != plan.storage)
      return {StatusCode::kUnsupported, fmt::format("{} is {}, wanted {} as leaf 1: one dtype for all leaves", label,
                                                    to_string(ops[i]->dtype), to_string(plan.storage))};
    for (const Tensor* tensor : {&ops[i]->weight, ops[i]->bias ? &*ops[i]->bias : nullptr}) {
      for (std::int64_t j = 0; tensor != nullptr && j < tensor->elements(); ++j) {
        if (!std::isfinite(tensor->at(j)))
          return {StatusCode::kInvalidArgument,
                  fmt::format("{}: {} element {} is {}, wanted a finite number", label,
                              tensor == &ops[i]->weight ? "weight" : "bias", j, tensor->at(j))};
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Plan>> make_plan(const Stack& model, Loss loss, const Optimizer& optimizer) {
  WEFT_RETURN_IF_ERROR(check_options(loss, optimizer));
  auto plan = std::make_unique<Plan>(loss, optimizer);
  MountContext context{plan->buffers, optimizer};
  plan->stack = std::make_unique<SequenceLayer>("", layer_label("stack", model.name, ""));
  if (Status status = plan->stack->mount(model.ops, model.child_modes, context); !status.ok()) return prefixed(status);
  plan->leaves = std::move(context.leaves);
  WEFT_RETURN_IF_ERROR(check_weights(*plan, leaves(model)));
  if (const auto features = plan->stack->features(-1); !features.ok()) return prefixed(features.status());
  return plan;
}

Result<std::unique_ptr<Plan>> make_plan(const Grid& model, Loss loss, const Optimizer& optimizer) {
  WEFT_RETURN_IF_ERROR(check_options(loss, optimizer));
  if (const Status status = model.validate(); !status.ok()) return prefixed(status);
  auto plan = std::make_unique<Plan>(loss, optimizer);
  MountContext context{plan->buffers, optimizer};
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    const Cell& cell = model.cells[c];
    MountedCell& mounted = plan->cells.emplace_back();
    mounted.disabled = cell.disabled;
    mounted.source = cell.remote_link.value_or(c == 0 ? 0 : static_cast<std::int64_t>(c) - 1);
    if (!cell.op) continue;
    auto op = mount_op(*cell.op, fmt::format("cell{}", c), context);
    if (!op.ok()) return prefixed({op.status().code(), fmt::format("cell {}: {}", c, op.status().message())});
    mounted.op = *std::move(op);
    if (const auto features = mounted.op->features(-1); !features.ok()) return prefixed(features.status());
  }
  plan->leaves = std::move(context.leaves);
  WEFT_RETURN_IF_ERROR(check_weights(*plan, leaves(model)));
  return plan;
}

}  // namespace weft
