// Model files: a folder with model.json and weights.safetensors.
#include "weft/model_file.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/atomic_file.h"
#include "src/io/read_file.h"
#include "src/io/safetensors.h"
#include "src/model/json.h"
#include "src/model/leaf_tensors.h"
#include "weft/version.hpp"

namespace weft {
namespace {

constexpr const char* kModelName = "model.json";
constexpr const char* kWeightsName = "weights.safetensors";
constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 28;

Status placed(std::string_view place, const Status& status) {
  return Status(status.code(), fmt::format("{}: {}", place, status.message()));
}

Result<std::vector<SafetensorsView>> views_of(const std::vector<const Dense*>& leaves) {
  std::vector<SafetensorsView> views;
  for (const auto& entry : leaf_tensors(leaves)) {
    if (Status status = check_values(entry); !status.ok()) return placed("save: " + entry.place, status);
    const auto type = entry.tensor->dtype() == DType::kFloat64 ? SafetensorsType::kF64 : SafetensorsType::kF32;
    views.push_back({entry.name, type, {entry.wanted.axes().begin(), entry.wanted.axes().end()}, entry.tensor->data()});
  }
  return views;
}

Status save_parts(const std::string& json, const std::vector<const Dense*>& leaves, const std::filesystem::path& folder,
                  std::map<std::string, std::string> metadata) {
  // Nothing is written that load would refuse.
  if (const auto read = model_from_json(json); !read.ok()) return placed("save", read.status());
  WEFT_ASSIGN_OR_RETURN(auto views, views_of(leaves));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Status(StatusCode::kIo,
                  fmt::format("save: cannot make the folder '{}': {}", folder.string(), error.message()));
  }
  metadata["weft_version"] = version();
  if (Status status = write_safetensors(folder / kWeightsName, std::move(views), metadata); !status.ok()) {
    return placed("save", status);
  }
  Status status = write_file_atomically(folder / kModelName, json.data(), json.size());
  return status.ok() ? status : placed("save", status);
}

// Takes an array out of the file and into the model.
Status take(std::map<std::string, SafetensorsArray>& arrays, const LeafTensor<Tensor>& entry) {
  const std::string& name = entry.name;
  const Shape& wanted = entry.wanted;
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    return Status(StatusCode::kDataLoss, fmt::format("'{}' is missing, wanted {}", name, to_string(wanted)));
  }
  SafetensorsArray& array = found->second;
  if (Shape(array.shape) != wanted) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("'{}' is {}, wanted {}", name, to_string(Shape(array.shape)), to_string(wanted)));
  }
  auto* floats = std::get_if<std::vector<float>>(&array.values);
  auto* doubles = std::get_if<std::vector<double>>(&array.values);
  if (floats != nullptr && entry.dtype == DType::kFloat32) {
    *entry.tensor = Tensor(wanted, std::move(*floats));
  } else if (doubles != nullptr && entry.dtype == DType::kFloat64) {
    *entry.tensor = Tensor(wanted, std::move(*doubles));
  } else {
    return Status(StatusCode::kDataLoss, fmt::format("'{}' holds {}, wanted {}", name,
                                                     floats != nullptr    ? "F32"
                                                     : doubles != nullptr ? "F64"
                                                                          : "U64",
                                                     entry.dtype == DType::kFloat32   ? "F32"
                                                     : entry.dtype == DType::kFloat64 ? "F64"
                                                                                      : to_string(entry.dtype)));
  }
  arrays.erase(found);
  return Status();
}

Status fill(const std::vector<Dense*>& leaves, SafetensorsFile file) {
  std::map<std::string, SafetensorsArray> arrays;
  for (SafetensorsArray& array : file.arrays) {
    std::string name = array.name;
    arrays.emplace(std::move(name), std::move(array));
  }
  for (const auto& entry : leaf_tensors(leaves)) WEFT_RETURN_IF_ERROR(take(arrays, entry));
  if (!arrays.empty()) {
    return Status(StatusCode::kDataLoss, fmt::format("unknown array {}, wanted those of the {} leaves of {}",
                                                     quote(arrays.begin()->first), leaves.size(), kModelName));
  }
  return Status();
}

}  // namespace

Status save(const Stack& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata) {
  return save_parts(stack_to_json(model), leaves(model), folder, metadata);
}

Status save(const Grid& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata) {
  WEFT_RETURN_IF_ERROR(model.validate());
  return save_parts(grid_to_json(model), leaves(model), folder, metadata);
}

Status save(const Model& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata) {
  return std::visit([&](const auto& kind) { return save(kind, folder, metadata); }, model);
}

Result<Model> load(const std::filesystem::path& folder) {
  const auto file = folder / kModelName;
  auto text = read_file(file, kMaxModelBytes);
  if (!text.ok()) return placed("load", text.status());
  auto model = model_from_json(*text);
  if (!model.ok()) return placed(fmt::format("load: '{}'", file.string()), model.status());
  const auto weights = folder / kWeightsName;
  auto contents = read_safetensors(weights);
  if (!contents.ok()) return placed("load", contents.status());
  const auto all = std::visit([](auto& kind) { return leaves(kind); }, *model);
  if (Status status = fill(all, *std::move(contents)); !status.ok()) {
    return placed(fmt::format("load: '{}'", weights.string()), status);
  }
  return model;
}

}  // namespace weft
