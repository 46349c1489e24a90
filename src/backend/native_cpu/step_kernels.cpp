// Which steps have a kernel: those too small for threads and for panels of their operands.
#include "src/backend/native_cpu/step_kernels.h"

namespace weft::native_cpu {
namespace {

constexpr std::int64_t kNearWeights = 1 << 13;   // 32 KiB, that stay in the first-level cache
constexpr std::int64_t kNearWork = 1 << 20;      // multiplications that no thread shares
constexpr std::int64_t kNearElements = 1 << 14;  // elements that no thread shares
constexpr std::int64_t kManyRows = 8;            // from here on a matrix of weights may be turned over first

/// Whether a product of sizes of at least 1 is small enough.
bool is_near(const Instruction& i) {
  if (i.m < 1 || i.n < 1 || i.k < 1 || i.m > kNearWork || i.n > kNearWork / i.m) return false;
  return i.k <= kNearWork / (i.m * i.n);
}

bool has_near_weights(const Instruction& i) { return i.n <= kNearWeights / i.k; }

bool has_near_elements(const Instruction& i) { return i.m >= 1 && i.n <= kNearElements / i.m; }

}  // namespace

std::int64_t needs_scratch(const Instruction& i) {
  const bool turned = i.op == Opcode::kForward && is_near(i) && i.m >= kManyRows && has_near_weights(i);
  return turned ? i.n * i.k : 0;
}

Kernel kernel_for(const Instruction& i, const Program& program) {
  switch (i.op) {
    case Opcode::kForward: return is_near(i) ? forward_kernel(i) : nullptr;
    case Opcode::kGradInput: return is_near(i) && has_near_weights(i) ? grad_input_kernel(i) : nullptr;
    case Opcode::kUpdate:
    case Opcode::kWeightGrad: return is_near(i) && (i.m <= 4 || has_near_weights(i)) ? weight_kernel(i) : nullptr;
    case Opcode::kBiasUpdate:
    case Opcode::kBiasGrad: return has_near_elements(i) ? bias_kernel(i) : nullptr;
    case Opcode::kDelta: return has_near_elements(i) ? delta_kernel(i) : nullptr;
    case Opcode::kLossGap: return program.loss == Loss::kMse && has_near_elements(i) ? mse_kernel(i) : nullptr;
    default: return nullptr;
  }
}

}  // namespace weft::native_cpu
