// The one line of an error.
#include "tests/metal/standin/fail.h"

#include <cstdio>
#include <cstdlib>

namespace weft::standin {

void fail_with(const std::string& what) {
  std::fprintf(stderr, "stand-in: %s\n", what.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace weft::standin
