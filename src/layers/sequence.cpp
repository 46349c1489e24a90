// Sequence: forward in order, backward from the last to the first.
#include "src/layers/sequence.h"

#include <fmt/format.h>

#include "src/core/try.h"

namespace weft {

Status SequenceLayer::mount(const std::vector<Op>& ops, const std::vector<OptionalMode>& modes, MountContext& context) {
  if (ops.empty()) return {StatusCode::kInvalidArgument, label() + ": has no ops, wanted at least one"};
  if (!modes.empty() && modes.size() != ops.size())
    return {StatusCode::kInvalidArgument,
            fmt::format("{}: {} child modes for {} ops, wanted none or one each", label(), modes.size(), ops.size())};
  modes_ = modes;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string child = path().empty() ? std::to_string(i) : fmt::format("{}.{}", path(), i);
    WEFT_ASSIGN_OR_RETURN(auto layer, mount_op(ops[i], child, context));
    children_.push_back(std::move(layer));
  }
  return {};
}

Result<std::int64_t> SequenceLayer::features(std::int64_t in) const {
  for (const auto& child : children()) {
    WEFT_ASSIGN_OR_RETURN(in, child->features(in));
  }
  return in;
}

Result<Tape> SequenceLayer::tape(const Value& x, const TapeStore& store) const {
  Tape tape{.layer = this, .x = x, .z = {}, .y = x, .saved = {}, .children = {}};
  for (const auto& child : children()) {
    WEFT_ASSIGN_OR_RETURN(Tape below, child->tape(tape.y, store));
    tape.y = below.y;
    tape.children.push_back(std::move(below));
  }
  return tape;
}

void SequenceLayer::forward(Builder& builder, const Tape& tape) const {
  for (const Tape& child : tape.children) child.layer->forward(builder, child);
}

Value SequenceLayer::backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const {
  Value carry = gap;
  for (auto child = tape.children.rbegin(); child != tape.children.rend(); ++child)
    carry = child->layer->backward(builder, *child, carry, walk);
  return carry;
}

}  // namespace weft
