// Stack: a sequence of ops with modes of their own.
#include "src/core/try.h"
#include "src/layers/sequence.h"

namespace weft {

Result<std::unique_ptr<Layer>> mount_layer(const Stack& op, const std::string& path, MountContext& context) {
  auto layer = std::make_unique<SequenceLayer>(path, layer_label("stack", op.name, path));
  WEFT_RETURN_IF_ERROR(layer->mount(op.ops, op.child_modes, context));
  return std::unique_ptr<Layer>(std::move(layer));
}

}  // namespace weft
