// A line of the dump is a node: "| |-ParmVarDecl 0x1 <line:3:7> col:9 used x 'const __generic float *'".
#include "tests/metal/msl/tree.h"

#include <array>

namespace weft::test {
namespace {

constexpr std::string_view kGeneric = "__generic";

std::size_t depth_of(std::string_view line) {
  const std::size_t depth = line.find_first_not_of(" |`-");
  return depth == std::string_view::npos ? line.size() : depth;
}

bool tells_a_type(std::string_view node) {
  constexpr std::array<std::string_view, 11> kNodes{"VarDecl",           "ParmVarDecl",           "FieldDecl",
                                                    "TypedefDecl",       "TypeAliasDecl",         "FunctionDecl",
                                                    "CXXMethodDecl",     "CXXConstCastExpr",      "CStyleCastExpr",
                                                    "CXXStaticCastExpr", "CXXReinterpretCastExpr"};
  for (const std::string_view each : kNodes)
    if (node.starts_with(each) && node.substr(each.size()).starts_with(" ")) return true;
  return false;
}

/// The first type in quotes; of a method without what it says of `this`, which follows its parameters.
std::string_view type_of(std::string_view node) {
  const std::size_t begin = node.find(" '");
  if (begin == std::string_view::npos) return {};
  std::string_view type = node.substr(begin + 2, node.find('\'', begin + 2) - begin - 2);
  if (node.starts_with("CXXMethodDecl")) type = type.substr(0, type.rfind(')') + 1);
  return type;
}

}  // namespace

std::vector<std::string> without_space(std::string_view dump) {
  std::vector<std::string> found;
  std::size_t implicit_depth = std::string_view::npos;  // of a declaration that the compiler made
  while (!dump.empty()) {
    const std::string_view line = dump.substr(0, dump.find('\n'));
    dump.remove_prefix(std::min(line.size() + 1, dump.size()));
    const std::size_t depth = depth_of(line);
    if (depth > implicit_depth) continue;
    implicit_depth = std::string_view::npos;
    const std::string_view node = line.substr(depth);
    if (node.find(" implicit ") < node.find(" '") && node.find("Decl ") != std::string_view::npos) {
      implicit_depth = depth;
    } else if (tells_a_type(node) && type_of(node).find(kGeneric) != std::string_view::npos) {
      const std::size_t place = node.find('<');
      found.push_back("a pointer or reference without address space: " + std::string(node.substr(0, node.find(' '))) +
                      ' ' + std::string(place == std::string_view::npos ? node : node.substr(place)));
    }
  }
  return found;
}

}  // namespace weft::test
