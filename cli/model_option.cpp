// What --model names, and the models it stands for.
#include "cli/model_option.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/read_file.h"

namespace weft::cli {

std::string to_string(const ModelOption& option) {
  if (const auto* widths = std::get_if<Widths>(&option)) return to_string(*widths);
  if (const auto* path = std::get_if<std::filesystem::path>(&option)) return path->string();
  return {};
}

Result<ModelOption> parse_model_option(std::string_view text) {
  if (auto widths = parse_widths(text); widths.ok()) return ModelOption(*std::move(widths));
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(text), ignored)) return ModelOption(std::filesystem::path(text));
  const bool path = text.find('/') != std::string_view::npos || text.ends_with(".json");
  return Status(StatusCode::kInvalidArgument,
                path ? fmt::format("seen {}: no such file, wanted a model.json, its folder, or widths such as 64-32-10",
                                   quote(text))
                     : fmt::format("seen {}, wanted two or more widths of 1 to {} such as 64-32-10, or the path of a "
                                   "model.json or its folder",
                                   quote(text), INT32_MAX));
}

Model model_of_widths(const Widths& widths, Activation activation, bool bias, Schedule schedule) {
  std::vector<Op> layers;
  for (std::size_t i = 0; i + 1 < widths.sizes.size(); ++i) {
    const bool head = i + 2 == widths.sizes.size();
    layers.emplace_back(
        dense(widths.sizes[i], widths.sizes[i + 1], head ? Activation::kLinear : activation, {.bias = bias}));
  }
  if (schedule != Schedule::kMesh) return Stack(std::move(layers));
  Grid grid(static_cast<std::int64_t>(layers.size()) + 1, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t i = 0; i < layers.size(); ++i) grid.cells[i + 1].op = std::move(layers[i]);
  return grid;
}

Result<Model> model_of_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::is_directory(path, ignored) ? path / "model.json" : path;
  WEFT_ASSIGN_OR_RETURN(const std::string text, read_file(file));
  auto model = model_from_json(text);
  if (model.ok()) return model;
  return Status(model.status().code(), fmt::format("'{}': {}", file.string(), model.status().message()));
}

int ticks_through(const Model& model) {
  const auto* grid = std::get_if<Grid>(&model);
  if (grid == nullptr) return 1;
  const auto enabled =
      std::count_if(grid->cells.begin(), grid->cells.end(), [](const Cell& cell) { return !cell.disabled; });
  return static_cast<int>(std::max<std::ptrdiff_t>(enabled, 1));
}

DType dtype_of(const Model& model) {
  const auto all = std::visit([](const auto& root) { return leaves(root); }, model);
  return all.empty() ? DType::kFloat32 : all.front()->dtype;
}

}  // namespace weft::cli
