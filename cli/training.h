// A training from the data to the saved model.
#pragma once

#include "cli/train_options.h"

namespace weft::cli {

/// Reads, trains, prints and saves. Returns the exit code.
int run_training(const TrainingOptions& options);

}  // namespace weft::cli
