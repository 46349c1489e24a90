// The epochs of a training: calls, evaluation, metrics, and the end where it is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/interrupt.h"
#include "cli/metrics.h"
#include "cli/progress.h"
#include "cli/train_options.h"
#include "cli/training_data.h"
#include "weft/learning_rate.hpp"
#include "weft/model_file.hpp"
#include "weft/session.hpp"

namespace weft::cli {

/// How an epoch goes; the same for all of them.
struct EpochPlan {
  Mode mode;
  std::int64_t epochs = 1, batch = 1, calls = 1;  // calls of an epoch
  std::uint64_t seed = 1;
  int ticks = 1;
  LearningRate schedule;
  std::string cause;  // why numbers are not finite, for messages: "--lr 0.1 may be too large"
  std::string kept;   // what a training that fails has left alone: "; no file in 'run' was replaced"
};

struct Outcome {
  std::int64_t epochs = 0;  // whole ones
  std::int64_t calls = 0;   // of the one that was interrupted
  bool interrupted = false;
  std::optional<double> loss;             // of training, the mean of the last epoch or what was made of it
  std::optional<Score> validation, test;  // after the last whole epoch; none after an interrupt
  double seconds = 0.0;                   // of training, evaluation not counted
};

/// Trains until the last epoch, or until a signal, drains the pipe and copies the weights into `model`, which the
/// session has mounted. `metrics` may be null. Errors: as fit and evaluate; kFailedPrecondition where no call of an
/// epoch moved anything, and where a weight or a final loss is not finite: `model` is then not to be saved.
Result<Outcome> run_epochs(Session& session, const Model& model, const EpochPlan& plan, const data::Split& parts,
                           Progress& progress, MetricsFile* metrics, const Interrupt& interrupt);

}  // namespace weft::cli
