// The rules, each a function that looks at one token with what is around it.
#include "tests/metal/msl/lint.h"

#include <fmt/format.h>

#include <set>

#include "tests/metal/msl/scopes.h"
#include "tests/metal/msl/tokens.h"

namespace weft::test {
namespace {

using Words = std::set<std::string, std::less<>>;

// Neither in Metal nor in the dialect.
const Words kForbidden{"asm", "catch", "delete", "double",       "dynamic_cast", "goto",     "new",   "noexcept",
                       "std", "throw", "try",    "thread_local", "typeid",       "register", "union", "virtual"};
const Words kSpaces{"constant", "device", "thread", "threadgroup"};
const Words kStages{"fragment", "kernel", "vertex"};
const Words kScalars{"auto",   "bool",    "char",    "float",    "half",    "int",      "long",     "short",
                     "signed", "uchar",   "uint",    "ulong",    "ushort",  "void",     "unsigned", "size_t",
                     "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",  "uint64_t"};
// Types of Metal that a program might take for a name.
const Words kTypesOfMetal{"half", "uchar", "uint", "ulong", "ushort", "sampler", "bfloat", "array", "vec", "matrix"};
const Words kAttributes{"buffer",
                        "max_total_threads_per_threadgroup",
                        "simdgroup_index_in_threadgroup",
                        "thread_index_in_simdgroup",
                        "thread_position_in_threadgroup",
                        "threadgroup",
                        "threadgroup_position_in_grid",
                        "threadgroups_per_grid",
                        "threads_per_threadgroup"};
const Words kBeforeOperand{"return", "case", "else", "do", "auto"};

bool is_vector_type(std::string_view word) {
  for (const std::string_view scalar : {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                        "half", "float", "packed_float", "packed_half"}) {
    if (!word.starts_with(scalar)) continue;
    const std::string_view rest = word.substr(scalar.size());
    const auto side = [](char c) { return c >= '2' && c <= '4'; };
    if (rest.size() == 1 && side(rest[0])) return true;
    if (rest.size() == 3 && side(rest[0]) && rest[1] == 'x' && side(rest[2])) return true;
  }
  return false;
}

class Lint {
 public:
  explicit Lint(std::vector<Token> all) : all_(std::move(all)), scopes_(all_) { know_types(); }

  std::vector<std::string> run() {
    for (at_ = 0; at_ < all_.size(); ++at_) {
      words();
      numbers();
      lambdas();
      function_pointers();
      reserved_names();
      inheritance();
      attributes();
      bindings();
      pointers();
    }
    declarations();
    return std::move(found_);
  }

 private:
  const Token& token(std::ptrdiff_t offset) const {
    static const Token none{Token::Kind::kSign, "", 0};
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(at_) + offset;
    return at >= 0 && at < static_cast<std::ptrdiff_t>(all_.size()) ? all_[static_cast<std::size_t>(at)] : none;
  }

  template <typename... Arguments>
  void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    found_.push_back(
        fmt::format("line {}: {}", token(0).line, fmt::format(format, std::forward<Arguments>(arguments)...)));
  }

  /// struct X, enum class X, using X =, typename X.
  void know_types() {
    for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
      const bool declares = all_[i].is("struct") || all_[i].is("class") || all_[i].is("enum") ||
                            all_[i].is("typename") || all_[i].is("using");
      if (declares && all_[i + 1].is_word()) types_.insert(all_[i + 1].text);
    }
    for (const char* no_type : {"class", "namespace", "metal", "weft"}) types_.erase(no_type);
  }
  bool is_type(const Token& t) const {
    return t.is_word() && (kScalars.contains(t.text) || types_.contains(t.text) || is_vector_type(t.text));
  }

  void words() {
    const Token& t = token(0);
    if (!t.is_word()) return;
    if (kForbidden.contains(t.text)) tell("'{}' is not in Metal's dialect", t.text);
    if (t.is("long") && token(1).is("long")) tell("'long long' is not in Metal; long has 64 bits");
    if (t.is("if") && token(1).is("constexpr")) tell("'if constexpr' is not in C++14");
    if (t.is("namespace") && token(2).is("::") && token(1).is_word() && !token(-1).is("using"))
      tell("'namespace {}::' is not in C++14", token(1).text);
  }

  void numbers() {
    const std::string& text = token(0).text;
    if (token(0).kind != Token::Kind::kNumber || text.starts_with("0x")) return;
    const bool real = text.find_first_of(".eE") != std::string::npos;
    const char last = text.back();
    if (real && last != 'f' && last != 'F' && last != 'h' && last != 'H')
      tell("'{}' is a double: wanted {}f", text, text);
  }

