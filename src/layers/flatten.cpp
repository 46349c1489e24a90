// Flatten: [batch, ...] to [batch, rest].
#include "src/layers/reshape.h"

namespace weft {
namespace {

class FlattenLayer : public ReshapeLayer {
 public:
  using ReshapeLayer::ReshapeLayer;

  Result<std::int64_t> features(std::int64_t) const override { return -1; }

  Result<Shape> reshaped(const Shape& shape) const override { return Shape{shape[0], shape.elements() / shape[0]}; }
};

}  // namespace

Result<std::unique_ptr<Layer>> mount_layer(const Flatten& op, const std::string& path, MountContext&) {
  return std::unique_ptr<Layer>(std::make_unique<FlattenLayer>(path, layer_label("flatten", op.name, path)));
}

}  // namespace weft
