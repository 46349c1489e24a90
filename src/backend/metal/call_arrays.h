// CallArrays: order, rates and outcomes of a run of calls, where host and GPU both find them.
#pragma once

#include "src/backend/metal/array.h"
#include "src/backend/metal/rows.h"
#include "src/backend/metal/way.h"

namespace weft::metal {

class CallArrays {
 public:
  /// What the run's calls need; stays until the next. Errors: kResourceExhausted; kUnsupported above 2^31-1 samples.
  Result<DeviceCalls> fill(const CallRun& calls, const Device& device);

  /// One call on the arguments as they are staged.
  Result<DeviceCalls> fill_one(double rate, std::uint64_t clock, const Device& device);

  /// Tells the losses, once the calls are done.
  void tell(const CallRun& calls) const;

 private:
  Array<std::int32_t> order_;
  Array<float> rates_;
  Array<kernels::CallOutcome> outcomes_;
};

}  // namespace weft::metal
