// The text of a grid's kernel: every mode has one, the same each time, with as few barriers as its exchanges need.
#include "src/generate/grid_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "src/generate/grid_schedule.h"
#include "src/plan/plan.h"
#include "src/schedule/schedule.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

constexpr GridShape kShape{.blocks = 132, .shared_bytes = 227 * 1024};

struct Built {
  std::unique_ptr<Plan> plan;
  Program program;
  const BufferTable& buffers() const { return plan->buffers; }
};

struct Options {
  Loss loss = Loss::kMse;
  Optimizer optimizer = {};
  bool bias = false;
  std::int64_t batch = 64;
  std::int64_t hidden = 128;
};

Built build(Mode mode, const Options& options = {}) {
  const DenseOptions dense_options{.bias = options.bias};
  TestModel model = chain(mode.schedule, {dense(784, options.hidden, Activation::kTanh, dense_options),
                                          dense(options.hidden, 10, Activation::kLinear, dense_options)});
  Built built{std::visit(
                  [&](auto& root) {
                    root.initialise().value();
                    return make_plan(root, options.loss, options.optimizer).value();
                  },
                  model.root),
              {}};
  Call call{.mode = mode, .input = Shape({options.batch, 784}), .target = Shape({options.batch, 10}), .ticks = 3};
  if (mode.schedule == Schedule::kLine) call.oldest = 1;
  built.program = build_training(*built.plan, call).value();
  return built;
}

GridText text_of(const Built& built, const GridShape& shape = kShape) {
  return grid_text(built.program, built.buffers(), shape).value();
}

class GridTextOfMode : public testing::TestWithParam<Mode> {};

TEST_P(GridTextOfMode, IsTheSameEachTime) {
  const GridText once = text_of(build(GetParam())), again = text_of(build(GetParam()));
  EXPECT_EQ(once.text, again.text);
  EXPECT_EQ(once.batch, 64);
  EXPECT_EQ(once.input_width, 784);
  EXPECT_EQ(once.target_width, 10);
  EXPECT_LE(once.shared_bytes, static_cast<std::size_t>(kShape.shared_bytes));
  EXPECT_NE(once.text.find("weft_grid("), std::string::npos);
}

TEST_P(GridTextOfMode, FitsAnyNumberOfBlocks) {
  for (const int blocks : {8, 60, 108, 144}) {
    GridShape shape = kShape;
    shape.blocks = blocks;
    const Built built = build(GetParam(), {.batch = 16, .hidden = 96});
    EXPECT_TRUE(grid_text(built.program, built.buffers(), shape).ok()) << blocks;
  }
}

/// Whether the pieces wait for opposite values of a flag: a call runs one of them at most.
bool exclusive(const GridPiece& a, const GridPiece& b) {
  for (const Predicate& x : a.when)
    for (const Predicate& y : b.when)
      if (x.counter == y.counter && x.test != y.test) return true;
  return false;
}

/// Every piece follows those it depends on, and what two blocks must not do at once lies in different intervals.
TEST_P(GridTextOfMode, KeepsTheProgramsOrder) {
  const Built built = build(GetParam());
  const GridHomes homes = GridHomes::make(built.program, built.buffers(), kShape).value();
  const GridSchedule schedule = grid_schedule(built.program, homes, built.buffers(), kShape.blocks);
  std::vector<std::pair<const GridPiece*, std::size_t>> steps;
  for (std::size_t t = 0; t < schedule.intervals.size(); ++t) {
    for (const GridPiece& piece : schedule.intervals[t].late) steps.emplace_back(&piece, t);
    for (const GridPiece& piece : schedule.intervals[t].pieces) steps.emplace_back(&piece, t);
  }
  for (std::size_t late = 0; late < steps.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      if (exclusive(*steps[late].first, *steps[early].first)) continue;
      for (const GridAccess& a : steps[late].first->accesses) {
        for (const GridAccess& b : steps[early].first->accesses) {
          if (a.object != b.object || !(a.writes || b.writes)) continue;
          EXPECT_LE(steps[early].first->instruction, steps[late].first->instruction);
          if (a.remote || b.remote) {
            EXPECT_LT(steps[early].second, steps[late].second);
          }
        }
      }
    }
  }
}

TEST_P(GridTextOfMode, NeedsNoBarrier) { EXPECT_EQ(text_of(build(GetParam())).barriers, 0); }

