// Making subjects from the models that devices are compared on.
#include "tests/support/subject.h"

#include <array>
#include <utility>

#include "weft/random.hpp"

namespace weft::test {
namespace {

bool fits(const verify::CompareModel& model, Mode mode) {
  if (std::holds_alternative<Grid>(model.model) != (mode.schedule == Schedule::kMesh)) return false;
  const bool targets =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  return !targets || model.loss == Loss::kMse;
}

}  // namespace

Call full_call(const Plan& plan, const verify::CompareModel& model, Mode mode) {
  Call call{.mode = mode, .input = model.input_shape, .target = model.target_shape, .alt_times = 2};
  if (mode.schedule == Schedule::kMesh) call.ticks = model.ticks;
  if (mode.schedule == Schedule::kLine) call.oldest = line_depth(plan) - 1;
  return call;
}

Subject make_subject(verify::CompareModel model, Mode mode, const Optimizer& optimizer) {
  std::visit([](auto& root) { root.initialise({.seed = 3}).value(); }, model.model);
  Subject s;
  s.name = std::string(to_string(mode)) + ", " + model.name;
  s.plan = std::visit([&](auto& root) { return make_plan(root, model.loss, optimizer).value(); }, model.model);
  s.program = build_training(*s.plan, full_call(*s.plan, model, mode)).value();
  s.batch = model.input_shape[0];
  s.input_elements = model.input_shape.elements() / s.batch,
  s.target_elements = model.target_shape.elements() / s.batch;
  Random random(17, 1);
  const std::int64_t features = model.target_shape.features();
  for (std::int64_t i = 0; i < Subject::kSamples * s.input_elements; ++i)
    s.inputs.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
  for (std::int64_t i = 0; i < Subject::kSamples * s.target_elements; ++i)
    s.targets.push_back(model.loss == Loss::kMse ? static_cast<float>(random.uniform(-0.8, 0.8))
                                                 : (i % features == (i / features) % features ? 1.0F : 0.0F));
  for (std::int64_t i = 0; i < Subject::kCalls * s.batch; ++i)
    s.order.push_back(static_cast<std::int64_t>(random.below(Subject::kSamples)));
  for (std::int64_t i = 0; i < Subject::kCalls; ++i) s.rates.push_back(0.05 / static_cast<double>(i + 1));
  for (BufferId id = 0; id < s.plan->buffers.size(); ++id) {
    const Buffer& buffer = s.plan->buffers[id];
    if (buffer.role == Role::kScratch || buffer.role == Role::kArgument) continue;
    KeptBuffer kept{id, std::vector<float>(static_cast<std::size_t>(buffer.elements * buffer.slots), 0.0F)};
    if (buffer.element == Element::kStorage && buffer.role != Role::kOptimizer)
      for (float& value : kept.elements) value = static_cast<float>(random.uniform(-0.5, 0.5));
    s.kept.push_back(std::move(kept));
  }
  return s;
}

std::vector<Subject> subjects(bool all) {
  std::vector<Subject> made;
  std::size_t turn = 0;
  for (const Mode mode : all_modes()) {
    std::vector<verify::CompareModel> fitting;
    for (verify::CompareModel& model : verify::compare_models())
      if (fits(model, mode)) fitting.push_back(std::move(model));
    const std::size_t count = all ? fitting.size() : 1;
    for (std::size_t i = 0; i < count; ++i) made.push_back(make_subject(fitting[turn++ % fitting.size()], mode, sgd()));
  }
  Optimizer clipped = adamw(0.02), decayed = nesterov(0.9);
  clipped.clip = 0.1, decayed.weight_decay = 0.01;
  for (const Optimizer& optimizer : {momentum(0.9), decayed, clipped})
    made.push_back(make_subject(verify::compare_models()[turn++ % 2], parse_mode("NormalBP").value(), optimizer));
  for (const auto& [widths, batch] : std::vector<std::pair<std::array<std::int64_t, 3>, std::int64_t>>{
           {{4, 4, 4}, 2}, {{16, 32, 8}, 32}, {{33, 17, 9}, 13}, {{64, 48, 10}, 40}}) {
    Stack stack{dense(widths[0], widths[1], Activation::kTanh), dense(widths[1], widths[2], Activation::kTanh)};
    for (const char* mode : {"NormalBP", "StepTweenSplit"})
      made.push_back(make_subject({"sizes", stack, Loss::kMse, {batch, widths[0]}, {batch, widths[2]}},
                                  parse_mode(mode).value(), sgd()));
  }
  return made;
}

}  // namespace weft::test
