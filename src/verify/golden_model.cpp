// Models as golden files describe them.
#include "src/verify/golden_model.h"

#include <cstdint>

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft::verify {
namespace {

constexpr int kDeepest = 64;
constexpr std::int64_t kWidest = INT32_MAX;

Result<Op> read_op(const Field& field, int depth);

Status unsupported(const Field& field, std::string_view what) {
  return {StatusCode::kUnsupported, fmt::format("{}: {}", field.path(), what)};
}

Result<std::vector<Op>> read_ops(const Field& parent, std::string_view key, int depth) {
  WEFT_ASSIGN_OR_RETURN(const Field list, parent.member(key));
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> fields, list.elements());
  std::vector<Op> ops;
  ops.reserve(fields.size());
  for (const Field& field : fields) {
    WEFT_ASSIGN_OR_RETURN(Op op, read_op(field, depth + 1));
    ops.push_back(std::move(op));
  }
  return ops;
}

Result<std::vector<OptionalMode>> read_modes(const Field& parent, std::string_view key) {
  std::vector<OptionalMode> modes;
  if (!parent.has(key)) return modes;
  WEFT_ASSIGN_OR_RETURN(const Field list, parent.member(key));
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> fields, list.elements());
  for (const Field& field : fields) {
    WEFT_ASSIGN_OR_RETURN(const std::string name, field.text());
    Result<OptionalMode> mode = parse_optional_mode(name);
    if (!mode.ok()) return Status(mode.status().code(), fmt::format("{}: {}", field.path(), mode.status().message()));
    modes.push_back(*mode);
  }
  return modes;
}

Tensor tensor(Shape shape, const std::vector<double>& values, DType dtype) {
  if (dtype == DType::kFloat64) return {std::move(shape), values};
  std::vector<float> narrow;
  narrow.reserve(values.size());
  for (const double value : values) narrow.push_back(static_cast<float>(value));
  return {std::move(shape), std::move(narrow)};
}

Status read_storage(const Field& field, Dense& dense) {
  if (field.has("dtype")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("dtype"));
    WEFT_ASSIGN_OR_RETURN(const std::string name, member.text());
    const Result<DType> dtype = parse_dtype(name);
    if (!dtype.ok() || element_size(*dtype) == 0) return unsupported(member, fmt::format("dtype '{}'", name));
    dense.dtype = *dtype;
  }
  if (field.has("format")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("format"));
    WEFT_ASSIGN_OR_RETURN(const std::string name, member.text());
    const Result<Format> format = parse_format(name);
    if (!format.ok() || *format != Format::kNone) return unsupported(member, fmt::format("format '{}'", name));
  }
  return {};
}

Result<Dense> read_dense(const Field& field) {
  WEFT_RETURN_IF_ERROR(field.only({"type", "in", "out", "act", "dtype", "format", "w", "bias", "name"}));
  Dense dense;
  WEFT_ASSIGN_OR_RETURN(const Field in, field.member("in"));
  WEFT_ASSIGN_OR_RETURN(dense.in, in.integer(1, kWidest));
  WEFT_ASSIGN_OR_RETURN(const Field out, field.member("out"));
  WEFT_ASSIGN_OR_RETURN(dense.out, out.integer(1, kWidest));
  WEFT_RETURN_IF_ERROR(read_storage(field, dense));
  if (field.has("act")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("act"));
    WEFT_ASSIGN_OR_RETURN(const std::string name, member.text());
    const Result<Activation> activation = parse_activation(name);
    if (!activation.ok()) return unsupported(member, activation.status().message());
    dense.activation = *activation;
  }
  if (field.has("name")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("name"));
    WEFT_ASSIGN_OR_RETURN(dense.name, member.text());
  }
  WEFT_ASSIGN_OR_RETURN(const Field weights, field.member("w"));
  WEFT_ASSIGN_OR_RETURN(const std::vector<double> w, weights.numbers());
  if (static_cast<std::int64_t>(w.size()) != dense.out * dense.in) {
    return weights.wrong(fmt::format("out*in = {} numbers", dense.out * dense.in));
  }
  dense.weight = tensor({dense.out, dense.in}, w, dense.dtype);
  if (field.has("bias")) {
    WEFT_ASSIGN_OR_RETURN(const Field member, field.member("bias"));
    WEFT_ASSIGN_OR_RETURN(const std::vector<double> bias, member.numbers());
    if (!bias.empty() && static_cast<std::int64_t>(bias.size()) != dense.out) {
      return member.wrong(fmt::format("out = {} numbers", dense.out));
    }
    if (!bias.empty()) dense.bias = tensor({dense.out}, bias, dense.dtype);
  }
  return dense;
}

Result<Stack> read_nested_stack(const Field& field, int depth) {
  WEFT_RETURN_IF_ERROR(field.only({"type", "ops", "child_modes", "name"}));
  Stack stack;
  WEFT_ASSIGN_OR_RETURN(stack.ops, read_ops(field, "ops", depth));
  WEFT_ASSIGN_OR_RETURN(stack.child_modes, read_modes(field, "child_modes"));
  return stack;
}

