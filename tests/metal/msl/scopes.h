// Scopes: which statements of a source stand in a namespace, in a struct, or in a function.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/metal/msl/tokens.h"

namespace weft::test {

enum class Scope { kNamespace, kStruct, kEnum, kFunction };

/// Tokens [begin, end) up to an initialiser, a body or the semicolon.
struct Statement {
  Scope scope;
  std::size_t begin, end;
  bool is_variable;  // declares one, as far as its scope can have other statements
};

class Scopes {
 public:
  explicit Scopes(const std::vector<Token>& tokens);
  const std::vector<Statement>& statements() const { return statements_; }

 private:
  std::vector<Statement> statements_;
};

}  // namespace weft::test
