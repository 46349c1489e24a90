// What the passes promise of every mode's program: instructions of one level may run in any order, and what was
// removed made no difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/backend/backend.h"
#include "src/plan/plan.h"
#include "src/schedule/schedule.h"
#include "tests/support/models.h"
#include "tests/support/tolerance.h"

namespace weft::test {
namespace {

using Code = std::vector<Instruction>;

/// The same program with the instructions of each level shuffled.
Program shuffled(const Program& program, Random& random) {
  std::vector<std::size_t> order(program.code.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return program.levels[a] < program.levels[b]; });
  Program result = program;
  for (std::size_t i = 0; i < order.size(); ++i) result.code[i] = program.code[order[i]];
  return result;
}

/// A plan on a device, without a session around it: the line is fed as if it were full from the start.
class Machine {
 public:
  Machine(const TestModel& model, const Optimizer& optimizer) : model_(model) {
    plan_ = std::visit([&](const auto& root) { return make_plan(root, Loss::kMse, optimizer).value(); }, model_.root);
    backend_ = create_backend("cpu", plan_->storage).value();
  }

  Call call(Mode mode) const {
    Call call{
        .mode = mode, .input = with_batch(model_.input), .target = with_batch(model_.target), .ticks = model_.ticks};
    if (mode.schedule == Schedule::kLine) call.oldest = line_depth(*plan_) - 1;
    return call;
  }
  Plan& plan() { return *plan_; }

  void load() {
    backend_->reserve(plan_->buffers).value();
    const auto all = std::visit([](const auto& root) { return leaves(root); }, std::as_const(model_.root));
    for (std::size_t leaf = 0; leaf < all.size(); ++leaf) {
      const auto& parameters = plan_->leaves[leaf]->parameters();
      backend_->write(parameters[0].value, 0, all[leaf]->weight.data(), all[leaf]->weight.bytes()).value();
      if (all[leaf]->bias)
        backend_->write(parameters[1].value, 0, all[leaf]->bias->data(), all[leaf]->bias->bytes()).value();
    }
  }

  void run(const Program& program, std::uint64_t clock) {
    const Tensor input = random_tensor(model_.input, kBatch, 2 * clock, plan_->storage);
    const Tensor target = random_tensor(model_.target, kBatch, 2 * clock + 1, plan_->storage);
    backend_->run(program, {0.05, clock, input.data(), target.data()}).value();
  }

  /// Parameters, optimizer and rule state.
  std::map<std::string, Numbers> state() {
    std::map<std::string, Numbers> all;
    for (BufferId id = 0; id < plan_->buffers.size(); ++id) {
      const Buffer& buffer = plan_->buffers[id];
      if (buffer.role == Role::kScratch || buffer.role == Role::kArgument || buffer.role == Role::kPipe) continue;
      Numbers& numbers = all[buffer.name];
      const auto read = [&]<typename T>(std::vector<T> values) {
        backend_->read(id, 0, values.data(), values.size() * sizeof(T)).value();
        numbers.assign(values.begin(), values.end());
      };
      const auto n = static_cast<std::size_t>(buffer.elements);
      if (buffer.element == Element::kCounter)
        read(std::vector<std::uint64_t>(n));
      else
        read(std::vector<double>(n));
    }
    return all;
  }

 private:
  static constexpr std::int64_t kBatch = 3;
  static Shape with_batch(const Shape& shape) { return {kBatch, shape.features()}; }

  TestModel model_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Backend> backend_;
};

class Passes : public testing::TestWithParam<ModeParam> {
 protected:
  static std::vector<Optimizer> optimizers(Mode mode) {
    const bool targets =
        mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
    return targets ? std::vector{sgd()} : std::vector{sgd(), adamw()};
  }
  static TestModel model(Mode mode, std::uint64_t seed) {
    return random_model(mode, seed, {.dtype = DType::kFloat64, .feeds_itself = seed % 2 == 1});
  }
};
WEFT_FOR_EVERY_MODE(Passes);

TEST_P(Passes, InstructionsOfOneLevelMayRunInAnyOrder) {
  const Mode mode = GetParam().mode;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const Optimizer& optimizer : optimizers(mode)) {
      Machine in_order(model(mode, seed), optimizer), out_of_order(model(mode, seed), optimizer);
      const Program program = build_training(in_order.plan(), in_order.call(mode)).value();
      const Program same = build_training(out_of_order.plan(), out_of_order.call(mode)).value();
      in_order.load(), out_of_order.load();
      Random random(seed);
      for (std::uint64_t clock = 0; clock < kManyCalls; ++clock) {
        in_order.run(program, clock);
        out_of_order.run(shuffled(same, random), clock);
      }
      EXPECT_EQ(in_order.state(), out_of_order.state()) << "seed " << seed;
    }
  }
}

TEST_P(Passes, ChangeNoResult) {
  const Mode mode = GetParam().mode;
  auto* const build = mode.schedule == Schedule::kStack  ? &build_stack
                      : mode.schedule == Schedule::kLine ? &build_line
                                                         : &build_mesh;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const Optimizer& optimizer : optimizers(mode)) {
      Machine plain(model(mode, seed), optimizer), passed(model(mode, seed), optimizer);
      const Program before = build(plain.plan(), plain.call(mode)).value();
      const Program after = build_training(passed.plan(), passed.call(mode)).value();
      EXPECT_LE(after.code.size(), before.code.size());
      plain.load(), passed.load();
      for (std::uint64_t clock = 0; clock < kManyCalls; ++clock) plain.run(before, clock), passed.run(after, clock);
      const auto wanted = plain.state(), seen = passed.state();
      ASSERT_EQ(seen.size(), wanted.size());
      for (const auto& [name, numbers] : wanted) {
        for (std::size_t i = 0; i < numbers.size(); ++i)
          // In float64 storage a fused update rounds as its pair does.
          EXPECT_EQ(seen.at(name)[i], numbers[i]) << name << " element " << i << " seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
