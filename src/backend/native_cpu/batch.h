// Batch: the rows of a training call, one behind the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace weft::native_cpu {

class Batch {
 public:
  /// Rows `order` of `elements` floats each: where they are if they follow each other there, else copied.
  const float* gather(const void* rows, std::int64_t elements, std::span<const std::int64_t> order) {
    const auto* from = static_cast<const float*>(rows);
    bool in_a_row = true;
    for (std::size_t i = 1; i < order.size(); ++i) in_a_row = in_a_row && order[i] == order[i - 1] + 1;
    if (in_a_row) return order.empty() ? from : from + order[0] * elements;
    copy(from, elements, order);
    return values_.data();
  }

 private:
  void copy(const float* from, std::int64_t elements, std::span<const std::int64_t> order) {
    constexpr std::size_t kAhead = 8;    // rows: they lie anywhere, so the processor cannot foresee them
    constexpr std::int64_t kShort = 32;  // elements that are copied before a call of memcpy would begin to
    const auto row = static_cast<std::size_t>(elements);
    if (values_.size() < order.size() * row) values_.resize(order.size() * row);
    float* to = values_.data();
    for (std::size_t i = 0; i < order.size(); ++i, to += row) {
      if (i + kAhead < order.size()) __builtin_prefetch(from + order[i + kAhead] * elements);
      const float* at = from + order[i] * elements;
      if (elements > kShort) {
        std::memcpy(to, at, row * sizeof(float));
        continue;
      }
      std::int64_t j = 0;
      for (; j + 4 <= elements; j += 4) std::memcpy(to + j, at + j, 4 * sizeof(float));
      for (; j < elements; ++j) to[j] = at[j];
    }
  }

  std::vector<float> values_;
};

}  // namespace weft::native_cpu
