// RunRecord: how a model was trained, run.json in its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "weft/learning_rate.hpp"
#include "weft/loss.hpp"
#include "weft/mode.hpp"
#include "weft/optimizer.hpp"

namespace weft::cli {

/// What holds the files of one training together, 16 hexadecimal digits each. Empty in files of older versions and in
/// those made by hand.
struct TrainingId {
  std::string id;     // of all of them; weights.safetensors has it too
  std::string model;  // fingerprint of the text of model.json
  std::string data;   // and of data.json
};

struct RunRecord {
  Mode mode;
  Loss loss = Loss::kCrossEntropy;
  std::string device;
  int ticks = 1;  // of a mesh; for a stack 1
  std::int64_t batch = 0, epochs = 0, seed = 0;
  double lr = 0.0;
  LearningRate schedule;  // its rate is lr
  Optimizer optimizer;
  bool interrupted = false;  // stopped before the last epoch
  // After the last epoch; absent where there is no such part, for a regression the accuracies, and after an interrupt.
  std::optional<double> val_loss, val_accuracy, test_loss, test_accuracy;
  std::string version;  // of weft
  TrainingId training;
};

std::string to_json(const RunRecord& record);
/// Errors: kInvalidArgument naming the path.
Result<RunRecord> run_record_from_json(std::string_view text);

/// run.json in `folder`, written to a temporary, synced, renamed.
Status save_run_record(const RunRecord& record, const std::filesystem::path& folder);
/// Errors: kNotFound, kIo, kInvalidArgument, naming file and field.
Result<RunRecord> load_run_record(const std::filesystem::path& folder);

}  // namespace weft::cli
