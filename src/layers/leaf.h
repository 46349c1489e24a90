// Leaf: a layer with weights of its own, and what credit rules may ask of one.
#pragma once

#include "src/layers/layer.h"

namespace weft {

class Leaf : public Layer {
 public:
  Leaf(int number, std::string path, std::string label)
      : Layer(std::move(path), std::move(label)), number_(number), name_("leaf." + std::to_string(number)) {}

  int number() const { return number_; }             // 1..N
  const std::string& name() const { return name_; }  // "leaf.3"
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// a P(gap): the gap resized to this leaf's output. The gap itself where nothing is to be done.
  Value projected(Builder& builder, const Tape& tape, const Value& gap, double scale = 1.0) const;

  /// The signal that weights and inputs see from a P(gap): for Dense a P(gap) * act'(z).
  virtual Value delta(Builder& builder, const Tape& tape, const Value& gap, double scale = 1.0) const = 0;

  /// Gradient at the input from a signal at the output: full (J) from delta, linear (A) from the projected gap.
  virtual Value grad_input(Builder& builder, const Tape& tape, const Value& signal) const = 0;

  /// The leaf's gradients from delta; added to what the gradient buffers hold where `accumulate`.
  virtual void gradients(Builder& builder, const Tape& tape, const Value& delta, bool accumulate) const = 0;

  /// One optimizer step from the gradient buffers at lr * rate.
  void apply(Builder& builder, double rate) const;

  /// U(delta, lr * rate): gradients and apply.
  void update(Builder& builder, const Tape& tape, const Value& delta, double rate) const {
    gradients(builder, tape, delta, false);
    apply(builder, rate);
  }

  /// The buffer of a parameter's gradient.
  Value gradient_of(Builder& builder, const Parameter& parameter) const {
    return builder.scratch(parameter.name + ".grad", parameter.shape);
  }

  /// J: delta, then grad_input. No weight moves.
  Value backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const final {
    return walk.leaf(builder, *this, tape, gap);
  }

 protected:
  /// Writes scale P(gap) to a buffer.
  static void resize(Builder& builder, const Value& gap, const Value& to, double scale);
  /// Makes the buffers of a parameter and of what the optimizer keeps for it.
  void add_parameter(const std::string& which, const Shape& shape, MountContext& context);

 private:
  int number_;
  std::string name_;
  std::vector<Parameter> parameters_;
};

}  // namespace weft
