// Compiler: Metal's language to code of this machine, by clang's C++ for OpenCL, kept on disk.
#pragma once

#include <string>

namespace weft::standin {

/// A folder with what one text came to.
struct Compiled {
  std::string folder;  // empty where it does not compile
  std::string error;   // what the compiler said

  std::string library() const { return folder + "/kernels.so"; }
  /// The text without macros, comments and includes.
  std::string preprocessed() const { return folder + "/preprocessed"; }
};

/// fast_math: as Metal compiles where nobody says otherwise.
Compiled compile(const std::string& text, bool fast_math);

/// Sizes of a kernel's types are asked of the code itself: this kernel writes, for each parameter in a buffer, size and
/// alignment of what it points to.
inline constexpr const char* kSizes = "weft_standin_sizes_";

}  // namespace weft::standin
