// Random models: what is drawn, and in which order.
#include "tests/support/models.h"

#include <cmath>

#include "src/core/try.h"

namespace weft::test {
namespace {

class Draw {
 public:
  Draw(std::uint64_t seed, const ModelOptions& options) : random_(seed, 77), options_(options) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(double share) { return random_.uniform() < share; }

  Activation activation() {
    static constexpr Activation kSmooth[] = {Activation::kLinear, Activation::kTanh, Activation::kSigmoid,
                                             Activation::kSilu, Activation::kGelu};
    static constexpr Activation kAll[] = {Activation::kLinear,   Activation::kTanh, Activation::kSigmoid,
                                          Activation::kSilu,     Activation::kGelu, Activation::kRelu2,
                                          Activation::kLeakyRelu};
    return options_.smooth ? kSmooth[between(0, 4)] : kAll[between(0, 6)];
  }

  Dense layer(std::int64_t in, std::int64_t out) {
    std::vector<double> weight, bias;
    const double bound = 1.2 / std::sqrt(static_cast<double>(in));
    for (std::int64_t i = 0; i < in * out; ++i) weight.push_back(random_.uniform(-bound, bound));
    for (std::int64_t i = 0; i < out; ++i) bias.push_back(random_.uniform(-0.3, 0.3));
    DenseOptions options{.dtype = options_.dtype, .weight = Tensor({out, in}, weight).to(options_.dtype)};
    if (chance(0.5)) options.bias_values = Tensor({out}, bias).to(options_.dtype);
    return dense(in, out, activation(), std::move(options));
  }

  Op branch(std::int64_t in, std::int64_t out) {
    if (chance(0.6)) return layer(in, out);
    const std::int64_t middle = between(2, 5);
    return stack({layer(in, middle), layer(middle, out)});
  }

  Op composite(std::int64_t in, std::int64_t out) {
    switch (between(0, 5)) {
      case 0: return parallel(Combine::kAdd, {branch(in, out), branch(in, out)});
      case 1: return parallel(Combine::kAvg, {branch(in, out), branch(in, out), layer(in, out)});
      case 2:
        if (out > 1) return parallel(Combine::kConcat, {branch(in, 1), branch(in, out - 1)});
        return layer(in, out);
      case 3: return filter({branch(in, out), branch(in, out)}, layer(in, 2));
      case 4: return stack({residual({layer(in, 3), layer(3, in)}), layer(in, out)});
      default: return stack({layer(in, 6), view({-1, 2, 3}), layer(3, 2), flatten(), layer(4, out)});
    }
  }

  const ModelOptions& options() const { return options_; }

