// The host's truth about a model: a tree of ops with their weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weft/activation.hpp"
#include "weft/dtype.hpp"
#include "weft/initialise.hpp"
#include "weft/mode.hpp"
#include "weft/tensor.hpp"

namespace weft {

class Op;

/// y = act(x W^T + b). x [..., in], W [out, in], b [out], y [..., out].
struct Dense {
  std::int64_t in = 0;
  std::int64_t out = 0;
  Activation activation = Activation::kLinear;
  DType dtype = DType::kFloat32;
  Format format = Format::kNone;
  Tensor weight;               // [out, in]; empty until given or initialised
  std::optional<Tensor> bias;  // [out]; absent: the layer has none
  std::string name;            // for messages and files; may be empty
};

/// Ops run one after the other. child_modes is empty or has one entry per op.
struct Stack {
  Stack() = default;
  Stack(std::initializer_list<Op> children);
  explicit Stack(std::vector<Op> children);

  /// Fills every leaf's weights from (seed, leaf number); biases become zero.
  /// Errors: kInvalidArgument where a layer's sizes are not usable.
  Status initialise(const Init& init = {});

  std::vector<Op> ops;
  std::vector<OptionalMode> child_modes;
  std::string name;
};

enum class Combine : std::uint8_t { kAdd, kAvg, kConcat, kFilter };
std::string_view to_string(Combine combine);
Result<Combine> parse_combine(std::string_view name);

/// The same x through every branch; outputs added, averaged, concatenated along the features, or
/// (filter) weighed row by row by the softmax over the gate's output [rows, branches].
struct Parallel {
  Combine combine = Combine::kAdd;
  std::vector<Op> branches;
  std::vector<OptionalMode> branch_modes;  // empty, or up to one entry per branch
  std::optional<Dense> gate;               // filter only
  std::string name;
};

/// y = F(x) + x with F the body's ops in order; F keeps the shape.
struct Residual {
  std::vector<Op> ops;
  std::string name;
};

/// Reinterprets the numbers under another shape. `shape` is the whole output shape, batch
/// included; one axis may be -1 (inferred).
struct View {
  std::vector<std::int64_t> shape;
  std::string name;
};

/// [batch, ...] to [batch, rest].
struct Flatten {
  std::string name;
};

/// Any op. A value: copies are deep.
class Op {
 public:
  using Kind = std::variant<
#define WEFT_LAYER_FIRST(identifier, name) identifier
#define WEFT_LAYER(identifier, name) , identifier
#include "weft/layers.def"
#undef WEFT_LAYER
#undef WEFT_LAYER_FIRST
      >;

  template <typename T>
    requires(std::is_constructible_v<Kind, T&&> && !std::is_same_v<std::decay_t<T>, Op>)
  Op(T&& op) : kind_(std::forward<T>(op)) {}  // NOLINT(google-explicit-constructor)

  const Kind& kind() const { return kind_; }
  Kind& kind() { return kind_; }

  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&kind_);
  }
  template <typename T>
  T* get_if() {
    return std::get_if<T>(&kind_);
  }

  /// "dense", "stack", ... and the name given to this one (may be empty).
  std::string_view kind_name() const;
  const std::string& name() const;

 private:
  Kind kind_;
};

/// Options of dense() beyond its sizes.
struct DenseOptions {
  bool bias = false;
  DType dtype = DType::kFloat32;
  Format format = Format::kNone;
  std::string name = {};
  Tensor weight = {};       // given values [out, in]
  Tensor bias_values = {};  // given values [out]; implies bias
};

Dense dense(std::int64_t in, std::int64_t out, Activation activation = Activation::kLinear, DenseOptions options = {});
Stack stack(std::vector<Op> ops, std::vector<OptionalMode> child_modes = {});
Parallel parallel(Combine combine, std::vector<Op> branches, std::vector<OptionalMode> branch_modes = {});
Parallel filter(std::vector<Op> branches, Dense gate, std::vector<OptionalMode> branch_modes = {});
Residual residual(std::vector<Op> ops);
View view(std::vector<std::int64_t> shape);
Flatten flatten();

/// The leaves below an op in the order that every rule counts them: forward order, branches in
/// order, then the gate. Pointers stay valid until the tree changes.
std::vector<Dense*> leaves(Op& op);
std::vector<const Dense*> leaves(const Op& op);
std::vector<Dense*> leaves(Stack& stack);
std::vector<const Dense*> leaves(const Stack& stack);

}  // namespace weft
