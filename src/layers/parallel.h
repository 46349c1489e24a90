// Parallel ("cameral"): the same input through every branch, outputs combined.
#pragma once

#include "src/layers/layer.h"

namespace weft {

class ParallelLayer : public Layer {
 public:
  ParallelLayer(Combine combine, std::string path, std::string label)
      : Layer(std::move(path), std::move(label)), combine_(combine) {}
  Status mount(const Parallel& op, MountContext& context);

  /// Children: the branches, then (filter) the gate.
  std::size_t branches() const { return children().size() - (has_gate() ? 1 : 0); }
  bool has_gate() const { return combine_ == Combine::kFilter; }

  std::int64_t input_features() const override;
  Result<std::int64_t> features(std::int64_t in) const override;
  Result<Tape> tape(const Value& x, const TapeStore& store) const override;
  void forward(Builder& builder, const Tape& tape) const override;
  Value backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const override;

  /// Branch b's part of the gap by the gradient: all of it, divided, its slice, or weighed by the gate.
  Value share(Builder& builder, const Tape& tape, const Value& gap, std::size_t b) const;

  /// The gradient at the gate's output.
  Value gate_gap(Builder& builder, const Tape& tape, const Value& gap) const;

 private:
  Status check_gate(const Parallel& op) const;
  Result<Shape> combined(const Tape& tape) const;
  std::int64_t first_column(const Tape& tape, std::size_t b) const;
  std::string name(const std::string& what) const { return "op." + path() + "." + what; }

  Combine combine_;
};

}  // namespace weft
