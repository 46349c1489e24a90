// What the metal device says when the GPU fails or has no room, and what is left of the session.
#include <gmock/gmock.h>

#include "tests/metal/standin_here.h"
#include "tests/support/fitted.h"
#include "tests/support/insist.h"

namespace weft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MetalFaults : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override {
    for (const char* each : {"command", "buffer", "queue"}) standin_fail(each, 0);
  }
  static Result<TrainResult> train(Trainer& trainer, std::uint64_t seed, std::int64_t batch = 3) {
    return trainer.session().train(trainer.input(seed, batch), trainer.target(seed, batch), {.lr = 0.05});
  }
  Insist way{"WEFT_METAL_WAY", GetParam()};
  TestModel model = Fitted::net(Schedule::kStack);
};

TEST_P(MetalFaults, AFaultStaysWithItsSession) {
  Trainer faulty(model, {.device = "metal"}), sound(model, {.device = "metal"});
  ASSERT_TRUE(train(faulty, 1).ok());
  ASSERT_TRUE(standin_fail("command", 1));
  const Status first = train(faulty, 2).status();
  EXPECT_EQ(first.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(first.message(),
              AllOf(HasSubstr("metal: '"), HasSubstr("failed: Caused GPU Hang Error"), HasSubstr("(code 1)")));
  EXPECT_EQ(train(faulty, 3).status().message(), first.message());
  EXPECT_EQ(faulty.session().forward(faulty.input(1)).status().message(), first.message());
  EXPECT_EQ(faulty.session().sync_to_host().message(), first.message());
  EXPECT_TRUE(train(sound, 1).ok());
}

TEST_P(MetalFaults, AFaultInTheMiddleOfARun) {
  Trainer trainer(model, {.device = "metal"});
  const data::Samples data = Fitted::samples(model);
  const HeldSamples held = trainer.session().hold(data).value();
  const std::string_view insists = GetParam();
  ASSERT_TRUE(standin_fail("command", insists == "chip" ? 1 : 3));
  const Status status = trainer.session().fit(held, {.batch = Fitted::kBatch}).status();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_EQ(trainer.session().fit(held, {.batch = Fitted::kBatch}).status().message(), status.message());
}

TEST_P(MetalFaults, NoRoomAtMount) {
  for (const char* what : {"buffer", "queue"}) {
    SCOPED_TRACE(what);
    ASSERT_TRUE(standin_fail(what, 1));
    Stack stack = std::get<Stack>(model.root);
    const auto session = mount(stack, {.device = "metal"});
    ASSERT_FALSE(session.ok());
    EXPECT_EQ(session.status().code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(session.status().message(), HasSubstr("metal: "));
    EXPECT_TRUE(mount(stack, {.device = "metal"}).ok());
  }
}

TEST_P(MetalFaults, NoRoomForALargerBatchLeavesTheSessionAsItWas) {
  Trainer short_of(model, {.device = "metal"}), twin(model, {.device = "metal"});
  ASSERT_TRUE(train(short_of, 1).ok());
  ASSERT_TRUE(train(twin, 1).ok());
  // Each of the buffers that the larger batch needs fails in its turn, until there is none left to fail.
  int refused = 0;
  for (long n = 1;; ++n) {
    ASSERT_TRUE(standin_fail("buffer", n));
    const auto result = train(short_of, 2, 50);
    ASSERT_LT(n, 20);
    if (result.ok()) break;
    ++refused;
    EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted) << result.status().message();
    EXPECT_THAT(result.status().message(), HasSubstr("bytes wanted"));
    EXPECT_EQ(short_of.weights(), twin.weights());
  }
  EXPECT_GT(refused, 1);
  standin_fail("buffer", 0);
  ASSERT_TRUE(train(twin, 2, 50).ok());
  EXPECT_EQ(train(short_of, 3).value().loss, train(twin, 3).value().loss);
  EXPECT_EQ(short_of.weights(), twin.weights());
}

TEST_P(MetalFaults, NoRoomForRowsLeavesTheSessionAsItWas) {
  Trainer trainer(model, {.device = "metal"});
  const data::Samples data = Fitted::samples(model);
  for (const long n : {1, 2}) {
    ASSERT_TRUE(standin_fail("buffer", n));
    EXPECT_EQ(trainer.session().hold(data).status().code(), StatusCode::kResourceExhausted);
  }
  const HeldSamples held = trainer.session().hold(data).value();
  ASSERT_TRUE(standin_fail("buffer", 1));
  EXPECT_EQ(trainer.session().fit(held, {.batch = Fitted::kBatch}).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(trainer.session().fit(held, {.batch = Fitted::kBatch}).ok());
}

INSTANTIATE_TEST_SUITE_P(Ways, MetalFaults, testing::Values("steps", "chip"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace weft::test
