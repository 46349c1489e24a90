// PeakMemory: by how much the process grows while something is done.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::cli {

class PeakMemory {
 public:
  /// Starts counting anew.
  PeakMemory();
  /// Bytes: the largest resident set since the start, less the one at the start. Nothing where the system does not let
  /// the count start anew (it is Linux that does).
  std::optional<std::int64_t> growth() const;

 private:
  std::optional<std::int64_t> before_;
};

}  // namespace weft::cli
