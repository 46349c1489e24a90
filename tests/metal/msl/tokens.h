// Tokens: preprocessed source as words, numbers and signs, each with its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

struct Token {
  enum class Kind { kWord, kNumber, kText, kSign } kind;
  std::string text;
  int line;
  bool is(std::string_view other) const { return text == other; }
  bool is_word() const { return kind == Kind::kWord; }
};

/// `#` lines are followed where they name a line and skipped else. Signs of two characters that a check needs whole
/// (:: && -> and the like) are one token; > is always alone, so that nested template arguments close one by one.
std::vector<Token> tokens(std::string_view source);

}  // namespace weft::test