INSTANTIATE_TEST_SUITE_P(All, GridTextOfMode, testing::ValuesIn(all_modes().begin(), all_modes().end()),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(GridText, HasTwoRoundsForBackprop) {
  // Partial products of the first layer; then gaps and activations for the updates.
  EXPECT_EQ(text_of(build(parse_mode("NormalBP").value())).rounds, 2);
  EXPECT_EQ(text_of(build(parse_mode("StepBP").value())).rounds, 2);
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}
std::string text_of_mode(const char* mode) { return text_of(build(parse_mode(mode).value())).text; }
/// What runs in each call.
std::string calls_of(const std::string& text) {
  const std::size_t begin = text.find("for (int call = 0"), end = text.find("store_tile(", begin);
  return text.substr(begin, end - begin);
}

TEST(GridText, WaitsForAllPartsOfARoundAtOnce) {
  // The loss and two link budgets of three sums each.
  const std::string text = text_of_mode("MeshTween");
  EXPECT_EQ(count(text, "PartSums<"), 1);
  EXPECT_EQ(count(text, "PartSums<64, 7>"), 1);
  EXPECT_EQ(count(text, "post_parts("), 1);
  EXPECT_EQ(count(text, ".missing()"), 1);
}

TEST(GridText, LeavesOutRoundsThatHaveNothingToDo) {
  // The rounds in which a head is refreshed, of three in which nothing else is done.
  EXPECT_GE(count(text_of_mode("TweenSplitLinearCache"), "u) {\n      WordGather<"), 3);
  EXPECT_EQ(count(text_of_mode("NormalBP"), "u) {\n      WordGather<"), 0);
}

TEST(GridText, KeepsRowsOnChipUntilALaunchEnds) {
  const std::string text = text_of_mode("StepBP"), calls = calls_of(text);
  // Only the input goes to memory before, which the blocks have no other copy of, and only in the last calls.
  EXPECT_EQ(count(calls, "places.at["), 1);
  EXPECT_LT(calls.find("if (call + 2 >= run.count) {"), calls.find("places.at["));
  // Two tiles of weights; targets, activations and sums of two calls; an output.
  EXPECT_GE(count(text, "store_tile("), 2 + 6);
}

TEST(GridText, AsksForWhatTheNextCallNeedsFirstBeforeTheCallEnds) {
  const std::string text = text_of_mode("StepBP"), calls = calls_of(text);
  EXPECT_LT(text.find("WordGather<"), text.find("for (int call = 0"));
  EXPECT_EQ(count(calls, "gather0.end("), 1);
  EXPECT_LT(calls.rfind("tile_product<"), calls.find("gather0.start("));
  EXPECT_LT(calls.find("gather0.end("), calls.find("sums_of_tiles<"));
  // Backprop's head is told by the last round, so only the next call can ask.
  EXPECT_GT(text_of_mode("NormalBP").find("WordGather<"), text_of_mode("NormalBP").find("for (int call = 0"));
}

/// What a call fetches for the next one has to come whatever conditions hold in its last round.
TEST_P(GridTextOfMode, FetchesForTheNextCallInAnyCase) {
  // A first layer that is thin: calls begin with reading its weights.
  TestModel model =
      chain(GetParam().schedule, {dense(12, 16, Activation::kTanh, {}), dense(16, 9, Activation::kTanh, {}),
                                  dense(9, 4, Activation::kLinear, {})});
  auto plan = std::visit(
      [](auto& root) {
        root.initialise().value();
        return make_plan(root, Loss::kMse, {}).value();
      },
      model.root);
  Call call{.mode = GetParam(), .input = {8, 12}, .target = {8, 4}, .ticks = 4};
  if (GetParam().schedule == Schedule::kLine) call.oldest = 2;
  const Program program = build_training(*plan, call).value();
  const std::string text = grid_text(program, plan->buffers, {.blocks = 12, .shared_bytes = 200 * 1024}).value().text;
  const std::size_t loop = text.find("for (int call = 0");
  int early = 0;
  for (std::size_t at = text.find("WordGather<"); at < loop; at = text.find("WordGather<", at + 1), ++early) {
    const std::size_t name = text.find("> ", at) + 2;
    const std::string gather = text.substr(name, text.find(';', name) - name);
    for (const char* what : {"start(", "hurry()", "end("}) {
      const std::string line = "\n    if (" + gather + "_wanted) " + gather + "." + what;
      EXPECT_NE(text.find(line, loop), std::string::npos) << line;
    }
  }
  if (GetParam() == parse_mode("TweenSplitLinearCache").value()) {
    EXPECT_GT(early, 0);
  }
}

TEST(GridText, PutsABarrierWhereRowsAreWrittenInParts) {
  // Branches copy their columns to what the next layer's tiles read.
  Stack model{parallel(Combine::kConcat, {dense(784, 64, Activation::kTanh), dense(784, 64, Activation::kTanh)}),
              dense(128, 96)};
  model.initialise().value();
  auto plan = make_plan(model, Loss::kMse, {}).value();
  const Call call{.mode = parse_mode("NormalBP").value(), .input = {64, 784}, .target = {64, 96}};
  const Program program = build_training(*plan, call).value();
  EXPECT_GT(grid_text(program, plan->buffers, kShape).value().barriers, 0);
}

TEST(GridText, CarriesEveryOptimizerLossAndBias) {
  Optimizer clipped = adamw();
  clipped.clip = 1.0;
  for (const Loss loss : {Loss::kMse, Loss::kCrossEntropy})
    for (const Optimizer& optimizer : {Optimizer{}, Optimizer{.kind = OptimizerKind::kNesterov}, clipped}) {
      const Built built = build(parse_mode("TweenSplit").value(), {.loss = loss, .optimizer = optimizer, .bias = true});
      const Result<GridText> text = grid_text(built.program, built.buffers(), kShape);
      EXPECT_TRUE(text.ok()) << text.status().message();
    }
}

TEST(GridText, SaysWhatDoesNotFit) {
  GridShape small = kShape;
  small.shared_bytes = 8 * 1024;
  const Built built = build(parse_mode("NormalBP").value());
  const Result<GridText> text = grid_text(built.program, built.buffers(), small);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(text.status().message().find("128 x 784"), std::string::npos) << text.status().message();
}

}  // namespace
}  // namespace weft::test
