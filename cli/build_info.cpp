// Compiler and build type, as the compiler tells them.
#include "cli/build_info.h"

namespace weft::cli {

std::string compiler() {
#if defined(__clang__)
  return __VERSION__;  // names Clang itself
#elif defined(__GNUC__)
  return std::string("GCC ") + __VERSION__;
#else
  return "unknown";
#endif
}

std::string build_type() {
#if defined(WEFT_BUILD_TYPE)
  return WEFT_BUILD_TYPE;
#elif defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

}  // namespace weft::cli
