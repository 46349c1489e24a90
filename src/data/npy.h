// NPY files of NumPy, versions 1.0 to 3.0 (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <string>

#include "src/data/array.h"

namespace weft::data {

/// Reads the bytes of an NPY file. Errors: kDataLoss (not as the format says), kUnsupported (pickled objects and other
/// types that are no plain numbers), kInvalidArgument (an axis of 0), "<place>: ...".
Result<Array> read_npy(std::string bytes, std::string place);

}  // namespace weft::data
