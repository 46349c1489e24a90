// What the commands of `weft` share: how they are added, how they end.
#pragma once

#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "weft/status.hpp"

namespace weft::cli {

// Exit codes, as `weft --help` states them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

/// What parsing decided to do; returns the exit code. Run after the whole command line was accepted.
using Action = std::function<int()>;

void add_demo(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_modes(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);
void add_completions(CLI::App& app, Action& action);

/// Writes `text` to stderr, after all that stdout was given. A stderr that is full or closed stops nothing: every
/// message of the command goes this way. Never throws.
void say(std::string_view text) noexcept;

/// Says on stderr what went wrong: "weft <command>: <message>". Returns kExitFailure.
int failed(std::string_view command, const Status& status);

/// As failed, for a value that passed parsing but cannot be used. Returns kExitUsage.
int misused(std::string_view command, std::string_view message);

}  // namespace weft::cli
