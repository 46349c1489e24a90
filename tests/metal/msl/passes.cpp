// The four passes, one after the other.
#include "tests/metal/msl/passes.h"

#include <fmt/format.h>

#include "tests/metal/msl/functions.h"
#include "tests/metal/msl/lint.h"
#include "tests/metal/msl/tree.h"

namespace weft::test {

std::vector<Complaint> complaints(const Clang& clang, std::string_view text) {
  std::vector<Complaint> all;
  const Said types = clang.types(text);
  if (!types.ok || !types.errors.empty()) all.push_back({"types", types.errors});
  if (types.ok) {
    const Said tree = clang.tree(text);
    if (!tree.ok) all.push_back({"spaces", tree.errors});
    for (std::string& found : without_space(tree.output)) all.push_back({"spaces", std::move(found)});
    const Said functions = clang.functions(text);
    if (!functions.ok) all.push_back({"calls", functions.errors});
    for (std::string& found : recursions(functions.output)) all.push_back({"calls", std::move(found)});
  }
  const Said own = clang.preprocessed(text);
  if (!own.ok) all.push_back({"lint", own.errors});
  for (std::string& found : lint(own.output)) all.push_back({"lint", std::move(found)});
  return all;
}

std::string to_string(const std::vector<Complaint>& complaints) {
  std::string text;
  for (const Complaint& complaint : complaints) text += fmt::format("{}: {}\n", complaint.pass, complaint.text);
  return text;
}

}  // namespace weft::test
