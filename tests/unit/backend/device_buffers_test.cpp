// Sizes, checks and forms of buffers on GPUs.
#include "src/backend/device_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace weft::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Buffer buffer(std::int64_t elements, std::int64_t slots, Element element = Element::kStorage) {
  return {.name = "b", .element = element, .elements = elements, .slots = slots};
}

TEST(DeviceBuffers, BytesAreThoseOfAllSlots) {
  EXPECT_EQ(*device_buffers::bytes_of("gpu", buffer(3, 5, Element::kCounter)), 60u);
  EXPECT_EQ(*device_buffers::bytes_of("gpu", buffer(0, 1)), 0u);
}

TEST(DeviceBuffers, SizesThatNobodyCanHaveAreRefused) {
  const Status large = device_buffers::bytes_of("gpu", buffer(kMost / 8, 3)).status();
  EXPECT_EQ(large.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(large.message(), AllOf(HasSubstr("gpu: buffer 'b'"), HasSubstr("3 slots")));
  EXPECT_EQ(device_buffers::bytes_of("gpu", buffer(-1, 1)).status().code(), StatusCode::kInternal);
  EXPECT_EQ(device_buffers::bytes_of("gpu", buffer(1, 0)).status().code(), StatusCode::kInternal);
}

TEST(DeviceBuffers, NeedsNameTheLargest) {
  BufferTable buffers;
  buffers.require("small", Element::kStorage, Role::kScratch, 1);
  buffers.require("large", Element::kStorage, Role::kScratch, 100, 2);
  buffers.require("middle", Element::kReal, Role::kScratch, 10);
  buffers.require("tiny", Element::kStorage, Role::kScratch, 0);
  EXPECT_EQ(device_buffers::needs(buffers),
            "all buffers need 844 bytes, most of them 'large' 800, 'middle' 40, 'small' 4");
}

TEST(DeviceBuffers, AccessStaysWithinASlot) {
  BufferTable buffers;
  const BufferId reals = buffers.require("r", Element::kReal, Role::kRule, 3, 2);
  const auto access = [&](BufferId id, std::int64_t slot, std::size_t bytes) {
    return device_buffers::check_access("gpu", buffers, id, slot, bytes).code();
  };
  EXPECT_EQ(access(reals, 1, 24), StatusCode::kOk);  // doubles for the host
  EXPECT_EQ(access(reals, 1, 32), StatusCode::kInternal);
  EXPECT_EQ(access(reals, 1, 20), StatusCode::kInternal);
  EXPECT_EQ(access(reals, 2, 8), StatusCode::kInternal);
  EXPECT_EQ(access(reals, -1, 8), StatusCode::kInternal);
  EXPECT_EQ(access(BufferTable::kInput, 0, 0), StatusCode::kInternal);
  EXPECT_EQ(access(buffers.size(), 0, 0), StatusCode::kInternal);
}

TEST(DeviceBuffers, OperandsMustBeThereAndLongEnough) {
  BufferTable buffers;
  const BufferId six = buffers.require("six", Element::kStorage, Role::kScratch, 6);
  const auto check = [&](const Instruction& code, bool has_input) {
    Program program;
    program.title = "p";
    program.code = {code};
    return device_buffers::check_operands("gpu", buffers, program, has_input, false);
  };
  const Instruction fits{
      .op = Opcode::kScale, .in = {Operand{BufferTable::kInput}}, .out = {Operand{six}}, .m = 2, .n = 3};
  EXPECT_TRUE(check(fits, true).ok());
  EXPECT_EQ(check(fits, false).code(), StatusCode::kInternal);
  Instruction reaches_past = fits;
  reaches_past.n = 4;
  EXPECT_THAT(check(reaches_past, true).message(), HasSubstr("gpu: instruction 0 (scale) of 'p'"));
  Instruction writes_argument = fits;
  writes_argument.out = {Operand{BufferTable::kInput}};
  EXPECT_EQ(check(writes_argument, true).code(), StatusCode::kInternal);
  Instruction asks_nobody = fits;
  asks_nobody.when[0].counter = six + 1;
  EXPECT_EQ(check(asks_nobody, true).code(), StatusCode::kInternal);
}

TEST(DeviceBuffers, ArgumentElementsAreTheMostThatAnyoneReads) {
  Program program;
  program.code = {{.op = Opcode::kScale, .in = {Operand{BufferTable::kInput}}, .m = 2, .n = 3},
                  {.op = Opcode::kScale, .in = {Operand{BufferTable::kInput}}, .m = 2, .n = 5}};
  EXPECT_EQ(device_buffers::argument_elements(program, BufferTable::kInput), 10);
  EXPECT_EQ(device_buffers::argument_elements(program, BufferTable::kTarget), 0);
}

TEST(DeviceBuffers, ARingGoesAroundAtAnyClock) {
  EXPECT_EQ(device_buffers::ring_slot({2, 1}, 4, 6), 1);
  EXPECT_EQ(device_buffers::ring_slot({2, 3}, 4, 1), 2);  // younger than the lag
  EXPECT_EQ(device_buffers::ring_slot({2, 9}, 4, 0), 3);
  EXPECT_EQ(device_buffers::ring_slot({2, 1}, 3, std::numeric_limits<std::uint64_t>::max()), 2);
}

TEST(DeviceBuffers, RealsAndCountersChangeTheirFormOnTheWay) {
  const std::vector<double> reals{0.5, -2.0};
  std::array<float, 2> there{};
  ASSERT_TRUE(device_buffers::to_device("gpu", buffer(2, 1, Element::kReal), reals.data(), 2, there.data()).ok());
  EXPECT_THAT(there, ElementsAre(0.5f, -2.0f));
  std::vector<double> back(2);
  device_buffers::to_host(Element::kReal, there.data(), 2, back.data());
  EXPECT_EQ(back, reals);

  const std::vector<std::uint64_t> counters{7, 0xffffffffu};
  std::array<std::uint32_t, 2> counted{};
  ASSERT_TRUE(
      device_buffers::to_device("gpu", buffer(2, 1, Element::kCounter), counters.data(), 2, counted.data()).ok());
  EXPECT_THAT(counted, ElementsAre(7u, 0xffffffffu));
  std::vector<std::uint64_t> counters_back(2);
  device_buffers::to_host(Element::kCounter, counted.data(), 2, counters_back.data());
  EXPECT_EQ(counters_back, counters);
}

TEST(DeviceBuffers, ACounterThatDoesNotFitIsRefusedAndNothingWritten) {
  const std::vector<std::uint64_t> counters{1, std::uint64_t{1} << 32};
  std::array<std::uint32_t, 2> there{5, 5};
  const Status status =
      device_buffers::to_device("gpu", buffer(2, 1, Element::kCounter), counters.data(), 2, there.data());
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("counter 1 of buffer 'b' is 4294967296"));
  EXPECT_THAT(there, ElementsAre(5u, 5u));
}

}  // namespace
}  // namespace weft::test
