// Random models and data, named by a seed, and a mounted copy of a model to train.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "weft/weft.hpp"

namespace weft::test {

/// A model, what it takes and gives, and (grids) the ticks after which its output is settled.
struct TestModel {
  std::variant<Stack, Grid> root;
  Shape input, target;  // of one sample, batch axis first
  int ticks = 1;
};

struct ModelOptions {
  DType dtype = DType::kFloat32;
  bool smooth = false;        // no kinks: finite differences hold
  bool composites = true;     // parallel, residual, view, nesting; else a plain chain
  bool links = true;          // grids: remote links
  bool feeds_itself = false;  // grids: cell 0 enabled
};

/// Depth, widths, activations, biases, nesting and combines drawn from the seed.
TestModel random_stack(std::uint64_t seed, const ModelOptions& options = {});
/// Cells of one width, some disabled, some linked, stacks and residuals in some.
TestModel random_grid(std::uint64_t seed, const ModelOptions& options = {});
/// What the mode's schedule runs on.
TestModel random_model(Mode mode, std::uint64_t seed, const ModelOptions& options = {});

/// A chain of dense layers in a stack, or for mesh modes in a grid behind a disabled ingress.
TestModel chain(Schedule schedule, std::vector<Op> ops);

/// Numbers in [-1, 1) of a shape with another batch size.
Tensor random_tensor(const Shape& shape, std::int64_t batch, std::uint64_t seed, DType dtype = DType::kFloat32);
/// Positive rows that add up to one, as cross-entropy's targets.
Tensor random_probabilities(const Shape& shape, std::int64_t batch, std::uint64_t seed, DType dtype = DType::kFloat32);

using Numbers = std::vector<double>;

/// A copy of a model, mounted.
class Trainer {
 public:
  explicit Trainer(const TestModel& model, MountOptions options = {.device = "cpu"});

  Session& session() { return *session_; }
  DType dtype() const { return dtype_; }

  /// Train on the data named by `seed`. Errors throw.
  TrainResult train(Mode mode, std::uint64_t seed, double lr = 0.05, std::int64_t batch = 3, int alt_times = 1);
  TrainResult train(Mode mode, const Tensor& input, const Tensor& target, double lr);
  Tensor forward(const Tensor& input) { return session_->forward(input, {.ticks = model_->ticks}).value(); }
  Tensor input(std::uint64_t seed, std::int64_t batch = 3) const;
  Tensor target(std::uint64_t seed, std::int64_t batch = 3) const;

  /// Each leaf's weights and then biases, as they are on the device.
  std::vector<Numbers> weights();
  /// Optimizer and rule state.
  std::map<std::string, State::Values> memory();
  const TestModel& model() const { return *model_; }

 private:
  std::unique_ptr<TestModel> model_;
  DType dtype_ = DType::kFloat32;
  Loss loss_ = Loss::kMse;
  std::optional<Session> session_;
};

/// Calls of training that let a line fill, refresh a cache (20 calls) and take every turn of Sparse.
inline constexpr int kManyCalls = 23;

inline std::vector<Mode> modes_of(Schedule schedule) {
  std::vector<Mode> modes;
  for (const Mode mode : all_modes())
    if (mode.schedule == schedule) modes.push_back(mode);
  return modes;
}

/// For names of parametrised tests.
struct ModeParam {
  Mode mode;
};
inline void PrintTo(const ModeParam& param, std::ostream* stream) { *stream << to_string(param.mode); }
std::vector<ModeParam> every_mode();

#define WEFT_FOR_EVERY_MODE(suite)                               \
  INSTANTIATE_TEST_SUITE_P(                                      \
      Modes, suite, testing::ValuesIn(weft::test::every_mode()), \
      [](const testing::TestParamInfo<weft::test::ModeParam>& info) { return weft::to_string(info.param.mode); })

}  // namespace weft::test
