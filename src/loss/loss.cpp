// Names of the losses.
#include "weft/loss.hpp"

#include <array>

#include "src/core/names.h"

namespace weft {
namespace {

// The first spelling of a value is its name.
constexpr std::array kNames{
    NameRow<Loss>{"mse", Loss::kMse},
    NameRow<Loss>{"ce", Loss::kCrossEntropy},
    NameRow<Loss>{"cross_entropy", Loss::kCrossEntropy},
    NameRow<Loss>{"cross-entropy", Loss::kCrossEntropy},
};

}  // namespace

std::string_view to_string(Loss loss) {
  for (const auto& row : kNames) {
    if (row.value == loss) return row.spelling;
  }
  return "unknown loss";
}

Result<Loss> parse_loss(std::string_view name) { return parse_name<Loss>("loss", name, kNames); }

}  // namespace weft
