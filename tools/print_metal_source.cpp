// print-metal-source: prints the text that Metal's compiler is handed, to be read, or given to `xcrun metal -c` on a
// Mac.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help.h"
#include "cli/model_option.h"
#include "src/core/try.h"
#include "src/generate/chip_text.h"
#include "src/generate/kernel_text.h"
#include "src/schedule/schedule.h"
#include "weft/weft.hpp"

namespace weft {
namespace {

constexpr int kFailed = 1, kBadCommandLine = 2;

constexpr const char* kFooter =
    R"(Without --program: the kernels that are started by name, one for each instruction. With it:
the kernel that trains a model under a mode within one threadgroup's memory.

Examples:
  print-metal-source > weft.metal
  print-metal-source --program StepBP --model 4-4-4 --batch 2
  print-metal-source --program MeshTween --model 8-8-8 --lanes 1
  print-metal-source --list

Exit codes: 0 printed, 1 there is no such text, 2 the command line cannot be used)";

struct Options {
  bool list = false;
  std::string program, model = "4-4-4";
  std::int64_t batch = 2, bytes = 32768;
  int lanes = 32;
  Loss loss = Loss::kMse;
  Optimizer optimizer;
};

struct Subject {
  Model model;
  Shape input, target;
};

Result<Subject> subject(const Options& options, Mode mode) {
  const Result<cli::Widths> parsed = cli::parse_widths(options.model);
  if (!parsed.ok()) return Status(parsed.status().code(), "--model: " + parsed.status().message());
  const cli::Widths& widths = *parsed;
  return Subject{cli::model_of_widths(widths, Activation::kTanh, true, mode.schedule),
                 {options.batch, widths.sizes.front()},
                 {options.batch, widths.sizes.back()}};
}

Result<std::string> program_text(const Options& options) {
  WEFT_ASSIGN_OR_RETURN(const Mode mode, parse_mode(options.program));
  WEFT_ASSIGN_OR_RETURN(Subject made, subject(options, mode));
  WEFT_RETURN_IF_ERROR(std::visit([](auto& root) { return root.initialise({.seed = 1}); }, made.model));
  WEFT_ASSIGN_OR_RETURN(
      const std::unique_ptr<Plan> plan,
      std::visit([&](const auto& root) { return make_plan(root, options.loss, options.optimizer); }, made.model));
  Call call{.mode = mode, .input = made.input, .target = made.target, .ticks = cli::ticks_through(made.model)};
  if (mode.schedule == Schedule::kLine) call.oldest = line_depth(*plan) - 1;  // a full pipe
  WEFT_ASSIGN_OR_RETURN(const Program program, build_training(*plan, call));
  WEFT_ASSIGN_OR_RETURN(ChipText text, metal_chip_text(program, plan->buffers,
                                                       {.most_bytes = options.bytes, .block = {0, options.lanes}}));
  return std::move(text.text);
}

void print_list() {
  fmt::print("kernels of the fixed text:\n");
  constexpr std::string_view kNames[] = {
#define WEFT_KERNEL(identifier, spread, items) "step_" #identifier,
#include "src/kernels/kernels.def"
#undef WEFT_KERNEL
      "finish_forward", "gather", "note"};
  for (const std::string_view name : kNames) fmt::print("  {}\n", name);
  fmt::print("modes for --program:\n");
  for (const Mode mode : all_modes()) fmt::print("  {}\n", to_string(mode));
}

void complain(const std::string& what) { std::fputs(("print-metal-source: " + what + "\n").c_str(), stderr); }

int print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) complain("the text could not be written");
  return written ? 0 : kFailed;
}

int run(const Options& options) {
  if (options.list) {
    print_list();
    return 0;
  }
  if (options.program.empty()) return print(entries_text());
  const Result<std::string> text = program_text(options);
  if (text.ok()) return print(*text);
  complain(text.status().message());
  return text.status().code() == StatusCode::kInvalidArgument ? kBadCommandLine : kFailed;
}

template <typename T>
auto into(T& value, Result<T> (*parse)(std::string_view), const char* flag) {
  return [&value, parse, flag](const std::string& text) {
    const Result<T> parsed = parse(text);
    if (!parsed.ok()) throw CLI::ValidationError(flag, parsed.status().message());
    value = *parsed;
  };
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  weft::Options options;
  weft::OptimizerKind optimizer = weft::OptimizerKind::kSgd;
  CLI::App app("Prints the source text that weft hands to Metal's compiler.", "print-metal-source");
  const auto formatter = std::make_shared<weft::cli::HelpFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);
  app.footer(weft::kFooter);
  app.add_flag("--list", options.list, "Name the fixed kernels, and the modes that --program takes");
  app.add_option("--program", options.program, "Print the generated kernel of this mode")->type_name("MODE");
  app.add_option("--model", options.model, "Widths of its dense layers")->type_name("WIDTHS")->default_str("4-4-4");
  app.add_option("--batch", options.batch, "Samples in a call")->check(CLI::Range(1, 65536))->default_str("2");
  app.add_option_function<std::string>("--loss", weft::into(options.loss, &weft::parse_loss, "--loss"), "mse or ce")
      ->default_str("mse");
  app.add_option_function<std::string>("--optimizer", weft::into(optimizer, &weft::parse_optimizer, "--optimizer"),
                                       "sgd, momentum, nesterov or adamw")
      ->default_str("sgd");
  app.add_option("--bytes", options.bytes, "Of a threadgroup's memory")
      ->check(CLI::Range(1024, 1 << 20))
      ->default_str("32768");
  app.add_option("--lanes", options.lanes, "Threads that move together; 1: they know of each other by barriers alone")
      ->check(CLI::IsMember({1, 32}))
      ->default_str("32");
  try {
    app.parse(argc, argv);
    options.optimizer.kind = optimizer;
    return weft::run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : weft::kBadCommandLine;
  } catch (const std::exception& error) {
    weft::complain(error.what());
    return weft::kFailed;
  }
}
