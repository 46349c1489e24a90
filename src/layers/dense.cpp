// Dense: y = act(x W^T + b).
#include <fmt/format.h>

#include "src/core/try.h"
#include "src/layers/leaf.h"

namespace weft {
namespace {

class DenseLayer : public Leaf {
 public:
  DenseLayer(const Dense& op, int number, const std::string& path, MountContext& context)
      : Leaf(number, path, layer_label("dense", op.name, path)), in_(op.in), activation_(op.activation) {
    add_parameter("weight", {op.out, op.in}, context);
    if (op.bias) add_parameter("bias", {op.out}, context);
  }

  std::int64_t input_features() const override { return in_; }

  Result<std::int64_t> features(std::int64_t in) const override {
    if (in >= 0 && in != in_) return wrong_input(fmt::format("{} features", in));
    return weight().shape[0];
  }

  Result<Tape> tape(const Value& x, const TapeStore& store) const override {
    if (x.shape.rank() < 2 || x.shape.features() != in_) return wrong_input(to_string(x.shape));
    Tape tape{.layer = this, .x = x, .z = {}, .y = {}, .saved = {}, .children = {}};
    const Shape shape = x.shape.with_features(weight().shape[0]);
    tape.y = store.make(name() + ".y", shape);
    // A linear layer's z is its y: one buffer, written once.
    tape.z = activation_ == Activation::kLinear ? tape.y : store.make(name() + ".z", shape);
    return tape;
  }

  void forward(Builder& builder, const Tape& tape) const override {
    builder.forward(tape.x, weight(), bias(), tape.z, tape.y, activation_);
  }

  Value delta(Builder& builder, const Tape& tape, const Value& gap, double scale) const override {
    if (activation_ == Activation::kLinear && scale == 1.0) return projected(builder, tape, gap);
    const Value d = builder.scratch(name() + ".delta", tape.y.shape);
    if (activation_ == Activation::kLinear) {
      resize(builder, gap, d, scale);
    } else if (gap.elements() == tape.y.elements()) {
      builder.delta(gap, tape.z, d, activation_, scale);
    } else {
      builder.delta(projected(builder, tape, gap, scale), tape.z, d, activation_, 1.0);
    }
    return d;
  }

  Value grad_input(Builder& builder, const Tape& tape, const Value& signal) const override {
    const Value below = builder.scratch(name() + ".grad_x", tape.x.shape);
    builder.grad_input(signal, weight(), below);
    return below;
  }

  void gradients(Builder& builder, const Tape& tape, const Value& delta, bool accumulate) const override {
    builder.weight_grad(delta, tape.x, gradient_of(builder, weight()), accumulate);
    if (bias()) builder.bias_grad(delta, gradient_of(builder, *bias()), accumulate);
  }

 private:
  const Parameter& weight() const { return parameters().front(); }
  const Parameter* bias() const { return parameters().size() > 1 ? &parameters()[1] : nullptr; }

  Status wrong_input(const std::string& seen) const {
    return {StatusCode::kInvalidArgument, fmt::format("{} (leaf {}): input is {}, wanted [batch, {}]: {} features",
                                                      label(), number(), seen, in_, in_)};
  }

  std::int64_t in_;
  Activation activation_;
};

Status check(const Dense& op, const std::string& label) {
  const auto refuse = [&](StatusCode code, const std::string& text) { return Status(code, label + ": " + text); };
  if (op.in < 1 || op.out < 1)
    return refuse(StatusCode::kInvalidArgument, fmt::format("sizes {} -> {}, wanted 1 or more", op.in, op.out));
  if (op.activation > Activation::kSigmoid)
    return refuse(StatusCode::kInvalidArgument, fmt::format("activation is number {}, wanted 0 to {}",
                                                            static_cast<int>(op.activation), kActivationCount - 1));
  if (op.dtype != DType::kFloat32 && op.dtype != DType::kFloat64)
    return refuse(StatusCode::kUnsupported,
                  fmt::format("dtype {} is known but not carried out, wanted float32 or float64", to_string(op.dtype)));
  if (op.format != Format::kNone)
    return refuse(StatusCode::kUnsupported,
                  fmt::format("format {} is known but not carried out, wanted none", to_string(op.format)));
  const auto matches = [&](const Tensor& tensor, const Shape& shape, std::string_view what) {
    if (tensor.empty())
      return refuse(StatusCode::kInvalidArgument,
                    fmt::format("{} {} has no values; give them or call initialise", what, to_string(shape)));
    if (tensor.shape() != shape || !tensor.validate().ok())
      return refuse(StatusCode::kInvalidArgument,
                    fmt::format("{} is {}, wanted {}", what, to_string(tensor.shape()), to_string(shape)));
    if (tensor.dtype() != op.dtype)
      return refuse(StatusCode::kInvalidArgument, fmt::format("{} holds {}, wanted the layer's {}", what,
                                                              to_string(tensor.dtype()), to_string(op.dtype)));
    return Status();
  };
  if (const Status status = Shape{op.out, op.in}.validate(); !status.ok())
    return refuse(status.code(), "weight " + status.message());
  WEFT_RETURN_IF_ERROR(matches(op.weight, {op.out, op.in}, "weight"));
  return op.bias ? matches(*op.bias, {op.out}, "bias") : Status();
}

}  // namespace

Result<std::unique_ptr<Layer>> mount_layer(const Dense& op, const std::string& path, MountContext& context) {
  const int number = static_cast<int>(context.leaves.size()) + 1;
  WEFT_RETURN_IF_ERROR(check(op, fmt::format("{} (leaf {})", layer_label("dense", op.name, path), number)));
  auto layer = std::make_unique<DenseLayer>(op, number, path, context);
  context.leaves.push_back(layer.get());
  return std::unique_ptr<Layer>(std::move(layer));
}

}  // namespace weft
