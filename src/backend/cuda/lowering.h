// Lowering: a program as tasks for a GPU. Large products go to cuBLASLt, elementwise instructions write what those
// products read, and pairs become one where nothing else sees what is between them.
#pragma once

#include "src/backend/cuda/task.h"

namespace weft::cuda {

/// The tasks refer to `program`. Errors: kUnsupported where cuBLASLt has no way for a product.
Result<TaskList> lower(const Program& program, const DeviceMemory& memory, Blas* blas);

}  // namespace weft::cuda
