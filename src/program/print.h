// A program as text that a person can read.
#pragma once

#include <string>

#include "src/program/program.h"

namespace weft {

/// The title, then a line per instruction: level, name, operands by name, sizes, scale. A line of its own
/// says under which condition the instructions after it run.
std::string to_text(const Program& program, const BufferTable& buffers);

}  // namespace weft
