// Ids of trainings, made and compared.
#include "cli/training_id.h"

#include <string>
#include <variant>

#include <fmt/format.h>

#include "cli/fingerprint.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/read_file.h"
#include "src/io/safetensors.h"

namespace weft::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of model.json and data.json, whose readers allow less

Status of_two(const std::filesystem::path& folder, std::string_view file, std::string_view seen,
              std::string_view wanted, std::string_view way_out) {
  return {StatusCode::kDataLoss, fmt::format("{}: {}: {} has {}, run.json wants {}; {}", quote(folder.string()),
                                             kTwoTrainings, file, seen, wanted, way_out)};
}

Status check_text(const std::filesystem::path& folder, const char* file, const std::string& wanted) {
  if (wanted.empty()) return {};
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(folder / file, kMostBytes));
  const std::string seen = fingerprint(text);
  if (seen == wanted) return {};
  return of_two(folder, file, "the fingerprint " + seen, wanted,
                fmt::format("train again, or delete \"{}\" from \"training\" in run.json where the file was changed on "
                            "purpose",
                            file));
}

}  // namespace

TrainingId training_id(const RunRecord& record, const Model& model, const data::Preparation& preparation) {
  RunRecord own = record;
  own.training = {.id = {}, .model = fingerprint(to_json(model)), .data = fingerprint(to_json(preparation))};
  const std::string text = to_json(own);
  Fingerprint all;
  all.add(text.data(), text.size());
  for (const Dense* leaf : std::visit([](const auto& root) { return leaves(root); }, model)) {
    all.add(leaf->weight.data(), leaf->weight.bytes());
    if (leaf->bias) all.add(leaf->bias->data(), leaf->bias->bytes());
  }
  own.training.id = all.text();
  return own.training;
}

Status check_one_training(const std::filesystem::path& folder, const RunRecord& record) {
  const TrainingId& training = record.training;
  WEFT_ASSIGN_OR_RETURN(const SafetensorsReader weights, SafetensorsReader::open(folder / "weights.safetensors"));
  // They are put in place first: with an id that run.json lacks they are newer than it.
  const auto id = weights.metadata().find(kTrainingKey);
  if (id != weights.metadata().end() && id->second != training.id)
    return of_two(folder, "weights.safetensors", "the id " + quote(id->second),
                  training.id.empty() ? "none" : quote(training.id), "train again");
  WEFT_RETURN_IF_ERROR(check_text(folder, "model.json", training.model));
  return check_text(folder, "data.json", training.data);
}

}  // namespace weft::cli
