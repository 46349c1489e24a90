// The stand-in: what is right works on it as on Metal.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/metal/standin_fixture.h"
#include "tests/metal/standin_here.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

using Standin = StandinTest;

TEST_F(Standin, NumbersAreThoseOfTheText) {
  for (int i = 0; i < 1000; ++i) Client::floats(x)[i] = 1.0f, Client::floats(y)[i] = 2.0f;
  Launch launch(*client, "descend");
  encode(launch);
  EXPECT_EQ(launch.finish(), kCompleted);
  EXPECT_EQ(send(launch.command, "error"), nullptr);
  EXPECT_EQ(std::count(Client::floats(x), Client::floats(x) + 1000, 0.5f), 1000);
}

TEST_F(Standin, GridsOfTwoDimensionsAndBarriers) {
  const ProductShape s{37, 29, 53};
  Id a = client->buffer(37 * 53), b = client->buffer(53 * 29), c = client->buffer(37 * 29);
  for (int i = 0; i < 37 * 53; ++i) Client::floats(a)[i] = static_cast<float>(i * 7 % 11 - 5);
  for (int i = 0; i < 53 * 29; ++i) Client::floats(b)[i] = static_cast<float>(i * 5 % 13 - 6);
  {
    Launch launch(*client, "product");
    launch.buffer(0, a).buffer(1, b).buffer(2, c).bytes(3, s).threads({2, 3}, {16, 16});
    EXPECT_EQ(launch.finish(), kCompleted);
  }
  int wrong = 0;
  for (unsigned i = 0; i < s.rows; ++i) {
    for (unsigned j = 0; j < s.cols; ++j) {
      float sum = 0;  // of small whole numbers: exact
      for (unsigned k = 0; k < s.inner; ++k) sum += Client::floats(a)[i * 53 + k] * Client::floats(b)[k * 29 + j];
      wrong += Client::floats(c)[i * 29 + j] != sum;
    }
  }
  EXPECT_EQ(wrong, 0);
  for (Id each : {a, b, c}) send<void>(each, "release");
}

TEST_F(Standin, AThreadgroupVariableIsTheGroups) {
  Client::floats(x)[0] = 41.0f;
  Launch launch(*client, "tell_all");
  EXPECT_EQ(launch.buffer(0, x).threads({}, {100}).finish(), kCompleted);
  EXPECT_EQ(std::count(Client::floats(x), Client::floats(x) + 100, 42.0f), 100);
}

TEST_F(Standin, ThreadgroupVariablesAreKnownBySize) {
  Id pipeline = client->pipeline("product");
  EXPECT_EQ(send<UInteger>(pipeline, "staticThreadgroupMemoryLength"), 2 * 256 * sizeof(float));
  send<void>(pipeline, "release");
}

TEST_F(Standin, LanesTellEachOther) {
  Launch launch(*client, "lanes");
  EXPECT_EQ(launch.buffer(0, x).threads({}, {64}).finish(), kCompleted);
  EXPECT_EQ(std::count(Client::floats(x), Client::floats(x) + 32, 496.0f), 32);
  EXPECT_EQ(std::count(Client::floats(x) + 32, Client::floats(x) + 64, 496.0f + 3200.0f), 32);
}

TEST_F(Standin, ThreadgroupMemoryOfTheEncodersLength) {
  Launch launch(*client, "dynamic");
  send<void>(launch.encoder, "setThreadgroupMemoryLength:atIndex:", UInteger{256}, UInteger{0});
  EXPECT_EQ(launch.buffer(4, x).threads({}, {64}).finish(), kCompleted);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(Client::floats(x)[i], static_cast<float>(63 - i));
}

TEST_F(Standin, EveryIndexIsBound) {
  Launch launch(*client, "every_index");
  std::vector<Id> buffers;
  for (UInteger i = 0; i < 30; ++i) {
    buffers.push_back(client->buffer(4));
    std::fill_n(Client::floats(buffers.back()), 4, static_cast<float>(1u << i));
    launch.buffer(i, buffers.back());
  }
  EXPECT_EQ(launch.bytes(30, 0.5f).threads({2}, {2}).finish(), kCompleted);
  const auto wanted = static_cast<float>((1u << 0) + (1u << 5) + (1u << 6) + (1u << 28)) + 0.5f + 4.0f + 2.0f;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Client::floats(buffers[29])[i], wanted);
  for (Id each : buffers) send<void>(each, "release");
}

