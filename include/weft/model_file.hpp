// Model files: model.json (the architecture) and weights.safetensors (the numbers).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

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

/// What became of one weight or bias of the model.
struct ImportedTensor {
  enum class Fate : std::uint8_t { kTaken, kMissing, kOtherShape, kOtherType, kNotFinite, kTooLarge };
  std::string name;  // in the model: "leaf.1.weight"
  Shape wanted;
  std::string from;  // in the file, before renaming; empty where missing
  std::string type;  // in the file: "F32"
  Shape seen;        // in the file
  Fate fate = Fate::kMissing;
};
/// "taken", "missing", "other shape", "other type", "not finite", "too large for float32"
std::string_view to_string(ImportedTensor::Fate fate);

struct ImportReport {
  std::vector<ImportedTensor> tensors;  // every weight and bias of the model, in its order
  std::vector<std::string> unused;      // arrays of the file that no name of the model asked for
  bool complete() const;                // every tensor was taken
};

/// Takes weights by name out of a plain safetensors file, whoever wrote it: F32, F64, F16 and BF16 become the model's
/// dtype. `renames` turns names of the file into names of the model, whole ("fc1.weight" to "leaf.1.weight") or up to
/// a point ("fc1" to "leaf.1"). What does not fit is left as it is in the model and reported.
/// Errors: as load of weights.safetensors; kInvalidArgument where two arrays come to one name or a rename names no
/// array; kUnsupported where the model's dtype is neither float32 nor float64. The model is then as it was.
Result<ImportReport> import_weights(Model& model, const std::filesystem::path& file,
                                    const std::map<std::string, std::string>& renames = {});

/// Writes the weights and biases as an .npz file, names as in weights.safetensors ("leaf.1.weight"), float32 or
/// float64, C order. Written to a temporary, synced, renamed. Errors: as save; kUnsupported for 4 GiB and more, which
/// zip64 alone can hold, and in a build without zlib.
Status export_npz(const Model& model, const std::filesystem::path& file);

}  // namespace weft
