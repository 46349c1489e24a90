// Timing with the steady clock: warm-up, a number of steps that fills a repeat, then the repeats.
#include "cli/bench_measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "cli/bench_memory.h"
#include "cli/bench_plan.h"
#include "cli/model_option.h"
#include "src/core/try.h"
#include "weft/device.hpp"
#include "weft/fleet.hpp"
#include "weft/random.hpp"

namespace weft::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLearningRate = 1e-4;
constexpr std::int64_t kWarmUpCalls = 20;
constexpr std::int64_t kMostOrder = 1 << 20;  // samples that one fit goes over
constexpr std::int64_t kPeakWidth = 2048, kLeastPeakWidth = 256;
constexpr double kMostPeakSeconds = 2.0;
constexpr int kPeakCalls = 10;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Status stopped() { return {StatusCode::kFailedPrecondition, "interrupted"}; }

Result<Session> mount_model(Model& model, const std::string& device, const BenchSettings& settings,
                            std::int64_t threads, std::uint64_t seed) {
  const MountOptions mounting{.device = device,
                              .loss = settings.loss,
                              .optimizer = optimizer_of(settings),
                              .threads = device == "native_cpu" ? static_cast<int>(threads) : 0,
                              .precision = settings.precision};
  WEFT_RETURN_IF_ERROR(std::visit([&](auto& root) { return root.initialise({.seed = seed}); }, model));
  return std::visit([&](auto& root) { return mount(root, mounting); }, model);
}

/// Nets that differ in their weights, and the sessions on them.
struct Members {
  std::vector<Model> models;
  std::optional<Fleet> fleet;
};

Result<Members> mount_members(const BenchWork& work, Mode mode, const std::string& device,
                              const BenchSettings& settings) {
  const std::int64_t threads = work.members > 1 && settings.threads == 0 ? 1 : settings.threads;
  const auto count = static_cast<std::size_t>(work.members);
  Members made;
  made.models.assign(count, model_of_widths(work.widths, settings.activation, settings.bias, mode.schedule));
  std::vector<Session> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    WEFT_ASSIGN_OR_RETURN(Session session, mount_model(made.models[i], device, settings, threads, i + 1));
    sessions.push_back(std::move(session));
  }
  WEFT_ASSIGN_OR_RETURN(made.fleet, Fleet::make(std::move(sessions)));
  return made;
}

Tensor random_tensor(const Shape& shape, std::uint64_t stream) {
  Tensor tensor(shape);
  Random random(1, stream);
  for (float& value : tensor.mutable_values<float>()) value = static_cast<float>(random.uniform(-1.0, 1.0));
  return tensor;
}

/// One batch: inputs and targets within -1 and 1; for cross-entropy the targets are one-hot.
data::Samples samples_of(const BenchWork& work, Loss loss) {
  const std::int64_t outputs = work.widths.sizes.back();
  data::Samples samples;
  samples.inputs = random_tensor({work.batch, work.widths.sizes.front()}, 1);
  samples.targets = random_tensor({work.batch, outputs}, 2);
  if (loss != Loss::kCrossEntropy) return samples;
  const auto targets = samples.targets.mutable_values<float>();
  std::fill(targets.begin(), targets.end(), 0.0F);
  for (std::int64_t row = 0; row < work.batch; ++row)
    targets[static_cast<std::size_t>(row * outputs + row % outputs)] = 1.0F;
  return samples;
}

/// A cell's sessions and the steps that can be asked of them.
class Steps {
 public:
  Steps(Fleet& fleet, const data::Samples& samples, std::span<const std::int64_t> order, Mode mode, int ticks)
      : fleet_(fleet), samples_(samples), order_(order), mode_(mode), ticks_(ticks) {}

