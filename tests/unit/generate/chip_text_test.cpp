// Generated programs: the same text every time, and run as host C++ they do what the cpu device does, in every mode.
#include "src/generate/chip_text.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <functional>

#include "src/backend/backend.h"
#include "src/generate/placed_program.h"
#include "src/kernels/interpreter.h"
#include "src/kernels/member.h"
#include "src/schedule/schedule.h"
#include "src/verify/compare.h"
#include "tests/support/emulated.h"
#include "tests/support/tolerance.h"
#include "weft/random.hpp"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kBlockBytes = 232448, kCalls = 5, kSamples = 50;

/// A buffer that a program keeps, as a device of float32 has it.
struct KeptBuffer {
  BufferId id = kNoBuffer;
  std::vector<float> elements;  // of all slots; counters by their bits
};

/// A training program, its buffers, and what it trains on.
struct Subject {
  std::string name;
  std::unique_ptr<Plan> plan;
  Program program;
  std::int64_t batch = 1, input_elements = 1, target_elements = 1;
  std::vector<float> inputs, targets;
  std::vector<std::int64_t> order;
  std::vector<double> rates;
  std::vector<KeptBuffer> kept;  // at first
};

bool fits(const verify::CompareModel& model, Mode mode) {
  if (std::holds_alternative<Grid>(model.model) != (mode.schedule == Schedule::kMesh)) return false;
  const bool targets =
      mode.schedule == Schedule::kMesh && (mode.rule == Rule::kTween || mode.rule == Rule::kTweenChain);
  return !targets || model.loss == Loss::kMse;
}

/// The line with as many samples in front of its ops as it has ops.
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
  for (std::int64_t i = 0; i < kSamples * s.input_elements; ++i)
    s.inputs.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
  for (std::int64_t i = 0; i < kSamples * s.target_elements; ++i)
    s.targets.push_back(model.loss == Loss::kMse ? static_cast<float>(random.uniform(-0.8, 0.8))
                                                 : (i % features == (i / features) % features ? 1.0F : 0.0F));
  for (std::int64_t i = 0; i < kCalls * s.batch; ++i)
    s.order.push_back(static_cast<std::int64_t>(random.below(kSamples)));
  for (std::int64_t i = 0; i < kCalls; ++i) s.rates.push_back(0.05 / static_cast<double>(i + 1));
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

struct Trained {
  std::vector<double> losses;
  std::vector<KeptBuffer> kept;
};

Trained on_device(const Subject& s, std::string_view device) {
  auto backend = create_backend(device, DType::kFloat32).value();
  const BufferTable& buffers = s.plan->buffers;
  backend->reserve(buffers).value();
  const auto slots = [&](const KeptBuffer& kept, auto visit) {
    for (std::int64_t slot = 0; slot < buffers[kept.id].slots; ++slot)
      visit(slot, static_cast<std::size_t>(buffers[kept.id].elements));
  };
  for (const KeptBuffer& kept : s.kept) {
    if (buffers[kept.id].element != Element::kStorage) continue;  // zero
    slots(kept, [&](std::int64_t slot, std::size_t count) {
      backend
          ->write(kept.id, slot, kept.elements.data() + static_cast<std::size_t>(slot) * count, count * sizeof(float))
          .value();
    });
  }
  auto rows = backend->hold({s.inputs.data(), s.targets.data(), kSamples, s.input_elements, s.target_elements}).value();
  std::vector<CallLoss> losses(kCalls);
  backend
      ->run_calls(s.program, {.samples = rows.get(), .order = s.order, .rates = s.rates, .clock = 7, .losses = losses})
      .value();
  Trained trained;
  for (const CallLoss& loss : losses) trained.losses.push_back(loss.loss);
  for (KeptBuffer kept : s.kept) {
    slots(kept, [&](std::int64_t slot, std::size_t count) {
      float* to = kept.elements.data() + static_cast<std::size_t>(slot) * count;
      if (buffers[kept.id].element == Element::kStorage) {
        backend->read(kept.id, slot, to, count * sizeof(float)).value();
      } else if (buffers[kept.id].element == Element::kReal) {
        double real = 0.0;
        backend->read(kept.id, slot, &real, sizeof real).value();
        *to = static_cast<float>(real);
      } else {
        std::uint64_t counter = 0;
        backend->read(kept.id, slot, &counter, sizeof counter).value();
        const auto narrow = static_cast<std::uint32_t>(counter);
        std::memcpy(to, &narrow, sizeof narrow);
      }
    });
    trained.kept.push_back(std::move(kept));
  }
  return trained;
}

