// Numbers as C++ says them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace weft {

/// A float literal that reads back as the very same number.
inline std::string float_text(float value) {
  if (std::isnan(value)) return "(0.0f / 0.0f)";
  if (std::isinf(value)) return value > 0 ? "(1.0f / 0.0f)" : "(-1.0f / 0.0f)";
  std::string text = fmt::format("{:.9g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}
inline std::string float_text(double value) { return float_text(static_cast<float>(value)); }

}  // namespace weft
