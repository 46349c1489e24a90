// CallArrays: order, rates and outcomes of a run of calls in a GPU's memory, and on their way there and back.
#pragma once

#include <vector>

#include "src/backend/cuda/device_array.h"
#include "src/backend/cuda/loss_sums.h"
#include "src/backend/cuda/rows.h"
#include "src/backend/cuda/upload.h"
#include "src/backend/cuda/way.h"

namespace weft::cuda {

class CallArrays {
 public:
  /// Errors: kUnsupported above 2^31 samples.
  static Status check(const CallRun& calls);
  /// The calls but for order, rates and outcomes.
  static DeviceCalls sizes(const CallRun& calls);

  /// Runs the calls and tells their losses. Errors: kResourceExhausted; kUnsupported above 2^31 samples; kDeviceFault,
  /// starting with `what` where the calls met it.
  Status run(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what);

  /// One call on rows that lie in the device's memory already, in order.
  Result<DeviceCalls> send_one(double rate, std::uint64_t clock, cudaStream_t stream);

 private:
  Status reserve(const CallRun& calls);
  /// The calls, with arrays that are on their way in the stream.
  Result<DeviceCalls> send(const CallRun& calls, std::int64_t first, std::int64_t count, cudaStream_t stream);
  Status run_few(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what);
  Status run_many(const CallRun& calls, Way& way, cudaStream_t stream, std::string_view what);

  DeviceArray<std::int32_t> order_;
  DeviceArray<float> rates_;
  DeviceArray<kernels::CallOutcome> outcomes_;
  std::vector<float> rate_sent_;  // of a call alone
  std::vector<kernels::CallOutcome> outcomes_read_;
  Upload upload_;
  Stream aside_;  // for what is sent meanwhile
  Event sent_;
  LossSums sums_;
};

}  // namespace weft::cuda
