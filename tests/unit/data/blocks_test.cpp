// Blocks: values kept in a row, whatever their number, and joined in order.
#include "src/data/blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/sanitizers.h"

namespace weft {
namespace {

TEST(Blocks, ValuesComeBackInOrder) {
  data::Blocks<std::int32_t> blocks;
  std::int32_t next = 0;
  for (int round = 0; round < 3000; ++round) {
    std::int32_t* to = blocks.room(7);
    ASSERT_NE(to, nullptr);
    EXPECT_EQ(blocks.room(7), to);  // until something is kept
    const std::size_t kept = static_cast<std::size_t>(round % 8);
    for (std::size_t i = 0; i < kept; ++i) to[i] = next++;
    blocks.keep(kept);
  }
  EXPECT_EQ(blocks.size(), static_cast<std::size_t>(next));
  std::vector<std::int32_t> all{-1};
  ASSERT_TRUE(blocks.join(all));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(next) + 1);
  for (std::int32_t i = 0; i <= next; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i - 1);
  EXPECT_EQ(blocks.size(), 0u);
}

TEST(Blocks, NothingAndTooMuch) {
  data::Blocks<char> blocks;
  std::string text;
  EXPECT_TRUE(blocks.join(text));
  EXPECT_EQ(text, "");
  if (WEFT_SANITIZED == 0) {  // sanitizers stop there
    EXPECT_EQ(blocks.room(std::size_t{1} << 62), nullptr);
  }
  *blocks.room(1) = 'a';
  blocks.keep(1);
  EXPECT_TRUE(blocks.join(text));
  EXPECT_EQ(text, "a");
}

}  // namespace
}  // namespace weft
