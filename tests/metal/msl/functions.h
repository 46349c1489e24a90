// Functions: who calls whom in LLVM's text of a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

/// "f() calls itself", "f() calls itself through g()": Metal has no stack for that.
std::vector<std::string> recursions(std::string_view llvm);

}  // namespace weft::test
