// A training step beside the bare products in it: Session::fit on native_cpu and OpenBLAS's sgemm with threads of its
// own take turns in one process. `bench_products_of_step [--threads N] [--mode M|all|stack|line|mesh]... [--seconds S]
// [--repeats R] [--shuffled] [WIDTHS:BATCH]...` prints medians.
#if defined(WEFT_HAVE_BLAS) && !defined(WEFT_HAVE_ACCELERATE)
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "bench/bare_products.h"
#include "src/core/try.h"
#include "src/schedule/schedule.h"
#include "weft/session.hpp"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;
using Model = std::variant<Stack, Grid>;

constexpr double kLearningRate = 1e-4;
constexpr auto kBlasFallsAsleep = std::chrono::milliseconds(60);  // its threads spin for about half as long

struct Work {
  std::string name;
  std::vector<std::int64_t> widths;
  std::int64_t batch = 0;
};

struct Options {
  std::vector<Work> works;
  std::vector<Mode> modes;
  std::int64_t threads = 2, repeats = 11;
  double seconds = 1.0;   // of work a line of the table
  bool shuffled = false;  // samples in random order, so that fit must gather them
};

/// 0 where the text is no number.
template <typename Number>
Number number_of(std::string_view text) {
  Number value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? value : Number(0);
}

Result<Work> parse_work(std::string_view text) {
  Work work{.name = std::string(text), .widths = {}, .batch = 0};
  const Status bad(StatusCode::kInvalidArgument, fmt::format("seen '{}', wanted WIDTHS:BATCH", text));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad;
  work.batch = number_of<std::int64_t>(text.substr(colon + 1));
  for (std::string_view rest = text.substr(0, colon); !rest.empty();) {
    const std::size_t dash = std::min(rest.find('-'), rest.size());
    work.widths.push_back(number_of<std::int64_t>(rest.substr(0, dash)));
    rest.remove_prefix(std::min(dash + 1, rest.size()));
  }
  const bool sizes = work.batch > 0 && work.widths.size() > 1 &&
                     std::all_of(work.widths.begin(), work.widths.end(), [](std::int64_t w) { return w > 0; });
  return sizes ? Result<Work>(std::move(work)) : Result<Work>(bad);
}

/// Layers without bias, tanh between them and a linear last one; for a mesh a column of cells behind a disabled one.
Model model_of(const Work& work, Schedule schedule) {
  std::vector<Op> layers;
  for (std::size_t i = 0; i + 1 < work.widths.size(); ++i) {
    const bool head = i + 2 == work.widths.size();
    layers.emplace_back(dense(work.widths[i], work.widths[i + 1], head ? Activation::kLinear : Activation::kTanh));
  }
  if (schedule != Schedule::kMesh) return Stack(std::move(layers));
  Grid grid(std::ssize(layers) + 1, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t i = 0; i < layers.size(); ++i) grid.cells[i + 1].op = std::move(layers[i]);
  return grid;
}

Tensor random_tensor(const Shape& shape, std::uint64_t stream) {
  Tensor tensor(shape);
  Random random(1, stream);
  for (float& value : tensor.mutable_values<float>()) value = static_cast<float>(random.uniform(-1.0, 1.0));
  return tensor;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

template <typename Run>
Result<double> seconds_of(Run&& run) {
  const Clock::time_point start = Clock::now();
  WEFT_RETURN_IF_ERROR(run());
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Calls of fit with as many steps as asked for, over one batch that stays in memory.
class Steps {
 public:
  Steps(Session session, const Work& work, Mode mode, bool shuffled)
      : session_(std::move(session)),
        work_(work),
        mode_(mode),
        ticks_(static_cast<int>(work.widths.size()) - 1),
        rows_(static_cast<std::size_t>(work.batch)) {
    std::iota(rows_.begin(), rows_.end(), 0);
    if (shuffled) rows_ = permutation(work.batch, 1, 0);
    samples_.inputs = random_tensor({work.batch, work.widths.front()}, 1);
    samples_.targets = random_tensor({work.batch, work.widths.back()}, 2);
  }

  Status run(std::int64_t steps) {
    while (std::ssize(order_) < steps * work_.batch) order_.insert(order_.end(), rows_.begin(), rows_.end());
    const auto order = std::span<const std::int64_t>(order_).first(static_cast<std::size_t>(steps * work_.batch));
    return session_
        .fit(samples_, {.mode = mode_, .lr = kLearningRate, .batch = work_.batch, .ticks = ticks_, .order = order})
        .status();
  }

 private:
  Session session_;
  const Work& work_;
  Mode mode_;
  int ticks_;
  data::Samples samples_;
  std::vector<std::int64_t> rows_, order_;
};

struct Row {
  double products, step;  // seconds
  double ratio;           // step to products, the median of the pairs that follow each other
  double rate;            // operations a second of the bare products
};

/// The products of the program that a full line, or any other call, runs.
Result<bench::BareProducts> bare_products(const Model& model, const Work& work, Mode mode) {
  WEFT_ASSIGN_OR_RETURN(const auto plan, std::visit([](auto& m) { return make_plan(m, Loss::kMse, {}); }, model));
  Call call{.mode = mode, .input = {work.batch, work.widths.front()}, .target = {work.batch, work.widths.back()}};
  if (mode.schedule == Schedule::kMesh) call.ticks = static_cast<int>(work.widths.size()) - 1;
  if (mode.schedule == Schedule::kLine) call.oldest = line_depth(*plan) - 1;
  WEFT_ASSIGN_OR_RETURN(const Program program, build_training(*plan, call));
  return bench::BareProducts(program, plan->buffers);
}

Result<Row> measure(const Work& work, Mode mode, const Options& options) {
  Model model = model_of(work, mode.schedule);
  WEFT_RETURN_IF_ERROR(std::visit([](auto& root) { return root.initialise(); }, model));
  WEFT_ASSIGN_OR_RETURN(bench::BareProducts products, bare_products(model, work, mode));
  const MountOptions mounting{.device = "native_cpu", .threads = static_cast<int>(options.threads)};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return mount(root, mounting); }, model));
  Steps steps(std::move(session), work, mode, options.shuffled);

  const auto run_products = [&](std::int64_t calls) {
    products.run(calls);
    return Status();
  };
  const auto run_steps = [&](std::int64_t calls) { return steps.run(calls); };
  const auto with_blas_threads = [&](int threads) {
    openblas_set_num_threads(threads);
    if (threads == 1) std::this_thread::sleep_for(kBlasFallsAsleep);
  };

  with_blas_threads(1);
  WEFT_RETURN_IF_ERROR(run_steps(30));  // its threads have started, the line is full, caches and clocks are warm
  WEFT_ASSIGN_OR_RETURN(const double ten, seconds_of([&] { return run_steps(10); }));
  // A multiple of 20 calls holds LinearCache's refreshes and Sparse's turns in equal parts; long steps have few.
  const double wanted = options.seconds / static_cast<double>(2 * options.repeats) / (ten / 10.0);
  const std::int64_t count =
      std::max<std::int64_t>(wanted > 20.0 ? std::llround(wanted / 20.0) * 20 : std::llround(wanted), 1);
  const std::int64_t warm = std::max<std::int64_t>(count / 8, 1);

  std::vector<double> of_products, of_steps, ratios;
  for (std::int64_t repeat = 0; repeat < options.repeats; ++repeat) {
    with_blas_threads(static_cast<int>(options.threads));
    WEFT_RETURN_IF_ERROR(run_products(warm));
    WEFT_ASSIGN_OR_RETURN(const double bare, seconds_of([&] { return run_products(count); }));
    with_blas_threads(1);
    WEFT_RETURN_IF_ERROR(run_steps(warm));
    WEFT_ASSIGN_OR_RETURN(const double step, seconds_of([&] { return run_steps(count); }));
    of_products.push_back(bare / static_cast<double>(count));
    of_steps.push_back(step / static_cast<double>(count));
    ratios.push_back(step / bare);
  }
  const double calls = static_cast<double>(options.repeats * (count + warm));
  const double bare = median(of_products);
  return Row{bare, median(of_steps), median(ratios), products.operations() / calls / bare};
}

