// The threads of native_cpu: every piece once, the same bits for any number, and what a fork leaves.
#ifdef WEFT_HAVE_BLAS  // without it there is no native_cpu
#include "src/backend/native_cpu/team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "src/backend/backend.h"
#include "src/backend/native_cpu/subnormals.h"
#include "tests/support/models.h"
#include "tests/support/sanitizers.h"

namespace weft::test {
namespace {

using native_cpu::Team;

TEST(TeamThreads, RunEveryPieceOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    Team team(threads);
    for (std::int64_t pieces = 0; pieces < 200; ++pieces) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(pieces));
      team.run(pieces, [&](std::int64_t piece) { ++runs[static_cast<std::size_t>(piece)]; });
      for (const auto& count : runs) ASSERT_EQ(count, 1) << threads << " threads, " << pieces << " pieces";
    }
  }
}

TEST(TeamThreads, WakeAgainAfterTheyHaveGoneToSleep) {
  Team team(3);
  for (int round = 0; round < 3; ++round) {
    usleep(20000);
    std::atomic<int> runs{0};
    team.run(5, [&](std::int64_t) { ++runs; });
    EXPECT_EQ(runs, 5);
  }
}

TEST(FlushSubnormals, LastsAsLongAsItLives) {
  volatile float tiny = 1e-39F;
  {
    const native_cpu::FlushSubnormals flush;
    EXPECT_EQ(tiny * 1.0F, 0.0F);
  }
  EXPECT_NE(tiny * 1.0F, 0.0F);
}

bool is_here() { return create_backend("native_cpu", DType::kFloat32).ok(); }

Stack wide_model() {
  Stack model{dense(300, 512, weft::tanh, {.bias = true}), dense(512, 384, relu, {.bias = true}),
              dense(384, 10, linear, {.bias = true})};
  model.initialise({.seed = 4}).value();
  return model;
}

std::vector<float> trained(int threads, Mode mode) {
  Stack model = wide_model();
  Session session = mount(model, {.device = "native_cpu", .threads = threads}).value();
  const Tensor input = random_tensor({1, 300}, 200, 1), target = random_tensor({1, 10}, 200, 2);
  for (int call = 0; call < 6; ++call) session.train(input, target, {.mode = mode, .lr = 0.01}).value();
  session.flush().value();
  session.sync_to_host().value();
  std::vector<float> weights;
  for (const Dense* leaf : leaves(std::as_const(model))) {
    const auto values = leaf->weight.values<float>();
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

TEST(NativeCpuThreads, AnyNumberGivesTheSameBits) {
  if (!is_here()) GTEST_SKIP() << "built without OpenBLAS and Highway";
  for (const char* name : {"NormalBP", "StepTweenSplit", "Tween"}) {
    const Mode mode = parse_mode(name).value();
    const auto one = trained(1, mode);
    for (const int threads : {2, 3, 5}) EXPECT_EQ(trained(threads, mode), one) << name << " on " << threads;
  }
}

TEST(NativeCpuThreads, StayWithTheParentOfAFork) {
  if (WEFT_SANITIZED) GTEST_SKIP() << "sanitizers do not take a fork with threads";
  if (!is_here()) GTEST_SKIP() << "built without OpenBLAS and Highway";
  Stack model = wide_model();
  std::optional<Session> session = mount(model, {.device = "native_cpu", .threads = 2}).value();
  const Tensor input = random_tensor({1, 300}, 200, 1), target = random_tensor({1, 10}, 200, 2);
  session->train(input, target, {.lr = 0.01}).value();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a deadlock ends here
    const auto refused = session->train(input, target, {.lr = 0.01});
    const bool clear = !refused.ok() && refused.status().message().find("mount the model again") != std::string::npos;
    session.reset();
    const bool again = mount(model, {.device = "native_cpu", .threads = 2}).value().train(input, target, {}).ok();
    _exit(clear && again ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_TRUE(session->train(input, target, {.lr = 0.01}).ok());
}

TEST(NativeCpuThreads, OfWhichThereCanBeTooManyOrTooFew) {
  Stack model = wide_model();
  EXPECT_EQ(mount(model, {.device = "native_cpu", .threads = -1}).status().message(),
            "threads: seen -1, wanted 0 to 1024");
  EXPECT_EQ(mount(model, {.device = "cpu", .threads = 2}).status().message(),
            "threads: seen 2, wanted 0 on device cpu: only native_cpu has worker threads");
}

}  // namespace
}  // namespace weft::test
#endif
