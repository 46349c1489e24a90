// Passes: everything that a text must come through to be taken for Metal source here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/metal/msl/clang.h"

namespace weft::test {

struct Complaint {
  std::string pass;  // types, spaces, calls, lint
  std::string text;
};

/// In the order of the passes. What does not compile is not looked at by spaces and calls.
std::vector<Complaint> complaints(const Clang& clang, std::string_view text);

/// One line each, for messages of tests.
std::string to_string(const std::vector<Complaint>& complaints);

}  // namespace weft::test
