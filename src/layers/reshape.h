// Reshape: the same numbers under another shape, for view and flatten.
#pragma once

#include "src/layers/layer.h"

namespace weft {

/// Emits nothing: y is x's memory, and so is the carry's.
class ReshapeLayer : public Layer {
 public:
  using Layer::Layer;

  Result<Tape> tape(const Value& x, const TapeStore& store) const override;
  void forward(Builder&, const Tape&) const override {}
  Value backward(Builder&, const Tape& tape, const Value& gap, Walk&) const override { return {gap.at, tape.x.shape}; }

  /// The output's shape. Errors: kInvalidArgument naming the layer.
  virtual Result<Shape> reshaped(const Shape& shape) const = 0;
};

}  // namespace weft
