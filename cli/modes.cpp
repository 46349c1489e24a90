// weft modes: the table of update modes.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "weft/mode.hpp"

namespace weft::cli {
namespace {

void print_json() {
  auto list = nlohmann::ordered_json::array();
  for (const Mode mode : all_modes()) {
    list.push_back({{"id", id(mode)},
                    {"name", to_string(mode)},
                    {"schedule", to_string(mode.schedule)},
                    {"rule", to_string(mode.rule)},
                    {"published", id(mode) <= kPublishedModeCount},
                    {"formula", formula(mode)}});
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table() {
  fmt::print("{:>2} {:<28} {:<5} {:<14} {}\n", "id", "name", "sched", "rule", "what it does");
  for (const Mode mode : all_modes()) {
    fmt::print("{:>2} {:<28} {:<5} {:<14} {}\n", id(mode), to_string(mode), to_string(mode.schedule),
               to_string(mode.rule), formula(mode));
  }
  fmt::print(
      "\nschedules  stack: one full forward, then the rule. line: a pipe over the ops, one op a call.\n"
      "           mesh: the cells of a grid on a clock. Ids 30 to 33 are weft's own, the others published.\n"
      "symbols    g: gap at the output. N: number of leaves; the head is the last one, W_N its weights.\n"
      "           U(gap, lr): a leaf's own update, at the call's lr where none is written. P: resizes a\n"
      "           gap to the leaf's output. J_N^T g = (g * act'(z)) W_N. c: carry. t: target.\n"
      "           r: a tenth of lr, less where t and y of a cell disagree.\n");
}

}  // namespace

void add_modes(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("modes", "List the 33 update modes: schedule, rule, formula")->group("Look around");
  command->add_flag("--json", *json, "Print JSON: a list of {id, name, schedule, rule, published, formula}");
  command->footer(R"(Names are taken without regard to case, '-' and '_'; short ones too: bp, fast, stepsparse, meshalt.

Example:
  weft modes --json)");
  command->final_callback([json, &action] {
    action = [json] {
      *json ? print_json() : print_table();
      return kExitOk;
    };
  });
}

}  // namespace weft::cli
