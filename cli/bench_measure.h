// Measuring: the peak of a device, and the time of a training step.
#pragma once

#include "cli/bench_report.h"
#include "cli/interrupt.h"

namespace weft::cli {

/// The best of several inferences of kPeakLayers square dense layers at a batch of their width: 2048, or less where a
/// device is so slow that one would take seconds. Errors: as mount; kNotFound says why a device is not here; any where
/// it was interrupted.
Result<BenchDevice> measure_peak(const std::string& device, const BenchSettings& settings, const Interrupt& interrupt);

/// Trains fresh weights on one batch of random samples, over and over. The learning rate is so small that they stay
/// about as they are. `calls`: also with a call for each step.
/// Errors: as mount and train, naming the cell; any where it was
/// interrupted.
Result<BenchCell> measure_cell(const BenchWork& work, Mode mode, const std::string& device,
                               const BenchSettings& settings, bool calls, const Interrupt& interrupt);

}  // namespace weft::cli
