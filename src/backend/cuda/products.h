// Products: what the matrix product of an instruction looks like to those who compute it, and who does.
#pragma once

#include "src/backend/cuda/blas.h"
#include "src/backend/cuda/task.h"
#include "src/program/program.h"

namespace weft::cuda {

/// Operations of a product from which on it fills a GPU by itself: others beside it only get into its way.
inline constexpr double kLargeProduct = 3e10;

/// A matrix in memory as a product wants it.
enum class Form { kPlain, kHalf, kFinite, kTurned };

struct ProductFactor {
  Operand operand;
  std::int64_t rows = 0, columns = 0;  // as it lies in memory
  Form form = Form::kPlain;
  bool gated = false;   // 0 where the product's conditions do not hold
  bool finite = false;  // of turned ones: 0 for what is not finite
  Place place;          // of that form
};

struct Factors {
  ProductFactor left, right;
};

/// Elements from one row of a form to the next: with room for 16-byte accesses.
inline std::int64_t padded(std::int64_t elements) { return (elements + 7) / 8 * 8; }

/// Whether the instruction is a product that cuBLASLt or fused.h could compute.
bool is_product(const Instruction& instruction);

/// The factors as they lie in the buffers, all in one form.
Factors factors_of(const Instruction& instruction, Form form);

ProductShape shape_of(const Instruction& instruction, const Factors& factors, const DeviceMemory& memory);

/// The environment variable WEFT_CUDA_PRODUCTS: who is to compute every product that it can, however small; else
/// whoever is thought to be faster.
enum class ProductWish { kFastest, kFused, kBlas };
/// Errors: kInvalidArgument for what it does not know.
Result<ProductWish> product_wish();

enum class ProductMaker {
  kKernel,  // that of launch.h
  kBlas,
  kFused,
};
/// fused: as fused.h would get it. blas: cuBLASLt is there.
ProductMaker maker_of(const Instruction& instruction, const ProductShape& fused, bool blas, ProductWish wish);

}  // namespace weft::cuda
