// run.json, written and read.
#include "cli/run_record.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/data/data_json.h"
#include "src/io/atomic_file.h"
#include "src/io/json_cursor.h"
#include "src/io/read_file.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = "run.json";
constexpr std::int64_t kVersion = 1;  // of the file
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

Json json_of(const std::optional<double>& number) { return number && std::isfinite(*number) ? Json(*number) : Json(); }

Json json_of(const LearningRate& schedule) {
  return Json{{"decay", to_string(schedule.decay)}, {"warmup", schedule.warmup}, {"calls", schedule.calls},
              {"period", schedule.period},          {"factor", schedule.factor}, {"least", schedule.least}};
}

Json json_of(const Optimizer& optimizer) {
  return Json{{"kind", to_string(optimizer.kind)},
              {"momentum", optimizer.momentum},
              {"beta1", optimizer.beta1},
              {"beta2", optimizer.beta2},
              {"epsilon", optimizer.epsilon},
              {"weight_decay", optimizer.weight_decay},
              {"clip", optimizer.clip}};
}

Status read_number(const JsonCursor& json, double& value) {
  WEFT_ASSIGN_OR_RETURN(value, data::number_of(json));
  return {};
}

Status read_number(const JsonCursor& json, std::optional<double>& value) {
  if (json.value().is_null()) return {};
  WEFT_ASSIGN_OR_RETURN(value, data::number_of(json));
  return {};
}

Status read_schedule(const JsonCursor& json, LearningRate& schedule) {
  WEFT_RETURN_IF_ERROR(json.keys({"decay", "warmup", "calls", "period", "factor", "least"}, {}));
  WEFT_RETURN_IF_ERROR(read_name(json["decay"], parse_decay, schedule.decay));
  WEFT_ASSIGN_OR_RETURN(schedule.warmup, json["warmup"].integer(0, INT64_MAX));
  WEFT_ASSIGN_OR_RETURN(schedule.calls, json["calls"].integer(1, INT64_MAX));
  WEFT_ASSIGN_OR_RETURN(schedule.period, json["period"].integer(1, INT64_MAX));
  WEFT_RETURN_IF_ERROR(read_number(json["factor"], schedule.factor));
  return read_number(json["least"], schedule.least);
}

Status read_optimizer(const JsonCursor& json, Optimizer& optimizer) {
  WEFT_RETURN_IF_ERROR(json.keys({"kind", "momentum", "beta1", "beta2", "epsilon", "weight_decay", "clip"}, {}));
  WEFT_RETURN_IF_ERROR(read_name(json["kind"], parse_optimizer, optimizer.kind));
  WEFT_RETURN_IF_ERROR(read_number(json["momentum"], optimizer.momentum));
  WEFT_RETURN_IF_ERROR(read_number(json["beta1"], optimizer.beta1));
  WEFT_RETURN_IF_ERROR(read_number(json["beta2"], optimizer.beta2));
  WEFT_RETURN_IF_ERROR(read_number(json["epsilon"], optimizer.epsilon));
  WEFT_RETURN_IF_ERROR(read_number(json["weight_decay"], optimizer.weight_decay));
  return read_number(json["clip"], optimizer.clip);
}

Status read_fingerprint(const JsonCursor& json, const char* key, std::string& value) {
  if (!json.has(key)) return {};
  WEFT_ASSIGN_OR_RETURN(value, json[key].text());
  constexpr std::size_t kDigits = 16;
  if (value.size() == kDigits && value.find_first_not_of("0123456789abcdef") == std::string::npos) return {};
  return json[key].error(fmt::format("{}, wanted {} hexadecimal digits", quote(value), kDigits));
}

Status read_training(const JsonCursor& json, TrainingId& training) {
  WEFT_RETURN_IF_ERROR(json.keys({}, {"id", "model.json", "data.json"}));
  WEFT_RETURN_IF_ERROR(read_fingerprint(json, "id", training.id));
  WEFT_RETURN_IF_ERROR(read_fingerprint(json, "model.json", training.model));
  return read_fingerprint(json, "data.json", training.data);
}

