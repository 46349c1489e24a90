// Object: what a message can be sent to. Counted, told apart by class, and remembered for a while when it is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace weft::standin {

/// One for each class of objects, and one more for what objc_getClass answers.
struct Class {
  const char* name;
  std::atomic<long> alive{0};
};

/// The classes there are.
#define WEFT_STANDIN_CLASSES(row)                                                                            \
  row(NSString) row(NSError) row(MTLDevice) row(MTLCompileOptions) row(MTLLibrary) row(MTLFunction)          \
      row(MTLComputePipelineState) row(MTLBuffer) row(MTLCommandQueue) row(MTLCommandBuffer)                 \
          row(MTLComputeCommandEncoder) row(MPSMatrixDescriptor) row(MPSMatrix) row(MPSMatrixMultiplication) \
              row(Class)
#define WEFT_STANDIN_CLASS(name) extern Class k##name;
WEFT_STANDIN_CLASSES(WEFT_STANDIN_CLASS)
#undef WEFT_STANDIN_CLASS

class Object {
 public:
  explicit Object(Class& its_class);
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Class& its_class() const { return *class_; }
  const char* name() const { return class_->name; }

  /// The object that a message was sent to, or that was given with one. Fails for what is no object or is gone.
  static Object& of(void* pointer, const char* what);

  void retain() { count_.fetch_add(1); }
  void release();

 protected:
  /// The last count is gone: says what should have been before, and gives back what it holds.
  virtual void dispose() {}

 private:
  static constexpr std::uint64_t kAlive = 0x77656674616c6976, kGone = 0x77656674676f6e65;

  std::uint64_t mark_ = kAlive;
  Class* class_;
  std::atomic<long> count_{1};
};

/// A count of an object, held by the stand-in itself.
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T& object) : object_(&object) { object.retain(); }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace weft::standin
