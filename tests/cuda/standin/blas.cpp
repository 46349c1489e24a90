// In the place of cuBLASLt.
#include "src/backend/cuda/blas.h"

#include "tests/cuda/standin/product.h"
#include "tests/cuda/standin/runtime.h"

namespace weft::cuda {
namespace {

struct HostProduct final : Product {
  explicit HostProduct(const ProductShape& s) : shape(s) {}
  std::size_t workspace() const override { return 0; }
  ProductShape shape;
};

class HostBlas final : public Blas {
 public:
  Result<std::unique_ptr<Product>> prepare(const ProductShape& shape) override {
    return std::unique_ptr<Product>(std::make_unique<HostProduct>(shape));
  }

  Status run(Product& product, const ProductRun& run, cudaStream_t stream) override {
    standin::enqueue(stream, [shape = static_cast<HostProduct&>(product).shape, run] {
      for (std::int64_t row = 0; row < shape.rows; ++row)
        for (std::int64_t column = 0; column < shape.columns; ++column) {
          float& to = run.result[row * shape.columns + column];
          float s = *run.alpha * standin::sum(shape, run.left, run.right, row, column);
          if (*run.beta != 0.0f) s += *run.beta * to;
          if (shape.bias) s += run.bias[column];
          to = s;
        }
    });
    return {};
  }
};

}  // namespace

Status blas_available() { return {}; }

Result<std::unique_ptr<Blas>> Blas::open() { return std::unique_ptr<Blas>(std::make_unique<HostBlas>()); }

}  // namespace weft::cuda
