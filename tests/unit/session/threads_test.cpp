// Different sessions in different threads at once: each as if it were alone.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/models.h"

namespace weft::test {
namespace {

class SessionThreads : public testing::TestWithParam<std::string> {};

std::vector<Numbers> train_some(const TestModel& model, Mode mode, const std::string& device) {
  Trainer trainer(model, {.device = device});
  for (std::uint64_t call = 0; call < 8; ++call) trainer.train(mode, call);
  return trainer.weights();
}

TEST_P(SessionThreads, TrainAsIfAlone) {
  for (const Mode mode : all_modes()) {
    const TestModel first = random_model(mode, 1), second = random_model(mode, 2);
    const auto alone_first = train_some(first, mode, GetParam());
    const auto alone_second = train_some(second, mode, GetParam());
    std::vector<Numbers> together_first, together_second;
    {
      std::jthread thread([&] { together_first = train_some(first, mode, GetParam()); });
      together_second = train_some(second, mode, GetParam());
    }
    EXPECT_EQ(together_first, alone_first) << to_string(mode);
    EXPECT_EQ(together_second, alone_second) << to_string(mode);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SessionThreads, testing::Values("cpu", "native_cpu"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace weft::test
