// A GPU's memory: what is said when it does not suffice, and that it is given back.
#include <gmock/gmock.h>

#include <charconv>

#include "src/backend/backend.h"
#include "tests/support/models.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class CudaMemory : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = create_backend("cuda", DType::kFloat32);
    if (!backend.ok()) GTEST_SKIP() << backend.status().message();
  }

  /// A buffer that no GPU has room for.
  static Status ask_too_much(Backend& backend) {
    BufferTable buffers;
    buffers.require("huge", Element::kStorage, Role::kScratch, std::int64_t{1} << 44);
    return backend.reserve(buffers);
  }

  /// Free bytes of the GPU, as its complaint tells.
  static std::int64_t free_bytes() {
    const auto backend = create_backend("cuda", DType::kFloat32).value();
    const std::string message = ask_too_much(*backend).message();
    const std::string_view before = "the GPU has ";
    const std::size_t at = message.find(before);
    std::int64_t bytes = -1;
    if (at != std::string::npos)
      std::from_chars(message.data() + at + before.size(), message.data() + message.size(), bytes);
    EXPECT_GT(bytes, 0) << message;
    return bytes;
  }
};

TEST_F(CudaMemory, ComesBackFromAThousandMounts) {
  const TestModel model = random_stack(3);
  const auto mount_once = [&] {
    Trainer trainer(model, {.device = "cuda"});
    trainer.train(Mode{}, 1);
    trainer.forward(trainer.input(2));
  };
  for (int warm = 0; warm < 10; ++warm) mount_once();
  const std::int64_t before = free_bytes();
  for (int mounts = 0; mounts < 1000; ++mounts) mount_once();
  // What a thousand sessions kept of the driver's smallest piece would be 2 GiB; others may use the GPU a little.
  EXPECT_GT(free_bytes(), before - (std::int64_t{64} << 20));
}

TEST_F(CudaMemory, ExhaustedSaysWhatWasWantedAndLeavesTheSessionUsable) {
  const auto backend = create_backend("cuda", DType::kFloat32).value();
  BufferTable buffers;
  const BufferId kept = buffers.require("kept", Element::kStorage, Role::kParameter, 2);
  ASSERT_TRUE(backend->reserve(buffers).ok());
  const float values[2] = {1.5f, -2.5f};
  ASSERT_TRUE(backend->write(kept, 0, values, sizeof values).ok());

  const Status status = ask_too_much(*backend);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("'huge'"));
  EXPECT_THAT(status.message(), HasSubstr("70368744177664 bytes"));
  EXPECT_THAT(status.message(), HasSubstr("free"));

  float seen[2] = {};
  ASSERT_TRUE(backend->read(kept, 0, seen, sizeof seen).ok());
  EXPECT_EQ(seen[0], values[0]);
  EXPECT_EQ(seen[1], values[1]);
}

}  // namespace
}  // namespace weft::test
