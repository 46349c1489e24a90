// RunLosses: what the calls of a fit came to, as sums that a device carries on from run to run.
#pragma once

#include <cstdint>

namespace weft {

/// Finite losses added up one after the other in double, which gives the same bits wherever it is done.
struct LossSum {
  double sum = 0.0;
  std::int64_t count = 0;

  void add(double loss) { sum += loss, ++count; }
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0.0; }
};

/// Of all calls of a fit, and of those since its last report. A call whose loss is not finite is in neither.
struct RunLosses {
  LossSum all, recent;

  void add(double loss, bool finite) {
    if (finite) all.add(loss), recent.add(loss);
  }
};

}  // namespace weft