/// Runs a kernel on copies of the subject's buffers, with the bytes of its Member.
Trained with_member(const Subject& s, const std::vector<BufferId>& held_buffers,
                    const std::function<void(const void*)>& kernel) {
  Trained trained{{}, s.kept};
  std::vector<std::int32_t> order(s.order.begin(), s.order.end());
  std::vector<float> rates(s.rates.begin(), s.rates.end());
  std::vector<kernels::CallOutcome> outcomes(kCalls);
  const kernels::Member member{.inputs = s.inputs.data(),
                               .targets = s.targets.data(),
                               .order = order.data(),
                               .rates = rates.data(),
                               .outcomes = outcomes.data(),
                               .clock = 7,
                               .count = kCalls,
                               .batch = static_cast<std::int32_t>(s.batch)};
  std::vector<std::vector<float>> others;  // the loss and its flag
  others.reserve(held_buffers.size());
  std::vector<std::byte> bytes(sizeof member + held_buffers.size() * sizeof(kernels::Held));
  std::memcpy(bytes.data(), &member, sizeof member);
  for (std::size_t i = 0; i < held_buffers.size(); ++i) {
    const Buffer& buffer = s.plan->buffers[held_buffers[i]];
    const auto found = std::find_if(trained.kept.begin(), trained.kept.end(),
                                    [&](const KeptBuffer& kept) { return kept.id == held_buffers[i]; });
    float* at = found == trained.kept.end()
                    ? others.emplace_back(static_cast<std::size_t>(buffer.elements), 0.0F).data()
                    : found->elements.data();
    const kernels::Held held{at, buffer.elements};
    std::memcpy(bytes.data() + sizeof member + i * sizeof held, &held, sizeof held);
  }
  kernel(bytes.data());
  for (const kernels::CallOutcome& outcome : outcomes) trained.losses.push_back(static_cast<double>(outcome.loss));
  return trained;
}

/// What kernel `number` makes of it; no thread may get in another's way.
Trained emulated(const Subject& s, const ChipText& text, const Emulated& kernels, std::size_t number, bool backwards) {
  return with_member(s, text.held, [&](const void* member) {
    EXPECT_EQ(kernels.run(number, member, text.block.threads, backwards), "") << s.name;
  });
}

void expect_same(const Subject& s, const Trained& seen, const Trained& wanted) {
  SCOPED_TRACE(s.name);
  for (std::size_t i = 0; i < wanted.losses.size(); ++i)
    EXPECT_NEAR(seen.losses[i], wanted.losses[i], kGoldenLoss * std::abs(wanted.losses[i])) << "loss of call " << i;
  for (std::size_t b = 0; b < wanted.kept.size(); ++b) {
    const Buffer& buffer = s.plan->buffers[wanted.kept[b].id];
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < wanted.kept[b].elements.size(); ++i) {
      const float x = seen.kept[b].elements[i], y = wanted.kept[b].elements[i];
      if (buffer.element == Element::kCounter) {
        std::uint32_t seen_count = 0, wanted_count = 0;
        std::memcpy(&seen_count, &x, sizeof x), std::memcpy(&wanted_count, &y, sizeof y);
        EXPECT_EQ(seen_count, wanted_count) << buffer.name;
        continue;
      }
      largest = std::max(largest, std::abs(static_cast<double>(y)));
      worst = std::max(worst, std::isnan(x) ? 1e30 : std::abs(static_cast<double>(x) - static_cast<double>(y)));
    }
    EXPECT_LE(worst, kGoldenWeight * std::max(largest, 1e-3)) << buffer.name;
  }
}

/// Every model in every mode takes minutes: only where the environment asks for it.
bool all_of_them() { return std::getenv("WEFT_TEST_ALL") != nullptr; }

/// A model for every mode, all of them where `all`; every optimizer; sizes that fill and do not fill tiles.
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

/// All texts for such a block, run and compared.
void compare_emulated(const std::vector<Subject>& made, BlockShape block) {
  std::vector<std::string> texts;
  std::vector<ChipText> chips;
  for (const Subject& s : made) {
    auto text = chip_text(s.program, s.plan->buffers, {.most_bytes = kBlockBytes, .block = block});
    ASSERT_TRUE(text.ok()) << s.name << ": " << text.status().message();
    texts.push_back(text->text);
    chips.push_back(*std::move(text));
  }
  const Emulated kernels(texts, block.lanes > 1);
  ASSERT_EQ(kernels.error(), "");
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Trained seen = emulated(made[i], chips[i], kernels, i, false);
    expect_same(made[i], seen, on_device(made[i], "cpu"));
    if (block.lanes == 1) continue;
    const Trained again = emulated(made[i], chips[i], kernels, i, true);
    EXPECT_EQ(seen.losses, again.losses) << made[i].name << ": in another order";
  }
}

