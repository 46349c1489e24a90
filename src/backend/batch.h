// Batch: the rows of a training call, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace weft {

class Batch {
 public:
  /// Rows `order` of `elements` elements each, of 4 or 8 bytes: where they are if they follow each other there, else
  /// copied; then they stay until the next gather.
  const void* gather(const void* rows, std::int64_t elements, std::size_t element_bytes,
                     std::span<const std::int64_t> order) {
    const auto* from = static_cast<const std::byte*>(rows);
    const std::size_t row = static_cast<std::size_t>(elements) * element_bytes;
    bool in_a_row = true;
    for (std::size_t i = 1; i < order.size(); ++i) in_a_row = in_a_row && order[i] == order[i - 1] + 1;
    if (in_a_row) return order.empty() ? from : from + static_cast<std::size_t>(order[0]) * row;
    copy(from, row, order);
    return values_.data();
  }

 private:
  void copy(const std::byte* from, std::size_t row, std::span<const std::int64_t> order) {
    constexpr std::size_t kAhead = 8;    // rows: they lie anywhere, so the processor cannot foresee them
    constexpr std::size_t kShort = 128;  // bytes that are copied before a call of memcpy would begin to
    const std::size_t bytes = order.size() * row;
    if (values_.size() * sizeof(double) < bytes) values_.resize((bytes + sizeof(double) - 1) / sizeof(double));
    auto* to = reinterpret_cast<std::byte*>(values_.data());
    const auto at = [&](std::size_t i) { return from + static_cast<std::size_t>(order[i]) * row; };
    for (std::size_t i = 0; i < order.size(); ++i, to += row) {
      if (i + kAhead < order.size()) __builtin_prefetch(at(i + kAhead));
      if (row > kShort) {
        std::memcpy(to, at(i), row);
        continue;
      }
      std::size_t j = 0;
      for (; j + 16 <= row; j += 16) std::memcpy(to + j, at(i) + j, 16);
      for (; j < row; j += 4) std::memcpy(to + j, at(i) + j, 4);
    }
  }

  std::vector<double> values_;  // of doubles, for their alignment
};

}  // namespace weft
