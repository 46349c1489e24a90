// CallArrays: order, rates and outcomes of a run of calls in a GPU's memory, and on their way there and back.
#pragma once

#include <vector>

#include "src/backend/call_outcome.h"
#include "src/backend/cuda/device_array.h"
#include "src/backend/cuda/rows.h"
#include "src/backend/cuda/way.h"

namespace weft::cuda {

class CallArrays {
 public:
  /// Errors: kUnsupported above 2^31 samples.
  static Status check(const CallRun& calls);
  /// The calls but for order, rates and outcomes.
  static DeviceCalls sizes(const CallRun& calls);

  /// Starts copying what the run's calls need. Errors: kResourceExhausted, kDeviceFault; kUnsupported above 2^31
  /// samples.
  Result<DeviceCalls> send(const CallRun& calls, cudaStream_t stream);

  /// One call on rows that lie in the device's memory already, in order.
  Result<DeviceCalls> send_one(double rate, std::uint64_t clock, cudaStream_t stream);

  /// Waits for the stream and tells the losses. Errors: kDeviceFault starting with `what`.
  Status collect(const CallRun& calls, cudaStream_t stream, std::string_view what);

 private:
  DeviceArray<std::int32_t> order_;
  DeviceArray<float> rates_;
  DeviceArray<kernels::CallOutcome> outcomes_;
  std::vector<std::int32_t> order_sent_;
  std::vector<float> rates_sent_;
  std::vector<kernels::CallOutcome> outcomes_read_;
};

}  // namespace weft::cuda
