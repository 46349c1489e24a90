// What all layers share: mounting by kind, labels, walking tapes.
#include "src/layers/layer.h"

#include <fmt/format.h>
#include <algorithm>

#include "src/layers/leaf.h"

namespace weft {
namespace {

constexpr int kMaxDepth = 64;  // as in model files; every walk over a model is recursive

}  // namespace

bool Layer::has_modes() const {
  return std::any_of(modes_.begin(), modes_.end(), [](const OptionalMode& mode) { return mode.has_value(); }) ||
         std::any_of(children_.begin(), children_.end(), [](const auto& child) { return child->has_modes(); });
}

Result<std::unique_ptr<Layer>> mount_op(const Op& op, const std::string& path, MountContext& context) {
  if (context.depth == kMaxDepth)
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: nested deeper than {} ops", layer_label(op.kind_name(), op.name(), ""), kMaxDepth));
  ++context.depth;
  auto layer = std::visit([&](const auto& kind) { return mount_layer(kind, path, context); }, op.kind());
  --context.depth;
  return layer;
}

std::string layer_label(std::string_view kind, const std::string& name, const std::string& path) {
  if (!name.empty()) return fmt::format("{} '{}'", kind, name);
  return path.empty() ? std::string(kind) : fmt::format("{} at {}", kind, path);
}

std::vector<const Tape*> leaf_tapes(const Tape& tape) {
  if (dynamic_cast<const Leaf*>(tape.layer) != nullptr) return {&tape};
  std::vector<const Tape*> found;
  for (const Tape& child : tape.children) {
    for (const Tape* leaf : leaf_tapes(child)) found.push_back(leaf);
  }
  return found;
}

}  // namespace weft
