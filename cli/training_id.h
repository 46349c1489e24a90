// What holds the files of one training together: an id in run.json and in weights.safetensors, and fingerprints of
// model.json and data.json in run.json.
#pragma once

#include <filesystem>

#include "cli/run_record.h"
#include "weft/model_file.hpp"
#include "weft/preparation.hpp"

namespace weft::cli {

/// The key of the id in the metadata of weights.safetensors.
inline constexpr const char* kTrainingKey = "training";

/// Part of the message of check_one_training.
inline constexpr const char* kTwoTrainings = "these files are of two trainings";

/// For the files that are to be written. It comes from what is in them, so that the same training gives the same files.
TrainingId training_id(const RunRecord& record, const Model& model, const data::Preparation& preparation);

/// That the files of a folder are of one training, as far as they say of which they are: weights without an id and a
/// run.json without fingerprints go with everything. Errors: kDataLoss naming the files that do not go together;
/// kNotFound and kIo where one cannot be read.
Status check_one_training(const std::filesystem::path& folder, const RunRecord& record);

}  // namespace weft::cli
