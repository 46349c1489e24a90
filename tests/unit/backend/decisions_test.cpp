// ratio, count, set, equals, refresh, and the predicates that make instructions depend on them.
#include "tests/unit/backend/device_test.h"

namespace weft::test {
namespace {

class DecisionInstructions : public DeviceTest {
 protected:
  /// GPUs count to 2^32-1, which is all that is promised; the CPU devices go on.
  static bool counts_further() {
    return std::string_view(GetParam().name) != "cuda" && std::string_view(GetParam().name) != "metal";
  }
};
WEFT_ON_EVERY_DEVICE(DecisionInstructions);

TEST_P(DecisionInstructions, Ratio) {
  const Operand x = bench->real("x", 3), w = bench->real("w", 4), r = bench->real("r", 0);
  Instruction ratio = instruction(Opcode::kRatio, 1, 1, 1, {x, w}, {r});
  ratio.scale = 2;
  ASSERT_TRUE(bench->run(ratio).ok());
  EXPECT_EQ(bench->read_real(r), 1.5);
}

TEST_P(DecisionInstructions, CountSetEquals) {
  const Operand c = bench->counter("c", 0xfffffffeu), flag = bench->counter("flag", 7);
  const Instruction count = instruction(Opcode::kCount, 1, 1, 1, {}, {c});
  ASSERT_TRUE(bench->run(count).ok());
  EXPECT_EQ(bench->read_counter(c), 0xffffffffu);
  if (counts_further()) {
    ASSERT_TRUE(bench->run(count).ok());
    EXPECT_EQ(bench->read_counter(c), 0x100000000u) << "counters do not wrap at 32 bits";
  }
  Instruction set = instruction(Opcode::kSet, 1, 1, 1, {}, {c}),
              equals = instruction(Opcode::kEquals, 1, 1, 1, {c}, {flag});
  set.value = equals.value = 12;
  ASSERT_TRUE(bench->run({set, equals}).ok());
  EXPECT_EQ(bench->read_counter(c), 12u);
  EXPECT_EQ(bench->read_counter(flag), 1u);
  ASSERT_TRUE(bench->run({count, equals}).ok());
  EXPECT_EQ(bench->read_counter(flag), 0u);
}

TEST_P(DecisionInstructions, RefreshIsDueAtThePeriodAnotherTagOrAnUnusableRms) {
  const auto flag = [&](std::uint64_t calls, std::uint64_t tag, double kept_rms) {
    Instruction refresh =
        instruction(Opcode::kRefresh, 1, 1, 1,
                    {bench->counter("calls", calls), bench->counter("tag", tag), bench->real("rms", kept_rms)},
                    {bench->counter("flag", 7)});
    refresh.period = 20, refresh.value = 5;
    EXPECT_TRUE(bench->run(refresh).ok());
    return bench->read_counter(refresh.out[0]);
  };
  EXPECT_EQ(flag(1, 5, 0.5), 0u);
  EXPECT_EQ(flag(19, 5, 1.1e-12), 0u);
  EXPECT_EQ(flag(0, 5, 0.5), 1u);
  EXPECT_EQ(flag(40, 5, 0.5), 1u);
  EXPECT_EQ(flag(1, 0, 0.5), 1u);
  EXPECT_EQ(flag(1, 5, 1e-12), 1u);
  EXPECT_EQ(flag(1, 5, std::nan("")), 1u);
}

TEST_P(DecisionInstructions, APredicateDecides) {
  const auto runs = [&](std::vector<Predicate> predicates) {
    const Operand c = bench->counter("ran", 0);
    Instruction count = instruction(Opcode::kCount, 1, 1, 1, {}, {c});
    for (std::size_t i = 0; i < predicates.size(); ++i) count.when[i] = predicates[i];
    EXPECT_TRUE(bench->run(count).ok());
    return bench->read_counter(c) == 1;
  };
  const BufferId zero = bench->counter("zero", 0).buffer, seven = bench->counter("seven", 7).buffer;
  const BufferId large = bench->counter("large", std::uint64_t{1} << (counts_further() ? 32 : 31)).buffer;
  using Test = Predicate::Test;
  EXPECT_TRUE(runs({}));
  EXPECT_TRUE(runs({{seven, Test::kNonZero}}));
  EXPECT_FALSE(runs({{zero, Test::kNonZero}}));
  EXPECT_TRUE(runs({{large, Test::kNonZero}})) << "a counter whose low half is zero";
  EXPECT_TRUE(runs({{zero, Test::kZero}}));
  EXPECT_FALSE(runs({{seven, Test::kZero}}));
  EXPECT_TRUE(runs({{seven, Test::kModulo, 3, 1}}));
  EXPECT_FALSE(runs({{seven, Test::kModulo, 3, 2}}));
}

TEST_P(DecisionInstructions, AllThreePredicatesMustHold) {
  const BufferId zero = bench->counter("zero", 0).buffer, one = bench->counter("one", 1).buffer;
  for (std::size_t failing = 0; failing <= 3; ++failing) {
    const Operand c = bench->counter("ran", 0);
    Instruction count = instruction(Opcode::kCount, 1, 1, 1, {}, {c});
    for (std::size_t i = 0; i < 3; ++i) count.when[i].counter = i == failing ? zero : one;
    ASSERT_TRUE(bench->run(count).ok());
    EXPECT_EQ(bench->read_counter(c), failing == 3 ? 1u : 0u) << "predicate " << failing << " fails";
  }
}

TEST_P(DecisionInstructions, APredicateSeesWhatAnEarlierInstructionOfTheProgramDid) {
  const Operand flag = bench->counter("flag", 0), c = bench->counter("ran", 0);
  Instruction set = instruction(Opcode::kSet, 1, 1, 1, {}, {flag}),
              count = instruction(Opcode::kCount, 1, 1, 1, {}, {c});
  set.value = 1;
  count.when[0].counter = flag.buffer;
  ASSERT_TRUE(bench->run({count, set, count}).ok());
  EXPECT_EQ(bench->read_counter(c), 1u);
}

}  // namespace
}  // namespace weft::test
