// Following braces.
#include "tests/metal/msl/scopes.h"

namespace weft::test {
namespace {

/// What the tokens before a brace, or of a whole statement, say.
struct Header {
  bool names_namespace = false, names_struct = false, names_enum = false, has_parameters = false, is_other = false,
       is_initialised = false;
  std::size_t end = 0;  // where a variable's name ends: before =, [ or the end
};

Header header_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  Header header;
  header.end = end;
  int angles = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& t = tokens[i];
    if (t.is("template")) {  // its parameters are passed over
      for (++i; i < end; ++i) {
        angles += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
        if (angles == 0) break;
      }
      continue;
    }
    header.names_namespace |= t.is("namespace");
    header.names_struct |= t.is("struct") || t.is("class") || t.is("union");
    header.names_enum |= t.is("enum");
    header.is_other |= t.is("using") || t.is("typedef") || t.is("static_assert") || t.is("friend") || t.is("operator");
    if (header.is_initialised) continue;
    header.has_parameters |= t.is("(");
    header.is_initialised |= t.is("=");
    if ((t.is("=") || t.is("[")) && header.end == end) header.end = i;
  }
  return header;
}

}  // namespace

Scopes::Scopes(const std::vector<Token>& tokens) {
  std::vector<Scope> open{Scope::kNamespace};
  std::size_t begin = 0;
  int initialiser = 0, parentheses = 0;
  const auto note = [&](std::size_t end, bool with_body) {
    if (end <= begin) return;
    const Header header = header_of(tokens, begin, end);
    const bool type = header.names_namespace || header.names_struct || header.names_enum;
    const bool variable = !with_body && !type && !header.is_other && !header.has_parameters;
    statements_.push_back({open.back(), begin, header.end, variable});
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& t = tokens[i];
    if (t.is("(")) ++parentheses;
    if (t.is(")")) --parentheses;
    if (initialiser > 0) {  // braces of values
      initialiser += t.is("{") ? 1 : t.is("}") ? -1 : 0;
      continue;
    }
    if (t.is("{")) {
      const Header header = header_of(tokens, begin, i);
      const bool body = !header.is_initialised && (header.names_namespace || header.names_struct || header.names_enum ||
                                                   header.has_parameters || open.back() == Scope::kFunction);
      if (!body || parentheses > 0) {
        initialiser = 1;
        continue;
      }
      note(i, true);
      open.push_back(header.names_namespace  ? Scope::kNamespace
                     : header.has_parameters ? Scope::kFunction
                     : header.names_enum     ? Scope::kEnum
                     : header.names_struct   ? Scope::kStruct
                                             : Scope::kFunction);
      begin = i + 1;
    } else if (t.is("}")) {
      if (open.size() > 1) open.pop_back();
      begin = i + 1;
    } else if (t.is(";") && parentheses == 0) {
      note(i, false);
      begin = i + 1;
    }
  }
}

}  // namespace weft::test
