// The `cpu` device: the reference that every other device is compared with. Plain loops over float or
// double storage, double accumulation, values rounded to storage when stored, one fixed order.
#pragma once

#include "src/backend/backend.h"

namespace weft {

/// The device's row in backends().
BackendEntry cpu_entry();

}  // namespace weft
