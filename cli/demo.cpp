// weft demo: the two-layer example under one mode, or under every published one.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/option.h"
#include "src/core/names.h"
#include "src/core/try.h"
#include "src/verify/seed_example.h"
#include "weft/session.hpp"

namespace weft::cli {
namespace {

struct DemoOptions {
  std::vector<Mode> modes{Mode{}};
  std::int64_t steps = verify::kSeedCalls;
  std::string device = "cpu";
};

std::vector<Mode> published_modes() { return {all_modes().begin(), all_modes().begin() + kPublishedModeCount}; }

std::string schedule_text(Mode mode) {
  switch (mode.schedule) {
    case Schedule::kStack: return "Stack";
    case Schedule::kLine: return "Stack Line pipeline";
    case Schedule::kMesh: return fmt::format("Grid mesh clock ({} ticks/call)", verify::kSeedTicks);
  }
  return {};
}

/// All calls on one session; returns the last call's loss.
Result<double> train(Mode mode, const DemoOptions& options) {
  Model model = verify::seed_model(mode, verify::seed_weights());
  const MountOptions mounting{.device = options.device, .loss = mse, .optimizer = sgd()};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return mount(root, mounting); }, model));
  const Tensor input({2, 4}, verify::seed_input());
  const Tensor target(Shape{2, 4});
  double loss = 0.0;
  for (std::int64_t step = 0; step < options.steps; ++step) {
    WEFT_ASSIGN_OR_RETURN(
        const TrainResult result,
        session.train(input, target, {.mode = mode, .lr = verify::kSeedLearningRate, .ticks = verify::kSeedTicks}));
    loss = result.loss;
  }
  WEFT_RETURN_IF_ERROR(session.sync_to_host());
  WEFT_RETURN_IF_ERROR(session.close());
  return loss;
}

bool metal_could_be_here() {
#if defined(__APPLE__) && (defined(__aarch64__) || defined(__arm64__))
  return true;
#else
  const char* stand_in = std::getenv("WEFT_METAL_RUNTIME");
  return stand_in != nullptr && *stand_in != '\0';
#endif
}

int run(const DemoOptions& options) {
  if (options.device == "metal" && !metal_could_be_here()) {
    fmt::print("SKIP: Apple Metal needs Apple silicon macOS\n");
    return kExitOk;
  }
  for (const Mode mode : options.modes) {
    const Result<double> loss = train(mode, options);
    if (!loss.ok())
      return failed("demo",
                    Status(loss.status().code(), fmt::format("{}: {}", to_string(mode), loss.status().message())));
    fmt::print("mode={} schedule={} calls={} loss={:.8g} weights=synced-to-host\n", to_string(mode),
               schedule_text(mode), options.steps, *loss);
  }
  return kExitOk;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Run the two-layer example under one mode or all of them")->group("Look around");
  const auto accept_mode = [options](const std::string& text) {
    if (text == "all") {
      options->modes = published_modes();
      return;
    }
    const Result<Mode> mode = parse_mode(text);
    if (!mode.ok()) throw CLI::ValidationError("--mode", std::string(without_noun(mode.status().message())));
    options->modes = {*mode};
  };
  command
      ->add_option_function<std::string>("--mode", accept_mode,
                                         "A mode (see weft modes), or all: the 29 published ones")
      ->type_name("MODE|all")
      ->default_str("NormalBP");
  add_integer(*command, "--steps", options->steps, 1, INT32_MAX,
              "Training calls, all on one session; must be positive");
  add_device(*command, "--device", options->device, "Where to train");
  command->footer(
      R"(Two Dense 4x4 tanh layers with fixed weights and zero targets, MSE, learning rate 0.01. Flags may also be
written with one dash. Off Apple silicon, --device metal prints a line that starts with SKIP and succeeds.

Example:
  weft demo --mode StepBP --steps 8
  weft demo -mode all)");
  command->final_callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace weft::cli
