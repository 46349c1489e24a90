// StandinTest: the stand-in with the kernels of standin_kernels.metal, for what is right and for mistakes.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "tests/metal/client.h"

namespace weft::test {

inline std::string contents_of_kernels() {
  std::stringstream text;
  text << std::ifstream(WEFT_TEST_SOURCE "/tests/metal/standin_kernels.metal").rdbuf();
  return text.str();
}

struct ProductShape {
  unsigned rows, cols, inner;
};
struct DescentStep {
  unsigned count;
  float rate;
};

inline constexpr UInteger kCompleted = 4, kError = 5;  // MTLCommandBufferStatus

/// A client of kernels.metal and two buffers of 1000 floats.
class StandinTest : public testing::Test {
 protected:
  void SetUp() override {
    client.emplace(contents_of_kernels().c_str());
    ASSERT_NE(client->library, nullptr) << client->error;
    x = client->buffer(1000);
    y = client->buffer(1000);
  }
  void TearDown() override {
    if (x != nullptr) send<void>(x, "release");
    if (y != nullptr) send<void>(y, "release");
    client.reset();
  }

  /// descend over the 1000, ready to be finished.
  void encode(Launch& launch) {
    launch.buffer(0, x).buffer(1, y).bytes(2, DescentStep{1000, 0.25f}).threads({4}, {256});
  }

  std::optional<Client> client;
  Id x = nullptr, y = nullptr;
};

}  // namespace weft::test
