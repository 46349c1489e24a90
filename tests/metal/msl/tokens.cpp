// Cutting a source into tokens.
#include "tests/metal/msl/tokens.h"

#include <array>
#include <cctype>
#include <cstdlib>

namespace weft::test {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

class Reader {
 public:
  explicit Reader(std::string_view source) : rest_(source) {}

  std::vector<Token> run() {
    while (!rest_.empty()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = rest_.front(), next = rest_.size() > 1 ? rest_[1] : '\0';
    if (c == '\n') {
      ++line_;
      begins_line_ = true;
      rest_.remove_prefix(1);
      return;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return rest_.remove_prefix(1);
    if (c == '#' && begins_line_) return directive();
    begins_line_ = false;
    if (begins_word(c)) return take(Token::Kind::kWord, length_while(continues_word));
    if (is_digit(c) || (c == '.' && is_digit(next))) return take(Token::Kind::kNumber, number_length());
    if (c == '"' || c == '\'') return take(Token::Kind::kText, text_length(c));
    constexpr std::array<std::string_view, 14> kPairs{
        "::", "&&", "||", "->", "==", "!=", "<=", "+=", "-=", "*=", "/=", "&=", "|=", "##"};
    for (const std::string_view pair : kPairs)
      if (rest_.starts_with(pair)) return take(Token::Kind::kSign, 2);
    take(Token::Kind::kSign, 1);
  }

  /// # 12 "file": the next line is number 12.
  void directive() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string line(rest_.substr(1, end - 1));
    if (const int number = std::atoi(line.c_str()); number > 0) line_ = number - 1;
    rest_.remove_prefix(end);
  }

  template <typename Test>
  std::size_t length_while(Test test) const {
    std::size_t length = 0;
    while (length < rest_.size() && test(rest_[length])) ++length;
    return length;
  }

  std::size_t number_length() const {
    std::size_t length = 1;
    while (length < rest_.size()) {
      const char c = rest_[length], before = rest_[length - 1];
      const bool sign_of_exponent =
          (c == '+' || c == '-') && (before == 'e' || before == 'E') && !rest_.starts_with("0x");
      if (!continues_word(c) && c != '.' && !sign_of_exponent) break;
      ++length;
    }
    return length;
  }

  std::size_t text_length(char quote) const {
    std::size_t length = 1;
    while (length < rest_.size() && rest_[length] != quote) length += rest_[length] == '\\' ? 2 : 1;
    return std::min(length + 1, rest_.size());
  }

  void take(Token::Kind kind, std::size_t length) {
    tokens_.push_back({kind, std::string(rest_.substr(0, length)), line_});
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  std::vector<Token> tokens_;
  int line_ = 1;
  bool begins_line_ = true;
};

}  // namespace

std::vector<Token> tokens(std::string_view source) { return Reader(source).run(); }

}  // namespace weft::test
