// The version, given by the build.
#include "weft/version.hpp"

#ifndef WEFT_VERSION
#error "WEFT_VERSION is not defined: the build passes the project's version, as in -DWEFT_VERSION=\"0.1.0\""
#endif

namespace weft {

const char* version() { return WEFT_VERSION; }

}  // namespace weft
