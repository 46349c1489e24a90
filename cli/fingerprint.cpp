// Fingerprints as text.
#include "cli/fingerprint.h"

#include <fmt/format.h>

namespace weft::cli {

std::string Fingerprint::text() const { return fmt::format("{:016x}", value_); }

std::string fingerprint(std::string_view text) {
  Fingerprint print;
  print.add(text.data(), text.size());
  return print.text();
}

}  // namespace weft::cli
