// Metal Performance Shaders, where they are wanted and there.
#include "src/backend/metal/mps.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "src/core/try.h"

namespace weft::metal {
namespace {

constexpr const char* kProductClass = "MPSMatrixMultiplication";
constexpr std::uint32_t kFloat32 = 0x10000000u | 32u;  // MPSDataTypeFloat32

bool load() {
  const char* set = std::getenv("WEFT_METAL_MPS");
  if (set == nullptr || std::string_view(set) != "1" || !load_runtime().ok()) return false;
  // Where a stand-in is named it has the classes, or nothing has.
  if (!Runtime::is_stand_in())
    dlopen("/System/Library/Frameworks/MetalPerformanceShaders.framework/MetalPerformanceShaders",
           RTLD_NOW | RTLD_GLOBAL);
  return objc().class_named(kProductClass) != nullptr;
}

Owned descriptor(UInteger rows, UInteger columns) {
  const Id made = objc().matrix_descriptor(objc().class_named("MPSMatrixDescriptor"), rows, columns,
                                           columns * sizeof(float), kFloat32);
  return Owned::shared(made);
}

Owned matrix(const Slice<const float>& at, const Owned& descriptor) {
  const Id empty = objc().allocate(objc().class_named("MPSMatrix"));
  return Owned::taken(objc().init_matrix(empty, at.buffer, at.offset, descriptor.get()));
}

}  // namespace

bool MatrixProduct::available() {
  static const bool there = load();
  return there;
}

Result<MatrixProduct> MatrixProduct::make(Id device, const ProductShape& s) {
  MatrixProduct made;
  made.product_ =
      Owned::taken(objc().init_product(objc().allocate(objc().class_named(kProductClass)), device, s.left_turned,
                                       s.right_turned, s.rows, s.columns, s.inner, 1.0, s.accumulate ? 1.0 : 0.0));
  made.left_ = s.left_turned ? descriptor(s.inner, s.rows) : descriptor(s.rows, s.inner);
  made.right_ = s.right_turned ? descriptor(s.columns, s.inner) : descriptor(s.inner, s.columns);
  made.result_ = descriptor(s.rows, s.columns);
  if (!made.product_ || !made.left_ || !made.right_ || !made.result_)
    return Status{StatusCode::kInternal, "metal: Metal Performance Shaders give no product of matrices"};
  return made;
}

void MatrixProduct::encode(Id command_buffer, const Slice<const float>& left, const Slice<const float>& right,
                           const Slice<float>& result) const {
  // The command buffer keeps them for as long as it needs them.
  const Owned a = matrix(left, left_), b = matrix(right, right_), c = matrix(result, result_);
  objc().encode_product(product_.get(), command_buffer, a.get(), b.get(), c.get());
}

}  // namespace weft::metal
