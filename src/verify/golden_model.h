// Models as golden files describe them.
#pragma once

#include "src/verify/json_field.h"
#include "weft/model_file.hpp"

namespace weft::verify {

/// The root op of a stack or line case. Errors: kInvalidArgument naming the field; kUnsupported where
/// an op, field, dtype, format or activation is none that weft trains.
Result<Stack> read_stack(const Field& model);

/// {dims, cells} of a mesh case. Errors as read_stack.
Result<Grid> read_grid(const Field& grid);

}  // namespace weft::verify
