// Clang: clang-14 reads Metal source as C++ for OpenCL, whose address spaces are Metal's under other names.
#pragma once

#include <string>
#include <string_view>

namespace weft::test {

/// What a compiler said, standard output and errors apart.
struct Said {
  bool ok = false;
  std::string output, errors;
};

class Clang {
 public:
  /// The compiler's path, or its name where it was not found when the build was configured.
  explicit Clang(std::string path) : path_(std::move(path)) {}

  /// Empty, or that it is not here and what to install.
  std::string missing() const;

  /// Types: C++14 without generic address space, double and program-scope variables; warnings are errors.
  Said types(std::string_view text) const;
  /// The syntax tree, with the generic address space wherever the text names none.
  Said tree(std::string_view text) const;
  /// LLVM's text of all functions, not optimised.
  Said functions(std::string_view text) const;
  /// The text as Metal's compiler has it behind the preprocessor, without Metal's own library.
  Said preprocessed(std::string_view text) const;

 private:
  Said run(std::string_view arguments, std::string_view text) const;

  std::string path_;
};

}  // namespace weft::test
