// Memory of the CPU devices: rings, arguments, growth, and reservations that cannot be had.
#include <array>

#include "src/backend/host_memory.h"
#include "src/core/memory.h"
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class DeviceMemory : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(DeviceMemory);

TEST_P(DeviceMemory, ARingGivesTheSlotOfClockMinusLag) {
  const Operand ring = bench->ring("ring", {{10, 10}, {11, 11}, {12, 12}});
  const Operand y = bench->values("y", {0, 0});
  for (const auto& [clock, lag, wanted] : std::vector<std::tuple<std::uint64_t, int, double>>{
           {0, 0, 10},
           {1, 0, 11},
           {2, 0, 12},
           {3, 0, 10},
           {2, 2, 10},
           {4, 2, 12},
           {7, 1, 10},
           {0, 1, 12},
           {1, 2, 12},  // a lag older than the clock wraps within the ring, not at 2^64
           {(std::uint64_t{1} << 40), 0, 11}}) {
    Instruction copy = instruction(Opcode::kScale, 1, 2, 1, {Operand{ring.buffer, lag}}, {y});
    ASSERT_TRUE(bench->run(copy, {.clock = clock}).ok());
    EXPECT_EQ(bench->read(y), (std::vector<double>{wanted, wanted})) << "clock " << clock << " lag " << lag;
  }
}

TEST_P(DeviceMemory, WritingASlotLeavesTheOthers) {
  const Operand ring = bench->ring("ring", {{10}, {11}, {12}}), x = bench->values("x", {5});
  ASSERT_TRUE(bench->run(instruction(Opcode::kScale, 1, 1, 1, {x}, {Operand{ring.buffer, 1}}), {.clock = 5}).ok());
  EXPECT_EQ(bench->read(ring, 0), std::vector<double>{10});
  EXPECT_EQ(bench->read(ring, 1), std::vector<double>{5});
  EXPECT_EQ(bench->read(ring, 2), std::vector<double>{12});
}

TEST_P(DeviceMemory, InputAndTargetAreTheCallsOwnMemory) {
  const Operand y = bench->values("y", {0, 0});
  const std::array<float, 2> input{5, 7}, target{1, 2};
  const std::array<double, 2> input64{5, 7}, target64{1, 2};
  const bool wide = GetParam().storage == DType::kFloat64;
  RunArguments arguments{.input = wide ? static_cast<const void*>(input64.data()) : input.data(),
                         .target = wide ? static_cast<const void*>(target64.data()) : target.data()};
  const Instruction subtract =
      instruction(Opcode::kSubtract, 1, 2, 1, {Operand{BufferTable::kInput}, Operand{BufferTable::kTarget}}, {y});
  ASSERT_TRUE(bench->run(subtract, arguments).ok());
  EXPECT_EQ(bench->read(y), (std::vector<double>{4, 5}));

  arguments.target = nullptr;
  const Status status = bench->run(subtract, arguments);
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(status.message().find("subtract"), std::string::npos) << status.message();
}

TEST_P(DeviceMemory, ABufferThatWasNeverReservedIsRefused) {
  EXPECT_EQ(bench->run(instruction(Opcode::kCount, 1, 1, 1, {}, {Operand{99}})).code(), StatusCode::kInternal);
  EXPECT_EQ(bench->run(instruction(Opcode::kZero, 1, 1, 1, {}, {Operand{BufferTable::kInput}}), {.input = "x"}).code(),
            StatusCode::kInternal);
}

TEST_P(DeviceMemory, GrowingZeroesABufferAndKeepsTheOthers) {
  const Operand grown = bench->values("grown", {1, 2}), kept = bench->values("kept", {3, 4});
  bench->buffers().require("grown", Element::kStorage, Role::kScratch, 100);
  ASSERT_TRUE(bench->backend().reserve(bench->buffers()).ok());
  EXPECT_EQ(bench->read(kept), (std::vector<double>{3, 4}));
  std::vector<double> bytes(100, 5);  // long enough for either storage
  const std::size_t size = 100 * element_size(GetParam().storage);
  ASSERT_TRUE(bench->backend().read(grown.buffer, 0, bytes.data(), size).ok());
  const auto* read = reinterpret_cast<const unsigned char*>(bytes.data());
  EXPECT_TRUE(std::all_of(read, read + size, [](unsigned char byte) { return byte == 0; }));
}

TEST_P(DeviceMemory, WhatCannotBeHadIsNamedAndChangesNothing) {
  const Operand kept = bench->values("kept", {3, 4});
  for (const std::int64_t elements : {std::int64_t{1} << 62, std::int64_t{1} << 45}) {
    BufferTable larger = bench->buffers();
    larger.require("kept", Element::kStorage, Role::kScratch, 1000);
    larger.require("leaf.1.weight", Element::kStorage, Role::kParameter, elements);
    const Status status = bench->backend().reserve(larger);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("leaf.1.weight"), std::string::npos) << status.message();
    EXPECT_EQ(bench->read(kept), (std::vector<double>{3, 4}));
  }
  BufferTable slots = bench->buffers();
  slots.require("ring", Element::kStorage, Role::kPipe, std::int64_t{1} << 32, std::int64_t{1} << 40);
  EXPECT_EQ(bench->backend().reserve(slots).code(), StatusCode::kResourceExhausted);
}

TEST_P(DeviceMemory, CopiesOutsideABufferAreRefused) {
  const Operand x = bench->values("x", {1, 2});
  std::vector<double> many(1000);
  EXPECT_EQ(bench->backend().read(x.buffer, 0, many.data(), 8000).code(), StatusCode::kInternal);
  EXPECT_EQ(bench->backend().write(x.buffer, 1, many.data(), 4).code(), StatusCode::kInternal);
  EXPECT_EQ(bench->backend().write(x.buffer, -1, many.data(), 4).code(), StatusCode::kInternal);
  EXPECT_EQ(bench->backend().read(BufferTable::kInput, 0, many.data(), 4).code(), StatusCode::kInternal);
  EXPECT_EQ(bench->backend().read(-1, 0, many.data(), 4).code(), StatusCode::kInternal);
}

TEST(HostMemoryTest, KnowsHowMuchTheMachineHas) { EXPECT_GT(physical_memory(), std::uint64_t{1} << 26); }

}  // namespace
}  // namespace weft::test
