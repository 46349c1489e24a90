// Sessions come and go: nothing is left behind, and closing is final.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/models.h"
#include "tests/support/sanitizers.h"

namespace weft::test {
namespace {

/// Pages of this process that are in memory; 0 where the system does not say.
std::int64_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  file >> total >> resident;
  return file ? resident : 0;
}

/// Mounts, trains, saves a state and closes, `rounds` times over all modes in turn.
void come_and_go(const std::string& device, int rounds) {
  Stack stack{dense(6, 5, tanh, {.bias = true}), dense(5, 3)};
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = stack.ops[0];
  grid.cells[2].op = stack.ops[1];
  stack.initialise().value();
  grid.initialise().value();
  const Tensor input = random_tensor({1, 6}, 4, 1), target = random_tensor({1, 3}, 4, 2);
  const MountOptions options{.device = device};
  for (int round = 0; round < rounds; ++round) {
    const Mode mode = all_modes()[static_cast<std::size_t>(round) % kModeCount];
    Session session = mode.schedule == Schedule::kMesh ? mount(grid, options).value() : mount(stack, options).value();
    for (int call = 0; call < 3; ++call) session.train(input, target, {.mode = mode, .lr = 0.01}).value();
    if (round % 7 == 0) {
      ASSERT_FALSE(session.save_state().value().arrays.empty());
    }
    if (round % 2 == 0) session.close().value();
  }
}

class SessionLifetime : public testing::TestWithParam<std::string> {};

TEST_P(SessionLifetime, TenThousandRoundsLeaveNothingBehind) {
  come_and_go(GetParam(), 1000);  // fills what the allocator keeps for itself
  const std::int64_t before = resident_pages();
  come_and_go(GetParam(), 10000);
  const std::int64_t after = resident_pages();
  if (WEFT_SANITIZED || before == 0)
    GTEST_SKIP() << "leaks are the sanitizer's to find; resident memory says nothing here";
  // A leak of the smallest session, 1 KiB a round, would be 2,500 pages.
  EXPECT_LE(after - before, 256) << before << " pages before, " << after << " after";
}

INSTANTIATE_TEST_SUITE_P(Devices, SessionLifetime, testing::Values("cpu", "native_cpu"),
                         [](const auto& info) { return info.param; });

TEST(SessionMove, TheOldNameSaysSo) {
  Stack model{dense(2, 2)};
  model.initialise().value();
  Session first = mount(model).value();
  Session second = std::move(first);
  // NOLINTNEXTLINE(bugprone-use-after-move): what is tested
  const Status status = first.sync_to_host();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("moved from"), std::string::npos) << status.message();
  EXPECT_TRUE(second.sync_to_host().ok());
}

}  // namespace
}  // namespace weft::test
