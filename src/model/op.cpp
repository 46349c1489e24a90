// Making ops and walking their leaves.
#include "weft/op.hpp"

#include <array>
#include <utility>

#include "src/core/names.h"
#include "src/model/initialise.h"

namespace weft {
namespace {

constexpr std::array kCombines{
    NameRow<Combine>{"add", Combine::kAdd},
    NameRow<Combine>{"avg", Combine::kAvg},
    NameRow<Combine>{"concat", Combine::kConcat},
    NameRow<Combine>{"filter", Combine::kFilter},
};

constexpr std::array<std::string_view, std::variant_size_v<Op::Kind>> kKindNames{
#define WEFT_LAYER_FIRST(identifier, name) name
#define WEFT_LAYER(identifier, name) , name
#include "weft/layers.def"
#undef WEFT_LAYER
#undef WEFT_LAYER_FIRST
};

// One walk for const and mutable trees: D is Dense or const Dense, and the arguments follow suit.
template <typename D>
struct LeafWalk {
  std::vector<D*> found;

  template <typename O>
  void all(O& ops) {
    for (auto& op : ops) std::visit(*this, op.kind());
  }

  template <typename T>
  void operator()(T& op) {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, Dense>) {
      found.push_back(&op);
    } else if constexpr (std::is_same_v<Plain, Stack> || std::is_same_v<Plain, Residual>) {
      all(op.ops);
    } else if constexpr (std::is_same_v<Plain, Parallel>) {
      all(op.branches);
      if (op.gate) found.push_back(&*op.gate);
    } else {
      static_assert(std::is_same_v<Plain, View> || std::is_same_v<Plain, Flatten>, "a kind without leaves");
    }
  }
};

}  // namespace

Stack::Stack(std::initializer_list<Op> children) : ops(children) {}
Stack::Stack(std::vector<Op> children) : ops(std::move(children)) {}

Status Stack::initialise(const Init& init) { return initialise_leaves(leaves(*this), init); }

std::string_view to_string(Combine combine) {
  for (const auto& row : kCombines) {
    if (row.value == combine) return row.spelling;
  }
  return "unknown combine";
}

Result<Combine> parse_combine(std::string_view name) { return parse_name<Combine>("combine", name, kCombines); }

std::string_view Op::kind_name() const { return kKindNames[kind_.index()]; }

const std::string& Op::name() const {
  return std::visit([](const auto& op) -> const std::string& { return op.name; }, kind_);
}

Dense dense(std::int64_t in, std::int64_t out, Activation activation, DenseOptions options) {
  Dense layer;
  layer.in = in;
  layer.out = out;
  layer.activation = activation;
  layer.dtype = options.dtype;
  layer.format = options.format;
  layer.name = std::move(options.name);
  layer.weight = std::move(options.weight);
  if (!options.bias_values.empty()) {
    layer.bias = std::move(options.bias_values);
  } else if (options.bias) {
    // Beside given weights a bias starts at zero; without them initialise makes both.
    const bool given = !layer.weight.empty() && layer.weight.shape().rank() == 2 && layer.weight.shape()[0] == out;
    layer.bias = given ? Tensor(Shape{out}, layer.weight.dtype()) : Tensor();
  }
  return layer;
}

Stack stack(std::vector<Op> ops, std::vector<OptionalMode> child_modes) {
  Stack result(std::move(ops));
  result.child_modes = std::move(child_modes);
  return result;
}

Parallel parallel(Combine combine, std::vector<Op> branches, std::vector<OptionalMode> branch_modes) {
  Parallel result;
  result.combine = combine;
  result.branches = std::move(branches);
  result.branch_modes = std::move(branch_modes);
  return result;
}

Parallel filter(std::vector<Op> branches, Dense gate, std::vector<OptionalMode> branch_modes) {
  Parallel result = parallel(Combine::kFilter, std::move(branches), std::move(branch_modes));
  result.gate = std::move(gate);
  return result;
}

Residual residual(std::vector<Op> ops) {
  Residual result;
  result.ops = std::move(ops);
  return result;
}

View view(std::vector<std::int64_t> shape) {
  View result;
  result.shape = std::move(shape);
  return result;
}

Flatten flatten() { return {}; }

std::vector<Dense*> leaves(Op& op) {
  LeafWalk<Dense> walk;
  std::visit(walk, op.kind());
  return std::move(walk.found);
}

std::vector<const Dense*> leaves(const Op& op) {
  LeafWalk<const Dense> walk;
  std::visit(walk, op.kind());
  return std::move(walk.found);
}

std::vector<Dense*> leaves(Stack& stack) {
  LeafWalk<Dense> walk;
  walk(stack);
  return std::move(walk.found);
}

std::vector<const Dense*> leaves(const Stack& stack) {
  LeafWalk<const Dense> walk;
  walk(stack);
  return std::move(walk.found);
}

}  // namespace weft
