// Grid: indices, leaves and what validate refuses.
#include "weft/grid.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "weft/random.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;

Grid line_of_three() {
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = dense(2, 2);
  grid.cells[2].op = stack({dense(2, 2), dense(2, 1)});
  return grid;
}

TEST(Grid, IndexIsLinearWithLayersFastest) {
  const Grid grid(2, 3, 4, 5);
  EXPECT_EQ(grid.cells.size(), 120u);
  EXPECT_EQ(grid.index(0, 0, 0), 0);
  EXPECT_EQ(grid.index(0, 0, 1, 2), 7);
  EXPECT_EQ(grid.index(1, 2, 3, 4), 119);
  EXPECT_EQ(grid.index(1, 0, 0), 60);
  EXPECT_EQ(grid.index(2, 0, 0), -1);
  EXPECT_EQ(grid.index(0, -1, 0), -1);
}

TEST(Grid, LeavesInLinearOrder) {
  Grid grid = line_of_three();
  ASSERT_TRUE(grid.validate().ok()) << grid.validate().message();
  ASSERT_TRUE(grid.initialise({.seed = 4}).ok());
  const auto all = leaves(grid);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2]->out, 1);
  Random third(4, 3);
  EXPECT_EQ(all[2]->weight.at(0),
            static_cast<double>(static_cast<float>(third.uniform(-1 / std::sqrt(2.0), 1 / std::sqrt(2.0)))));
  const Grid& same = grid;
  EXPECT_EQ(leaves(same)[1], all[1]);
}

TEST(Grid, RefusesAnEnabledCellWithoutOp) {
  Grid grid = line_of_three();
  grid.cells[1].op.reset();
  EXPECT_EQ(grid.validate().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(grid.validate().message(), "grid: cell 1: enabled without an op, wanted one");
  EXPECT_EQ(grid.initialise().message(), grid.validate().message());
}

TEST(Grid, RefusesLinksOutOfRange) {
  Grid grid = line_of_three();
  grid.cells[2].remote_link = 3;
  EXPECT_EQ(grid.validate().message(), "grid: cell 2: remote link to cell 3, wanted 0 to 2");
  grid.cells[2].remote_link = -1;
  EXPECT_THAT(grid.validate().message(), HasSubstr("cell -1"));
  grid.cells[2].remote_link = 2;
  EXPECT_TRUE(grid.validate().ok());
}

TEST(Grid, RefusesSizes) {
  EXPECT_EQ(Grid(2, 0, 1, 1).validate().message(), "grid: rows is 0, wanted 1 or more");
  EXPECT_THAT(Grid(1, 1, 1, -2).validate().message(), HasSubstr("layers_per_cell is -2"));
  const std::int64_t huge = std::int64_t{1} << 32;
  const Grid absurd(huge, huge, 1, 1);
  EXPECT_TRUE(absurd.cells.empty());
  EXPECT_THAT(absurd.validate().message(), HasSubstr("wanted at most 1048576"));
  Grid grid = line_of_three();
  grid.cells.pop_back();
  EXPECT_EQ(grid.validate().message(), "grid: 2 cells, wanted 3 for 3 x 1 x 1 x 1");
  EXPECT_FALSE(Grid().validate().ok());
}

}  // namespace
}  // namespace weft
