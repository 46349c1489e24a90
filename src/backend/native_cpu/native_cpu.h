// The `native_cpu` device: float32 programs on OpenBLAS products and plain loops that compilers vectorise.
// Compiled only where there is a BLAS (WEFT_HAVE_BLAS).
#pragma once

#include "src/backend/backend.h"

namespace weft {

/// The device's row in backends().
BackendEntry native_cpu_entry();

}  // namespace weft
