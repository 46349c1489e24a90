// Several sessions on one GPU, and one on each of several.
#include <gmock/gmock.h>

#include <thread>

#include "src/backend/backend.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class CudaDevicesThreads : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = create_backend("cuda", DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }

  static MountOptions on(int index) {
    MountOptions options;
    options.device = "cuda";
    options.index = index;
    return options;
  }

  static std::vector<Numbers> trained(int index) {
    Trainer trainer(random_stack(7), on(index));
    for (std::uint64_t call = 0; call < 20; ++call) trainer.train(Mode{}, call);
    return trainer.weights();
  }
};

TEST_F(CudaDevicesThreads, SessionsOnOneGpuDoNotDisturbEachOther) {
  const auto alone = trained(0);
  std::vector<std::vector<Numbers>> seen(4);
  std::vector<std::thread> threads;
  for (auto& each : seen) threads.emplace_back([&each] { each = trained(0); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& each : seen) EXPECT_EQ(each, alone);
}

TEST_F(CudaDevicesThreads, AGpuThatIsNotThereIsNamed) {
  BackendOptions options(DType::kFloat32);
  options.index = 4096;
  const auto backend = create_backend("cuda", options);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(backend.status().message(), HasSubstr("GPU 4096"));
}

TEST_F(CudaDevicesThreads, EachOfSeveralGpusTrainsAlike) {
  BackendOptions second(DType::kFloat32);
  second.index = 1;
  if (const auto backend = create_backend("cuda", second); !backend.ok()) GTEST_SKIP() << backend.status().message();
  const auto wanted = trained(0);
  EXPECT_EQ(trained(1), wanted);
  std::vector<Numbers> left, right;
  std::thread other([&right] { right = trained(1); });
  left = trained(0);
  other.join();
  EXPECT_EQ(left, wanted);
  EXPECT_EQ(right, wanted);

  // From one thread in turns; what is held on one GPU is refused on the other.
  const TestModel model = random_stack(7);
  Trainer here(model, on(0)), there(model, on(1));
  data::Samples samples{here.input(1, 12), here.target(2, 12), {}};
  const HeldSamples held = here.session().hold(samples).value();
  const HeldSamples held_there = there.session().hold(samples).value();
  const FitOptions options{.lr = 0.05, .batch = 3};
  for (int epoch = 0; epoch < 3; ++epoch) {
    here.session().fit(held, options).value();
    there.session().fit(held_there, options).value();
  }
  EXPECT_EQ(here.weights(), there.weights());
  const auto crossed = there.session().fit(held, options);
  ASSERT_FALSE(crossed.ok());
  EXPECT_THAT(crossed.status().message(), HasSubstr("held on"));
}

}  // namespace
}  // namespace weft::test
