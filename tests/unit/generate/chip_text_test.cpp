// Generated programs: the same text every time, and run as host C++ they do what the cpu device does, in every mode.
#include "src/generate/chip_text.h"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <set>

#include "src/backend/backend.h"
#include "src/generate/kernel_text.h"
#include "src/generate/placed_program.h"
#include "src/kernels/interpreter.h"
#include "src/kernels/member.h"
#include "src/schedule/schedule.h"
#include "src/verify/compare.h"
#include "tests/support/emulated.h"
#include "tests/support/subject.h"
#include "tests/support/tolerance.h"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kBlockBytes = 232448, kCalls = Subject::kCalls, kSamples = Subject::kSamples;

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
  Trained trained;
  const CallRun all{.samples = rows.get(), .order = s.order, .rates = s.rates, .clock = 7};
  for (std::int64_t call = 0; call < all.count(); ++call) {
    RunLosses loss;
    const CallRun one{.samples = all.samples,
                      .order = all.batch_of(call),
                      .rates = all.rates.subspan(static_cast<std::size_t>(call), 1),
                      .clock = all.clock + static_cast<std::uint64_t>(call),
                      .losses = &loss};
    backend->run_calls(s.program, one).value();
    trained.losses.push_back(loss.all.sum);
  }
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
  const Emulated kernels(texts, block);
  ASSERT_EQ(kernels.error(), "");
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Trained seen = emulated(made[i], chips[i], kernels, i, false);
    expect_same(made[i], seen, on_device(made[i], "cpu"));
    if (block.threads == 1) continue;
    const Trained again = emulated(made[i], chips[i], kernels, i, true);
    EXPECT_EQ(seen.losses, again.losses) << made[i].name << ": in another order";
  }
}

TEST(ChipText, DoesAloneWhatTheCpuDoes) { compare_emulated(subjects(all_of_them()), {1, 1}); }

TEST(ChipText, DoesAsABlockWhatTheCpuDoes) { compare_emulated(subjects(all_of_them()), {0, 32}); }

TEST(ChipText, DoesWithoutLanesWhatTheCpuDoes) { compare_emulated(subjects(all_of_them()), {0, 1}); }

/// The text without each of its barriers in turn.
std::vector<std::string> without_a_barrier(std::string_view text) {
  constexpr std::string_view kBarrier = "WEFT_BARRIER();", kDefinition = "{ ";  // of Team::barrier, which calls it
  std::vector<std::string> texts;
  for (std::size_t at = text.find(kBarrier); at != std::string_view::npos; at = text.find(kBarrier, at + 1))
    if (!text.substr(0, at).ends_with(kDefinition)) texts.push_back(std::string(text).erase(at, kBarrier.size()));
  return texts;
}

/// Threads that get in each other's way are told wherever a barrier is missing; around: of what is around the program
/// too, which is the same for all.
void expect_every_barrier_is_missed(const Subject& s, BlockShape block, bool around) {
  const ChipText text = chip_text(s.program, s.plan->buffers, {.most_bytes = kBlockBytes, .block = block}).value();
  const auto expect_races = [&](const Emulated& kernels, std::size_t count, const char* where) {
    ASSERT_EQ(kernels.error(), "");
    for (std::size_t i = 0; i < count; ++i) {
      with_member(s, text.held, [&](const void* member) {
        EXPECT_THAT(kernels.run(i, member, block.threads), HasSubstr("after thread"))
            << s.name << ", lanes " << block.lanes << ": without barrier " << i << " of " << where;
      });
    }
  };
  const std::vector<std::string> texts = without_a_barrier(text.text);
  ASSERT_GE(texts.size(), 3u) << s.name;
  expect_races(Emulated(texts, block), texts.size(), "the program");
  if (!around) return;
  const std::vector<std::string> bodies = without_a_barrier(kernel_text());
  ASSERT_EQ(bodies.size(), 3u);  // of residence.h
  for (const std::string& body : bodies) expect_races(Emulated({text.text}, block, body), 1, "what is around it");
}

TEST(ChipText, OfABlockIsWatchedForRaces) {
  std::set<std::string> wanted{"NormalBP", "StepBP", "TweenSplitFastProxy", "MeshBP"};
  for (const Subject& s : subjects(false)) {
    const std::string mode = s.name.substr(0, s.name.find(','));
    if (wanted.erase(mode) == 0) continue;
    expect_every_barrier_is_missed(s, {64, 32}, mode == "NormalBP");
    expect_every_barrier_is_missed(s, {64, 1}, mode == "StepBP");
  }
  EXPECT_TRUE(wanted.empty());
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

TEST(ChipText, TakesNoMoreThreadsThanThereAre) {
  const Subject s = make_subject(verify::compare_models()[0], parse_mode("NormalBP").value(), sgd());
  for (const int most : {32, 100, 512}) {
    const auto text = chip_text(s.program, s.plan->buffers, {.most_bytes = kBlockBytes, .most_threads = most});
    EXPECT_LE(text.value().block.threads, most);
  }
}

TEST(ChipText, HasRoomForWhatItsThreadsAddUp) {  // each warp's sums: the fastest block alone would be too large
  const Subject s = make_subject(verify::compare_models()[0], parse_mode("TweenAlt").value(), sgd());
  const ChipOptions all{.most_bytes = kBlockBytes, .block = {0, 1}};
  const ChipText fast = chip_text(s.program, s.plan->buffers, all).value();
  const auto fit = chip_text(s.program, s.plan->buffers, {.most_bytes = fast.bytes - 4, .block = {0, 1}});
  ASSERT_TRUE(fit.ok()) << fit.status().message();
  EXPECT_LT(fit->block.threads, fast.block.threads);
}

TEST(ChipText, SaysWhatDoesNotFit) {
  const Subject s = make_subject(verify::compare_models()[0], parse_mode("NormalBP").value(), sgd());
  const auto text = chip_text(s.program, s.plan->buffers, {.most_bytes = 1000});
  EXPECT_EQ(text.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(text.status().message(), HasSubstr("a block has 1000"));
  const auto few = chip_text(s.program, s.plan->buffers, {.most_bytes = kBlockBytes, .most_threads = 16});
  EXPECT_EQ(few.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(few.status().message(), HasSubstr("32 threads wanted, a block has at most 16"));
}

}  // namespace
}  // namespace weft::test
