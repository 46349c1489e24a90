// Sequence: layers run one after the other, the body of a stack and of a residual.
#pragma once

#include "src/layers/layer.h"

namespace weft {

class SequenceLayer : public Layer {
 public:
  using Layer::Layer;

  /// Mounts `ops` as the children. `modes` is empty or has one entry per op.
  Status mount(const std::vector<Op>& ops, const std::vector<OptionalMode>& modes, MountContext& context);

  std::int64_t input_features() const override { return children().front()->input_features(); }
  Result<std::int64_t> features(std::int64_t in) const override;
  Result<Tape> tape(const Value& x, const TapeStore& store) const override;
  void forward(Builder& builder, const Tape& tape) const override;
  Value backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const override;
};

}  // namespace weft
