// Names, ids and parsing of the modes, all from rules.def.
#include "weft/mode.hpp"

#include <algorithm>
#include <cstddef>

#include "src/core/names.h"

namespace weft {
namespace {

constexpr int kScheduleCount = 3;

struct RuleRow {
  Rule rule;
  std::string_view name, stem, aliases;
  std::array<int, kScheduleCount> ids;  // stack, line, mesh
  std::string_view formula;
};

constexpr std::array kRules{
#define WEFT_RULE(identifier, name, stem, aliases, stack_id, line_id, mesh_id, formula) \
  RuleRow{Rule::k##identifier, name, stem, aliases, {stack_id, line_id, mesh_id}, formula},
#include "weft/rules.def"
#undef WEFT_RULE
};

struct ScheduleRow {
  Schedule schedule;
  std::string_view name, published_prefix, alias_prefix;
};

constexpr std::array<ScheduleRow, kScheduleCount> kSchedules{{
    {Schedule::kStack, "stack", "", ""},
    {Schedule::kLine, "line", "Step", "step"},
    {Schedule::kMesh, "mesh", "Mesh", "mesh"},
}};

// The one published name that its rule's stem does not give.
constexpr std::string_view kStackBP = "NormalBP";

// On the mesh these two rules are target propagation, with arithmetic of their own.
constexpr std::string_view kMeshTween = "t <- t W / sum|W|; W += r mean((t - y)^T x)";
constexpr std::string_view kMeshTweenChain = "chain rule on t - y at the output; W += r dW";

constexpr std::array<Mode, kModeCount> modes_by_id() {
  std::array<Mode, kModeCount> modes{};
  for (const RuleRow& row : kRules) {
    for (const ScheduleRow& schedule : kSchedules) {
      const int id = row.ids[static_cast<std::size_t>(schedule.schedule)];
      if (id >= 1 && id <= kModeCount) modes[static_cast<std::size_t>(id - 1)] = {schedule.schedule, row.rule};
    }
  }
  return modes;
}

constexpr int count_of_id(int id) {
  int count = 0;
  for (const RuleRow& row : kRules) {
    for (int other : row.ids) count += other == id ? 1 : 0;
  }
  return count;
}

constexpr bool ids_without_gaps() {
  for (int id = 1; id <= kModeCount; ++id) {
    if (count_of_id(id) != 1) return false;
  }
  return true;
}

constexpr int ids_between(int first, int last) {
  int count = 0;
  for (const RuleRow& row : kRules) {
    for (int id : row.ids) count += id >= first && id <= last ? 1 : 0;
  }
  return count;
}

static_assert(kRules.size() == kRuleCount);
static_assert(kRuleCount * kScheduleCount == kModeCount);
static_assert(ids_without_gaps(), "the ids of rules.def are 1..33, each once");
static_assert(ids_between(1, kPublishedModeCount) == 29 && ids_between(kPublishedModeCount + 1, kModeCount) == 4,
              "29 published modes and 4 of our own");

constexpr std::array<Mode, kModeCount> kModes = modes_by_id();

const RuleRow& row_of(Rule rule) { return kRules[static_cast<std::size_t>(rule)]; }
const ScheduleRow& row_of(Schedule schedule) { return kSchedules[static_cast<std::size_t>(schedule)]; }

struct Spelling {
  std::string folded;
  Mode mode;
};

void add_spelling(std::vector<Spelling>& spellings, std::string_view name, Mode mode) {
  std::string folded = fold_name(name);
  const auto same = [&](const Spelling& other) { return other.folded == folded; };
  if (std::none_of(spellings.begin(), spellings.end(), same)) spellings.push_back({std::move(folded), mode});
}

// Every accepted spelling; published names come first, so that no alias can hide one.
std::vector<Spelling> all_spellings() {
  std::vector<Spelling> spellings;
  for (Mode mode : kModes) add_spelling(spellings, to_string(mode), mode);
  for (Mode mode : kModes) {
    const std::string prefix(row_of(mode.schedule).alias_prefix);
    const RuleRow& rule = row_of(mode.rule);
    add_spelling(spellings, prefix + std::string(rule.name), mode);
    std::string_view rest = rule.aliases;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      add_spelling(spellings, prefix + std::string(rest.substr(0, end)), mode);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return spellings;
}

const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> all = all_spellings();
  return all;
}

std::optional<Mode> find_mode(std::string_view name) {
  const std::string folded = fold_name(name);
  for (const Spelling& spelling : spellings()) {
    if (spelling.folded == folded) return spelling.mode;
  }
  return std::nullopt;
}

Status unknown_mode(std::string_view name, bool inherit) {
  std::vector<KnownName> known;
  if (inherit) known.push_back({"inherit", "inherit"});
  for (const Spelling& spelling : spellings()) known.push_back({spelling.folded, to_string(spelling.mode)});
  return unknown_name("mode", name, known);
}

}  // namespace

std::string to_string(Mode mode) {
  if (mode == Mode{Schedule::kStack, Rule::kBP}) return std::string(kStackBP);
  return std::string(row_of(mode.schedule).published_prefix) + std::string(row_of(mode.rule).stem);
}

std::string_view to_string(Rule rule) { return row_of(rule).name; }
std::string_view to_string(Schedule schedule) { return row_of(schedule).name; }
std::string_view formula(Rule rule) { return row_of(rule).formula; }

std::string_view formula(Mode mode) {
  if (mode == Mode{Schedule::kMesh, Rule::kTween}) return kMeshTween;
  if (mode == Mode{Schedule::kMesh, Rule::kTweenChain}) return kMeshTweenChain;
  return formula(mode.rule);
}

int id(Mode mode) { return row_of(mode.rule).ids[static_cast<std::size_t>(mode.schedule)]; }

std::optional<Mode> mode_with_id(int id) {
  if (id < 1 || id > kModeCount) return std::nullopt;
  return kModes[static_cast<std::size_t>(id - 1)];
}

const std::array<Mode, kModeCount>& all_modes() { return kModes; }

Result<Mode> parse_mode(std::string_view name) {
  if (const auto mode = find_mode(name)) return *mode;
  return unknown_mode(name, false);
}

Result<OptionalMode> parse_optional_mode(std::string_view name) {
  if (fold_name(name) == "inherit") return OptionalMode();
  if (const auto mode = find_mode(name)) return OptionalMode(mode);
  return unknown_mode(name, true);
}

}  // namespace weft
