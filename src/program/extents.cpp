// The extents of every instruction, from the sizes that instructions.def gives.
#include "src/program/extents.h"

namespace weft {

Extents extents(const Instruction& i) {
  const std::int64_t mn = i.m * i.n, mk = i.m * i.k, nk = i.n * i.k;
  // A part of each of m rows that are `length` long.
  const auto part = [&](std::int64_t length, std::int64_t at, std::int64_t count) {
    return i.m == 0 ? 0 : (i.m - 1) * length + at + count;
  };
  switch (i.op) {
    case Opcode::kForward: return {{mk, nk, i.n}, {mn, mn}};
    case Opcode::kDelta: return {{mn, mn}, {mn}};
    case Opcode::kGradInput: return {{mn, nk}, {mk}};
    case Opcode::kWeightGrad:
    case Opcode::kUpdate: return {{mn, mk}, {nk}};
    case Opcode::kBiasGrad:
    case Opcode::kBiasUpdate: return {{mn}, {i.n}};
    case Opcode::kApply: return {{mn, 1}, {mn, mn, mn}};
    case Opcode::kScale: return {{mn, 1}, {mn}};
    case Opcode::kSubtract: return {{mn, mn}, {mn}};
    case Opcode::kZero: return {{}, {mn}};
    case Opcode::kProject: return {{i.k}, {i.n}};
    case Opcode::kCopyColumns: return {{part(i.k, i.in_at, i.n)}, {part(i.width, i.out_at, i.n)}};
    case Opcode::kSoftmax: return {{mn}, {mn}};
    case Opcode::kSoftmaxGrad: return {{mn, mn}, {mn}};
    case Opcode::kScaleRows: return {{mn, part(i.width, i.in_at, 1)}, {mn}};
    case Opcode::kRowDot: return {{mn, mn}, {part(i.width, i.out_at, 1)}};
    case Opcode::kLossGap: return {{mn, mn}, {mn, 1, 1}};
    case Opcode::kRms:
    case Opcode::kClip: return {{mn}, {1}};
    case Opcode::kRatio: return {{1, 1}, {1}};
    case Opcode::kIsFinite: return {{mn}, {1}};
    case Opcode::kCount:
    case Opcode::kSet: return {{}, {1}};
    case Opcode::kEquals: return {{1}, {1}};
    case Opcode::kRefresh: return {{1, 1, 1}, {1}};
    case Opcode::kTargetBelow: return {{mn, nk}, {mk}};
    case Opcode::kLinkBudget: return {{mn, mn}, {1, 1}};
    case Opcode::kAscend: return {{mn, 1}, {mn}};
  }
  return {};
}

}  // namespace weft
