// Modes: the published names and ids, and every way to spell them.
#include "weft/mode.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// In id order, as published; the last four are our own.
constexpr std::array<const char*, kModeCount> kNames{"NormalBP",
                                                     "StepBP",
                                                     "Tween",
                                                     "TweenChain",
                                                     "StepTween",
                                                     "StepTweenChain",
                                                     "MeshBP",
                                                     "MeshTween",
                                                     "MeshTweenChain",
                                                     "TweenSplit",
                                                     "StepTweenSplit",
                                                     "TweenAlt",
                                                     "StepTweenAlt",
                                                     "TweenSplitHeadProxy",
                                                     "TweenSplitLinear",
                                                     "TweenSplitFastProxy",
                                                     "TweenSplitLinearCache",
                                                     "TweenSplitHeadProxyAsync",
                                                     "TweenSplitSparse",
                                                     "MeshTweenSplit",
                                                     "MeshTweenAlt",
                                                     "MeshTweenSplitFastProxy",
                                                     "MeshTweenSplitSparse",
                                                     "StepTweenSplitHeadProxy",
                                                     "StepTweenSplitLinear",
                                                     "StepTweenSplitFastProxy",
                                                     "StepTweenSplitLinearCache",
                                                     "StepTweenSplitHeadProxyAsync",
                                                     "StepTweenSplitSparse",
                                                     "MeshTweenSplitHeadProxy",
                                                     "MeshTweenSplitLinear",
                                                     "MeshTweenSplitLinearCache",
                                                     "MeshTweenSplitHeadProxyAsync"};

std::string parsed(std::string_view name) {
  const auto mode = parse_mode(name);
  return mode.ok() ? to_string(*mode) : mode.status().message();
}

TEST(Mode, NamesAndIdsAreThePublishedOnes) {
  ASSERT_EQ(all_modes().size(), kNames.size());
  for (int i = 0; i < kModeCount; ++i) {
    const Mode mode = all_modes()[static_cast<std::size_t>(i)];
    EXPECT_EQ(to_string(mode), kNames[static_cast<std::size_t>(i)]);
    EXPECT_EQ(id(mode), i + 1);
    EXPECT_EQ(mode_with_id(i + 1), mode);
    EXPECT_EQ(parsed(to_string(mode)), to_string(mode));
  }
  EXPECT_FALSE(mode_with_id(0).has_value());
  EXPECT_FALSE(mode_with_id(34).has_value());
  EXPECT_FALSE(mode_with_id(-1).has_value());
}

TEST(Mode, IsEveryScheduleTimesEveryRule) {
  std::set<std::pair<Schedule, Rule>> seen;
  for (Mode mode : all_modes()) seen.insert({mode.schedule, mode.rule});
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kModeCount));
  EXPECT_EQ(to_string(Schedule::kStack), "stack");
  EXPECT_EQ(to_string(Schedule::kLine), "line");
  EXPECT_EQ(to_string(Schedule::kMesh), "mesh");
}

TEST(Mode, ParsingIgnoresCaseAndSeparators) {
  EXPECT_EQ(parsed("normalbp"), "NormalBP");
  EXPECT_EQ(parsed("STEP_TWEEN-split_Head_Proxy"), "StepTweenSplitHeadProxy");
  EXPECT_EQ(parsed("mesh-bp"), "MeshBP");
}

TEST(Mode, Aliases) {
  const std::map<std::string, std::string> rest{{"split", "TweenSplit"},
                                                {"alt", "TweenAlt"},
                                                {"headproxy", "TweenSplitHeadProxy"},
                                                {"linear", "TweenSplitLinear"},
                                                {"fastproxy", "TweenSplitFastProxy"},
                                                {"fast", "TweenSplitFastProxy"},
                                                {"linearcache", "TweenSplitLinearCache"},
                                                {"asyncproxy", "TweenSplitHeadProxyAsync"},
                                                {"headproxyasync", "TweenSplitHeadProxyAsync"},
                                                {"sparse", "TweenSplitSparse"}};
  for (const auto& [alias, name] : rest) {
    EXPECT_EQ(parsed(alias), name);
    EXPECT_EQ(parsed("step" + alias), "Step" + name);
    EXPECT_EQ(parsed("Mesh-" + alias), "Mesh" + name);
  }
  for (const char* alias : {"sgd", "bp", "normal"}) {
    EXPECT_EQ(parsed(alias), "NormalBP");
    EXPECT_EQ(parsed(std::string("step") + alias), "StepBP");
    EXPECT_EQ(parsed(std::string("mesh_") + alias), "MeshBP");
  }
}

TEST(Mode, UnknownNamesListTheNearest) {
  EXPECT_EQ(parsed("TweenSplitt").substr(0, 61), "mode: unknown name 'TweenSplitt'; nearest known: TweenSplit, ");
  EXPECT_THAT(parsed("sprase"), HasSubstr("nearest known: TweenSplitSparse"));
  EXPECT_THAT(parsed("stepfsat"), HasSubstr("StepTweenSplitFastProxy"));
  EXPECT_THAT(parsed(""), StartsWith("mode: unknown name ''"));
  // Inherit is no mode of its own.
  EXPECT_THAT(parsed("inherit"), StartsWith("mode: unknown name 'inherit'"));
  EXPECT_EQ(parse_mode("x").status().code(), StatusCode::kInvalidArgument);
}

TEST(Mode, OptionalModesMayInherit) {
  EXPECT_EQ(*parse_optional_mode("Inherit"), OptionalMode());
  EXPECT_EQ(*parse_optional_mode("tween"), OptionalMode(Mode{Schedule::kStack, Rule::kTween}));
  EXPECT_THAT(parse_optional_mode("inherti").status().message(), HasSubstr("nearest known: inherit"));
}

TEST(Rule, HasANameAndAFormula) {
  std::set<std::string_view> names;
  for (int i = 0; i < kRuleCount; ++i) {
    const auto rule = static_cast<Rule>(i);
    names.insert(to_string(rule));
    EXPECT_FALSE(formula(rule).empty());
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kRuleCount));
  EXPECT_EQ(to_string(Rule::kHeadProxyAsync), "HeadProxyAsync");
}

}  // namespace
}  // namespace weft
