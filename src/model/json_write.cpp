// A model's architecture as JSON.
#include <nlohmann/json.hpp>

#include "src/model/json.h"
#include "weft/model_file.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json op_json(const Op& op);

Json list_json(const std::vector<Op>& ops) {
  Json list = Json::array();
  for (const Op& op : ops) list.push_back(op_json(op));
  return list;
}

Json modes_json(const std::vector<OptionalMode>& modes) {
  Json list = Json::array();
  for (const OptionalMode& mode : modes) list.push_back(mode ? to_string(*mode) : "inherit");
  return list;
}

void add_name(Json& json, const std::string& name) {
  if (!name.empty()) json["name"] = name;
}

Json write(const Dense& op) {
  Json json{{"type", "dense"}};
  add_name(json, op.name);
  json["in"] = op.in;
  json["out"] = op.out;
  json["act"] = to_string(op.activation);
  json["dtype"] = to_string(op.dtype);
  json["format"] = to_string(op.format);
  json["bias"] = op.bias.has_value();
  return json;
}

Json write(const Stack& op) {
  Json json{{"type", "stack"}};
  add_name(json, op.name);
  json["ops"] = list_json(op.ops);
  if (!op.child_modes.empty()) json["child_modes"] = modes_json(op.child_modes);
  return json;
}

Json write(const Parallel& op) {
  Json json{{"type", "parallel"}};
  add_name(json, op.name);
  json["combine"] = to_string(op.combine);
  json["branches"] = list_json(op.branches);
  if (op.gate) json["gate"] = write(*op.gate);
  if (!op.branch_modes.empty()) json["branch_modes"] = modes_json(op.branch_modes);
  return json;
}

Json write(const Residual& op) {
  Json json{{"type", "residual"}};
  add_name(json, op.name);
  json["ops"] = list_json(op.ops);
  return json;
}

Json write(const View& op) {
  Json json{{"type", "view"}};
  add_name(json, op.name);
  json["shape"] = op.shape;
  return json;
}

Json write(const Flatten& op) {
  Json json{{"type", "flatten"}};
  add_name(json, op.name);
  return json;
}

Json op_json(const Op& op) {
  return std::visit([](const auto& kind) { return write(kind); }, op.kind());
}

Json cell_json(const Cell& cell) {
  Json json = Json::object();
  if (cell.disabled) json["disabled"] = true;
  if (cell.op) json["op"] = op_json(*cell.op);
  if (cell.remote_link) json["remote"] = *cell.remote_link;
  return json;
}

// Names that are not UTF-8 come out with replacement characters rather than not at all.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string stack_to_json(const Stack& stack) { return text_of({{"weft", kModelFormat}, {"model", write(stack)}}); }

std::string grid_to_json(const Grid& grid) {
  Json cells = Json::array();
  for (const Cell& cell : grid.cells) cells.push_back(cell_json(cell));
  Json json;
  json["dims"] = {grid.depth, grid.rows, grid.cols, grid.layers_per_cell};
  json["cells"] = std::move(cells);
  return text_of({{"weft", kModelFormat}, {"grid", std::move(json)}});
}

std::string to_json(const Model& model) {
  if (const auto* stack = std::get_if<Stack>(&model)) return stack_to_json(*stack);
  return grid_to_json(std::get<Grid>(model));
}

}  // namespace weft
