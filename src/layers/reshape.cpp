// Reshape: a tape whose output is its input's memory.
#include "src/layers/reshape.h"

#include "src/core/try.h"

namespace weft {

Result<Tape> ReshapeLayer::tape(const Value& x, const TapeStore&) const {
  WEFT_ASSIGN_OR_RETURN(const Shape shape, reshaped(x.shape));
  return Tape{.layer = this, .x = x, .z = {}, .y = {x.at, shape}, .saved = {}, .children = {}};
}

}  // namespace weft
