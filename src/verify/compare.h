// Two devices side by side: the same models, weights and calls under every mode.
#pragma once

#include <string>
#include <vector>

#include "weft/loss.hpp"
#include "weft/mode.hpp"
#include "weft/model_file.hpp"

namespace weft::verify {

/// Largest accepted difference between two devices: losses relative to the other's loss, weights and
/// biases to the largest of the leaf.
inline constexpr double kCompareTolerance = 1e-5;

/// A model that both devices train, with the sizes of its data.
struct CompareModel {
  std::string name;
  Model model;
  Loss loss = Loss::kMse;
  Shape input_shape, target_shape;
  int ticks = 4;
};

/// Small models that together have every op, activation, combination and loss; stacks for the stack
/// and line schedules, grids for the mesh.
std::vector<CompareModel> compare_models();

/// One mode over all models that it can train.
struct CompareResult {
  Mode mode;
  std::size_t models = 0;
  double loss_error = 0.0;
  double weight_error = 0.0;
  std::vector<std::string> failures;  // "model: what differs" or why it did not run
  bool passed() const { return failures.empty() && models > 0; }
};

/// Trains every fitting model on both devices for several calls under `mode`.
CompareResult compare_devices(Mode mode, const std::string& device, const std::string& against);

}  // namespace weft::verify