  /// So many steps, in as few calls of fit as the order has room for.
  Status fit(std::int64_t steps) {
    const std::int64_t batch = samples_.size(), room = std::ssize(order_) / batch;
    if (!held_) {
      WEFT_ASSIGN_OR_RETURN(held_, fleet_.hold(samples_));
    }
    while (steps > 0) {
      const std::int64_t now = std::min(steps, room);
      const FitOptions options{.mode = mode_,
                               .lr = kLearningRate,
                               .batch = batch,
                               .ticks = ticks_,
                               .order = order_.first(static_cast<std::size_t>(now * batch))};
      if (fleet_.size() == 1) {
        WEFT_ASSIGN_OR_RETURN(const FitResult result, fleet_[0].fit(*held_, options));
        finite_ = finite_ && result.non_finite == 0;
      } else {
        WEFT_ASSIGN_OR_RETURN(const std::vector<FitResult> results, fleet_.fit(*held_, {&options, 1}));
        for (const FitResult& result : results) finite_ = finite_ && result.non_finite == 0;
      }
      steps -= now;
    }
    return {};
  }

  Status call(std::int64_t steps) {
    const TrainOptions options{.mode = mode_, .lr = kLearningRate, .ticks = ticks_};
    for (; steps > 0; --steps) {
      for (std::size_t i = 0; i < fleet_.size(); ++i) {
        WEFT_ASSIGN_OR_RETURN(const TrainResult result, fleet_[i].train(samples_.inputs, samples_.targets, options));
        finite_ = finite_ && result.finite;
      }
    }
    return {};
  }

  /// Untimed: until the line is full and kWarmUpCalls were made; of slow calls fewer, once the line is full.
  Status warm_up(std::int64_t layers, double seconds, const Interrupt& interrupt) {
    const Clock::time_point start = Clock::now();
    for (std::int64_t made = 0; made < layers || (made < kWarmUpCalls && since(start) < seconds); ++made) {
      if (interrupt.asked()) return stopped();
      WEFT_RETURN_IF_ERROR(fit(1));
    }
    return {};
  }

  bool finite() const { return finite_; }

 private:
  Fleet& fleet_;
  const data::Samples& samples_;
  std::optional<HeldSamples> held_;  // where a device has its own memory, they lie there
  std::span<const std::int64_t> order_;
  Mode mode_;
  int ticks_;
  bool finite_ = true;
};

/// `run(steps)` does so many steps.
template <typename Run>
Result<Timing> time_steps(const BenchSettings& settings, const Interrupt& interrupt, Run&& run) {
  const double wanted = settings.seconds / static_cast<double>(settings.repeats);
  const auto seconds_of = [&](std::int64_t steps) -> Result<double> {
    if (interrupt.asked()) return stopped();
    const Clock::time_point start = Clock::now();
    WEFT_RETURN_IF_ERROR(run(steps));
    return since(start);
  };
  // More and more steps until they take long enough to tell how many fill a repeat.
  Timing timing;
  std::int64_t steps = 1;
  while (true) {
    WEFT_ASSIGN_OR_RETURN(const double took, seconds_of(steps));
    if (took >= wanted / 8.0 || steps > INT32_MAX) {
      timing.steps = std::max<std::int64_t>(std::llround(static_cast<double>(steps) * wanted / took), 1);
      break;
    }
    steps *= 4;
  }
  std::vector<double> repeats;
  for (std::int64_t i = 0; i < settings.repeats; ++i) {
    WEFT_ASSIGN_OR_RETURN(const double took, seconds_of(timing.steps));
    repeats.push_back(took * 1e6 / static_cast<double>(timing.steps));
  }
  std::sort(repeats.begin(), repeats.end());
  const std::size_t half = repeats.size() / 2;
  timing.median = repeats.size() % 2 == 1 ? repeats[half] : (repeats[half - 1] + repeats[half]) / 2.0;
  timing.least = repeats.front();
  timing.most = repeats.back();
  return timing;
}

/// The best of `calls` inferences of the square layers, in seconds; fewer of them once `enough` seconds have passed.
Result<double> best_inference(const std::string& device, const BenchSettings& settings, std::int64_t width, int calls,
                              double enough, const Interrupt& interrupt) {
  Model model = model_of_widths({std::vector<std::int64_t>(kPeakLayers + 1, width)}, Activation::kLinear, false,
                                Schedule::kStack);
  WEFT_ASSIGN_OR_RETURN(Session session, mount_model(model, device, settings, settings.threads, 1));
  const Tensor input = random_tensor({width, width}, 1);
  double best = INFINITY;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls && (i < 2 || since(start) < enough); ++i) {
    if (interrupt.asked()) return stopped();
    const Clock::time_point begin = Clock::now();
    WEFT_RETURN_IF_ERROR(session.forward(input).status());
    best = std::min(best, since(begin));
  }
  WEFT_RETURN_IF_ERROR(session.close());
  return best;
}