TEST_F(Standin, FreshMemoryIsNotZero) { EXPECT_EQ(std::count(Client::floats(x), Client::floats(x) + 1000, 0.0f), 0); }

TEST_F(Standin, NothingHappensBeforeSomebodyWaits) {
  std::fill_n(Client::floats(x), 1000, 1.0f), std::fill_n(Client::floats(y), 1000, 2.0f);
  Launch first(*client, "descend"), second(*client, "descend");
  encode(first), encode(second);
  first.end(), first.commit();
  second.end(), second.commit();
  EXPECT_EQ(Client::floats(x)[7], 1.0f);
  EXPECT_EQ(send<UInteger>(first.command, "status"), 2u);
  second.wait();  // a queue's command buffers are done in their order
  EXPECT_EQ(Client::floats(x)[7], 0.0f);
  EXPECT_EQ(send<UInteger>(first.command, "status"), kCompleted);
}

TEST_F(Standin, AMessageToNilAnswersZero) {
  EXPECT_EQ(send(Id{nullptr}, "name"), nullptr);
  EXPECT_EQ(send<UInteger>(Id{nullptr}, "length"), 0u);
  EXPECT_EQ(class_named("MTLNoSuchClass"), nullptr);
}

TEST_F(Standin, TextThatDoesNotCompileIsAnErrorWithTheCompilersWords) {
  const Client broken("#include <metal_stdlib>\nkernel void k(device float* x [[buffer(0)]]) { x[0] = y; }");
  EXPECT_EQ(broken.library, nullptr);
  EXPECT_THAT(broken.error, HasSubstr("program_source:2:55: error: use of undeclared identifier 'y'"));
  const Client mixed("kernel void k(float* x [[buffer(0)]]) { x[0] = 1.0f; }");
  EXPECT_THAT(mixed.error, HasSubstr("kernel k: parameter 'float * x [ [ buffer ( 0 ) ] ]' is no device, constant"));
  const Client unknown("kernel void k(uint x [[thread_of_mine]]) {}");
  EXPECT_THAT(unknown.error, HasSubstr("has no known attribute"));
}

TEST_F(Standin, UnknownKernelsAreNil) {
  EXPECT_EQ(send(client->library, "newFunctionWithName:", string("nothing")), nullptr);
}

TEST_F(Standin, FaultsOnPurpose) {
  ASSERT_TRUE(standin_fail("command", 2));
  for (const UInteger wanted : {kCompleted, kError, kCompleted}) {
    Launch launch(*client, "descend");
    encode(launch);
    EXPECT_EQ(launch.finish(), wanted);
    Id error = send(launch.command, "error");
    EXPECT_EQ(error != nullptr, wanted == kError);
    if (error != nullptr) {
      EXPECT_THAT(text_of(send(error, "localizedDescription")), HasSubstr("GPU Hang"));
    }
  }
  ASSERT_TRUE(standin_fail("buffer", 1));
  EXPECT_EQ(client->buffer(3), nullptr);
  EXPECT_FALSE(standin_fail("everything", 1));
}

TEST_F(Standin, ObjectsAreCounted) {
  const long buffers = standin_alive("MTLBuffer"), bytes = standin_count("bytes alive");
  Id more = client->buffer(25);
  EXPECT_EQ(standin_alive("MTLBuffer"), buffers + 1);
  EXPECT_EQ(standin_count("bytes alive"), bytes + 100);
  send<void>(send(more, "retain"), "release");
  EXPECT_EQ(standin_alive("MTLBuffer"), buffers + 1);
  send<void>(more, "release");
  EXPECT_EQ(standin_alive("MTLBuffer"), buffers);
  EXPECT_EQ(standin_count("bytes alive"), bytes);
  EXPECT_EQ(standin_alive("NoSuchClass"), -1);
}

}  // namespace
}  // namespace weft::test
