// Parallel: shapes, forward and the shares of a gap for add, avg, concat and filter.
#include "src/layers/parallel.h"

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft {

Status ParallelLayer::mount(const Parallel& op, MountContext& context) {
  if (op.branches.empty()) return {StatusCode::kInvalidArgument, label() + ": has no branches, wanted at least one"};
  if (op.branch_modes.size() > op.branches.size())
    return {StatusCode::kInvalidArgument, fmt::format("{}: {} branch modes for {} branches, wanted at most one each",
                                                      label(), op.branch_modes.size(), op.branches.size())};
  if (combine_ > Combine::kFilter)
    return {StatusCode::kInvalidArgument,
            fmt::format("{}: combine is number {}, wanted 0 to 3", label(), static_cast<int>(combine_))};
  WEFT_RETURN_IF_ERROR(check_gate(op));
  const std::string prefix = path().empty() ? "" : path() + ".";
  for (std::size_t b = 0; b < op.branches.size(); ++b) {
    WEFT_ASSIGN_OR_RETURN(auto branch, mount_op(op.branches[b], prefix + std::to_string(b), context));
    children_.push_back(std::move(branch));
  }
  if (op.gate) {
    WEFT_ASSIGN_OR_RETURN(auto gate, mount_layer(*op.gate, prefix + "gate", context));
    children_.push_back(std::move(gate));
  }
  modes_ = op.branch_modes;
  modes_.resize(children_.size());  // a mode for each child; the gate's stays unset
  return {};
}

Status ParallelLayer::check_gate(const Parallel& op) const {
  const auto refuse = [&](const std::string& text) {
    return Status(StatusCode::kInvalidArgument, label() + ": " + text);
  };
  if (op.gate.has_value() != has_gate())
    return refuse(has_gate() ? "filter has no gate, wanted a dense op with one output per branch"
                             : fmt::format("{} has a gate, only filter takes one", to_string(op.combine)));
  if (op.gate && op.gate->out != static_cast<std::int64_t>(op.branches.size()))
    return refuse(fmt::format("the gate has {} outputs, wanted one for each of the {} branches", op.gate->out,
                              op.branches.size()));
  return {};
}

std::int64_t ParallelLayer::input_features() const {
  for (const auto& child : children())
    if (child->input_features() >= 0) return child->input_features();
  return -1;
}

Result<std::int64_t> ParallelLayer::features(std::int64_t in) const {
  if (in < 0) in = input_features();
  std::int64_t out = combine_ == Combine::kConcat ? 0 : -1;
  for (std::size_t b = 0; b < children().size(); ++b) {
    WEFT_ASSIGN_OR_RETURN(const std::int64_t width, children()[b]->features(in));
    if (b >= branches()) continue;
    if (combine_ == Combine::kConcat) {
      out = (out < 0 || width < 0) ? -1 : out + width;
    } else if (out >= 0 && width >= 0 && out != width) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("{}: branch {} gives {} features, wanted {} as the branch before it", label(), b, width, out));
    } else if (width >= 0) {
      out = width;
    }
  }
  return out;
}

Result<Tape> ParallelLayer::tape(const Value& x, const TapeStore& store) const {
  Tape tape{.layer = this, .x = x, .z = {}, .y = {}, .saved = {}, .children = {}};
  for (const auto& child : children()) {
    WEFT_ASSIGN_OR_RETURN(Tape below, child->tape(x, store));
    tape.children.push_back(std::move(below));
  }
  WEFT_ASSIGN_OR_RETURN(const Shape shape, combined(tape));
  tape.y = store.make(name("y"), shape);
  if (has_gate()) tape.saved.push_back(store.make(name("softmax"), tape.children.back().y.shape));
  return tape;
}

