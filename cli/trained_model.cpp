// Reading a model's folder, mounting, running rows through.
#include "cli/trained_model.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/option.h"
#include "cli/training_id.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/device.hpp"

namespace weft::cli {
namespace {

/// A file that is not there is told with what writes it.
Status explain(const Status& status, const std::filesystem::path& folder, const char* file) {
  if (status.code() != StatusCode::kNotFound) return status;
  return {StatusCode::kNotFound, fmt::format("{} has no {}, wanted one as weft train --out writes it beside the model",
                                             quote(folder.string()), file)};
}

/// run.json, or where it is missing a record that holds the loss that was given and nothing else.
Result<RunRecord> record_of(const std::filesystem::path& folder, std::optional<Loss> given, const Model& model) {
  Result<RunRecord> record = load_run_record(folder);
  if (record.ok()) return record;
  if (record.status().code() != StatusCode::kNotFound) return record.status();
  if (given && std::holds_alternative<Stack>(model)) {
    RunRecord bare;
    bare.loss = *given;
    return bare;
  }
  Status status = explain(record.status(), folder, "run.json");
  if (std::holds_alternative<Grid>(model)) return status;
  return Status(status.code(), status.message() + "; --loss can stand in for it");
}

DType dtype_of(const Model& model) {
  const auto all = std::visit([](const auto& root) { return leaves(root); }, model);
  return all.empty() ? DType::kFloat32 : all.front()->dtype;
}

/// A load that failed may have done so because the files are of two trainings, which is then what is said.
Status explain_load(const Status& status, const std::filesystem::path& folder) {
  if (status.code() == StatusCode::kNotFound) return {status.code(), status.message() + "; weft train --out writes it"};
  const Result<RunRecord> record = load_run_record(folder);
  if (!record.ok()) return status;
  const Status mixed = check_one_training(folder, *record);
  return mixed.code() == StatusCode::kDataLoss && mixed.message().find(kTwoTrainings) != std::string::npos ? mixed
                                                                                                           : status;
}

}  // namespace

std::string default_device(const RunRecord& record, DType dtype) {
  const auto all = devices();
  const auto own = std::find_if(all.begin(), all.end(), [&](const DeviceInfo& device) {
    return device.available && device.name == record.device;
  });
  if (own != all.end()) return own->name;
  return dtype == DType::kFloat64 ? "cpu" : "native_cpu";
}

void add_mounting(CLI::App& command, Mounting& mounting, std::optional<Loss>& loss) {
  add_device(command, "--device", mounting.device, "Where to run it (see weft devices)")
      ->default_str("as trained")
      ->group("Running");
  add_integer(command, "--batch", mounting.batch, 1, INT32_MAX, "Rows in one go")->group("Running");
  add_integer(command, "--threads", mounting.threads, 0, 1024, "Of native_cpu; 0: the physical cores")
      ->group("Running");
  add_named<Precision>(command, "--precision", mounting.precision, parse_precision, "fp32|tf32|bf16",
                       "Of cuda: how the factors of products may be rounded")
      ->group("Running");
  const auto accept = [&loss](const std::string& text) {
    const Result<Loss> parsed = parse_loss(text);
    if (!parsed.ok()) throw CLI::ValidationError("--loss", std::string(without_noun(parsed.status().message())));
    loss = *parsed;
  };
  command.add_option_function<std::string>("--loss", accept, "What was trained for, where run.json is missing")
      ->type_name("ce|mse")
      ->group("Running");
}

TrainedModel::TrainedModel(data::Preparation preparation, Loss loss, int ticks, std::int64_t batch)
    : preparation_(std::move(preparation)), loss_(loss), ticks_(ticks), batch_(batch) {}

Result<TrainedModel> TrainedModel::open(const std::filesystem::path& folder, std::optional<Loss> loss,
                                        const Mounting& mounting) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Status(StatusCode::kNotFound,
                  fmt::format("{} is no folder, wanted one that weft train --out wrote", quote(folder.string())));
  }
  auto loaded = load(folder);
  if (!loaded.ok()) return explain_load(loaded.status(), folder);
  Model model = *std::move(loaded);
  auto preparation = data::load_preparation(folder);
  if (!preparation.ok()) return explain(preparation.status(), folder, "data.json");
  WEFT_ASSIGN_OR_RETURN(const RunRecord record, record_of(folder, loss, model));
  TrainedModel trained(*std::move(preparation), record.loss, record.ticks, mounting.batch);
  trained.dtype_ = dtype_of(model);
  trained.model_ = std::make_unique<Model>(std::move(model));
  Mounting chosen = mounting;
  if (chosen.device.empty()) chosen.device = default_device(record, trained.dtype_);
  WEFT_RETURN_IF_ERROR(trained.mount(chosen));
  WEFT_RETURN_IF_ERROR(trained.check_sizes(folder));
  const bool recorded = !record.device.empty();
  if (recorded) WEFT_RETURN_IF_ERROR(check_one_training(folder, record));
  return trained;
}

