// weft: the command line. One file per command; parsing and printing only.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help.h"
#include "src/core/names.h"
#include "weft/version.hpp"

namespace weft::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  weft demo --mode all                           every published mode on one small model
  weft modes                                     the 33 modes, and what each does
  weft data flowers.csv --label species          what a file holds: shape, types, ranges, classes
  weft train --data digits --mode TweenSplitFastProxy --out run
  weft train --mode StepBP --print-program       what one training call does, instruction by instruction
  weft eval run                                  how right the model is, class by class
  weft predict run --data new.csv --out classes.csv
  weft import net.safetensors --model 784-128-10 --rename fc1=leaf.1 --rename fc2=leaf.2 --out net
  weft export run --out weights.npz              the weights, for numpy.load
  weft verify --device native_cpu --against cpu  does a device agree with the reference?
  weft bench --work 784-128-10:64 --mode all     how long a training step takes
  weft completions bash > ~/.local/share/bash-completion/completions/weft

Exit codes:
  0    done
  1    it failed: data that cannot be used, a device that is not here, a file that cannot be written, a verification
       that does not hold
  2    the command line cannot be used: an unknown command, flag or value
  130  interrupted by Ctrl-C or SIGTERM; a training has saved its model where it has --out

`weft COMMAND --help` explains a command.)";

void describe(CLI::App& app) {
  app.description("weft trains neural networks natively under interchangeable update modes.");
  app.set_version_flag("--version", fmt::format("weft {}", version()), "Print the version");
  app.set_help_flag("-h,--help", "Print this");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);  // subcommands take it over
  app.footer(kFooter);
}

/// The manual of the host engine writes flags with one dash: -mode StepBP -steps 8. The demo takes both.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> list(argv + std::min(argc, 1), argv + argc);
  if (list.empty() || list.front() != "demo") return list;
  for (std::string& word : list) {
    for (const char* flag : {"-mode", "-steps", "-device", "-help"}) {
      if (word == flag || word.rfind(std::string(flag) + "=", 0) == 0) {
        word.insert(word.begin(), '-');
        break;
      }
    }
  }
  return list;
}

/// Keeps files that are opened later from getting the number of a stream that was closed (2>&-): messages would land in
/// them. stdout still refuses to be written.
void hold_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

/// CLI11's "--lr: At Most 1 required but received 2" and "--lr: 1 required X missing" in plain words; other messages as
/// they are.
std::string plain(std::string_view message) {
  constexpr std::string_view kMost = ": At Most 1 required but received ", kMissing = ": 1 required ";
  if (const auto at = message.find(kMost); at != std::string_view::npos) {
    const std::string_view times = message.substr(at + kMost.size());
    return fmt::format("{}: given {}, wanted once", message.substr(0, at),
                       times == "2" ? "twice" : fmt::format("{} times", times));
  }
  const auto at = message.find(kMissing), end = message.rfind(" missing");
  if (at == std::string_view::npos || end == std::string_view::npos || end < at + kMissing.size())
    return std::string(message);
  return fmt::format("{}: nothing follows it, wanted {}", message.substr(0, at),
                     message.substr(at + kMissing.size(), end - at - kMissing.size()));
}

/// Says why the command line cannot be used.
int explain(const CLI::App& app, const std::vector<std::string>& list, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  if (!parsed.empty()) {
    return misused(parsed.front()->get_name(),
                   fmt::format("{} (see weft {} --help)", plain(error.what()), parsed.front()->get_name()));
  }
  if (list.empty()) {
    say(app.help());
    return kExitUsage;
  }
  if (list.front().rfind('-', 0) == 0)
    return misused("", fmt::format("unknown flag {} (see weft --help)", quote(list.front())));
  std::vector<KnownName> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back({command->get_name(), command->get_name()});
  }
  return misused("", unknown_name("command", list.front(), known).message() + " (see weft --help)");
}

int run(int argc, char** argv) {
  CLI::App app("", "weft");
  describe(app);
  Action action;
  add_demo(app, action);
  add_train(app, action);
  add_eval(app, action);
  add_predict(app, action);
  add_verify(app, action);
  add_bench(app, action);
  add_modes(app, action);
  add_data(app, action);
  add_export(app, action);
  add_import(app, action);
  add_devices(app, action);
  add_version(app, action);
  add_completions(app, action);
  app.require_subcommand(1);

  const std::vector<std::string> list = arguments(argc, argv);
  try {
    app.parse(std::vector<std::string>(list.rbegin(), list.rend()));  // it takes them from the back
  } catch (const CLI::Success& asked) {                               // help or version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return explain(app, list, error);
  }
  return action();
}

}  // namespace

void say(std::string_view text) noexcept {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int failed(std::string_view command, const Status& status) {
  // Functions of the library that are called as the command begin their messages with that name.
  std::string_view message = status.message();
  if (message.starts_with(fmt::format("{}: ", command))) message.remove_prefix(command.size() + 2);
  say(fmt::format("weft{}{}: {}\n", command.empty() ? "" : " ", command, message));
  return kExitFailure;
}

int misused(std::string_view command, std::string_view message) {
  say(fmt::format("weft{}{}: {}\n", command.empty() ? "" : " ", command, message));
  return kExitUsage;
}

}  // namespace weft::cli

int main(int argc, char** argv) {
  weft::cli::hold_streams();
  int code = weft::cli::kExitFailure;
  try {
    code = weft::cli::run(argc, argv);
  } catch (const std::exception& error) {
    weft::cli::say("weft: ");
    weft::cli::say(error.what());
    weft::cli::say("\n");
  }
  // A full disk or a closed pipe is a failure too.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    weft::cli::say("weft: stdout cannot be written\n");
    if (code == weft::cli::kExitOk) code = weft::cli::kExitFailure;
  }
  return code;
}
