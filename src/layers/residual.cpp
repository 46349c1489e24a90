// Residual: the body's output plus its input; the body's carry plus the carry.
#include "src/layers/residual.h"

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft {

Status ResidualLayer::mount(const Residual& op, MountContext& context) {
  auto body = std::make_unique<SequenceLayer>(path(), label());
  WEFT_RETURN_IF_ERROR(body->mount(op.ops, {}, context));
  children_.push_back(std::move(body));
  return {};
}

Result<std::int64_t> ResidualLayer::features(std::int64_t in) const {
  if (in < 0) in = input_features();
  WEFT_ASSIGN_OR_RETURN(const std::int64_t out, children().front()->features(in));
  if (in >= 0 && out >= 0 && in != out)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: the body turns {} features into {}, wanted the same number", label(), in, out));
  return out;
}

Result<Tape> ResidualLayer::tape(const Value& x, const TapeStore& store) const {
  Tape tape{.layer = this, .x = x, .z = {}, .y = {}, .saved = {}, .children = {}};
  WEFT_ASSIGN_OR_RETURN(Tape body, children().front()->tape(x, store));
  if (body.y.shape != x.shape)
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: the body turns {} into {}, wanted the same shape",
                                                            label(), to_string(x.shape), to_string(body.y.shape)));
  tape.children.push_back(std::move(body));
  tape.y = store.make("op." + path() + ".y", x.shape);
  return tape;
}

void ResidualLayer::forward(Builder& builder, const Tape& tape) const {
  const Tape& body = tape.children.front();
  body.layer->forward(builder, body);
  builder.copy(body.y, tape.y);
  builder.scale(tape.x, tape.y, 1.0, true);
}

Value ResidualLayer::backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const {
  const Tape& body = tape.children.front();
  return add_skip(builder, tape, body.layer->backward(builder, body, gap, walk), gap);
}

Value ResidualLayer::add_skip(Builder& builder, const Tape& tape, const Value& body_carry, const Value& gap) const {
  const Value below = builder.scratch("op." + path() + ".grad_x", tape.x.shape);
  builder.copy(body_carry, below);
  builder.scale(gap, below, 1.0, true);
  return below;
}

Result<std::unique_ptr<Layer>> mount_layer(const Residual& op, const std::string& path, MountContext& context) {
  auto layer = std::make_unique<ResidualLayer>(path, layer_label("residual", op.name, path));
  WEFT_RETURN_IF_ERROR(layer->mount(op, context));
  return std::unique_ptr<Layer>(std::move(layer));
}

}  // namespace weft
