// View: another shape, one axis of which may be inferred.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/layers/reshape.h"

namespace weft {

namespace {

class ViewLayer : public ReshapeLayer {
 public:
  ViewLayer(const View& op, const std::string& path)
      : ReshapeLayer(path, layer_label("view", op.name, path)), axes_(op.shape) {}

  Result<std::int64_t> features(std::int64_t) const override { return axes_.back(); }

  Result<Shape> reshaped(const Shape& shape) const override {
    std::int64_t known = 1;
    for (const std::int64_t axis : axes_) known *= axis == -1 ? 1 : axis;
    std::vector<std::int64_t> axes = axes_;
    for (std::int64_t& axis : axes) axis = axis == -1 ? shape.elements() / known : axis;
    const Shape result(axes);
    if (result.elements() != shape.elements())
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: input {} has {} numbers, wanted a shape that fits [{}]", label(), to_string(shape),
                                shape.elements(), fmt::join(axes_, ", ")));
    return result;
  }

 private:
  std::vector<std::int64_t> axes_;
};

}  // namespace

Result<std::unique_ptr<Layer>> mount_layer(const View& op, const std::string& path, MountContext&) {
  int inferred = 0;
  std::vector<std::int64_t> known;
  for (const std::int64_t axis : op.shape) {
    if (axis == -1)
      ++inferred;
    else
      known.push_back(axis);
  }
  const Status fits = known.empty() ? Status() : Shape(known).validate();
  if (op.shape.empty() || op.shape.size() > Shape::kMaxRank || inferred > 1 || !fits.ok())
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{}: shape [{}], wanted sizes of 1 or more and at most one -1",
                              layer_label("view", op.name, path), fmt::join(op.shape, ", ")));
  return std::unique_ptr<Layer>(std::make_unique<ViewLayer>(op, path));
}

}  // namespace weft
