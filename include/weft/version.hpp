// The version of the library that is linked.
#pragma once

namespace weft {

const char* version();  // "0.1.0"

}  // namespace weft
