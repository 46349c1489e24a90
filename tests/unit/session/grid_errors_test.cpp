// What a session with a grid refuses: ticks, links, modes and losses that do not go with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

Dense square(std::uint64_t seed) {
  return dense(4, 4, tanh, {.name = "d" + std::to_string(seed), .weight = random_tensor({4, 4}, 4, seed)});
}

/// A disabled ingress and three cells.
TestModel three_cells() { return chain(Schedule::kMesh, {square(1), square(2), square(3)}); }

Status train(Trainer& trainer, const std::string& mode, int ticks = 4) {
  return trainer.session().train(trainer.input(1), trainer.target(1), {.mode = mode, .ticks = ticks}).status();
}

void expect(const Status& status, StatusCode code, const std::vector<std::string>& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  for (const std::string& word : words) EXPECT_THAT(status.message(), HasSubstr(word));
}

TEST(GridErrors, TooFewTicksNameTheNumberThatSuffices) {
  Trainer trainer(three_cells()), untouched(three_cells());
  for (const Mode mode : modes_of(Schedule::kMesh))
    expect(train(trainer, to_string(mode), 2), StatusCode::kInvalidArgument,
           {"train: ", "after 2 ticks", "3 ticks are enough"});
  expect(trainer.session().forward(trainer.input(1), {.ticks = 1}).status(), StatusCode::kInvalidArgument,
         {"forward: ", "after 1 ticks", "3 ticks are enough"});
  expect(train(trainer, "MeshBP", 0), StatusCode::kInvalidArgument, {"ticks is 0"});
  expect(train(trainer, "MeshBP", 2'000'000'000), StatusCode::kResourceExhausted, {"2000000000 ticks", "4 cells"});
  EXPECT_EQ(trainer.train({Schedule::kMesh, Rule::kBP}, 1).loss, untouched.train({Schedule::kMesh, Rule::kBP}, 1).loss);
  EXPECT_EQ(trainer.weights(), untouched.weights());
}

TEST(GridErrors, AnInputThatNeverReachesTheOutputSaysSo) {
  TestModel model = three_cells();
  std::get<Grid>(model.root).cells[2].remote_link = 3;  // two cells that wait for each other
  Trainer trainer(model);
  expect(train(trainer, "MeshBP", 9), StatusCode::kInvalidArgument, {"after 9 ticks", "no number of ticks is enough"});
  // A cell 0 with a link loses the input after one tick: too soon for a ring that never starts.
  Grid grid(2, 1, 1, 1);
  grid.cells[0].op = square(1), grid.cells[1].op = square(2);
  grid.cells[0].remote_link = 1, grid.cells[1].remote_link = 1;
  Trainer lost({grid, {1, 4}, {1, 4}, 4});
  expect(train(lost, "MeshTweenSplit"), StatusCode::kInvalidArgument, {"no number of ticks is enough"});
}

TEST(GridErrors, StackAndLineModesSayWhatToMount) {
  Trainer trainer(three_cells());
  expect(train(trainer, "TweenSplit"), StatusCode::kInvalidArgument,
         {"TweenSplit", "mount a weft::Stack", "MeshTweenSplit"});
  expect(train(trainer, "StepBP"), StatusCode::kInvalidArgument, {"StepBP", "mount a weft::Stack", "MeshBP"});
  expect(trainer.session().print_program({1, 4}, {1, 4}, {.mode = "StepBP"}).status(), StatusCode::kInvalidArgument,
         {"print_program: ", "mount a weft::Stack"});
}

TEST(GridErrors, TargetPropagationTakesPlainSgdAndMse) {
  for (const char* mode : {"MeshTween", "MeshTweenChain"}) {
    Trainer ce(three_cells(), {.device = "cpu", .loss = cross_entropy});
    expect(train(ce, mode), StatusCode::kInvalidArgument, {mode, "mse", "sgd", "the session has ce, sgd"});
    Trainer adam(three_cells(), {.device = "cpu", .optimizer = adamw()});
    expect(train(adam, mode), StatusCode::kInvalidArgument, {mode, "mse", "sgd", "mse, adamw"});
    EXPECT_TRUE(train(adam, "MeshTweenSplit").ok());
    Optimizer decaying = sgd(), clipping = sgd();
    decaying.weight_decay = 0.1, clipping.clip = 2.0;
    Trainer decay(three_cells(), {.device = "cpu", .optimizer = decaying});
    expect(train(decay, mode), StatusCode::kInvalidArgument, {mode, "weight decay 0.1"});
    Trainer clip(three_cells(), {.device = "cpu", .optimizer = clipping});
    expect(train(clip, mode), StatusCode::kInvalidArgument, {mode, "clip 2"});
  }
}

TEST(GridErrors, TargetPropagationNamesTheCellWhoseNeighboursDoNotFit) {
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = dense(4, 6, tanh, {.weight = random_tensor({6, 4}, 6, 1)});
  grid.cells[2].op = square(2);
  grid.cells[2].remote_link = 0;  // reads the input past cell 1
  Trainer trainer({grid, {1, 4}, {1, 4}, 4});
  EXPECT_TRUE(train(trainer, "MeshBP").ok());
  for (const char* mode : {"MeshTween", "MeshTweenChain"})
    expect(train(trainer, mode), StatusCode::kInvalidArgument,
           {"cell 2", "links are not followed", "[3, 6]", "[3, 4]"});
}

TEST(GridErrors, CellsWhoseWidthsDoNotFitAreNamed) {
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = dense(4, 6, tanh, {.weight = random_tensor({6, 4}, 6, 1)});
  grid.cells[2].op = square(2);
  Trainer trainer({grid, {1, 4}, {1, 4}, 4});
  expect(train(trainer, "MeshBP"), StatusCode::kInvalidArgument, {"train: cell 2", "'d2'", "[3, 6]", "4 features"});
  grid.cells[2].remote_link = 7;
  expect(mount(grid, {.device = "cpu"}).status(), StatusCode::kInvalidArgument, {"mount: ", "cell 2", "7"});
}

/// A grid may pass the input on untouched; then there is nothing to train, and nothing breaks.
TEST(GridErrors, AGridThatPassesItsInputOn) {
  Grid grid(2, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[0].op = square(1);
  grid.cells[1].disabled = true;
  Trainer trainer({grid, {1, 4}, {1, 4}, 2});
  const auto before = trainer.weights();
  const Tensor input = trainer.input(3);
  const auto seen = trainer.forward(input);
  for (std::int64_t i = 0; i < input.elements(); ++i) EXPECT_EQ(seen.at(i), input.at(i));
  const data::Samples samples{input, trainer.target(3), {0, 1, 2}};
  EXPECT_TRUE(trainer.session().evaluate(samples).ok());
  for (const Mode mode : modes_of(Schedule::kMesh))
    EXPECT_TRUE(train(trainer, to_string(mode)).ok()) << to_string(mode);
  EXPECT_EQ(trainer.weights(), before);
}

}  // namespace
}  // namespace weft::test
