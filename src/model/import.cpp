// Weights by name out of a safetensors file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/safetensors.h"
#include "src/model/initialise.h"
#include "src/model/leaf_tensors.h"
#include "weft/model_file.hpp"

namespace weft {
namespace {

using Renames = std::map<std::string, std::string>;
using Fate = ImportedTensor::Fate;

Status refuse(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

bool is_float(std::string_view type) { return type == "F32" || type == "F64" || type == "F16" || type == "BF16"; }

// The rename of the whole name, or of the longest part of it that ends before a point.
Renames::const_iterator find_rename(const Renames& renames, const std::string& name) {
  for (std::size_t end = name.size(); end != std::string::npos && end > 0; end = name.rfind('.', end - 1)) {
    if (const auto found = renames.find(name.substr(0, end)); found != renames.end()) return found;
  }
  return renames.end();
}

// That every rename is of an array, also where a longer one comes before it.
Status check_renames(const Renames& renames, const std::vector<SafetensorsEntry>& entries, const std::string& place) {
  for (const auto& [from, to] : renames) {
    if (from.empty() || to.empty()) {
      return refuse(fmt::format("{}rename {} to {}, wanted two names", place, quote(from), quote(to)));
    }
    const auto meant = [&from = from](const SafetensorsEntry& entry) {
      return entry.name == from || entry.name.starts_with(from + ".");
    };
    if (std::none_of(entries.begin(), entries.end(), meant)) {
      std::vector<KnownName> known;
      known.reserve(entries.size());
      for (const SafetensorsEntry& entry : entries) known.push_back({entry.name, quote(entry.name)});
      return unknown_name(place + "rename", from, known);
    }
  }
  return Status();
}

// The arrays under the names that renaming gives them.
Result<std::map<std::string, const SafetensorsEntry*>> renamed(const Renames& renames,
                                                               const std::vector<SafetensorsEntry>& entries,
                                                               const std::string& place) {
  WEFT_RETURN_IF_ERROR(check_renames(renames, entries, place));
  std::map<std::string, const SafetensorsEntry*> arrays;
  for (const SafetensorsEntry& entry : entries) {
    std::string name = entry.name;
    if (const auto rename = find_rename(renames, name); rename != renames.end()) {
      name = rename->second + name.substr(rename->first.size());
    }
    const auto [other, fresh] = arrays.emplace(name, &entry);
    if (!fresh) {
      return refuse(fmt::format("{}{} and {} both come to {}, wanted one", place, quote(other->second->name),
                                quote(entry.name), quote(name)));
    }
  }
  return arrays;
}

bool all_finite(const Tensor& tensor) {
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); });
  };
  return finite(tensor.values<float>()) && finite(tensor.values<double>());
}

// The array as the leaf wants it, or nothing where it does not fit, as `seen.fate` then says.
Result<std::optional<Tensor>> read(SafetensorsReader& reader, const SafetensorsEntry& array, DType dtype,
                                   ImportedTensor& seen) {
  seen.from = array.name;
  seen.type = array.type;
  seen.seen = Shape(array.shape);
  seen.fate = !is_float(array.type) ? Fate::kOtherType : seen.seen != seen.wanted ? Fate::kOtherShape : Fate::kTaken;
  if (seen.fate != Fate::kTaken) return std::optional<Tensor>();
  WEFT_ASSIGN_OR_RETURN(State::Values values, reader.values(array));
  Tensor tensor;
  if (auto* floats = std::get_if<std::vector<float>>(&values)) tensor = Tensor(seen.wanted, std::move(*floats));
  if (auto* doubles = std::get_if<std::vector<double>>(&values)) tensor = Tensor(seen.wanted, std::move(*doubles));
  const bool finite = all_finite(tensor);
  if (tensor.dtype() != dtype) tensor = tensor.to(dtype);
  if (!finite || !all_finite(tensor)) {
    seen.fate = finite ? Fate::kTooLarge : Fate::kNotFinite;
    return std::optional<Tensor>();
  }
  return std::optional<Tensor>(std::move(tensor));
}

}  // namespace

std::string_view to_string(ImportedTensor::Fate fate) {
  switch (fate) {
    case Fate::kTaken: return "taken";
    case Fate::kMissing: return "missing";
    case Fate::kOtherShape: return "other shape";
    case Fate::kOtherType: return "other type";
    case Fate::kNotFinite: return "not finite";
    case Fate::kTooLarge: return "too large for float32";
  }
  return "unknown fate";
}

bool ImportReport::complete() const {
  return std::all_of(tensors.begin(), tensors.end(), [](const auto& tensor) { return tensor.fate == Fate::kTaken; });
}

Result<ImportReport> import_weights(Model& model, const std::filesystem::path& file, const Renames& renames) {
  const auto ops = std::visit([](auto& kind) { return leaves(kind); }, model);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    WEFT_RETURN_IF_ERROR(validate_leaf(*ops[i], "import: " + leaf_label(*ops[i], i + 1)));
  }
  auto reader = SafetensorsReader::open(file);
  if (!reader.ok()) return Status(reader.status().code(), "import: " + reader.status().message());
  WEFT_ASSIGN_OR_RETURN(auto arrays, renamed(renames, reader->entries(), fmt::format("import: '{}': ", file.string())));
  ImportReport report;
  const auto wanted = leaf_tensors(ops);
  // All is read before anything in the model changes.
  std::vector<std::pair<Tensor*, Tensor>> taken;
  std::set<std::string> used;
  for (const auto& entry : wanted) {
    ImportedTensor& seen = report.tensors.emplace_back();
    seen.name = entry.name;
    seen.wanted = entry.wanted;
    const auto found = arrays.find(entry.name);
    if (found == arrays.end()) continue;
    used.insert(found->second->name);
    auto tensor = read(*reader, *found->second, entry.dtype, seen);
    if (!tensor.ok()) return Status(tensor.status().code(), "import: " + tensor.status().message());
    if (*tensor) taken.emplace_back(entry.tensor, std::move(**tensor));
  }
  for (auto& [to, tensor] : taken) *to = std::move(tensor);
  for (const SafetensorsEntry& entry : reader->entries()) {
    if (!used.contains(entry.name)) report.unused.push_back(entry.name);
  }
  return report;
}

}  // namespace weft
