// The shapes of products, and choosing who computes them.
#include "src/backend/cuda/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "src/backend/cuda/fused.h"
#include "src/program/cost.h"

namespace weft::cuda {
namespace {

// Below, our own kernels start sooner than cuBLASLt's. An estimate: it has not been swept.
constexpr double kLeastOperations = 2097152.0;

// With rounded factors cuBLASLt is faster than ours, and from here on by more than its elementwise kernels take.
constexpr double kMostRounded = 1e10;

/// How long cuBLASLt takes in fp32, in µs: its start, each term of a sum, and all operations at the rate of large
/// products. Fitted to an H200, where it is off by 15 % at most from 512 x 512 x 512 to 4096 x 4096 x 4096.
double blas_time(const ProductShape& shape) {
  constexpr double kStart = 3.0, kTerm = 0.0066, kOperations = 50e6;  // the last: a µs
  const auto rows = static_cast<double>(shape.rows), columns = static_cast<double>(shape.columns);
  const auto inner = static_cast<double>(shape.inner);
  return kStart + kTerm * inner + 2.0 * rows * columns * inner / kOperations;
}

/// What kernels of our own then take for each element.
double elementwise_time(const ProductShape& shape) {
  constexpr double kStart = 1.5, kBytes = 12.0, kBytesAMicrosecond = 4e6;
  return kStart + static_cast<double>(shape.rows * shape.columns) * kBytes / kBytesAMicrosecond;
}

ProductFactor in_memory(Operand operand, std::int64_t rows, std::int64_t columns, Form form) {
  ProductFactor factor;
  factor.operand = operand, factor.rows = rows, factor.columns = columns, factor.form = form;
  return factor;
}

}  // namespace

bool is_product(const Instruction& i) { return product_operations(i) > 0.0 && i.op != Opcode::kTargetBelow; }

Factors factors_of(const Instruction& i, Form form) {
  switch (i.op) {
    case Opcode::kForward: return {in_memory(i.in[0], i.m, i.k, form), in_memory(i.in[1], i.n, i.k, form)};
    case Opcode::kGradInput: return {in_memory(i.in[0], i.m, i.n, form), in_memory(i.in[1], i.n, i.k, form)};
    default: return {in_memory(i.in[0], i.m, i.n, form), in_memory(i.in[1], i.m, i.k, form)};  // weight_grad, update
  }
}

ProductShape shape_of(const Instruction& i, const Factors& factors, const DeviceMemory& memory) {
  const bool forward = i.op == Opcode::kForward, back = i.op == Opcode::kGradInput;
  const auto factor = [&](const ProductFactor& f, bool turned) -> Factor {
    if (f.form == Form::kHalf || f.form == Form::kFinite) return {padded(f.columns), turned};
    if (f.form == Form::kTurned) return {padded(f.rows), !turned};
    return {f.columns, turned, memory.alignment(f.operand.buffer)};
  };
  return {.rows = forward || back ? i.m : i.n,
          .columns = forward ? i.n : i.k,
          .inner = forward ? i.k
                   : back  ? i.n
                           : i.m,
          .left = factor(factors.left, !forward && !back),
          .right = factor(factors.right, forward),
          .result_alignment = memory.alignment(i.out[0].buffer),
          .bias = forward && i.in[2].present(),
          .precision = memory.precision()};
}

Result<ProductWish> product_wish() {
  const char* const set = std::getenv("WEFT_CUDA_PRODUCTS");
  const std::string_view wish = set == nullptr ? "" : set;
  if (wish.empty()) return ProductWish::kFastest;
  if (wish == "fused") return ProductWish::kFused;
  if (wish == "cublas") return ProductWish::kBlas;
  return Status{StatusCode::kInvalidArgument,
                fmt::format("WEFT_CUDA_PRODUCTS: seen '{}', wanted fused or cublas", wish)};
}

ProductMaker maker_of(const Instruction& instruction, const ProductShape& fused, bool blas, ProductWish wish) {
  const double operations = product_operations(instruction);
  const bool can_fuse = wish != ProductWish::kBlas && can_multiply(fused);
  if (can_fuse && wish == ProductWish::kFused) return ProductMaker::kFused;
  if (blas && wish == ProductWish::kBlas) return ProductMaker::kBlas;
  if (operations < kLeastOperations) return ProductMaker::kKernel;
  const bool is_faster = fused.precision == Precision::kFloat32
                             ? multiply_time(fused) <= blas_time(fused) + elementwise_time(fused)
                             : operations <= kMostRounded;
  if (can_fuse && (is_faster || !blas)) return ProductMaker::kFused;
  return blas ? ProductMaker::kBlas : ProductMaker::kKernel;
}

}  // namespace weft::cuda
