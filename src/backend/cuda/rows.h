// DeviceRows: samples held in a GPU's memory.
#pragma once

#include "src/backend/call_run.h"
#include "src/backend/cuda/device_array.h"

namespace weft::cuda {

class DeviceRows final : public HeldRows {
 public:
  /// Copies the rows. Errors: kResourceExhausted, kDeviceFault.
  static Result<std::unique_ptr<DeviceRows>> make(const SampleRows& rows, int device, cudaStream_t stream);
  explicit DeviceRows(const SampleRows& rows, int device) : HeldRows(rows), device_(device) {}
  ~DeviceRows() override;

  const float* inputs() const { return inputs_.data(); }
  const float* targets() const { return targets_.data(); }

 private:
  int device_;
  DeviceArray<float> inputs_, targets_;
};

}  // namespace weft::cuda
