// Checkpoints as safetensors files.
#include <fmt/format.h>

#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/safetensors.h"
#include "weft/state.hpp"
#include "weft/version.hpp"

namespace weft {
namespace {

// Marks the file as a state of this layout; not part of the state's own metadata.
constexpr const char* kFormatKey = "weft_state";
constexpr const char* kFormat = "1";
constexpr const char* kVersionKey = "weft_version";

SafetensorsType type_of(const std::vector<float>&) { return SafetensorsType::kF32; }
SafetensorsType type_of(const std::vector<double>&) { return SafetensorsType::kF64; }
SafetensorsType type_of(const std::vector<std::uint64_t>&) { return SafetensorsType::kU64; }

}  // namespace

Status write_state(const State& state, const std::filesystem::path& file) {
  std::map<std::string, std::string> metadata = state.metadata;
  for (const auto& [key, text] : {std::pair{kFormatKey, kFormat}, std::pair{kVersionKey, version()}}) {
    if (!metadata.emplace(key, text).second) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("write '{}': the metadata key '{}' is taken, wanted another", file.string(), key));
    }
  }
  std::vector<SafetensorsView> arrays;
  for (const auto& [name, values] : state.arrays) {
    std::visit(
        [&, label = name](const auto& numbers) {
          arrays.push_back({label, type_of(numbers), {static_cast<std::int64_t>(numbers.size())}, numbers.data()});
        },
        values);
  }
  return write_safetensors(file, arrays, metadata);
}

Result<State> read_state(const std::filesystem::path& file) {
  WEFT_ASSIGN_OR_RETURN(SafetensorsFile contents, read_safetensors(file));
  State state;
  state.metadata = std::move(contents.metadata);
  const auto format = state.metadata.find(kFormatKey);
  if (format == state.metadata.end()) {
    return Status(StatusCode::kDataLoss,
                  fmt::format("read '{}': not a state: the metadata key '{}' is missing", file.string(), kFormatKey));
  }
  if (format->second != kFormat) {
    return Status(StatusCode::kUnsupported, fmt::format("read '{}': state format {}, wanted '{}'", file.string(),
                                                        quote(format->second), kFormat));
  }
  state.metadata.erase(format);
  state.metadata.erase(kVersionKey);
  for (SafetensorsArray& array : contents.arrays) {
    if (array.shape.size() != 1) {
      return Status(StatusCode::kDataLoss, fmt::format("read '{}': {} has {} axes, wanted 1", file.string(),
                                                       quote(array.name), array.shape.size()));
    }
    state.arrays.emplace(std::move(array.name), std::move(array.values));
  }
  return state;
}

}  // namespace weft
