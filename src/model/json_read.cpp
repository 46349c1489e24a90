// A model's architecture from JSON, strictly.
#include <fmt/format.h>

#include <utility>

#include "src/core/names.h"
#include "src/core/try.h"
#include "src/io/json_cursor.h"
#include "src/io/strict_json.h"
#include "src/model/json.h"
#include "weft/model_file.hpp"

namespace weft {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
constexpr std::size_t kMaxAxes = 8;
// Each op within an op costs an object and a list, each cell as much again around it.
constexpr int kMaxJsonDepth = 2 * kMaxOpDepth + 8;

// Each key belongs to a kind of op; a reader says which it knows.
Result<Op> read_op(const JsonCursor& at, int depth);

// The value of a name's parser, with the path before its complaint.
template <typename T>
Result<T> read_name(const JsonCursor& at, Result<T> (*parse)(std::string_view)) {
  WEFT_ASSIGN_OR_RETURN(const std::string name, at.text());
  auto value = parse(name);
  if (!value.ok()) return at.error(without_noun(value.status().message()));
  return value;
}

Result<std::string> read_label(const JsonCursor& at) {
  if (!at.has("name")) return std::string();
  return at["name"].text();
}

Result<std::vector<Op>> read_ops(const JsonCursor& at, int depth) {
  WEFT_ASSIGN_OR_RETURN(const auto elements, at.elements());
  std::vector<Op> ops;
  for (const JsonCursor& element : elements) {
    WEFT_ASSIGN_OR_RETURN(Op op, read_op(element, depth + 1));
    ops.push_back(std::move(op));
  }
  return ops;
}

// `key` may be absent; a list has as many modes as there are ops, or (fewer) at most that many.
Result<std::vector<OptionalMode>> read_modes(const JsonCursor& op, std::string_view key, std::size_t ops, bool fewer) {
  std::vector<OptionalMode> modes;
  if (!op.has(key)) return modes;
  const JsonCursor at = op[key];
  WEFT_ASSIGN_OR_RETURN(const auto elements, at.elements());
  if (elements.size() > ops || (!fewer && elements.size() != ops && !elements.empty())) {
    return at.wrong(fmt::format("{}{} modes, one for each op", fewer ? "at most " : "", ops));
  }
  for (const JsonCursor& element : elements) {
    WEFT_ASSIGN_OR_RETURN(const OptionalMode mode, read_name(element, parse_optional_mode));
    modes.push_back(mode);
  }
  return modes;
}

Result<Dense> read_dense(const JsonCursor& at) {
  WEFT_RETURN_IF_ERROR(at.keys({"type", "in", "out", "act"}, {"dtype", "format", "bias", "name"}));
  Dense op;
  WEFT_ASSIGN_OR_RETURN(op.in, at["in"].integer(1, kMaxSize));
  WEFT_ASSIGN_OR_RETURN(op.out, at["out"].integer(1, kMaxSize));
  if (op.in > kMaxSize / op.out) {
    return at.error(fmt::format("in {} x out {}, wanted a product of at most 2^40", op.in, op.out));
  }
  WEFT_ASSIGN_OR_RETURN(op.activation, read_name(at["act"], parse_activation));
  if (at.has("dtype")) {
    WEFT_ASSIGN_OR_RETURN(op.dtype, read_name(at["dtype"], parse_dtype));
  }
  if (at.has("format")) {
    WEFT_ASSIGN_OR_RETURN(op.format, read_name(at["format"], parse_format));
  }
  if (at.has("bias")) {
    WEFT_ASSIGN_OR_RETURN(const bool bias, at["bias"].boolean());
    if (bias) op.bias.emplace();
  }
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

Result<Stack> read_stack(const JsonCursor& at, int depth) {
  WEFT_RETURN_IF_ERROR(at.keys({"type", "ops"}, {"child_modes", "name"}));
  Stack op;
  WEFT_ASSIGN_OR_RETURN(op.ops, read_ops(at["ops"], depth));
  WEFT_ASSIGN_OR_RETURN(op.child_modes, read_modes(at, "child_modes", op.ops.size(), false));
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

Result<Parallel> read_parallel(const JsonCursor& at, int depth) {
  WEFT_RETURN_IF_ERROR(at.keys({"type", "combine", "branches"}, {"gate", "branch_modes", "name"}));
  Parallel op;
  WEFT_ASSIGN_OR_RETURN(op.combine, read_name(at["combine"], parse_combine));
  WEFT_ASSIGN_OR_RETURN(op.branches, read_ops(at["branches"], depth));
  if (op.branches.empty()) return at["branches"].wrong("at least one branch");
  WEFT_ASSIGN_OR_RETURN(op.branch_modes, read_modes(at, "branch_modes", op.branches.size(), true));
  const bool filter = op.combine == Combine::kFilter;
  if (filter && !at.has("gate")) return at.error("the key 'gate' is missing, wanted one for combine 'filter'");
  if (!filter && at.has("gate")) {
    return at["gate"].error(fmt::format("not used by combine '{}', wanted none", to_string(op.combine)));
  }
  if (filter) {
    const JsonCursor gate = at["gate"];
    WEFT_ASSIGN_OR_RETURN(Op read, read_op(gate, depth + 1));
    if (read.get_if<Dense>() == nullptr) return gate.error(fmt::format("a {}, wanted a dense", read.kind_name()));
    op.gate = std::move(*read.get_if<Dense>());
  }
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

Result<Residual> read_residual(const JsonCursor& at, int depth) {
  WEFT_RETURN_IF_ERROR(at.keys({"type", "ops"}, {"name"}));
  Residual op;
  WEFT_ASSIGN_OR_RETURN(op.ops, read_ops(at["ops"], depth));
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

Result<View> read_view(const JsonCursor& at) {
  WEFT_RETURN_IF_ERROR(at.keys({"type", "shape"}, {"name"}));
  View op;
  const JsonCursor shape = at["shape"];
  WEFT_ASSIGN_OR_RETURN(const auto axes, shape.elements());
  if (axes.empty() || axes.size() > kMaxAxes) return shape.wrong(fmt::format("1 to {} axes", kMaxAxes));
  std::int64_t product = 1;
  int inferred = 0;
  for (const JsonCursor& axis : axes) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t size, axis.integer(-1, kMaxSize));
    if (size == 0) return axis.wrong("a size of 1 or more, or -1");
    if (size == -1 && ++inferred > 1) return axis.error("a second -1, wanted at most one");
    if (size > 0 && product > kMaxSize / size) {
      return shape.error(fmt::format("{}, wanted a product of at most 2^40", shape.value().dump()));
    }
    if (size > 0) product *= size;
    op.shape.push_back(size);
  }
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

Result<Flatten> read_flatten(const JsonCursor& at) {
  WEFT_RETURN_IF_ERROR(at.keys({"type"}, {"name"}));
  Flatten op;
  WEFT_ASSIGN_OR_RETURN(op.name, read_label(at));
  return op;
}

template <typename T>
Result<Op> as_op(Result<T> op) {
  if (!op.ok()) return op.status();
  return Op(*std::move(op));
}

Result<Op> read_op(const JsonCursor& at, int depth) {
  if (depth > kMaxOpDepth) return at.error(fmt::format("ops nested deeper than {0}, wanted at most {0}", kMaxOpDepth));
  if (!at.value().is_object()) return at.wrong("an object");
  if (!at.has("type")) return at.error("the key 'type' is missing");
  const JsonCursor type = at["type"];
  WEFT_ASSIGN_OR_RETURN(const std::string kind, type.text());
  if (kind == "dense") return as_op(read_dense(at));
  if (kind == "stack") return as_op(read_stack(at, depth));
  if (kind == "parallel") return as_op(read_parallel(at, depth));
  if (kind == "residual") return as_op(read_residual(at, depth));
  if (kind == "view") return as_op(read_view(at));
  if (kind == "flatten") return as_op(read_flatten(at));
  return type.wrong("dense, stack, parallel, residual, view or flatten");
}

Result<Cell> read_cell(const JsonCursor& at, std::int64_t cells) {
  WEFT_RETURN_IF_ERROR(at.keys({}, {"disabled", "op", "remote"}));
  Cell cell;
  if (at.has("disabled")) {
    WEFT_ASSIGN_OR_RETURN(cell.disabled, at["disabled"].boolean());
  }
  if (at.has("op")) {
    WEFT_ASSIGN_OR_RETURN(cell.op, read_op(at["op"], 1));
  }
  if (!cell.disabled && !cell.op) return at.error("enabled without an op, wanted the key 'op' or \"disabled\": true");
  if (at.has("remote")) {
    WEFT_ASSIGN_OR_RETURN(cell.remote_link, at["remote"].integer(0, cells - 1));
  }
  return cell;
}

Result<Grid> read_grid(const JsonCursor& at) {
  WEFT_RETURN_IF_ERROR(at.keys({"dims", "cells"}, {}));
  const JsonCursor dims = at["dims"];
  WEFT_ASSIGN_OR_RETURN(const auto axes, dims.elements());
  if (axes.size() != 4) return dims.wrong("a list of 4: depth, rows, cols, layers_per_cell");
  std::int64_t sizes[4] = {};
  std::int64_t count = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    WEFT_ASSIGN_OR_RETURN(sizes[i], axes[i].integer(1, Grid::kMaxCells));
    if (count > Grid::kMaxCells / sizes[i]) {
      return dims.error(fmt::format("{}, wanted at most {} cells", dims.value().dump(), Grid::kMaxCells));
    }
    count *= sizes[i];
  }
  const JsonCursor list = at["cells"];
  WEFT_ASSIGN_OR_RETURN(const auto elements, list.elements());
  if (elements.size() != static_cast<std::size_t>(count))
    return list.wrong(fmt::format("{} cells, as dims say", count));
  Grid grid(sizes[0], sizes[1], sizes[2], sizes[3]);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    WEFT_ASSIGN_OR_RETURN(grid.cells[i], read_cell(elements[i], count));
  }
  return grid;
}

Result<Model> read_model(const JsonCursor& root) {
  WEFT_RETURN_IF_ERROR(root.keys({"weft"}, {"model", "grid"}));
  WEFT_ASSIGN_OR_RETURN(const std::int64_t version, root["weft"].integer(0, kMaxSize));
  if (version != kModelFormat) return root["weft"].wrong(fmt::format("{}, the version this build reads", kModelFormat));
  if (root.has("model") == root.has("grid")) return root.error("wanted one of the keys 'model' and 'grid'");
  if (root.has("grid")) {
    WEFT_ASSIGN_OR_RETURN(Grid grid, read_grid(root["grid"]));
    return Model(std::move(grid));
  }
  const JsonCursor at = root["model"];
  WEFT_ASSIGN_OR_RETURN(Op op, read_op(at, 1));
  if (op.get_if<Stack>() == nullptr) return at.error(fmt::format("a {}, wanted a stack", op.kind_name()));
  return Model(std::move(*op.get_if<Stack>()));
}

}  // namespace

Result<Model> model_from_json(std::string_view text) {
  WEFT_ASSIGN_OR_RETURN(const nlohmann::json json, parse_strict_json(text, kMaxJsonDepth));
  return read_model(JsonCursor(json, ""));
}

}  // namespace weft
