// Tree: the address spaces in clang's dump of a syntax tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

/// The declarations and casts whose pointers or references were left to the generic address space, which Metal does not
/// have. Where a program runs into `this` is the compiler's matter and no complaint.
std::vector<std::string> without_space(std::string_view dump);

}  // namespace weft::test
