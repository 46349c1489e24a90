// bias_grad and bias_update by a team: column sums of a batch, each in the order of its rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/backend/native_cpu/team.h"
#include "src/program/instruction.h"

namespace weft::native_cpu {

/// The instruction on columns first .. first + columns - 1 alone; m is at least 1.
void bias_columns(const Instruction& i, double lr, const float* d, std::int64_t first, std::int64_t columns, float* b);

/// b[n] -= lr a column sums of d[m,n], or b (+)= them.
inline void bias(Team& team, const Instruction& i, double lr, const float* d, float* b) {
  constexpr std::int64_t kColumns = 64, kFew = 1 << 14;  // of a piece; elements that no thread shares
  if (i.m < 1) {
    if (i.op == Opcode::kBiasGrad && !i.accumulate) std::fill_n(b, i.n, 0.0f);
    return;
  }
  if (i.n <= kFew / i.m) return bias_columns(i, lr, d, 0, i.n, b);
  team.run((i.n + kColumns - 1) / kColumns, [&](std::int64_t piece) {
    const std::int64_t first = piece * kColumns;
    bias_columns(i, lr, d, first, std::min(kColumns, i.n - first), b);
  });
}

}  // namespace weft::native_cpu
