// Blas: large matrix products on a GPU by cuBLASLt, which is loaded when it is first wanted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/precision.hpp"
#include "weft/status.hpp"

namespace weft::cuda {

/// A factor of a product as it lies in memory, row-major: [rows, inner] on the left and [inner, columns] on the right,
/// or the other way about where it is turned.
struct Factor {
  std::int64_t row = 0;  // elements from one row of the memory to the next
  bool turned = false;
  std::size_t alignment = 256;  // bytes that its address is surely a multiple of
};

/// result[rows, columns] = alpha left right + beta result (+ bias[columns])
struct ProductShape {
  std::int64_t rows = 0, columns = 0, inner = 0;
  Factor left, right;
  std::size_t result_alignment = 256;
  bool bias = false;
  Precision precision = Precision::kFloat32;  // kBfloat16: the factors are bfloat16 in memory
};

/// A product of one shape and how it is to be done; the same for the same shape on the same kind of GPU.
class Product {
 public:
  virtual ~Product() = default;
  virtual std::size_t workspace() const = 0;  // bytes that a run needs for itself
};

/// Where a run's numbers lie in the GPU's memory; alpha and beta too.
struct ProductRun {
  const void* left = nullptr;
  const void* right = nullptr;
  const float* bias = nullptr;
  float* result = nullptr;
  const float* alpha = nullptr;
  const float* beta = nullptr;
  void* workspace = nullptr;
};

class Blas {
 public:
  /// For the current GPU of the thread. Errors: kNotFound saying which library is missing and where it was looked for.
  static Result<std::unique_ptr<Blas>> open();
  virtual ~Blas() = default;

  /// Errors: kUnsupported where cuBLASLt has no way for the shape.
  virtual Result<std::unique_ptr<Product>> prepare(const ProductShape& shape) = 0;
  /// Puts the product on the stream. Errors: kDeviceFault.
  virtual Status run(Product& product, const ProductRun& run, cudaStream_t stream) = 0;
};

/// Whether open would find the library, and if not, why.
Status blas_available();

}  // namespace weft::cuda