Status TrainedModel::mount(const Mounting& mounting) {
  const MountOptions options{.device = mounting.device,
                             .loss = loss_,
                             .threads = static_cast<int>(mounting.threads),
                             .precision = mounting.precision};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return weft::mount(root, options); }, *model_));
  session_ = std::make_unique<Session>(std::move(session));
  return {};
}

// A row of zeros tells whether model.json and data.json belong together.
Status TrainedModel::check_sizes(const std::filesystem::path& folder) {
  const std::int64_t features = preparation_.item.elements();
  const auto output = session_->forward(Tensor(Shape{1, features}, dtype_), {.ticks = ticks_});
  const std::string place = fmt::format("{}: data.json and model.json disagree", quote(folder.string()));
  if (!output.ok()) {
    const bool sizes = output.status().code() == StatusCode::kInvalidArgument;
    return sizes ? Status(output.status().code(),
                          fmt::format("{}: for rows of {} features: {}", place, features, output.status().message()))
                 : output.status();
  }
  if (output->shape() == Shape{1, preparation_.outputs}) return {};
  return {StatusCode::kInvalidArgument,
          fmt::format("{}: the model's output for a row is {}, wanted [1, {}]: {}", place, to_string(output->shape()),
                      preparation_.outputs,
                      preparation_.task == data::Task::kClassification ? "a class each" : "a target each")};
}

std::vector<std::string> TrainedModel::output_names() const {
  if (preparation_.task == data::Task::kClassification) return preparation_.classes;
  const auto& columns = preparation_.schema.columns;
  const auto label = std::find_if(columns.begin(), columns.end(),
                                  [](const auto& column) { return column.role == data::ColumnRole::kLabel; });
  if (label != columns.end() && preparation_.outputs == 1) return {label->name};
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < preparation_.outputs; ++i) names.push_back(fmt::format("target {}", i));
  return names;
}

Result<Tensor> TrainedModel::forward(const Tensor& inputs) {
  const ForwardOptions options{.ticks = ticks_};
  if (dtype_ == DType::kFloat32) return session_->forward(inputs, options);
  WEFT_ASSIGN_OR_RETURN(const Tensor output, session_->forward(inputs.to(dtype_), options));
  return output.to(DType::kFloat32);
}

Result<Tensor> TrainedModel::outputs(const Tensor& inputs) {
  const std::int64_t rows = inputs.shape()[0], width = inputs.shape()[1];
  const auto from = inputs.values<float>();
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(rows * preparation_.outputs));
  for (std::int64_t row = 0; row < rows; row += batch_) {
    const std::int64_t count = std::min(batch_, rows - row);
    const auto part = from.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(count * width));
    WEFT_ASSIGN_OR_RETURN(const Tensor output, forward(Tensor::view(Shape{count, width}, part)));
    const auto values = output.values<float>();
    const auto bad = std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
    if (bad != values.end()) {
      return Status(StatusCode::kFailedPrecondition,
                    fmt::format("sample {}: the model's output is {}, wanted a finite number",
                                row + (bad - values.begin()) / preparation_.outputs, *bad));
    }
    all.insert(all.end(), values.begin(), values.end());
  }
  return Tensor(Shape{rows, preparation_.outputs}, std::move(all));
}

Result<EvaluateResult> TrainedModel::evaluate(const data::Samples& samples) {
  const EvaluateOptions options{.batch = batch_, .ticks = ticks_};
  if (dtype_ == DType::kFloat32) return session_->evaluate(samples, options);
  return session_->evaluate({samples.inputs.to(dtype_), samples.targets.to(dtype_), samples.labels}, options);
}

}  // namespace weft::cli
