// Every update mode on two small layers: training_modes [--mode M|all] [--steps N] [--device D], also with one dash.
//
// One session lives for all calls, so that the line modes keep their pipe; mesh modes mount a grid whose first cell
// is a disabled ingress, and take four clock ticks a call.
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <weft/weft.hpp>

namespace {

constexpr int kTicks = 4;

struct Arguments {
  std::string mode = "NormalBP", device = "cpu";
  int steps = 8;
};

/// Small numbers with a pattern: ((i mod 5) - 2) * step.
std::vector<float> ramp(int count, float step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i % 5 - 2) * step);
  return values;
}

weft::Dense layer() { return weft::dense(4, 4, weft::tanh, {.weight = weft::Tensor({4, 4}, ramp(16, 0.04F))}); }

const char* schedule(weft::Mode mode) {
  if (mode.schedule == weft::Schedule::kMesh) return "Grid mesh clock (4 ticks/call)";
  return mode.schedule == weft::Schedule::kLine ? "Stack Line pipeline" : "Stack";
}

template <typename Model>
void train(Model model, weft::Mode mode, const Arguments& arguments) {
  auto session = weft::mount(model, {.device = arguments.device, .loss = weft::mse, .optimizer = weft::sgd()}).value();
  const weft::Tensor input({2, 4}, ramp(8, 0.1F));
  const weft::Tensor target(weft::Shape{2, 4});
  double loss = 0.0;
  for (int step = 0; step < arguments.steps; ++step) {
    loss = session.train(input, target, {.mode = mode, .lr = 0.01, .ticks = kTicks}).value().loss;
  }
  session.sync_to_host().value();
  fmt::print("mode={} schedule={} calls={} loss={:.8g} weights=synced-to-host\n", weft::to_string(mode), schedule(mode),
             arguments.steps, loss);
}

void train(weft::Mode mode, const Arguments& arguments) {
  if (mode.schedule != weft::Schedule::kMesh) return train(weft::Stack{layer(), layer()}, mode, arguments);
  weft::Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = layer();
  grid.cells[2].op = layer();
  train(std::move(grid), mode, arguments);
}

bool apple_silicon() {
#if defined(__APPLE__) && (defined(__aarch64__) || defined(__arm64__))
  return true;
#else
  return std::getenv("WEFT_METAL_RUNTIME") != nullptr;  // names a stand-in
#endif
}

/// False where the arguments cannot be used.
bool read(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; i += 2) {
    std::string_view flag = argv[i];
    if (flag.rfind("--", 0) == 0) flag.remove_prefix(1);
    if (i + 1 == argc) return false;
    const std::string value = argv[i + 1];
    if (flag == "-mode") {
      arguments.mode = value;
    } else if (flag == "-device") {
      arguments.device = value;
    } else if (flag == "-steps") {
      const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), arguments.steps);
      if (error != std::errc() || *stop != '\0' || arguments.steps < 1) {
        fmt::print(stderr, "training_modes: --steps must be positive, seen '{}'\n", value);
        return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  Arguments arguments;
  if (!read(argc, argv, arguments)) {
    fmt::print(stderr, "usage: training_modes [--mode M|all] [--steps N] [--device D]\n");
    return 2;
  }
  if (arguments.device == "metal" && !apple_silicon()) {
    fmt::print("SKIP: Apple Metal needs Apple silicon macOS\n");
    return 0;
  }
  if (arguments.mode != "all") {
    train(weft::parse_mode(arguments.mode).value(), arguments);
    return 0;
  }
  for (int id = 1; id <= weft::kPublishedModeCount; ++id) train(weft::mode_with_id(id).value(), arguments);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "training_modes: {}\n", error.what());
  return 1;
}
