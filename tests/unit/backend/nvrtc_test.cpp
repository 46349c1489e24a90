// The run-time compiler of the cuda device, where it is installed; no GPU is needed.
#include "src/backend/cuda/nvrtc.h"

#include <gmock/gmock.h>

#include "src/generate/chip_text.h"
#include "src/generate/grid_text.h"
#include "src/generate/kernel_text.h"
#include "src/schedule/schedule.h"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = cuda::Nvrtc::get();
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    nvrtc = *found;
  }
  const cuda::Nvrtc* nvrtc = nullptr;
};

TEST_F(NvrtcTest, CompilesForHopper) {
  const auto code = nvrtc->compile("one", "extern \"C\" __global__ void one(float* x) { *x = 1.0f; }", 90);
  ASSERT_TRUE(code.ok()) << code.status().message();
  EXPECT_EQ(code->substr(1, 3), "ELF");
}

TEST_F(NvrtcTest, TellsTheCompilersLog) {
  const auto code = nvrtc->compile("wrong text", "extern \"C\" __global__ void one() { no_such_thing(); }", 90);
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_THAT(code.status().message(), HasSubstr("'wrong text' for sm_90"));
  EXPECT_THAT(code.status().message(), HasSubstr("no_such_thing"));
}

TEST_F(NvrtcTest, TellsAnUnknownArchitecture) {
  const auto code = nvrtc->compile("one", "extern \"C\" __global__ void one() {}", 1);
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_THAT(code.status().message(), HasSubstr("sm_1"));
}

TEST_F(NvrtcTest, CompilesGeneratedPrograms) {
  Stack model{dense(6, 5, Activation::kGelu, {.bias = true}), dense(5, 3)};
  model.initialise().value();
  for (const char* mode : {"NormalBP", "StepTweenSplitLinearCache", "TweenAlt"}) {
    auto plan = make_plan(model, Loss::kCrossEntropy, adamw()).value();
    Call call{.mode = parse_mode(mode).value(), .input = {4, 6}, .target = {4, 3}};
    if (call.mode.schedule == Schedule::kLine) call.oldest = line_depth(*plan) - 1;
    const Program program = build_training(*plan, call).value();
    const ChipText text = chip_text(program, plan->buffers, {.most_bytes = 232448}).value();
    const auto code = nvrtc->compile(mode, std::string(kernel_text()) + text.text, 90);
    EXPECT_TRUE(code.ok()) << code.status().message();
    const GridText grid = grid_text(program, plan->buffers, {.blocks = 132, .shared_bytes = 232448}).value();
    const auto grid_code =
        nvrtc->compile(mode, std::string(kernel_text()) + std::string(grid_kernel_text()) + grid.text, 90);
    EXPECT_TRUE(grid_code.ok()) << grid_code.status().message();
  }
}

}  // namespace
}  // namespace weft::test
