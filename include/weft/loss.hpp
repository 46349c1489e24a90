// Losses, fixed at mount.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/status.hpp"

namespace weft {

/// kMse: mean of (p-t)^2 over all elements, g = 2(p-t)/n.
/// kCrossEntropy: softmax cross-entropy on logits, targets one-hot or probabilities; mean over the
/// rows of -sum t ln(max(softmax(p), 1e-12)), g = (softmax(p) - t)/rows.
enum class Loss : std::uint8_t { kMse, kCrossEntropy };

inline constexpr Loss mse = Loss::kMse;
inline constexpr Loss cross_entropy = Loss::kCrossEntropy;

std::string_view to_string(Loss loss);           // "mse", "ce"
Result<Loss> parse_loss(std::string_view name);  // also "cross_entropy", "cross-entropy"

}  // namespace weft
