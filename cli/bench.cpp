// weft bench: how long a training step takes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/bench_measure.h"
#include "cli/bench_plan.h"
#include "cli/bench_report.h"
#include "cli/bench_table.h"
#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "weft/device.hpp"
#include "weft/version.hpp"

namespace weft::cli {
namespace {

constexpr const char* kUsualWorks[] = {"4-4-4:2", "10-32-32-1:1", "16-32-8:32", "784-128-10:64", "784-512-512-10:128"};

struct BenchOptions {
  std::vector<BenchWork> works;
  std::vector<Mode> modes;
  std::vector<std::string> devices;
  BenchSettings settings;
  bool calls = false, growth = false, json = false;
  std::string compare;
  bool threads_given = false;
};

/// Adds what is not there yet: two cells of one kind could not be told apart.
template <typename T, typename Same>
void add_new(std::vector<T>& list, T value, Same&& same) {
  if (std::none_of(list.begin(), list.end(), [&](const T& other) { return same(other, value); }))
    list.push_back(std::move(value));
}

void add_work(std::vector<BenchWork>& works, const std::string& text) {
  auto work = parse_work(text);
  if (!work.ok()) throw CLI::ValidationError("--work", work.status().message());
  add_new(works, *std::move(work), [](const BenchWork& a, const BenchWork& b) { return to_string(a) == to_string(b); });
}

/// A mode, a schedule's modes, or all.
void add_modes_of(std::vector<Mode>& modes, const std::string& text) {
  bool group = text == "all";
  for (const Mode mode : all_modes()) {
    if (text != "all" && text != to_string(mode.schedule)) continue;
    group = true;
    add_new(modes, mode, std::equal_to<>());
  }
  if (group) return;
  const auto mode = parse_mode(text);
  if (!mode.ok()) throw CLI::ValidationError("--mode", std::string(without_noun(mode.status().message())));
  add_new(modes, *mode, std::equal_to<>());
}

void add_device_of(std::vector<std::string>& list, const std::string& text) {
  std::vector<std::string> names;
  for (const DeviceInfo& device : devices()) names.push_back(device.name);
  if (std::find(names.begin(), names.end(), text) == names.end())
    throw CLI::ValidationError("--device",
                               fmt::format("seen {}, wanted one of {}", quote(text), fmt::join(names, ", ")));
  add_new(list, text, std::equal_to<>());
}

/// That every device is here, before time is spent on any.
Status check_devices(const BenchOptions& options) {
  for (const DeviceInfo& device : devices()) {
    const bool asked = std::find(options.devices.begin(), options.devices.end(), device.name) != options.devices.end();
    if (asked && !device.available)
      return {StatusCode::kNotFound, fmt::format("--device {}: {}", device.name, device.reason)};
  }
  return {};
}

/// A work and a mode that go together, told before time is spent on others.
struct Timed {
  BenchWork work;
  Mode mode;
};

/// What is to be timed; what is refused goes to the report's omissions. Errors: kResourceExhausted.
Result<std::vector<Timed>> sort_out(const BenchOptions& options, BenchReport& report) {
  std::vector<Timed> timed;
  for (const BenchWork& work : options.works) {
    for (const Mode mode : options.modes) {
      const auto planned = plan_step(work, mode, options.settings);
      if (planned.ok()) {
        timed.push_back({work, mode});
      } else if (planned.status().code() == StatusCode::kResourceExhausted) {
        return Status(planned.status().code(),
                      fmt::format("{} in mode {}: {}", to_string(work), to_string(mode), planned.status().message()));
      } else {
        report.omissions.push_back({work, mode, planned.status().message()});
      }
    }
  }
  return timed;
}

/// Until all is timed or a signal came.
Status measure(const BenchOptions& options, const std::vector<Timed>& all, const Interrupt& interrupt,
               BenchReport& report) {
  for (const std::string& name : options.devices) {
    auto device = measure_peak(name, options.settings, interrupt);
    if (interrupt.asked()) return {};
    if (!device.ok()) return device.status();
    report.devices.push_back(*std::move(device));
  }
  if (!options.json) fmt::print("{}", heading_text(report));
  BenchTable table(options.works, options.modes, options.calls, options.growth);
  for (const BenchDevice& device : report.devices) {
    if (!options.json) fmt::print("{}", table.head(device.name, report.devices.size() > 1));
    for (const auto& [work, mode] : all) {
      std::fflush(stdout);
      auto cell = measure_cell(work, mode, device.name, options.settings, options.calls, interrupt);
      if (interrupt.asked()) return {};
      if (!cell.ok()) return cell.status();
      if (!options.json) fmt::print("{}", table.row(*cell, device.peak));
      report.cells.push_back(*std::move(cell));
    }
  }
  if (!options.json) fmt::print("{}", omissions_text(report));
  return {};
}

/// The table is printed already.
void print_rest(const BenchOptions& options, const BenchReport& report, const std::optional<BenchReport>& old_report) {
  if (options.json) fmt::print("{}", to_json(report));
  if (!old_report) return;
  const std::string text = comparison_text(*old_report, report, options.compare);
  options.json ? say(text) : fmt::print("{}", text);
}

int run(const BenchOptions& options) {
  const auto& names = options.devices;
  if (options.threads_given && std::find(names.begin(), names.end(), "native_cpu") == names.end())
    return misused("bench", fmt::format("--threads: no effect with --device {}, wanted native_cpu among the devices",
                                        fmt::join(names, ", ")));
  if (options.settings.precision != Precision::kFloat32 &&
      std::any_of(names.begin(), names.end(), [](const std::string& name) { return name != "cuda"; }))
    return misused("bench", fmt::format("--precision: seen {} with --device {}, wanted cuda alone",
                                        to_string(options.settings.precision), fmt::join(names, ", ")));
  if (options.growth && options.json)
    return misused("bench", "--growth: has no effect with --json, wanted one of them: JSON always has its numbers");
  std::optional<BenchReport> old_report;
  if (!options.compare.empty()) {
    auto loaded = load_bench_report(options.compare);
    if (!loaded.ok()) return failed("bench", Status(loaded.status().code(), "--compare: " + loaded.status().message()));
    old_report = *std::move(loaded);
  }
  if (const Status status = check_devices(options); !status.ok()) return failed("bench", status);

  BenchReport report{.version = version(),
                     .build = build_type(),
                     .compiler = compiler(),
                     .settings = options.settings,
                     .devices = {},
                     .cells = {},
                     .omissions = {}};
  const auto all = sort_out(options, report);
  if (!all.ok()) return failed("bench", all.status());
  if (all->empty()) {
    const BenchOmission& first = report.omissions.front();
    return misused("bench",
                   fmt::format("--work {} --mode {}: {}", to_string(first.work), to_string(first.mode), first.reason));
  }
  if (report.build != "release")
    say(fmt::format("weft bench: warning: this is a {} build, wanted a release build to be measured\n", report.build));
  const Interrupt interrupt;
  if (const Status status = measure(options, *all, interrupt, report); !status.ok()) return failed("bench", status);
  print_rest(options, report, old_report);
  if (interrupt.asked()) {
    say(fmt::format("weft bench: interrupted after {} of {} timings\n", report.cells.size(),
                    all->size() * options.devices.size()));
    return kExitInterrupted;
  }
  return kExitOk;
}

/// An option that may be given several times; `shown` as in add_named.
template <typename T>
CLI::Option* add_several(CLI::App& command, const std::string& flag, std::vector<T>& list,
                         void (*add)(std::vector<T>&, const std::string&), const std::string& shown,
                         const std::string& description) {
  const auto accept = [&list, add](const std::vector<std::string>& texts) {
    list.clear();
    for (const std::string& text : texts) add(list, text);
  };
  return command.add_option_function<std::vector<std::string>>(flag, accept, description)
      ->type_name(shown)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_what(CLI::App& command, BenchOptions& options) {
  const std::string group = "What is timed";
  for (const char* work : kUsualWorks) add_work(options.works, work);
  options.modes = {Mode{}};
  options.devices = {MountOptions{}.device};
  std::string names;
  for (const DeviceInfo& device : devices()) names += (names.empty() ? "" : "|") + device.name;
  add_several(command, "--work", options.works, add_work, "WIDTHS:BATCH", "Layers and batch, may be repeated")
      ->default_str("five of them")
      ->group(group);
  add_several(command, "--mode", options.modes, add_modes_of, "MODE|all|stack|line|mesh", "May be repeated")
      ->default_str("NormalBP")
      ->group(group);
  add_several(command, "--device", options.devices, add_device_of, names, "May be repeated")
      ->default_str("native_cpu")
      ->group(group);
  add_integer(command, "--threads", options.settings.threads, 0, 1024, "Of native_cpu; 0 for the physical cores")
      ->group(group);
  add_named<Precision>(command, "--precision", options.settings.precision, parse_precision, "fp32|tf32|bf16",
                       "Of cuda: how the factors of products may be rounded")
      ->group(group);
  add_named<Activation>(command, "--activation", options.settings.activation, parse_activation,
                        "linear|relu|relu2|leakyrelu|silu|gelu|tanh|sigmoid",
                        "Of the hidden layers; the last one is linear")
      ->group(group);
  command.add_flag("--bias", options.settings.bias, "Give every layer a bias")->group(group);
  add_named<Loss>(command, "--loss", options.settings.loss, parse_loss, "mse|ce",
                  "Mean squared error or softmax cross-entropy")
      ->group(group);
  add_named<OptimizerKind>(command, "--optimizer", options.settings.optimizer, parse_optimizer,
                           "sgd|momentum|nesterov|adamw", "How a gradient moves the weights")
      ->group(group);
}

void add_how(CLI::App& command, BenchOptions& options) {
  const std::string group = "How";
  add_positive(command, "--seconds", options.settings.seconds, "Spent on each timing")->group(group);
  add_integer(command, "--repeats", options.settings.repeats, 1, 1000, "That share them; their median counts")
      ->group(group);
  command.add_flag("--calls", options.calls, "Time a Session::train for each step too")->group(group);
  command.add_flag("--growth", options.growth, "Show what a layer and a weight take in place of rates")->group(group);
  command.add_flag("--json", options.json, "Print JSON instead of the table")->group(group);
  const auto accept = [&options](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError("--compare", "seen '', wanted a file that weft bench --json wrote");
    options.compare = text;
  };
  command.add_option_function<std::string>("--compare", accept, "Say how the times stand to those in this file")
      ->type_name("FILE")
      ->group(group);
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Time training steps: shapes x modes x devices")->group("Train and check");
  add_what(*command, *options);
  add_how(*command, *options);
  command->footer(
      R"(µs/step   a step of Session::fit over one batch of samples in memory, thousands of steps before it
          returns; the median of the repeats
span      from the fastest repeat to the slowest, in percent of the median
GFLOP/s   2 m n k for each matrix product of a step, one under a condition (Sparse) counted as run
peak      that rate as a share of what large layers reached on the device in the same run
bytes     by which the process grew, at its largest, samples not counted; '-' where the system does
          not tell
µs/call   --calls: a Session::train with the caller's tensors for each step
tapes     --growth: bytes of tapes, gaps, gradients and samples in the pipe; the rest of the memory is
          told apart from them, and by weight

Widths: 256x5 is 256-256-256-256-256, four layers. 4-4-4:2:132 is a fleet: a step is one of 132 such
nets side by side, on native_cpu a thread each. A mode that refuses the layers, the loss or the
optimizer is left out and named; where nothing is left the command line cannot be used.
Ctrl-C and SIGTERM end the timing under way: what was measured is printed, with exit code 130.

Works: 4-4-4:2, 10-32-32-1:1, 16-32-8:32, 784-128-10:64 and 784-512-512-10:128 where none is given.
Mesh modes run the layers as the cells of a grid, with as many clock ticks as layers. Times depend on
what else the machine does: a large span says so. bench/peers/run sets other libraries beside these.

Examples:
  weft bench
  weft bench --work 784-128-10:64 --mode all
  weft bench --work 1024x5:512 --mode NormalBP --mode TweenSplit --threads 1
  weft bench --work 256x3:128 --work 256x17:128 --work 256x65:128 --mode NormalBP --growth
  weft bench --json > old.json; weft bench --compare old.json)");
  command->final_callback([options, command, &action] {
    options->threads_given = command->count("--threads") > 0;
    action = [options] { return run(*options); };
  });
}

}  // namespace weft::cli
