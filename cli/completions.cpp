// weft completions: scripts for the shells, made from the options as they are.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "src/core/names.h"
#include "weft/mode.hpp"

namespace weft::cli {
namespace {

enum class Shell { kBash, kZsh, kFish };

struct Flag {
  std::vector<std::string> names;  // "--mode", "-h"
  std::string description;
  std::string argument;              // empty: takes none
  std::vector<std::string> choices;  // of the argument; empty where it is free
};

struct Command {
  std::string name, description;
  std::vector<Flag> flags;
  std::vector<std::string> words;  // choices of a positional argument
  bool files = false;              // a positional argument that is no choice: files are offered
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t bar = text.find('|');
    parts.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    text.remove_prefix(bar + 1);
  }
}

/// What an option's shown type offers: "a|b|c" its parts, MODE every mode; other capitals (DIR, N) are placeholders.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  for (const std::string& part : split(type)) {
    if (part == "MODE") {
      for (const Mode mode : all_modes()) choices.push_back(to_string(mode));
    } else if (!part.empty() && part == lower_case(part)) {
      choices.push_back(part);
    }
  }
  return choices;
}

/// What stands for paths in an option's shown type: FILE, or FILE|DIR, or DIR alone.
enum class Paths { kNone, kFolders, kFiles };
Paths paths_of(const std::string& type) {
  Paths paths = Paths::kNone;
  for (const std::string& part : split(type)) {
    if (part == "FILE") return Paths::kFiles;
    if (part == "DIR") paths = Paths::kFolders;
  }
  return paths;
}

Command describe(const CLI::App& app) {
  Command command;
  command.name = app.get_name();
  command.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_size() == 0 ? "" : option->get_type_name();
    if (option->get_positional()) {
      command.words = choices_of(type);
      command.files = command.words.empty();
      continue;
    }
    Flag flag{{}, option->get_description(), type, choices_of(type)};
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    command.flags.push_back(std::move(flag));
  }
  return command;
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : command.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

/// The text inside single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return escaped;
}

std::string bash(const Command& root, const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string values;
    for (const Flag& flag : command.flags) {
      if (flag.argument.empty()) continue;
      const Paths paths = paths_of(flag.argument);
      const std::string reply =
          paths == Paths::kFiles     ? fmt::format("$(compgen -f -W '{}' -- \"$word\")", fmt::join(flag.choices, " "))
          : paths == Paths::kFolders ? "$(compgen -d -- \"$word\")"
                                     : fmt::format("$(compgen -W '{}' -- \"$word\")", fmt::join(flag.choices, " "));
      values += fmt::format("        {}) COMPREPLY=({}); return ;;\n", fmt::join(flag.names, "|"), reply);
    }
    std::vector<std::string> words = flag_names(command);
    words.insert(words.end(), command.words.begin(), command.words.end());
    cases += fmt::format("    {})\n", command.name);
    if (!values.empty()) cases += fmt::format("      case $before in\n{}      esac\n", values);
    cases += fmt::format("      COMPREPLY=($(compgen {}-W '{}' -- \"$word\")) ;;\n", command.files ? "-f " : "",
                         fmt::join(words, " "));
  }
  return fmt::format(R"(# bash completion of weft; made by: weft completions bash
_weft() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} {}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
}}
complete -F _weft weft
)",
                     names, fmt::join(flag_names(root), " "), cases);
}

/// Brackets and colons have a meaning in zsh's specifications.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
  return in_quotes(escaped);
}

std::string zsh(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    names += fmt::format("      '{}:{}'\n", command.name, zsh_text(command.description));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const Flag& flag : command.flags) {
      const Paths paths = paths_of(flag.argument);
      const std::string values = flag.argument.empty()      ? ""
                                 : paths == Paths::kFiles   ? ":file:_files"
                                 : paths == Paths::kFolders ? ":folder:_files -/"
                                 : flag.choices.empty()     ? fmt::format(":{}:", flag.argument)
                                                            : fmt::format(":value:({})", fmt::join(flag.choices, " "));
      for (const std::string& name : flag.names) {
        cases += fmt::format(" \\\n        '{}[{}]{}'", name, zsh_text(flag.description), values);
      }
    }
    if (!command.words.empty()) cases += fmt::format(" \\\n        '1:value:({})'", fmt::join(command.words, " "));
    if (command.files) cases += " \\\n        '1:file:_files'";
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef weft
# zsh completion of weft; made by: weft completions zsh
_weft() {{
  if ((CURRENT == 2)); then
    local -a commands=(
{}    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
_weft "$@"
)",
                     names, cases);
}

std::string fish(const std::vector<Command>& commands) {
  std::string script = "# fish completion of weft; made by: weft completions fish\ncomplete -c weft -f\n";
  for (const Command& command : commands) {
    script += fmt::format("complete -c weft -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                          in_quotes(command.description));
    const std::string here = fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Flag& flag : command.flags) {
      script += here;
      for (const std::string& name : flag.names) {
        script += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const Paths paths = paths_of(flag.argument);
      if (paths == Paths::kFiles) {
        script += " -r -F";
        if (!flag.choices.empty()) script += fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
      } else if (paths == Paths::kFolders) {
        script += " -x -a '(__fish_complete_directories)'";
      } else if (!flag.argument.empty()) {
        script += " -x";
        if (!flag.choices.empty()) script += fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
      }
      script += fmt::format(" -d '{}'\n", in_quotes(flag.description));
    }
    if (!command.words.empty()) script += fmt::format("{} -a '{}'\n", here, fmt::join(command.words, " "));
    if (command.files) script += here + " -F\n";
  }
  return script;
}

int run(const CLI::App& app, Shell shell) {
  std::vector<Command> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(describe(*command));
  switch (shell) {
    case Shell::kBash: fmt::print("{}", bash(describe(app), commands)); break;
    case Shell::kZsh: fmt::print("{}", zsh(commands)); break;
    case Shell::kFish: fmt::print("{}", fish(commands)); break;
  }
  return kExitOk;
}

}  // namespace

void add_completions(CLI::App& app, Action& action) {
  auto shell = std::make_shared<Shell>();
  CLI::App* command = app.add_subcommand("completions", "Print a completion script for a shell")->group("Set up");
  const auto accept = [shell](const std::string& text) {
    if (text != "bash" && text != "zsh" && text != "fish") {
      throw CLI::ValidationError("SHELL", fmt::format("seen '{}', wanted bash, zsh or fish", text));
    }
    *shell = text == "bash" ? Shell::kBash : text == "zsh" ? Shell::kZsh : Shell::kFish;
  };
  command->add_option_function<std::string>("SHELL", accept, "The shell")->type_name("bash|zsh|fish")->required();
  command->footer(R"(Examples:
  weft completions bash > ~/.local/share/bash-completion/completions/weft
  weft completions zsh > ~/.zfunc/_weft
  weft completions fish > ~/.config/fish/completions/weft.fish)");
  command->final_callback([&app, shell, &action] { action = [&app, shell] { return run(app, *shell); }; });
}

}  // namespace weft::cli
