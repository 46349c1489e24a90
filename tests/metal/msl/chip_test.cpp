// Generated programs as Metal's compiler is handed them: for every mode, with and without operations of lanes.
#include <gmock/gmock.h>

#include <cstdlib>

#include "src/generate/chip_text.h"
#include "tests/metal/msl/passes.h"
#include "tests/support/subject.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kGroupBytes = 32768;  // what every GPU of Apple's has

/// Every model in every mode takes minutes: only where the environment asks for it.
bool all_of_them() { return std::getenv("WEFT_TEST_ALL") != nullptr; }

class MslChip : public testing::TestWithParam<BlockShape> {
 protected:
  void SetUp() override { ASSERT_EQ(clang.missing(), ""); }
  Clang clang{WEFT_CLANG};
};

TEST_P(MslChip, TextsOfAllModesAreTaken) {
  for (const Subject& s : subjects(all_of_them())) {
    const auto text = metal_chip_text(s.program, s.plan->buffers, {.most_bytes = kGroupBytes, .block = GetParam()});
    if (!text.ok()) {  // what is larger than a group's memory has no text to be read
      EXPECT_THAT(text.status().message(), HasSubstr("a block has 32768")) << s.name;
      EXPECT_THAT(s.name, HasSubstr("sizes")) << "a model of the comparison";
      continue;
    }
    EXPECT_EQ(to_string(complaints(clang, text->text)), "") << s.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, MslChip, testing::Values(BlockShape{0, 32}, BlockShape{0, 1}),
                         [](const auto& block) { return block.param.lanes == 1 ? "WithoutLanes" : "OfLanes"; });

}  // namespace
}  // namespace weft::test
