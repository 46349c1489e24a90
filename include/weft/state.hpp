// State: a session's checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "weft/tensor.hpp"

namespace weft {

/// Named arrays and a little text. Names: "leaf.1.weight", "leaf.1.weight.v", "rule.TweenSplitLinearCache...",
/// "pipe.2.y" ...
struct State {
  using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint64_t>>;
  std::map<std::string, Values> arrays;
  std::map<std::string, std::string> metadata;
};

/// Writes or reads a state as a safetensors file (F32, F64, U64). Written to a temporary, synced, renamed.
Status write_state(const State& state, const std::filesystem::path& file);
Result<State> read_state(const std::filesystem::path& file);

}  // namespace weft
