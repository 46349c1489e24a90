// The stand-in: every mistake that Metal's own validation or a GPU would punish ends the process with one line.
#include <gtest/gtest.h>

#include <memory>

#include "tests/metal/standin_fixture.h"

namespace weft::test {
namespace {

using StandinDeathTest = StandinTest;

TEST_F(StandinDeathTest, UnknownSelector) {
  EXPECT_DEATH(send(client->queue, "commandBufer"), "stand-in: -\\[MTLCommandQueue commandBufer\\]: unrecognized");
}
TEST_F(StandinDeathTest, ArgumentOfAnotherClass) {
  EXPECT_DEATH(send(client->library, "newFunctionWithName:", x), "the argument is a MTLBuffer, wanted a NSString");
}
TEST_F(StandinDeathTest, NoObjectAtAll) {
  alignas(16) char bytes[64] = {};
  EXPECT_DEATH(send(static_cast<Id>(bytes), "retain"), "is no object");
}
TEST_F(StandinDeathTest, OverRelease) {
  EXPECT_DEATH((send<void>(x, "release"), send<void>(x, "release")), "use of MTLBuffer .* after its last release");
}
TEST_F(StandinDeathTest, OverReleaseOfWhatAPoolHas) {
  EXPECT_DEATH(
      {
        const ClientPool pool;
        send<void>(string("mine?"), "release");
      },
      "objc_autoreleasePoolPop: use of NSString");
}
TEST_F(StandinDeathTest, PoolsInTheWrongOrder) {
  EXPECT_DEATH(
      {
        auto first = std::make_unique<ClientPool>();
        auto second = std::make_unique<ClientPool>();
        first.reset();
      },
      "not the innermost pool");
}
TEST_F(StandinDeathTest, NoPool) {
  EXPECT_DEATH(
      {
        client->~Client();
        string("leaks");
      },
      "no autorelease pool for a NSString");
}
TEST_F(StandinDeathTest, NoCommit) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "descend");
        encode(launch);
        launch.end();
        launch.wait();
      },
      "waitUntilCompleted before commit");
}
TEST_F(StandinDeathTest, ReleasedWithoutCommit) {
  EXPECT_DEATH(
      {
        const ClientPool pool;
        Launch launch(*client, "descend");
        launch.end();
      },
      "a command buffer is released without commit");
}
TEST_F(StandinDeathTest, CommittedTwice) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "descend");
        encode(launch);
        launch.finish();
        launch.commit();
      },
      "commit of a command buffer that is committed already");
}
TEST_F(StandinDeathTest, NoEndEncoding) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "descend");
        launch.commit();
      },
      "commit before endEncoding");
}
TEST_F(StandinDeathTest, ReleasedWithoutEndEncoding) {
  EXPECT_DEATH(
      {
        const ClientPool pool;
        const Launch launch(*client, "descend");
      },
      "an encoder is released without endEncoding");
}
TEST_F(StandinDeathTest, EncodingAfterTheEnd) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "descend");
        launch.end();
        encode(launch);
      },
      "after endEncoding");
}
TEST_F(StandinDeathTest, TwoEncodersAtOnce) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "descend");
        send(launch.command, "computeCommandEncoder");
      },
      "while an encoder of the command buffer has not ended");
}
TEST_F(StandinDeathTest, GoneAfterThePool) {
  EXPECT_DEATH(
      {
        Id command = nullptr;
        {
          const ClientPool pool;
          Launch launch(*client, "descend");
          encode(launch);
          launch.finish();
          command = launch.command;
        }
        send<UInteger>(command, "status");
      },
      "use of MTLCommandBuffer .* after its last release");
}
TEST_F(StandinDeathTest, NothingBound) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(0, x).buffer(1, y).threads({4}, {256}),
               "kernel descend: parameter step at buffer index 2: nothing is bound");
}
TEST_F(StandinDeathTest, TooFewBytes) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(0, x).buffer(1, y).bytes(2, 1.0f).threads({4}, {256}),
               "kernel descend: parameter step at buffer index 2: 4 bytes are bound, 8 wanted");
}
TEST_F(StandinDeathTest, TooManyBytes) {
  struct Large {
    char bytes[4097];
  };
  EXPECT_DEATH(Launch(*client, "descend").bytes(2, Large{}), "4097 bytes, wanted 1 to 4096");
}
TEST_F(StandinDeathTest, NoSuchIndex) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(31, x), "setBuffer:offset:atIndex: 31, wanted below 31");
}
TEST_F(StandinDeathTest, OffsetOutside) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(0, x, 4000), "offset 4000 in a buffer of 4000 bytes");
}
TEST_F(StandinDeathTest, OffsetMisaligned) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(0, x, 6), "offset 6 is no multiple of 4");
}
TEST_F(StandinDeathTest, NoGroups) {
  EXPECT_DEATH(Launch(*client, "descend").buffer(0, x).threads({0}, {256}), "kernel descend: 0 x 1 x 1 groups");
}
TEST_F(StandinDeathTest, TooManyThreads) {
  EXPECT_DEATH(Launch(*client, "descend").threads({1}, {32, 33}), "32 x 33 x 1 threads in a group, wanted 1 to 1024");
  EXPECT_DEATH(Launch(*client, "narrow").threads({1}, {65}), "65 x 1 x 1 threads in a group, wanted 1 to 64");
}
TEST_F(StandinDeathTest, NoPipeline) {
  EXPECT_DEATH(
      {
        Id command = send(client->queue, "commandBuffer");
        Id encoder = send(command, "computeCommandEncoder");
        send<void>(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", Size{1}, Size{1});
      },
      "without a pipeline");
}
TEST_F(StandinDeathTest, TooMuchThreadgroupMemory) {
  EXPECT_DEATH(
      {
        Launch launch(*client, "dynamic");
        send<void>(launch.encoder, "setThreadgroupMemoryLength:atIndex:", UInteger{32784}, UInteger{0});
        launch.buffer(4, x).threads({}, {64});
      },
      "32784 bytes of threadgroup memory, the most is 32768");
}
TEST_F(StandinDeathTest, ABufferOfNoBytes) { EXPECT_DEATH(client->buffer(0), "of no bytes"); }
TEST_F(StandinDeathTest, DivergentBarrier) {
  EXPECT_DEATH(Launch(*client, "diverges").buffer(0, x).threads({2}, {64}).finish(),
               "stand-in: kernel diverges, group 0: thread 5 has ended after 0 barriers while thread 0 waits");
}
TEST_F(StandinDeathTest, DifferentBarriers) {
  EXPECT_DEATH(Launch(*client, "two_barriers").buffer(0, x).threads({}, {64}).finish(),
               "kernel two_barriers, group 0: threads 0 and 5 wait at different barriers");
}
TEST_F(StandinDeathTest, WriteBehindABuffer) {
  EXPECT_DEATH(Launch(*client, "writes_behind").buffer(0, x).threads({100}, {10}).finish(),
               "something wrote behind the end of a buffer of 4000 bytes");
}
TEST_F(StandinDeathTest, HostWritesBeforeABuffer) {
  EXPECT_DEATH((Client::floats(x)[-1] = 1.0f, send<void>(x, "release")), "wrote before the start of a buffer");
}

}  // namespace
}  // namespace weft::test
