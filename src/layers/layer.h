// Layer: a mounted op. Each kind says how shapes pass through it and emits its instructions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/layers/tape.h"
#include "weft/op.hpp"

namespace weft {

class Leaf;

/// A walk of a gap down a tape: what happens at each leaf, and which input gradient composites use.
class Walk {
 public:
  virtual ~Walk() = default;
  /// Handles a leaf and returns the carry at its input.
  virtual Value leaf(Builder& builder, const Leaf& leaf, const Tape& tape, const Value& carry) = 0;
  /// Whether composites pass the carry by the Linear rule (a filter's gate is skipped) or by their gradient.
  virtual bool linear() const { return false; }
};

class Layer {
 public:
  Layer(std::string path, std::string label) : path_(std::move(path)), label_(std::move(label)) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& path() const { return path_; }    // "1.0": the second op's first child
  const std::string& label() const { return label_; }  // "dense 'fc2'", for messages
  const std::vector<std::unique_ptr<Layer>>& children() const { return children_; }

  /// Features that the input must have, -1 where any will do or nothing is known.
  virtual std::int64_t input_features() const { return -1; }

  /// Features of the output for `in` features, -1 where unknown. Errors: kInvalidArgument naming the layer.
  virtual Result<std::int64_t> features(std::int64_t in) const = 0;

  /// Lays out the tape for input x. Errors: kInvalidArgument naming the layer and the shapes.
  virtual Result<Tape> tape(const Value& x, const TapeStore& store) const = 0;

  virtual void forward(Builder& builder, const Tape& tape) const = 0;

  /// Walks the gap at the output down to the input.
  virtual Value backward(Builder& builder, const Tape& tape, const Value& gap, Walk& walk) const = 0;

  /// Modes of children or branches as set in the model; empty or one per child.
  const std::vector<OptionalMode>& modes() const { return modes_; }
  /// Whether a mode is set here or anywhere below.
  bool has_modes() const;

 protected:
  std::vector<std::unique_ptr<Layer>> children_;
  std::vector<OptionalMode> modes_;

 private:
  std::string path_, label_;
};

/// What mounting hands down the tree.
struct MountContext {
  BufferTable& buffers;
  Optimizer optimizer;
  std::vector<Leaf*> leaves = {};  // in leaf order, filled as they are met
  int depth = 0;                   // of the op being mounted
};

/// Mounts any op; one overload per layer kind does the work.
Result<std::unique_ptr<Layer>> mount_op(const Op& op, const std::string& path, MountContext& context);

#define WEFT_LAYER(identifier, name) \
  Result<std::unique_ptr<Layer>> mount_layer(const identifier& op, const std::string& path, MountContext& context);
#define WEFT_LAYER_FIRST(identifier, name) WEFT_LAYER(identifier, name)
#include "weft/layers.def"
#undef WEFT_LAYER_FIRST
#undef WEFT_LAYER

/// "dense 'fc2'", or "dense at 1.0" where it has no name.
std::string layer_label(std::string_view kind, const std::string& name, const std::string& path);

/// The leaves' tapes below `tape` in leaf order.
std::vector<const Tape*> leaf_tapes(const Tape& tape);

}  // namespace weft