Result<Parallel> read_parallel(const Field& field, int depth) {
  WEFT_RETURN_IF_ERROR(field.only({"type", "dim", "combine", "branches", "gate", "branch_modes", "name"}));
  Parallel parallel;
  WEFT_ASSIGN_OR_RETURN(const Field combine, field.member("combine"));
  WEFT_ASSIGN_OR_RETURN(const std::string name, combine.text());
  const Result<Combine> known = parse_combine(name);
  if (!known.ok()) return unsupported(combine, known.status().message());
  parallel.combine = *known;
  WEFT_ASSIGN_OR_RETURN(parallel.branches, read_ops(field, "branches", depth));
  WEFT_ASSIGN_OR_RETURN(parallel.branch_modes, read_modes(field, "branch_modes"));
  if (field.has("gate")) {
    WEFT_ASSIGN_OR_RETURN(const Field gate, field.member("gate"));
    WEFT_ASSIGN_OR_RETURN(parallel.gate, read_dense(gate));
  }
  return parallel;
}

Result<Residual> read_residual(const Field& field, int depth) {
  WEFT_RETURN_IF_ERROR(field.only({"type", "dim", "ops", "name"}));
  Residual residual;
  WEFT_ASSIGN_OR_RETURN(residual.ops, read_ops(field, "ops", depth));
  return residual;
}

Result<View> read_view(const Field& field) {
  WEFT_RETURN_IF_ERROR(field.only({"type", "shape", "name"}));
  WEFT_ASSIGN_OR_RETURN(const Field shape, field.member("shape"));
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> axes, shape.elements());
  View view;
  for (const Field& axis : axes) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t size, axis.integer(-1, kWidest));
    view.shape.push_back(size);
  }
  return view;
}

Result<Op> read_op(const Field& field, int depth) {
  if (depth > kDeepest) return unsupported(field, fmt::format("nested deeper than {}", kDeepest));
  WEFT_ASSIGN_OR_RETURN(const Field member, field.member("type"));
  WEFT_ASSIGN_OR_RETURN(const std::string type, member.text());
  if (type == "dense") {
    WEFT_ASSIGN_OR_RETURN(Dense op, read_dense(field));
    return Op(std::move(op));
  }
  if (type == "stack") {
    WEFT_ASSIGN_OR_RETURN(Stack op, read_nested_stack(field, depth));
    return Op(std::move(op));
  }
  if (type == "parallel") {
    WEFT_ASSIGN_OR_RETURN(Parallel op, read_parallel(field, depth));
    return Op(std::move(op));
  }
  if (type == "residual") {
    WEFT_ASSIGN_OR_RETURN(Residual op, read_residual(field, depth));
    return Op(std::move(op));
  }
  if (type == "view") {
    WEFT_ASSIGN_OR_RETURN(View op, read_view(field));
    return Op(std::move(op));
  }
  if (type == "flatten") {
    WEFT_RETURN_IF_ERROR(field.only({"type", "name"}));
    return Op(Flatten{});
  }
  return unsupported(member, fmt::format("op '{}'", type));
}

}  // namespace

Result<Stack> read_stack(const Field& model) {
  WEFT_ASSIGN_OR_RETURN(Op op, read_op(model, 0));
  if (Stack* stack = op.get_if<Stack>()) return std::move(*stack);
  // A lone op is a stack of one.
  return Stack(std::vector<Op>{std::move(op)});
}

Result<Grid> read_grid(const Field& field) {
  WEFT_RETURN_IF_ERROR(field.only({"dims", "cells"}));
  WEFT_ASSIGN_OR_RETURN(const Field dims, field.member("dims"));
  WEFT_ASSIGN_OR_RETURN(const Shape sizes, dims.shape());
  if (sizes.rank() != 4) return dims.wrong("depth, rows, cols and layers_per_cell");
  WEFT_ASSIGN_OR_RETURN(const Field list, field.member("cells"));
  WEFT_ASSIGN_OR_RETURN(const std::vector<Field> cells, list.elements());
  if (static_cast<std::int64_t>(cells.size()) != sizes.elements()) {
    return list.wrong(fmt::format("one cell for each of the {} of dims", sizes.elements()));
  }
  Grid grid(sizes[0], sizes[1], sizes[2], sizes[3]);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    WEFT_RETURN_IF_ERROR(cells[i].only({"disabled", "op", "remote"}));
    Cell& cell = grid.cells[i];
    if (cells[i].has("disabled")) {
      WEFT_ASSIGN_OR_RETURN(const Field disabled, cells[i].member("disabled"));
      WEFT_ASSIGN_OR_RETURN(cell.disabled, disabled.boolean());
    }
    if (cells[i].has("op")) {
      WEFT_ASSIGN_OR_RETURN(const Field member, cells[i].member("op"));
      WEFT_ASSIGN_OR_RETURN(cell.op, read_op(member, 0));
    }
    if (cells[i].has("remote")) {
      WEFT_ASSIGN_OR_RETURN(const Field remote, cells[i].member("remote"));
      WEFT_ASSIGN_OR_RETURN(cell.remote_link, remote.integer(0, sizes.elements() - 1));
    }
  }
  if (Status status = grid.validate(); !status.ok()) {
    return Status(status.code(), fmt::format("{}: {}", field.path(), status.message()));
  }
  return grid;
}

}  // namespace weft::verify
