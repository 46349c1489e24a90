// Samples as fit and evaluate take them.
#pragma once

#include <string_view>

#include "weft/data.hpp"

namespace weft {

/// Errors: kInvalidArgument where targets or labels do not belong to the inputs, or a label is out of range.
Status check_samples(const data::Samples& samples, std::string_view place);

}  // namespace weft
