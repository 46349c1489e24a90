// Names of the optimizers.
#include "weft/optimizer.hpp"

#include <array>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr std::array kNames{
    NameRow<OptimizerKind>{"sgd", OptimizerKind::kSgd},
    NameRow<OptimizerKind>{"momentum", OptimizerKind::kMomentum},
    NameRow<OptimizerKind>{"nesterov", OptimizerKind::kNesterov},
    NameRow<OptimizerKind>{"adamw", OptimizerKind::kAdamW},
};

}  // namespace

std::string_view to_string(OptimizerKind kind) {
  for (const auto& row : kNames) {
    if (row.value == kind) return row.spelling;
  }
  return "unknown optimizer";
}

Result<OptimizerKind> parse_optimizer(std::string_view name) {
  return parse_name<OptimizerKind>("optimizer", name, kNames);
}

}  // namespace weft
