// TrainingOptions: the flags of weft train, parsed and no more.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/model_option.h"
#include "weft/data.hpp"
#include "weft/initialise.hpp"
#include "weft/learning_rate.hpp"
#include "weft/loss.hpp"
#include "weft/optimizer.hpp"
#include "weft/precision.hpp"

namespace weft::cli {

struct TrainingOptions {
  std::string source = "digits";
  data::ReadOptions read;
  double validation = 0.0, test = 0.0;  // shares; test counts where it was given
  data::ScalingKind scaling = data::ScalingKind::kUnit;
  data::ScalingKind target_scaling = data::ScalingKind::kStandardise;  // of a regression

  ModelOption model;
  Activation activation = Activation::kTanh;
  bool bias = false;
  Initialiser init = Initialiser::kUniform;
  std::string weights;

  Mode mode;
  Loss loss = Loss::kCrossEntropy;  // counts where it was given
  std::int64_t batch = 16, epochs = 20, seed = 1;
  std::int64_t ticks = 0;  // 0: as many as cells
  std::string device = "native_cpu";
  std::int64_t threads = 0;
  Precision precision = Precision::kFloat32;

  OptimizerKind optimizer = OptimizerKind::kSgd;
  double momentum = Optimizer{}.momentum;
  double weight_decay = 0.0;  // counts where it was given
  double clip = 0.0;

  double lr = 0.1;
  Decay decay = Decay::kConstant;
  double warmup = 0.0, lr_step = 0.0;  // epochs
  double lr_factor = 0.1, lr_min = 0.0;

  std::string out;
  bool print_program = false, quiet = false, json = false;

  std::set<std::string> given;  // the flags of the command line: "--momentum"

  bool has(const std::string& flag) const { return given.contains(flag); }
};

/// Adds the flags. note_given is to be called after parsing.
void add_training_options(CLI::App& command, TrainingOptions& options);
void note_given(const CLI::App& command, TrainingOptions& options);

/// Why these flags cannot be used together, or nothing. Flags that would have no effect are refused.
std::string contradiction(const TrainingOptions& options);
/// As above, of the flags that say how data are read, once it is known what they are.
std::string contradiction(const TrainingOptions& options, const data::Dataset& dataset);

Loss loss_of(const TrainingOptions& options, data::Task task);
Optimizer optimizer_of(const TrainingOptions& options);
data::SplitOptions split_of(const TrainingOptions& options);
/// For epochs of `calls` calls. Errors: kInvalidArgument naming the flag.
Result<LearningRate> schedule_of(const TrainingOptions& options, std::int64_t calls);

}  // namespace weft::cli
