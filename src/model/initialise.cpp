// Fresh weights, the same on every platform.
#include "src/model/initialise.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "src/core/memory.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/random.hpp"

namespace weft {
namespace {

constexpr std::array kNames{
    NameRow<Initialiser>{"uniform", Initialiser::kUniform},
    NameRow<Initialiser>{"xavier", Initialiser::kXavier},
    NameRow<Initialiser>{"he", Initialiser::kHe},
    NameRow<Initialiser>{"zeros", Initialiser::kZeros},
};

double bound_of(Initialiser initialiser, const Dense& leaf) {
  const auto in = static_cast<double>(leaf.in);
  const auto out = static_cast<double>(leaf.out);
  switch (initialiser) {
    case Initialiser::kUniform: return 1.0 / std::sqrt(in);
    case Initialiser::kXavier: return std::sqrt(6.0 / (in + out));
    case Initialiser::kHe: return std::sqrt(6.0 / in);
    case Initialiser::kZeros: return 0.0;
  }
  return 0.0;
}

void draw(Tensor& weight, double bound, Random random) {
  for (float& value : weight.mutable_values<float>()) value = static_cast<float>(random.uniform(-bound, bound));
  for (double& value : weight.mutable_values<double>()) value = random.uniform(-bound, bound);
}

// Sizes that no machine has are refused before memory is asked for: a system may promise more than it has.
Status check_memory(std::span<Dense* const> leaves) {
  const auto limit = static_cast<double>(machine_memory());
  double bytes = 0.0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Dense& leaf = *leaves[i];
    WEFT_RETURN_IF_ERROR(validate_leaf(leaf, "initialise: " + leaf_label(leaf, i + 1)));
    bytes += static_cast<double>(leaf.in + 1) * static_cast<double>(leaf.out) *
             static_cast<double>(element_size(leaf.dtype));
    if (bytes <= limit) continue;
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("initialise: {}: {} x {} weights, {:.4g} GB in all, wanted at most {:.4g} GB, the "
                              "machine's memory",
                              leaf_label(leaf, i + 1), leaf.out, leaf.in, bytes / 1e9, limit / 1e9));
  }
  return Status();
}

struct Parameters {
  Tensor weight;
  std::optional<Tensor> bias;
};

Result<Parameters> fresh(const Dense& leaf, std::size_t number, const Init& init) {
  const std::string place = "initialise: " + leaf_label(leaf, number);
  Parameters parameters{Tensor(Shape{leaf.out, leaf.in}, leaf.dtype), std::nullopt};
  if (leaf.bias) parameters.bias = Tensor(Shape{leaf.out}, leaf.dtype);
  for (const Tensor* tensor : {&parameters.weight, parameters.bias ? &*parameters.bias : nullptr}) {
    if (tensor == nullptr) continue;
    if (Status status = tensor->validate(); !status.ok()) return Status(status.code(), place + ": " + status.message());
  }
  if (init.initialiser != Initialiser::kZeros) {
    draw(parameters.weight, bound_of(init.initialiser, leaf), Random(init.seed, number));
  }
  return parameters;
}

}  // namespace

std::string_view to_string(Initialiser initialiser) {
  for (const auto& row : kNames) {
    if (row.value == initialiser) return row.spelling;
  }
  return "unknown initialiser";
}

Result<Initialiser> parse_initialiser(std::string_view name) {
  return parse_name<Initialiser>("initialiser", name, kNames);
}

std::string leaf_label(const Dense& leaf, std::size_t number) {
  return leaf.name.empty() ? fmt::format("dense (leaf {})", number)
                           : fmt::format("dense {} (leaf {})", quote(leaf.name), number);
}

Status validate_leaf(const Dense& leaf, const std::string& place) {
  for (const auto& [label, size] : {std::pair{"in", leaf.in}, std::pair{"out", leaf.out}}) {
    if (size < 1) {
      return Status(StatusCode::kInvalidArgument, fmt::format("{}: {} is {}, wanted 1 or more", place, label, size));
    }
  }
  const Shape shape{leaf.out, leaf.in};
  if (Status status = shape.validate(); !status.ok()) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: weight {}", place, status.message()));
  }
  if (element_size(leaf.dtype) == 0) {
    return Status(StatusCode::kUnsupported,
                  fmt::format("{}: dtype {}, wanted float32 or float64", place, to_string(leaf.dtype)));
  }
  if (leaf.format != Format::kNone) {
    return Status(StatusCode::kUnsupported, fmt::format("{}: format {}, wanted none", place, to_string(leaf.format)));
  }
  return Status();
}

Status initialise_leaves(std::span<Dense* const> leaves, const Init& init) {
  WEFT_RETURN_IF_ERROR(check_memory(leaves));
  std::vector<Parameters> drawn;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    WEFT_ASSIGN_OR_RETURN(Parameters parameters, fresh(*leaves[i], i + 1, init));
    drawn.push_back(std::move(parameters));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    leaves[i]->weight = std::move(drawn[i].weight);
    leaves[i]->bias = std::move(drawn[i].bias);
  }
  return Status();
}

}  // namespace weft
