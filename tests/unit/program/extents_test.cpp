// How far instructions reach, for each form that an operand can have.
#include "src/program/extents.h"

#include <gtest/gtest.h>

namespace weft::test {
namespace {

using Three = std::array<std::int64_t, 3>;

Instruction sized(Opcode op) {
  Instruction i;
  i.op = op;
  i.m = 2, i.n = 3, i.k = 5;
  i.in_at = 1, i.out_at = 2, i.width = 7;
  return i;
}

TEST(Extents, OfMatrices) {
  EXPECT_EQ(extents(sized(Opcode::kForward)).in, (Three{10, 15, 3}));
  EXPECT_EQ(extents(sized(Opcode::kForward)).out, (Three{6, 6, 0}));
  EXPECT_EQ(extents(sized(Opcode::kGradInput)).in, (Three{6, 15, 0}));
  EXPECT_EQ(extents(sized(Opcode::kGradInput)).out, (Three{10, 0, 0}));
  EXPECT_EQ(extents(sized(Opcode::kUpdate)).in, (Three{6, 10, 0}));
  EXPECT_EQ(extents(sized(Opcode::kUpdate)).out, (Three{15, 0, 0}));
}

TEST(Extents, OfPartsOfRowsEndWithTheLastPart) {
  EXPECT_EQ(extents(sized(Opcode::kCopyColumns)).in, (Three{5 + 1 + 3, 0, 0}));
  EXPECT_EQ(extents(sized(Opcode::kCopyColumns)).out, (Three{7 + 2 + 3, 0, 0}));
  EXPECT_EQ(extents(sized(Opcode::kScaleRows)).in, (Three{6, 7 + 1 + 1, 0}));
  EXPECT_EQ(extents(sized(Opcode::kRowDot)).out, (Three{7 + 2 + 1, 0, 0}));
}

TEST(Extents, OfSingleNumbers) {
  EXPECT_EQ(extents(sized(Opcode::kLossGap)).out, (Three{6, 1, 1}));
  EXPECT_EQ(extents(sized(Opcode::kRefresh)).in, (Three{1, 1, 1}));
  EXPECT_EQ(extents(sized(Opcode::kProject)).in, (Three{5, 0, 0}));
  EXPECT_EQ(extents(sized(Opcode::kProject)).out, (Three{3, 0, 0}));
}

}  // namespace
}  // namespace weft::test
