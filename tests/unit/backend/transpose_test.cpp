// Transposition of every shape, and nothing beyond it.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/transpose.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::test {
namespace {

TEST(NativeTranspose, TurnsRowsIntoColumns) {
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 15, 16, 17, 20, 31, 32, 33, 50};
  for (const std::int64_t n : kSizes) {
    for (const std::int64_t k : kSizes) {
      const std::int64_t from_row = k + 3, to_row = n + 2;
      std::vector<float> from(static_cast<std::size_t>(n * from_row)), to(static_cast<std::size_t>(k * to_row), -1.0F);
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
      native_cpu::transpose(n, k, from.data(), from_row, to.data(), to_row);
      for (std::int64_t j = 0; j < k; ++j) {
        for (std::int64_t i = 0; i < to_row; ++i) {
          const float wanted = i < n ? static_cast<float>(i * from_row + j) : -1.0F;
          ASSERT_EQ(to[static_cast<std::size_t>(j * to_row + i)], wanted)
              << n << " x " << k << " at " << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
#endif
