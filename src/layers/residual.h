// Residual: y = F(x) + x with F a sequence that keeps the shape.
#pragma once

#include "src/layers/sequence.h"

namespace weft {

class ResidualLayer : public Layer {
 public:
  using Layer::Layer;
  Status mount(const Residual& op, MountContext& context);

  std::int64_t input_features() const override { return children().front()->input_features(); }
  Result<std::int64_t> features(std::int64_t in) const override;
  Result<Tape> tape(const Value& x, const TapeStore& store) const override;
  void forward(Builder& builder, const Tape& tape) const override;
  Value backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const override;

  /// The carry at the input: the body's plus the gap.
  Value add_skip(Builder& builder, const Tape& tape, const Value& body_carry, const Value& gap) const;
};

}  // namespace weft
