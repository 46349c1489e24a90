// Encoder: what is bound at each index, and the kernels started with it.
#pragma once

#include <array>

#include "tests/metal/standin/command.h"

namespace weft::standin {

class Encoder final : public Object {
 public:
  /// concurrent: its dispatches may run in any order.
  Encoder(CommandBuffer& buffer, bool concurrent)
      : Object(kMTLComputeCommandEncoder), buffer_(buffer), concurrent_(concurrent) {}

  void set_pipeline(Pipeline& pipeline);
  void set_buffer(Buffer* buffer, UInteger offset, UInteger index);
  void set_bytes(const void* bytes, UInteger length, UInteger index);
  void set_threadgroup_memory(UInteger length, UInteger index);
  void dispatch(Size groups, Size threads);
  void end();

 private:
  static constexpr UInteger kIndices = 31;

  void dispose() override;
  void check_open(const char* message) const;
  Bound bound_for(const KernelCode& kernel, std::size_t parameter) const;

  Ref<CommandBuffer> buffer_;
  Ref<Pipeline> pipeline_;
  std::array<Bound, kIndices> bound_;
  std::array<UInteger, kIndices> threadgroup_lengths_{};
  bool concurrent_, ended_ = false;
};

}  // namespace weft::standin
