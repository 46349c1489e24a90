// PartText: what a thread does for one element of a task, as text.
#pragma once

#include <string>

#include "src/generate/layout.h"
#include "src/generate/tasks.h"

namespace weft {

/// What the texts of one program have in common.
struct TextSource {
  const Program& program;
  const BufferTable& buffers;
  const Layout& layout;
  const Tasks& tasks;
  std::vector<int> terms;  // of each reduction: where its elements' terms lie on chip; -1: they are summed in registers
};

/// Where the operand's slot begins: "s.a + 128", with the ring's moving slot where there is one.
std::string base_text(const TextSource& source, Operand operand);
/// The distance of rows as an instruction with that many columns sees the operand.
int row_step(const TextSource& source, Operand operand, std::int64_t cols);
/// "s.flag0 && !holds(...)", empty where there is no condition. in_memory: of those in memory only.
std::string guard_text(const TextSource& source, const std::vector<Guard>& guards);

bool in_registers(const std::vector<Guard>& guards);

/// The struct Part<t> of src/kernels/tiles.h for a task; its elements are taken `wide` at a time.
std::string part_text(const TextSource& source, int task, int wide);

}  // namespace weft
