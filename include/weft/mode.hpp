// Mode: schedule x credit rule. The names and ids come from rules.def.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/status.hpp"

namespace weft {

/// When samples move: all at once, one op per call, or by the clock of a grid.
enum class Schedule : std::uint8_t { kStack, kLine, kMesh };

/// How much each leaf is told.
enum class Rule : std::uint8_t {
#define WEFT_RULE(identifier, ...) k##identifier,
#include "weft/rules.def"
#undef WEFT_RULE
};

inline constexpr int kRuleCount = 11;
inline constexpr int kModeCount = 33;
inline constexpr int kPublishedModeCount = 29;

/// One of the 33 update modes.
struct Mode {
  Schedule schedule = Schedule::kStack;
  Rule rule = Rule::kBP;
  bool operator==(const Mode&) const = default;
};

/// The mode of a child or branch: a mode of its own, or (nullopt, "inherit") the parent's.
using OptionalMode = std::optional<Mode>;

/// "NormalBP", "StepTweenSplit", ... the published name.
std::string to_string(Mode mode);
std::string_view to_string(Rule rule);
std::string_view to_string(Schedule schedule);  // "stack", "line", "mesh"
/// The rule's arithmetic in one line.
std::string_view formula(Rule rule);
/// The mode's: the rule's, but for the mesh's two target propagations.
std::string_view formula(Mode mode);

/// Published id 1..29, ours 30..33.
int id(Mode mode);
std::optional<Mode> mode_with_id(int id);

/// All 33 modes in id order; the first 29 are the published ones.
const std::array<Mode, kModeCount>& all_modes();

/// Parses a name or alias without regard to case, '-' and '_'.
/// Errors: kInvalidArgument listing the nearest known names.
Result<Mode> parse_mode(std::string_view name);

/// As parse_mode, and "inherit" is nullopt.
Result<OptionalMode> parse_optional_mode(std::string_view name);

}  // namespace weft