Result<BenchCell> measure(const BenchWork& work, Mode mode, const std::string& device, const BenchSettings& settings,
                          bool calls, const Interrupt& interrupt) {
  BenchCell cell{.work = work,
                 .mode = mode,
                 .device = device,
                 .cost = {},
                 .resident = {},
                 .call = {},
                 .memory = {},
                 .weights = 0,
                 .tape_bytes = 0};
  std::vector<std::int64_t> order(
      static_cast<std::size_t>(std::max(kMostOrder / work.batch, std::int64_t{1}) * work.batch));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i) % work.batch;

  const data::Samples samples = samples_of(work, settings.loss);
  WEFT_ASSIGN_OR_RETURN(const PlannedStep planned, plan_step(work, mode, settings));
  cell.weights = planned.weights;
  cell.tape_bytes = planned.tape_bytes;

  const PeakMemory memory;
  WEFT_ASSIGN_OR_RETURN(Members members, mount_members(work, mode, device, settings));
  Fleet& fleet = *members.fleet;
  const int ticks = ticks_through(members.models.front());
  WEFT_ASSIGN_OR_RETURN(cell.cost,
                        fleet[0].cost(samples.inputs.shape(), samples.targets.shape(), {.mode = mode, .ticks = ticks}));
  cell.cost.operations *= static_cast<double>(work.members);

  Steps steps(fleet, samples, order, mode, ticks);
  WEFT_RETURN_IF_ERROR(steps.warm_up(std::ssize(work.widths.sizes) - 1, settings.seconds, interrupt));
  WEFT_ASSIGN_OR_RETURN(cell.resident, time_steps(settings, interrupt, [&](std::int64_t n) { return steps.fit(n); }));
  if (calls) {
    WEFT_ASSIGN_OR_RETURN(cell.call, time_steps(settings, interrupt, [&](std::int64_t n) { return steps.call(n); }));
  }
  cell.finite = steps.finite();
  for (std::size_t i = 0; i < fleet.size(); ++i) WEFT_RETURN_IF_ERROR(fleet[i].close());
  cell.memory = memory.growth();
  return cell;
}

}  // namespace

Result<BenchDevice> measure_peak(const std::string& device, const BenchSettings& settings, const Interrupt& interrupt) {
  BenchDevice result{.name = device, .description = {}};
  for (const DeviceInfo& info : devices()) {
    if (info.name == device) result.description = info.description;
  }
  // For one inference, and for all at one width; short runs are content with a smaller product.
  const double most = std::min(kMostPeakSeconds, 2.0 * settings.seconds);
  std::int64_t width = kLeastPeakWidth;
  WEFT_ASSIGN_OR_RETURN(double best, best_inference(device, settings, width, 3, most, interrupt));
  while (width < kPeakWidth && best * 8.0 <= most) {
    width *= 2;
    const int calls = width == kPeakWidth ? kPeakCalls : 3;
    WEFT_ASSIGN_OR_RETURN(best, best_inference(device, settings, width, calls, 2.0 * most, interrupt));
  }
  result.peak_width = width;
  result.peak = 2.0 * kPeakLayers * std::pow(static_cast<double>(width), 3.0) / best;
  return result;
}

Result<BenchCell> measure_cell(const BenchWork& work, Mode mode, const std::string& device,
                               const BenchSettings& settings, bool calls, const Interrupt& interrupt) {
  auto cell = measure(work, mode, device, settings, calls, interrupt);
  if (cell.ok()) return cell;
  return Status(cell.status().code(), fmt::format("{} in mode {} on {}: {}", to_string(work), to_string(mode), device,
                                                  cell.status().message()));
}

}  // namespace weft::cli
