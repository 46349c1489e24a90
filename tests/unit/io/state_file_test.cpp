// Checkpoints on disk.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "src/io/safetensors.h"
#include "tests/unit/io/temporary_folder.h"
#include "weft/state.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;

State example() {
  State state;
  state.arrays["leaf.1.weight"] = std::vector<float>{1.0f, -0.0f, std::numeric_limits<float>::denorm_min()};
  state.arrays["loss"] = std::vector<double>{0.1, std::numeric_limits<double>::infinity()};
  state.arrays["clock"] = std::vector<std::uint64_t>{~std::uint64_t{0}};
  state.arrays["nothing"] = std::vector<float>{};
  state.metadata = {{"mode", "StepTween"}, {"empty", ""}};
  return state;
}

TEST(StateFile, RoundTripsBitForBit) {
  const test::TemporaryFolder folder;
  const State state = example();
  ASSERT_TRUE(write_state(state, folder / "s").ok());
  const auto read = read_state(folder / "s");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->metadata, state.metadata);
  EXPECT_EQ(read->arrays, state.arrays);
  EXPECT_TRUE(std::signbit(std::get<std::vector<float>>(read->arrays.at("leaf.1.weight"))[1]));
  ASSERT_TRUE(write_state({}, folder / "s").ok());
  EXPECT_TRUE(read_state(folder / "s")->arrays.empty());
}

TEST(StateFile, RefusesWhatIsNoState) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_state(folder / "gone").status().code(), StatusCode::kNotFound);
  const float v = 0;
  ASSERT_TRUE(write_safetensors(folder / "w", {{"a", SafetensorsType::kF32, {1}, &v}}, {}).ok());
  EXPECT_EQ(read_state(folder / "w").status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(read_state(folder / "w").status().message(),
              HasSubstr("not a state: the metadata key 'weft_state' is missing"));
  ASSERT_TRUE(write_safetensors(folder / "w", {}, {{"weft_state", "2"}}).ok());
  EXPECT_EQ(read_state(folder / "w").status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(read_state(folder / "w").status().message(), HasSubstr("state format '2', wanted '1'"));
  ASSERT_TRUE(write_safetensors(folder / "w", {{"a", SafetensorsType::kF32, {1, 1}, &v}}, {{"weft_state", "1"}}).ok());
  EXPECT_THAT(read_state(folder / "w").status().message(), HasSubstr("'a' has 2 axes, wanted 1"));
}

TEST(StateFile, RefusesReservedMetadata) {
  const test::TemporaryFolder folder;
  State state;
  state.metadata["weft_state"] = "mine";
  EXPECT_EQ(write_state(state, folder / "s").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace weft
