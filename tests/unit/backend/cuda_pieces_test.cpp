// The pieces of a run on a GPU are its calls.
#include "src/backend/cuda/pieces.h"

#include <gtest/gtest.h>

#include <numeric>

namespace weft::test {
namespace {

TEST(CudaPieces, AreAllCalls) {
  for (const std::int32_t calls : {1, 1024, 4095, 4096, 4097, 60000, 1 << 16}) {
    const std::vector<std::int32_t> pieces = cuda::pieces_of(calls);
    EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), 0), calls);
    EXPECT_EQ(pieces.size(), calls < 4096 ? 1U : 3U);
    for (const std::int32_t piece : pieces) EXPECT_GT(piece, 0);
  }
}

}  // namespace
}  // namespace weft::test