 private:
  Random random_;
  ModelOptions options_;
};

bool reaches_output(Grid grid, const Shape& shape, int ticks) {
  auto session = mount(grid, {.device = "cpu"});
  return session.ok() &&
         session->print_program(shape, shape, {.mode = Mode{Schedule::kMesh, Rule::kBP}, .ticks = ticks}).ok();
}

}  // namespace

TestModel random_stack(std::uint64_t seed, const ModelOptions& options) {
  Draw draw(seed, options);
  const std::int64_t in = draw.between(2, 6);
  std::int64_t width = in;
  std::vector<Op> ops;
  const std::int64_t depth = draw.between(2, 4);
  for (std::int64_t i = 0; i < depth; ++i) {
    const std::int64_t next = draw.between(2, 6);
    ops.emplace_back(options.composites && draw.chance(0.5) ? draw.composite(width, next)
                                                            : Op(draw.layer(width, next)));
    width = next;
  }
  return {Stack(std::move(ops)), {1, in}, {1, width}, 1};
}

TestModel random_grid(std::uint64_t seed, const ModelOptions& options) {
  Draw draw(seed, options);
  constexpr std::int64_t kWidth = 4;
  Grid grid(draw.between(2, 3), draw.between(1, 2), 1, draw.between(1, 2));
  const auto count = static_cast<std::int64_t>(grid.cells.size());
  for (std::int64_t c = 0; c < count; ++c) {
    Cell& cell = grid.cells[static_cast<std::size_t>(c)];
    cell.disabled = c == 0 ? !options.feeds_itself : draw.chance(0.2) && c + 1 < count;
    const bool wants_composite = options.composites && draw.chance(0.3);
    if (!cell.disabled) {
      if (wants_composite && draw.chance(0.5))
        cell.op = residual({draw.layer(kWidth, 3), draw.layer(3, kWidth)});
      else if (wants_composite)
        cell.op = stack({draw.layer(kWidth, 3), draw.layer(3, kWidth)});
      else
        cell.op = draw.layer(kWidth, kWidth);
    }
    if (options.links && c > 0 && draw.chance(0.35)) cell.remote_link = draw.between(0, count - 1);
  }
  const int ticks = static_cast<int>(count) + 2;
  if (!reaches_output(grid, {1, kWidth}, ticks)) {
    for (Cell& cell : grid.cells) cell.remote_link.reset();
  }
  return {std::move(grid), {1, kWidth}, {1, kWidth}, ticks};
}

TestModel random_model(Mode mode, std::uint64_t seed, const ModelOptions& options) {
  return mode.schedule == Schedule::kMesh ? random_grid(seed, options) : random_stack(seed, options);
}

TestModel chain(Schedule schedule, std::vector<Op> ops) {
  const std::int64_t in = ops.front().get_if<Dense>()->in, out = ops.back().get_if<Dense>()->out;
  if (schedule != Schedule::kMesh) return {Stack(std::move(ops)), {1, in}, {1, out}, 1};
  Grid grid(static_cast<std::int64_t>(ops.size()) + 1, 1, 1, 1);
  grid.cells[0].disabled = true;
  for (std::size_t i = 0; i < ops.size(); ++i) grid.cells[i + 1].op = std::move(ops[i]);
  return {std::move(grid), {1, in}, {1, out}, static_cast<int>(ops.size()) + 1};
}

Tensor random_tensor(const Shape& shape, std::int64_t batch, std::uint64_t seed, DType dtype) {
  const Shape batched = shape.with_batch(batch);
  Random random(seed, 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < batched.elements(); ++i) values.push_back(random.uniform(-1.0, 1.0));
  return Tensor(batched, std::move(values)).to(dtype);
}

Tensor random_probabilities(const Shape& shape, std::int64_t batch, std::uint64_t seed, DType dtype) {
  const Tensor raw = random_tensor(shape, batch, seed, DType::kFloat64);
  std::vector<double> values;
  const std::int64_t n = raw.shape().features();
  for (std::int64_t row = 0; row < raw.shape().rows(); ++row) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) sum += raw.at(row * n + i) + 1.1;
    for (std::int64_t i = 0; i < n; ++i) values.push_back((raw.at(row * n + i) + 1.1) / sum);
  }
  return Tensor(raw.shape(), std::move(values)).to(dtype);
}

Trainer::Trainer(const TestModel& model, MountOptions options)
    : model_(std::make_unique<TestModel>(model)), loss_(options.loss) {
  dtype_ = std::visit([](const auto& root) { return leaves(root).front()->dtype; }, model_->root);
  session_.emplace(std::visit([&](auto& root) { return mount(root, options).value(); }, model_->root));
}

Tensor Trainer::input(std::uint64_t seed, std::int64_t batch) const {
  return random_tensor(model_->input, batch, 2 * seed, dtype_);
}

Tensor Trainer::target(std::uint64_t seed, std::int64_t batch) const {
  return loss_ == Loss::kMse ? random_tensor(model_->target, batch, 2 * seed + 1, dtype_)
                             : random_probabilities(model_->target, batch, 2 * seed + 1, dtype_);
}

TrainResult Trainer::train(Mode mode, std::uint64_t seed, double lr, std::int64_t batch, int alt_times) {
  return session_
      ->train(input(seed, batch), target(seed, batch),
              {.mode = mode, .lr = lr, .ticks = model_->ticks, .alt_times = alt_times})
      .value();
}

TrainResult Trainer::train(Mode mode, const Tensor& input, const Tensor& target, double lr) {
  return session_->train(input, target, {.mode = mode, .lr = lr, .ticks = model_->ticks}).value();
}

std::vector<Numbers> Trainer::weights() {
  session_->sync_to_host().value();
  std::vector<Numbers> all;
  for (const Dense* leaf : std::visit([](const auto& root) { return leaves(root); }, std::as_const(model_->root))) {
    Numbers& numbers = all.emplace_back();
    for (std::int64_t i = 0; i < leaf->weight.elements(); ++i) numbers.push_back(leaf->weight.at(i));
    for (std::int64_t i = 0; leaf->bias && i < leaf->bias->elements(); ++i) numbers.push_back(leaf->bias->at(i));
  }
  return all;
}

std::map<std::string, State::Values> Trainer::memory() {
  State state = session_->save_state().value();
  std::erase_if(state.arrays, [](const auto& entry) { return entry.first.starts_with("pipe/"); });
  return std::move(state.arrays);
}

std::vector<ModeParam> every_mode() {
  std::vector<ModeParam> params;
  for (const Mode mode : all_modes()) params.push_back({mode});
  return params;
}

}  // namespace weft::test
