// Following rows from where they are scaled to the updates that read them.
#include "src/generate/grid_factors.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/generate/grid_pieces.h"

namespace weft {
namespace {

class Factors {
 public:
  Factors(Program program, const BufferTable& buffers) : program_(std::move(program)), buffers_(buffers) {}

  Program run() {
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      Instruction& scaling = program_.code[i];
      const Operand factor = scaling.in[1];
      std::vector<std::size_t> updates;
      if (scaling.op != Opcode::kScale || scaling.accumulate || !factor.present() || writers(factor.buffer) != 1 ||
          writers(scaling.out[0].buffer) != 1 || !follow(i, updates))
        continue;
      scaling.in[1] = {};
      for (const std::size_t u : updates) program_.code[u].in[2] = factor;
    }
    return std::move(program_);
  }

 private:
  std::ptrdiff_t writers(BufferId buffer) const {
    return std::count_if(program_.code.begin(), program_.code.end(),
                         [&](const Instruction& i) { return sets(i, buffer); });
  }
  static std::vector<Predicate> conditions(const Instruction& i) {
    std::vector<Predicate> when;
    for (const Predicate& p : i.when)
      if (p.present()) when.push_back(p);
    return when;
  }
  bool exclusive_at(std::size_t a, std::size_t b) const {
    const GridPiece first{GridWork::kElements, GridOwner::kRows, 0, {}, conditions(program_.code[a])};
    const GridPiece second{GridWork::kElements, GridOwner::kRows, 0, {}, conditions(program_.code[b])};
    return exclusive(program_, first, second);
  }

  /// Collects the updates that read what instruction `from` writes. False: something else does too, or another may have
  /// written it since.
  bool follow(std::size_t from, std::vector<std::size_t>& updates) const {
    const Instruction& writer = program_.code[from];
    const Operand& rows = writer.out[0];
    const Buffer& buffer = buffers_[rows.buffer];
    if (buffer.role != Role::kScratch || buffer.slots > 1) return false;
    for (std::size_t r = 0; r < program_.code.size(); ++r) {
      const Instruction& reader = program_.code[r];
      const bool reads =
          std::any_of(reader.in.begin(), reader.in.end(), [&](const Operand& in) { return in.buffer == rows.buffer; });
      const bool writes = sets(reader, rows.buffer);
      if (r == from || !(reads || writes) || exclusive_at(from, r)) continue;
      if (writes || r < from || !includes(conditions(reader), conditions(writer)) || !(reader.in[0] == rows) ||
          reader.in[1].buffer == rows.buffer || reader.in[2].present())
        return false;
      if (reader.op == Opcode::kUpdate || reader.op == Opcode::kBiasUpdate) {
        updates.push_back(r);
      } else if (reader.op != Opcode::kDelta || !follow(r, updates)) {
        return false;
      }
    }
    return true;
  }

  Program program_;
  const BufferTable& buffers_;
};

}  // namespace

Program with_late_factors(const Program& program, const BufferTable& buffers) {
  return Factors(program, buffers).run();
}

}  // namespace weft
