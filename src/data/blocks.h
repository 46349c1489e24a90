// Blocks: values that grow in number without ever being copied to grow; joined at the end, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>

namespace weft::data {

/// Beside its values and, while they are joined, one block, it takes nothing: a vector that grows takes three times
/// what it holds.
template <typename T>
class Blocks {
 public:
  /// Room for `count` values in a row behind those that are kept; null where there is no memory.
  T* room(std::size_t count) {
    if (blocks_.empty() || blocks_.back().size - blocks_.back().used < count) {
      const std::size_t grown = blocks_.empty() ? kFirst : std::min(2 * blocks_.back().size, kLargest);
      const std::size_t size = std::max(grown, count);
      T* values = new (std::nothrow) T[size];
      if (values == nullptr) return nullptr;
      blocks_.push_back({std::unique_ptr<T[]>(values), size, 0});
    }
    return blocks_.back().values.get() + blocks_.back().used;
  }

  /// Keeps the first `count` of them.
  void keep(std::size_t count) {
    blocks_.back().used += count;
    size_ += count;
  }

  std::size_t size() const { return size_; }

  /// Moves all behind what the vector or string holds. False where there is no memory.
  template <typename Container>
  bool join(Container& to) {
    try {
      to.reserve(to.size() + size_);
    } catch (const std::bad_alloc&) {
      return false;
    }
    for (; !blocks_.empty(); blocks_.pop_front()) {
      const Block& block = blocks_.front();
      to.insert(to.end(), block.values.get(), block.values.get() + block.used);
    }
    size_ = 0;
    return true;
  }

 private:
  struct Block {
    std::unique_ptr<T[]> values;
    std::size_t size = 0, used = 0;
  };
  static constexpr std::size_t kFirst = 1024;
  // Bytes: more than what allocators keep for themselves when it is freed (32 MiB of glibc's).
  static constexpr std::size_t kLargest = (std::size_t{34} << 20) / sizeof(T);

  std::deque<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace weft::data
