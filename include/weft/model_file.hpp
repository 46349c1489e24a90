// Model files: model.json (the architecture) and weights.safetensors (the numbers).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>

#include "weft/grid.hpp"
#include "weft/op.hpp"

namespace weft {

using Model = std::variant<Stack, Grid>;

/// The architecture as JSON text and back. Strict: unknown keys, wrong types, deep nesting and
/// absurd sizes are errors naming the JSON path, the value seen and the value wanted.
std::string to_json(const Model& model);
Result<Model> model_from_json(std::string_view text);

/// Writes model.json and weights.safetensors into `folder` (made if absent). Each file is written to a
/// temporary, synced and renamed. `metadata` (mode, seed, ...) goes into the weights file, with weft's version.
/// Errors: kInvalidArgument (a leaf without weights of its shape; a model that load would refuse), kNotFound, kIo.
Status save(const Model& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata = {});
Status save(const Stack& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata = {});
Status save(const Grid& model, const std::filesystem::path& folder,
            const std::map<std::string, std::string>& metadata = {});

/// Reads what save wrote. Errors: kNotFound, kDataLoss, kInvalidArgument, naming file and field.
Result<Model> load(const std::filesystem::path& folder);

}  // namespace weft
