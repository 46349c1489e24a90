// TrainedModel: what `weft train --out` left in a folder, mounted again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/run_record.h"
#include "weft/data.hpp"
#include "weft/loss.hpp"
#include "weft/model_file.hpp"
#include "weft/precision.hpp"
#include "weft/preparation.hpp"
#include "weft/session.hpp"

namespace weft::cli {

/// Where and how it is to run.
struct Mounting {
  std::string device;        // empty: default_device
  std::int64_t threads = 0;  // 0: the device's choice
  Precision precision = Precision::kFloat32;
  std::int64_t batch = 256;  // rows in one go
};

/// Where a model runs if nothing else is said: where it was trained, if that device is here, else on native_cpu, or on
/// cpu where only that has its number type.
std::string default_device(const RunRecord& record, DType dtype);

/// --device, --batch, --threads and --loss. What they refer to outlives the command.
void add_mounting(CLI::App& command, Mounting& mounting, std::optional<Loss>& loss);

class TrainedModel {
 public:
  /// Reads the folder and mounts. `loss` stands in for run.json, where that is missing.
  /// Errors: kNotFound naming the file and what writes it, kInvalidArgument naming file and field, as mount.
  static Result<TrainedModel> open(const std::filesystem::path& folder, std::optional<Loss> loss,
                                   const Mounting& mounting);

  const data::Preparation& preparation() const { return preparation_; }
  Loss loss() const { return loss_; }
  /// The classes; of a regression the targets: the label's name in the table, or "target 0".
  std::vector<std::string> output_names() const;

  /// Outputs [n, outputs] for inputs [n, features], float32. Errors: as Session::forward; kFailedPrecondition naming
  /// the row whose output is not finite.
  Result<Tensor> outputs(const Tensor& inputs);
  Result<EvaluateResult> evaluate(const data::Samples& samples);

 private:
  TrainedModel(data::Preparation preparation, Loss loss, int ticks, std::int64_t batch);
  Status mount(const Mounting& mounting);
  Result<Tensor> forward(const Tensor& inputs);
  Status check_sizes(const std::filesystem::path& folder);

  data::Preparation preparation_;
  Loss loss_;
  int ticks_;
  std::int64_t batch_;
  DType dtype_ = DType::kFloat32;
  std::unique_ptr<Model> model_;  // the session refers to it
  std::unique_ptr<Session> session_;
};

}  // namespace weft::cli
