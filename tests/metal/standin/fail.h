// fail: what the stand-in does about a mistake of the program that uses it: one line, and abort.
#pragma once

#include <fmt/format.h>

#include <string>

namespace weft::standin {

[[noreturn]] void fail_with(const std::string& what);

template <typename... A>
[[noreturn]] void fail(fmt::format_string<A...> format, A&&... arguments) {
  fail_with(fmt::format(format, std::forward<A>(arguments)...));
}

/// fail() unless the condition holds.
template <typename... A>
void require(bool condition, fmt::format_string<A...> format, A&&... arguments) {
  if (!condition) fail_with(fmt::format(format, std::forward<A>(arguments)...));
}

}  // namespace weft::standin