  /// A [ where no operand stands before it, and no attribute follows.
  void lambdas() {
    if (!token(0).is("[") || token(1).is("[") || token(-1).is("[")) return;
    const Token& before = token(-1);
    const bool operand =
        (before.is_word() && !kBeforeOperand.contains(before.text)) || before.is(")") || before.is("]");
    if (!operand) tell("a lambda, or a structured binding");
  }

  void function_pointers() {
    if (token(0).is("(") && token(1).is("*") && token(2).is_word() && token(3).is(")") && token(4).is("("))
      tell("'(*{})(' is a function pointer", token(2).text);
  }

  void reserved_names() {
    const Token &t = token(0), &next = token(1);
    if (!t.is_word()) return;
    if (kSpaces.contains(t.text) || kStages.contains(t.text)) {
      const bool of_pointer = (token(-1).is("*") || token(-1).is("&")) && (next.is("*") || next.is("&"));
      if (!next.is_word() && !of_pointer) tell("'{}' is a word of Metal, not a name", t.text);
    }
    const bool metal_type = kTypesOfMetal.contains(t.text) || is_vector_type(t.text);
    if (metal_type && is_type(token(-1)) && !token(-1).is("unsigned"))
      tell("'{}' is a type of Metal, not a name", t.text);
  }

  void inheritance() {
    if ((token(0).is("struct") || token(0).is("class")) && !token(-1).is("enum") && token(2).is(":"))
      tell("'{}' is derived from another type", token(1).text);
  }

  /// Compilers pass over attributes that they do not know: only those of Metal that are in use are right.
  void attributes() {
    if (token(0).is("[") && token(1).is("[") && !kAttributes.contains(token(2).text))
      tell("'[[{}]]' is no attribute of Metal that kernels use", token(2).text);
  }

  /// Each parameter of a kernel is bound, buffers from 0 on in order.
  void bindings() {
    if (!token(0).is("kernel") || !token(1).is("void") || !token(3).is("(")) return;
    const std::string name = token(2).text;
    int open = 1, buffers = 0, bound = 0;
    for (std::ptrdiff_t i = 4; open > 0 && !token(i).text.empty(); ++i) {
      if (token(i).is("[") && token(i + 1).is("[")) {
        ++bound;
        if (token(i + 2).is("buffer") && !token(i + 4).is(std::to_string(buffers++)))
          tell("{}: seen buffer {}, wanted {}", name, token(i + 4).text, buffers - 1);
      }
      if (open == 1 && (token(i).is(",") || token(i).is(")"))) {
        if (bound != 1) tell("{}: a parameter with {} bindings behind '{}'", name, bound, token(i - 1).text);
        bound = 0;
      }
      open += token(i).is("(") ? 1 : token(i).is(")") ? -1 : 0;
    }
  }

  /// Every pointer and reference says what it points into: device T*, threadgroup T&.
  void pointers() {
    const Token& t = token(0);
    if (!t.is("*") && !t.is("&") && !t.is("&&")) return;
    std::ptrdiff_t offset = -1;
    if (token(offset).is(">")) {  // template arguments
      int open = 0;
      for (; !token(offset).text.empty(); --offset) {
        open += token(offset).is(">") ? 1 : token(offset).is("<") ? -1 : 0;
        if (open == 0) break;
        if (token(offset).is(";") || token(offset).is("{")) return;  // a comparison
      }
      --offset;
    }
    while (token(offset).is("const") || token(offset).is("volatile")) --offset;
    if (!is_type(token(offset))) return;  // an operator
    const std::string type = token(offset).text;
    for (;; --offset) {
      const Token& before = token(offset);
      if (kSpaces.contains(before.text)) return;
      if (!before.is_word() && !before.is("::")) break;
      if (before.is("template") || before.is("return")) break;
    }
    tell("'{}{}' does not say which memory it points into: device, threadgroup, constant or thread", type, t.text);
  }

  /// Variables of namespaces and static ones are constants in constant memory; functions have none.
  void declarations() {
    for (const Statement& statement : scopes_.statements()) {
      at_ = statement.begin;
      const auto has = [&](std::string_view word) {
        for (std::size_t i = statement.begin; i < statement.end; ++i)
          if (all_[i].is(word)) return true;
        return false;
      };
      if (statement.scope == Scope::kFunction) {
        if (has("static")) tell("a static variable of a function");
      } else if (statement.is_variable && !has("constant") && (statement.scope == Scope::kNamespace || has("static"))) {
        tell("'{}' is a variable of a {} outside of constant memory", all_[statement.end - 1].text,
             statement.scope == Scope::kNamespace ? "namespace" : "struct");
      }
    }
  }

  std::vector<Token> all_;
  Scopes scopes_;
  Words types_;
  std::size_t at_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> lint(std::string_view preprocessed) { return Lint(tokens(preprocessed)).run(); }

}  // namespace weft::test
