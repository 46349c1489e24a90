// Lint: what Metal's compiler refuses, or the dialect of src/kernels leaves out, and clang lets pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

/// "line 12: ...", one for each place. The source is behind the preprocessor, so that words are Metal's own.
std::vector<std::string> lint(std::string_view preprocessed);

}  // namespace weft::test