TEST(ChipText, DoesAloneWhatTheCpuDoes) { compare_emulated(subjects(all_of_them()), {1, 1}); }

TEST(ChipText, DoesAsABlockWhatTheCpuDoes) { compare_emulated(subjects(all_of_them()), {0, 32}); }

TEST(ChipText, OfABlockIsWatchedForRaces) {
  const std::vector<Subject> made = subjects(false);
  const ChipText text =
      chip_text(made[0].program, made[0].plan->buffers, {.most_bytes = kBlockBytes, .block = {64, 32}}).value();
  const std::string barrier = "WEFT_BARRIER();";
  std::vector<std::string> texts;
  for (std::size_t at = text.text.find(barrier); at != std::string::npos; at = text.text.find(barrier, at + 1))
    texts.push_back(std::string(text.text).erase(at, barrier.size()));
  ASSERT_GE(texts.size(), 3u);
  const Emulated kernels(texts, true);
  ASSERT_EQ(kernels.error(), "");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    with_member(made[0], text.held, [&](const void* member) {
      EXPECT_THAT(kernels.run(i, member, 64), HasSubstr("after thread")) << "without barrier " << i;
    });
  }
}

TEST(PlacedProgram, InterpretedDoesWhatTheCpuDoes) {
  for (const Subject& s : subjects(all_of_them())) {
    const PlacedText text = place_program(s.program, s.plan->buffers, kBlockBytes).value();
    std::vector<float> memory(static_cast<std::size_t>(text.memory_bytes) / sizeof(float), 0.0F);
    const auto* program = reinterpret_cast<const kernels::PlacedProgram*>(text.bytes.data());
    const Trained seen = with_member(s, text.held, [&](const void* member) {
      kernels::interpret({0, 1, 0, 1, memory.data() + program->scratch_at}, memory.data(), program,
                         static_cast<const kernels::Member*>(member));
    });
    expect_same(s, seen, on_device(s, "cpu"));
  }
}

/// Insists on a way of the cuda device while it lives.
class Insist {
 public:
  explicit Insist(const char* way) { setenv("WEFT_CUDA_WAY", way, 1); }
  ~Insist() { unsetenv("WEFT_CUDA_WAY"); }
};

class CudaWay : public testing::TestWithParam<const char*> {};

TEST_P(CudaWay, DoesWhatTheCpuDoes) {
  const auto backend = create_backend("cuda", DType::kFloat32);
  if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  const Insist way(GetParam());
  for (const Subject& s : subjects(all_of_them())) {
    const Trained seen = on_device(s, "cuda"), again = on_device(s, "cuda");
    expect_same(s, seen, on_device(s, "cpu"));
    EXPECT_EQ(seen.losses, again.losses) << s.name;
    for (std::size_t b = 0; b < seen.kept.size(); ++b)
      EXPECT_EQ(std::memcmp(seen.kept[b].elements.data(), again.kept[b].elements.data(),
                            seen.kept[b].elements.size() * sizeof(float)),
                0)
          << s.name << ": the same bits";
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaWay, testing::Values("chip", "interpreter"),
                         [](const auto& way) { return std::string(way.param); });

TEST(ChipText, IsTheSameForSessionsOfOneArchitecture) {
  const auto models = verify::compare_models();
  const Mode mode = parse_mode("NormalBP").value();
  Subject first = make_subject(models[0], mode, sgd()), second = make_subject(models[0], mode, sgd());
  // Buffers of other programs move the numbers of those that follow.
  second.plan = std::visit([&](const auto& root) { return make_plan(root, models[0].loss, sgd()).value(); },
                           [&] {
                             Model model = models[0].model;
                             std::visit([](auto& root) { root.initialise({.seed = 4}).value(); }, model);
                             return model;
                           }());
  second.plan->buffers.require("another", Element::kStorage, Role::kScratch, 1000);
  second.program = build_training(*second.plan, full_call(*second.plan, models[0], mode)).value();
  const ChipOptions options{.most_bytes = kBlockBytes};
  EXPECT_EQ(chip_text(first.program, first.plan->buffers, options).value().text,
            chip_text(second.program, second.plan->buffers, options).value().text);
}

TEST(ChipText, SaysWhatDoesNotFit) {
  const Subject s = make_subject(verify::compare_models()[0], parse_mode("NormalBP").value(), sgd());
  const auto text = chip_text(s.program, s.plan->buffers, {.most_bytes = 1000});
  EXPECT_EQ(text.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(text.status().message(), HasSubstr("a block has 1000"));
}

}  // namespace
}  // namespace weft::test
