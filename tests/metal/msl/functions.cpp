// Reading definitions and calls out of LLVM's text.
#include "tests/metal/msl/functions.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

namespace weft::test {
namespace {

using Calls = std::map<std::string, std::set<std::string>>;

/// Of the first @name( in the line; empty where there is none.
std::string name_in(std::string_view line) {
  const std::size_t at = line.find('@'), end = line.find('(', at);
  return at == std::string_view::npos || end == std::string_view::npos ? ""
                                                                       : std::string(line.substr(at + 1, end - at - 1));
}

Calls calls_of(std::string_view llvm) {
  Calls calls;
  std::string caller;
  while (!llvm.empty()) {
    const std::string_view line = llvm.substr(0, llvm.find('\n'));
    llvm.remove_prefix(std::min(line.size() + 1, llvm.size()));
    if (line.starts_with("define ")) {
      caller = name_in(line);
      calls[caller];
    } else if (line.find(" call ") != std::string_view::npos && !caller.empty()) {
      if (const std::string callee = name_in(line); !callee.empty()) calls[caller].insert(callee);
    }
  }
  return calls;
}

std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

std::vector<std::string> recursions(std::string_view llvm) {
  const Calls calls = calls_of(llvm);
  std::vector<std::string> found;
  for (const auto& [name, callees] : calls) {
    // All that can be reached from it, and by whom each was reached first.
    std::map<std::string, std::string> reached_by;
    std::vector<std::string> next{name};
    while (!next.empty()) {
      const std::string at = next.back();
      next.pop_back();
      const auto known = calls.find(at);
      if (known == calls.end()) continue;
      for (const std::string& callee : known->second)
        if (reached_by.emplace(callee, at).second) next.push_back(callee);
    }
    const auto back = reached_by.find(name);
    if (back == reached_by.end()) continue;
    found.push_back(back->second == name
                        ? fmt::format("{} calls itself", readable(name))
                        : fmt::format("{} calls itself through {}", readable(name), readable(back->second)));
  }
  return found;
}

}  // namespace weft::test
