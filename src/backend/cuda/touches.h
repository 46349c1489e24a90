// Touches: which buffers a draft reads and writes.
#pragma once

#include <utility>

#include "src/backend/cuda/drafts.h"

namespace weft::cuda {

using BufferKey = std::pair<BufferId, std::int64_t>;  // a buffer, and the age of the slot of a ring

class Touches {
 public:
  Touches(const Program& program, const DeviceMemory& memory) : program_(program), memory_(memory) {}

  BufferKey key(Operand operand) const { return {operand.buffer, operand.lag % memory_.slots(operand.buffer)}; }
  bool same(Operand a, Operand b) const { return a.present() && b.present() && key(a) == key(b); }

  /// Whether nobody looks at it after a call.
  bool is_scratch(Operand operand) const;

  /// Of a buffer as it is; factors of products in other forms are not counted.
  std::vector<Operand> plain_reads(const Draft& draft) const;
  /// With factors in any form.
  std::vector<Operand> reads(const Draft& draft) const;
  std::vector<Operand> writes(const Draft& draft) const;

  bool reads(const Draft& draft, Operand operand) const { return names(reads(draft), operand); }
  bool writes(const Draft& draft, Operand operand) const { return names(writes(draft), operand); }
  /// Whether a draft behind `first` and before `last` writes it.
  bool written_between(const std::vector<Draft>& drafts, std::size_t first, std::size_t last, Operand operand) const;

  /// Whether the draft makes the operand in several forms.
  bool has_forms(const Draft& draft, Operand operand) const { return same(draft.result, operand); }

 private:
  bool names(const std::vector<Operand>& operands, Operand operand) const;

  const Program& program_;
  const DeviceMemory& memory_;
};

}  // namespace weft::cuda
