// Products of matrices as Metal Performance Shaders have them: MPSMatrixMultiplication, MPSMatrix and its descriptor.
#include <memory>

#include "tests/metal/standin/command.h"
#include "tests/metal/standin/counts.h"
#include "tests/metal/standin/foundation.h"
#include "tests/metal/standin/pool.h"

namespace weft::standin {
namespace {

constexpr std::uint32_t kFloat32 = 0x10000020;  // MPSDataTypeFloat32

struct Descriptor final : Object {
  Descriptor(UInteger row_count, UInteger column_count, UInteger bytes)
      : Object(kMPSMatrixDescriptor), rows(row_count), columns(column_count), row_bytes(bytes) {}
  UInteger rows, columns, row_bytes;
};

struct Matrix final : Object {
  Matrix() : Object(kMPSMatrix) {}
  Ref<Buffer> buffer;
  UInteger offset = 0;
  UInteger rows = 0, columns = 0, row_floats = 0;

  float* at(UInteger row, UInteger column) const {
    return reinterpret_cast<float*>(buffer->bytes() + offset) + row * row_floats + column;
  }
  float value(bool turned, UInteger row, UInteger column) const { return turned ? *at(column, row) : *at(row, column); }

 private:
  void dispose() override { buffer = {}; }
};

struct Product final : Object {
  Product() : Object(kMPSMatrixMultiplication) {}
  bool left_turned = false, right_turned = false;
  UInteger rows = 0, columns = 0, inner = 0;
  double alpha = 0.0, beta = 0.0;

  void run(const Matrix& left, const Matrix& right, const Matrix& result) const {
    for (UInteger i = 0; i < rows; ++i) {
      for (UInteger j = 0; j < columns; ++j) {
        float sum = 0.0f;
        for (UInteger k = 0; k < inner; ++k) sum += left.value(left_turned, i, k) * right.value(right_turned, k, j);
        float& to = *result.at(i, j);
        // What is not asked for is not read: it may be anything.
        to = static_cast<float>(alpha) * sum + (beta == 0.0 ? 0.0f : static_cast<float>(beta) * to);
      }
    }
  }
};

void* describe(void* self, Selector, UInteger rows, UInteger columns, UInteger row_bytes, std::uint32_t type) {
  require(is_class(self, kMPSMatrixDescriptor), "matrixDescriptorWithRows:...: unrecognized selector");
  require(rows > 0 && columns > 0 && type == kFloat32, "a matrix of {} x {} elements of type {:#x}", rows, columns,
          type);
  require(row_bytes >= columns * sizeof(float) && row_bytes % sizeof(float) == 0, "rows of {} floats in {} bytes",
          columns, row_bytes);
  return static_cast<Object*>(autoreleased(new Descriptor(rows, columns, row_bytes)));
}

void* init_matrix(void* self, Selector, void* buffer, UInteger offset, void* descriptor) {
  constexpr const char* kMessage = "initWithBuffer:offset:descriptor:";
  auto& matrix = self_of<Matrix>(self);
  auto& memory = argument<Buffer>(buffer, kMTLBuffer, kMessage);
  const auto& shape = argument<Descriptor>(descriptor, kMPSMatrixDescriptor, kMessage);
  const UInteger bytes = (shape.rows - 1) * shape.row_bytes + shape.columns * sizeof(float);
  require(offset % sizeof(float) == 0 && offset <= memory.length() && bytes <= memory.length() - offset,
          "{} offset {}, {} bytes of a buffer of {}", kMessage, offset, bytes, memory.length());
  matrix.buffer = Ref<Buffer>(memory);
  matrix.offset = offset;
  matrix.rows = shape.rows, matrix.columns = shape.columns, matrix.row_floats = shape.row_bytes / sizeof(float);
  return self;
}

void* init_product(void* self, Selector, void* device, bool left_turned, bool right_turned, UInteger rows,
                   UInteger columns, UInteger inner, double alpha, double beta) {
  require(&Object::of(device, "initWithDevice:...").its_class() == &kMTLDevice, "initWithDevice:... of no device");
  auto& product = self_of<Product>(self);
  product.left_turned = left_turned, product.right_turned = right_turned;
  product.rows = rows, product.columns = columns, product.inner = inner;
  product.alpha = alpha, product.beta = beta;
  return self;
}

void encode(void* self, Selector, void* command, void* left, void* right, void* result) {
  constexpr const char* kMessage = "encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:";
  const Ref<Product> product(self_of<Product>(self));
  const auto matrix = [&](void* given, UInteger rows, UInteger columns) {
    auto& seen = argument<Matrix>(given, kMPSMatrix, kMessage);
    require(seen.rows == rows && seen.columns == columns, "{} a matrix of {} x {}, wanted {} x {}", kMessage, seen.rows,
            seen.columns, rows, columns);
    return Ref<Matrix>(seen);
  };
  const Product& p = *product;
  const Ref<Matrix> a = p.left_turned ? matrix(left, p.inner, p.rows) : matrix(left, p.rows, p.inner);
  const Ref<Matrix> b = p.right_turned ? matrix(right, p.columns, p.inner) : matrix(right, p.inner, p.columns);
  const Ref<Matrix> c = matrix(result, p.rows, p.columns);
  ++counts().products;
  argument<CommandBuffer>(command, kMTLCommandBuffer, kMessage)
      .add_between_encoders([=] { product->run(*a, *b, *c); }, {a->buffer, b->buffer, c->buffer});
}

}  // namespace

Object* new_matrix() { return new Matrix; }
Object* new_product() { return new Product; }

void add_mps_methods() {
  add_methods(kClass, {method("matrixDescriptorWithRows:columns:rowBytes:dataType:", describe)});
  add_methods(kMPSMatrix, {method("initWithBuffer:offset:descriptor:", init_matrix)});
  add_methods(
      kMPSMatrixMultiplication,
      {method("initWithDevice:transposeLeft:transposeRight:resultRows:resultColumns:interiorColumns:alpha:beta:",
              init_product),
       method("encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:", encode)});
}

}  // namespace weft::standin