Result<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view flag = arguments[i];
    if (!flag.starts_with("--")) {
      WEFT_ASSIGN_OR_RETURN(Work work, parse_work(flag));
      options.works.push_back(std::move(work));
      continue;
    }
    if (flag == "--shuffled") {
      options.shuffled = true;
      continue;
    }
    if (++i == arguments.size()) return Status(StatusCode::kInvalidArgument, fmt::format("{}: wanted a value", flag));
    const std::string_view value = arguments[i];
    if (flag == "--mode") {
      bool group = value == "all";
      for (const Mode mode : all_modes()) {
        if (value != "all" && value != to_string(mode.schedule)) continue;
        options.modes.push_back(mode);
        group = true;
      }
      if (group) continue;
      WEFT_ASSIGN_OR_RETURN(const Mode mode, parse_mode(value));
      options.modes.push_back(mode);
    } else if (flag == "--threads") {
      options.threads = number_of<std::int64_t>(value);
    } else if (flag == "--repeats") {
      options.repeats = number_of<std::int64_t>(value);
    } else if (flag == "--seconds") {
      options.seconds = number_of<double>(value);
    } else {
      return Status(StatusCode::kInvalidArgument, fmt::format("{}: not known", flag));
    }
  }
  if (options.threads < 1 || options.repeats < 1 || !(options.seconds > 0.0))
    return Status(StatusCode::kInvalidArgument, "--threads, --repeats and --seconds: wanted more than 0");
  if (options.modes.empty()) options.modes.push_back({});
  if (options.works.empty()) {
    for (const char* work : {"784-128-10:64", "784-512-512-10:128", "1024-1024-1024-1024-1024:512"}) {
      WEFT_ASSIGN_OR_RETURN(Work parsed, parse_work(work));
      options.works.push_back(std::move(parsed));
    }
  }
  return options;
}

Status run(std::span<char*> arguments) {
  WEFT_ASSIGN_OR_RETURN(const Options options, parse(arguments));
  fmt::print("OpenBLAS {}, {} threads each, µs a step, medians of {} that take turns\n", openblas_get_corename(),
             options.threads, options.repeats);
  fmt::print("{:<30} {:<28} {:>9} {:>9} {:>6} {:>8}\n", "work", "mode", "products", "step", "ratio", "GFLOP/s");
  for (const Work& work : options.works) {
    for (const Mode mode : options.modes) {
      WEFT_ASSIGN_OR_RETURN(const Row row, measure(work, mode, options));
      fmt::print("{:<30} {:<28} {:>9.1f} {:>9.1f} {:>6.2f} {:>8.0f}\n", work.name, to_string(mode), row.products * 1e6,
                 row.step * 1e6, row.ratio, row.rate / 1e9);
      std::fflush(stdout);
    }
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const Status status = run(std::span(arguments + 1, static_cast<std::size_t>(count - 1)));
  if (status.ok()) return 0;
  fmt::print(stderr, "products_of_step: {}\n", status.message());
  return 1;
}
#endif
