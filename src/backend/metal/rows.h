// MetalRows: samples in memory that the host and the GPU share.
#pragma once

#include <memory>

#include "src/backend/call_run.h"
#include "src/backend/metal/array.h"

namespace weft::metal {

class MetalRows final : public HeldRows {
 public:
  /// Copies the rows. Errors: kResourceExhausted.
  static Result<std::unique_ptr<MetalRows>> make(const SampleRows& rows, const Device& device);
  explicit MetalRows(const SampleRows& rows) : HeldRows(rows) {}
  ~MetalRows() override;

  Slice<const float> inputs() const { return inputs_.slice(); }
  Slice<const float> targets() const { return targets_.slice(); }

 private:
  Array<float> inputs_, targets_;
};

}  // namespace weft::metal