Result<Shape> ParallelLayer::combined(const Tape& tape) const {
  Shape shape = tape.children.front().y.shape;
  std::int64_t width = 0;
  for (std::size_t b = 0; b < branches(); ++b) {
    const Shape& branch = tape.children[b].y.shape;
    width += branch.features();
    const bool fits = combine_ == Combine::kConcat ? branch.rows() == shape.rows() : branch == shape;
    if (!fits)
      return Status(StatusCode::kInvalidArgument, fmt::format("{}: branch {} gives {}, wanted {} as branch 0", label(),
                                                              b, to_string(branch), to_string(shape)));
  }
  if (has_gate() && tape.children.back().y.shape.rows() != shape.rows())
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: the gate gives {}, wanted {} rows", label(),
                                                            to_string(tape.children.back().y.shape), shape.rows()));
  return combine_ == Combine::kConcat ? shape.with_features(width) : shape;
}

std::int64_t ParallelLayer::first_column(const Tape& tape, std::size_t b) const {
  std::int64_t column = 0;
  for (std::size_t i = 0; i < b; ++i) column += tape.children[i].y.shape.features();
  return column;
}

void ParallelLayer::forward(Builder& builder, const Tape& tape) const {
  for (const Tape& child : tape.children) child.layer->forward(builder, child);
  if (has_gate()) builder.softmax(tape.children.back().y, tape.saved.front());
  for (std::size_t b = 0; b < branches(); ++b) {
    const Value& y = tape.children[b].y;
    switch (combine_) {
      case Combine::kAdd: builder.scale(y, tape.y, 1.0, b > 0); break;
      case Combine::kAvg: builder.scale(y, tape.y, 1.0 / static_cast<double>(branches()), b > 0); break;
      case Combine::kConcat: builder.copy_columns(y, 0, tape.y, first_column(tape, b), y.shape.features()); break;
      case Combine::kFilter:
        builder.scale_rows(y, tape.saved.front(), static_cast<std::int64_t>(b), tape.y, b > 0);
        break;
    }
  }
}

Value ParallelLayer::share(Builder& builder, const Tape& tape, const Value& gap, std::size_t b) const {
  if (combine_ == Combine::kAdd) return gap;
  const Shape& shape = tape.children[b].y.shape;
  const Value result = builder.scratch(name("share." + std::to_string(b)), shape);
  if (combine_ == Combine::kAvg) builder.scale(gap, result, 1.0 / static_cast<double>(branches()));
  if (combine_ == Combine::kConcat)
    builder.copy_columns({gap.at, tape.y.shape}, first_column(tape, b), result, 0, shape.features());
  if (combine_ == Combine::kFilter)
    builder.scale_rows(gap, tape.saved.front(), static_cast<std::int64_t>(b), result, false);
  return result;
}

Value ParallelLayer::gate_gap(Builder& builder, const Tape& tape, const Value& gap) const {
  const Value& softmax = tape.saved.front();
  const Value weights = builder.scratch(name("grad_softmax"), softmax.shape);
  const Value logits = builder.scratch(name("grad_gate"), softmax.shape);
  for (std::size_t b = 0; b < branches(); ++b)
    builder.row_dot({gap.at, tape.y.shape}, tape.children[b].y, weights, static_cast<std::int64_t>(b));
  builder.softmax_grad(softmax, weights, logits);
  return logits;
}

Value ParallelLayer::backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const {
  // The Linear rule gives a filter's branches the whole carry and leaves its gate alone.
  const bool past_gate = has_gate() && walk.linear();
  const Value below = builder.scratch(name("grad_x"), tape.x.shape);
  for (std::size_t b = 0; b < branches(); ++b) {
    const Tape& branch = tape.children[b];
    const Value part = past_gate ? gap : share(builder, tape, gap, b);
    builder.scale(branch.layer->backward(builder, branch, part, walk), below, 1.0, b > 0);
  }
  if (has_gate() && !past_gate) {
    const Tape& gate = tape.children.back();
    const Value carry = gate.layer->backward(builder, gate, gate_gap(builder, tape, gap), walk);
    builder.scale(carry, below, 1.0, true);
  }
  return below;
}

Result<std::unique_ptr<Layer>> mount_layer(const Parallel& op, const std::string& path, MountContext& context) {
  auto layer = std::make_unique<ParallelLayer>(op.combine, path, layer_label("parallel", op.name, path));
  WEFT_RETURN_IF_ERROR(layer->mount(op, context));
  return std::unique_ptr<Layer>(std::move(layer));
}

}  // namespace weft
