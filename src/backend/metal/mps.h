// MatrixProduct: a product by Apple's Metal Performance Shaders, which know each GPU's best way of doing one.
#pragma once

#include <string>

#include "src/backend/metal/owned.h"
#include "src/backend/metal/slice.h"

namespace weft::metal {

/// result[rows, columns] = left[rows, inner] right[inner, columns], row-major; a turned factor lies in memory as its
/// transpose. `accumulate`: adds to the result.
struct ProductShape {
  UInteger rows, columns, inner;
  bool left_turned, right_turned, accumulate;
};

class MatrixProduct {
 public:
  /// Whether WEFT_METAL_MPS=1 wants them and the system has them.
  static bool available();

  /// Errors: kInternal, where there are none after all.
  static Result<MatrixProduct> make(Id device, const ProductShape& shape);

  /// Between the encoders of a command buffer.
  void encode(Id command_buffer, const Slice<const float>& left, const Slice<const float>& right,
              const Slice<float>& result) const;

 private:
  Owned product_;
  Owned left_, right_, result_;  // descriptors
};

}  // namespace weft::metal
