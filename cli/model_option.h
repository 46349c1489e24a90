// ModelOption: what --model names: widths "784-128-10", a model.json, or a folder that has one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <variant>

#include "cli/widths.h"
#include "weft/activation.hpp"
#include "weft/mode.hpp"
#include "weft/model_file.hpp"

namespace weft::cli {

/// Nothing: the command chooses widths for the data.
using ModelOption = std::variant<std::monostate, Widths, std::filesystem::path>;

std::string to_string(const ModelOption& option);

/// Widths where the text reads as such, else the path of something that is there.
/// Errors: kInvalidArgument naming the text and what was wanted.
Result<ModelOption> parse_model_option(std::string_view text);

/// Dense layers of the given widths, the last one linear. For a mesh the layers are a column of cells behind a disabled
/// ingress, else a stack. Without weights.
Model model_of_widths(const Widths& widths, Activation activation, bool bias, Schedule schedule);

/// The architecture in the file, or in the folder's model.json. Without weights.
/// Errors: kNotFound, kIo, kInvalidArgument, naming the file and the path in it.
Result<Model> model_of_file(const std::filesystem::path& path);

/// Cells that compute: as many ticks bring an input to the last one where each reads the one before. 1 for a stack.
int ticks_through(const Model& model);

/// Of its weights: float32 where the model has none.
DType dtype_of(const Model& model);

}  // namespace weft::cli
