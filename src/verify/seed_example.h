// The two-layer example that `weft demo` runs and seed_example.json holds: Dense 4x4 tanh twice, zero targets.
#pragma once

#include <vector>

#include "weft/mode.hpp"
#include "weft/model_file.hpp"

namespace weft::verify {

inline constexpr double kSeedLearningRate = 0.01;
inline constexpr int kSeedCalls = 8;
inline constexpr int kSeedTicks = 4;

/// w[i] = ((i mod 5) - 2) * 0.04 of a [4, 4] weight and x[i] = ((i mod 5) - 2) * 0.1 of the [2, 4]
/// input, in float32.
std::vector<float> seed_weights();
std::vector<float> seed_input();

/// Both layers with weights `w` [4, 4]: a Stack, or for mesh modes a 3x1x1x1 Grid whose cell 0 is
/// disabled, as ingress.
Model seed_model(Mode mode, const std::vector<float>& w);

}  // namespace weft::verify