Json json_of(const TrainingId& training) {
  Json json = Json::object();
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  put("id", training.id);
  put("model.json", training.model);
  put("data.json", training.data);
  return json;
}

Status read_record(const JsonCursor& root, RunRecord& record) {
  WEFT_RETURN_IF_ERROR(root.keys({"version", "mode", "loss", "device", "ticks", "batch", "epochs", "seed", "lr",
                                  "schedule", "optimizer", "interrupted", "weft"},
                                 {"val_loss", "val_accuracy", "test_loss", "test_accuracy", "training"}));
  WEFT_RETURN_IF_ERROR(root["version"].integer(kVersion, kVersion).status());
  WEFT_RETURN_IF_ERROR(read_name(root["mode"], parse_mode, record.mode));
  WEFT_RETURN_IF_ERROR(read_name(root["loss"], parse_loss, record.loss));
  WEFT_ASSIGN_OR_RETURN(record.device, root["device"].text());
  WEFT_ASSIGN_OR_RETURN(const std::int64_t ticks, root["ticks"].integer(1, INT32_MAX));
  record.ticks = static_cast<int>(ticks);
  WEFT_ASSIGN_OR_RETURN(record.batch, root["batch"].integer(1, INT32_MAX));
  WEFT_ASSIGN_OR_RETURN(record.epochs, root["epochs"].integer(1, INT32_MAX));
  WEFT_ASSIGN_OR_RETURN(record.seed, root["seed"].integer(0, INT64_MAX));
  WEFT_RETURN_IF_ERROR(read_number(root["lr"], record.lr));
  WEFT_RETURN_IF_ERROR(read_schedule(root["schedule"], record.schedule));
  record.schedule.rate = record.lr;
  WEFT_RETURN_IF_ERROR(read_optimizer(root["optimizer"], record.optimizer));
  WEFT_ASSIGN_OR_RETURN(record.interrupted, root["interrupted"].boolean());
  for (auto [key, number] :
       {std::pair{"val_loss", &record.val_loss}, std::pair{"val_accuracy", &record.val_accuracy},
        std::pair{"test_loss", &record.test_loss}, std::pair{"test_accuracy", &record.test_accuracy}}) {
    if (root.has(key)) WEFT_RETURN_IF_ERROR(read_number(root[key], *number));
  }
  WEFT_ASSIGN_OR_RETURN(record.version, root["weft"].text());
  if (root.has("training")) WEFT_RETURN_IF_ERROR(read_training(root["training"], record.training));
  return {};
}

}  // namespace

std::string to_json(const RunRecord& record) {
  Json json{{"version", kVersion},
            {"mode", to_string(record.mode)},
            {"loss", to_string(record.loss)},
            {"device", record.device},
            {"ticks", record.ticks},
            {"batch", record.batch},
            {"epochs", record.epochs},
            {"seed", record.seed},
            {"lr", record.lr},
            {"schedule", json_of(record.schedule)},
            {"optimizer", json_of(record.optimizer)},
            {"interrupted", record.interrupted}};
  const auto put = [&](const char* key, const std::optional<double>& number) {
    if (number) json[key] = json_of(number);
  };
  put("val_loss", record.val_loss);
  put("val_accuracy", record.val_accuracy);
  put("test_loss", record.test_loss);
  put("test_accuracy", record.test_accuracy);
  json["weft"] = record.version;
  if (Json training = json_of(record.training); !training.empty()) json["training"] = std::move(training);
  return json.dump(2) + "\n";
}

Result<RunRecord> run_record_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, data::parsed(text, "run"));
  RunRecord record;
  WEFT_RETURN_IF_ERROR(read_record({json, "run"}, record));
  return record;
}

Status save_run_record(const RunRecord& record, const std::filesystem::path& folder) {
  const std::string text = to_json(record);
  return write_file_atomically(folder / kFile, text.data(), text.size());
}

Result<RunRecord> load_run_record(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(file, kMostBytes));
  auto record = run_record_from_json(text);
  if (record.ok()) return record;
  return Status(record.status().code(), fmt::format("'{}': {}", file.string(), record.status().message()));
}

}  // namespace weft::cli
