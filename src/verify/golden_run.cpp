// Running golden cases.
#include "src/verify/golden_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "src/core/try.h"
#include "src/verify/seed_example.h"

namespace weft::verify {
namespace {

std::vector<const Dense*> model_leaves(const Model& model) {
  return std::visit([](const auto& root) { return leaves(root); }, model);
}

Tensor tensor(const Shape& shape, const std::vector<double>& values, DType dtype) {
  return Tensor(shape, values).to(dtype);
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Keeps the worst error seen and says what it was. A NaN is worse than anything.
class Worst {
 public:
  explicit Worst(double tolerance) : tolerance_(tolerance) {}

  template <typename Place>
  void see(double got, double want, double scale, const Place& place) {
    double error = std::abs(got - want) / (scale > 0.0 ? scale : 1.0);
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= error_) return;
    error_ = error;
    if (error > tolerance_)
      detail_ = fmt::format("{}: got {:.9g}, wanted {:.9g}, error {:.2g}", place(), got, want, error);
  }

  double error() const { return error_; }
  const std::string& detail() const { return detail_; }

 private:
  double tolerance_;
  double error_ = 0.0;
  std::string detail_;
};

Status train(Session& session, const GoldenCase& golden, DType dtype, Worst& worst) {
  for (std::size_t call = 0; call < golden.inputs.size(); ++call) {
    const Tensor input = tensor(golden.input_shape, golden.inputs[call], dtype);
    const Tensor target = tensor(golden.target_shape, golden.targets[call], dtype);
    WEFT_ASSIGN_OR_RETURN(const TrainResult result, session.train(input, target, golden.options));
    if (!golden.expect.losses) continue;
    const double want = (*golden.expect.losses)[call];
    // A loss of exactly 0 is a line that fills: anything else there is wrong, however small.
    const double scale = want == 0.0 ? std::numeric_limits<double>::min() : std::abs(want);
    worst.see(result.loss, want, scale, [&] { return fmt::format("loss of call {}", call); });
  }
  return {};
}

void compare_leaves(const GoldenCase& golden, const std::vector<const Dense*>& found, Worst& worst) {
  const Expected& expect = golden.expect;
  for (std::size_t leaf = 0; leaf < found.size(); ++leaf) {
    const std::vector<double> none;
    const std::vector<double>& weights = expect.weights ? (*expect.weights)[leaf] : none;
    const std::vector<double>& biases = expect.biases ? (*expect.biases)[leaf] : none;
    const double scale = largest(weights) > 0.0 ? largest(weights) : largest(biases);
    const auto see = [&](const Tensor& got, const std::vector<double>& want, std::string_view what) {
      for (std::size_t i = 0; i < want.size(); ++i) {
        worst.see(got.at(static_cast<std::int64_t>(i)), want[i], scale,
                  [&] { return fmt::format("leaf {} {}[{}]", leaf + 1, what, i); });
      }
    };
    see(found[leaf]->weight, weights, "weight");
    if (!biases.empty()) see(*found[leaf]->bias, biases, "bias");
  }
}

Status compare_forward(Session& session, const GoldenCase& golden, DType dtype, Worst& worst) {
  const ExpectedForward& forward = *golden.expect.forward;
  WEFT_ASSIGN_OR_RETURN(const Tensor output, session.forward(tensor(forward.input_shape, forward.input, dtype),
                                                             {.ticks = golden.options.ticks}));
  const bool shape_differs = forward.output_shape && output.shape() != *forward.output_shape;
  if (shape_differs || output.elements() != static_cast<std::int64_t>(forward.output.size())) {
    return {StatusCode::kInvalidArgument,
            fmt::format("forward_out: got shape {}, wanted {}", to_string(output.shape()),
                        forward.output_shape ? to_string(*forward.output_shape)
                                             : fmt::format("{} numbers", forward.output.size()))};
  }
  const double scale = largest(forward.output);
  for (std::size_t i = 0; i < forward.output.size(); ++i) {
    worst.see(output.at(static_cast<std::int64_t>(i)), forward.output[i], scale,
              [&] { return fmt::format("forward_out[{}]", i); });
  }
  return {};
}

/// Trains a copy of the case's model and fills in the errors of `result`.
Status run(const GoldenCase& golden, const std::string& device, CaseResult& result) {
  Model model = golden.model;
  const MountOptions options{.device = device, .loss = golden.loss, .optimizer = sgd()};
  WEFT_ASSIGN_OR_RETURN(Session session, std::visit([&](auto& root) { return mount(root, options); }, model));
  const std::vector<const Dense*> found = model_leaves(model);
  const DType dtype = found.empty() ? DType::kFloat32 : found.front()->dtype;

  Worst losses(kLossTolerance), weights(kWeightTolerance), outputs(kWeightTolerance);
  WEFT_RETURN_IF_ERROR(train(session, golden, dtype, losses));
  WEFT_RETURN_IF_ERROR(session.sync_to_host());
  compare_leaves(golden, found, weights);
  if (golden.expect.forward) WEFT_RETURN_IF_ERROR(compare_forward(session, golden, dtype, outputs));

  result.loss_error = losses.error();
  result.weight_error = weights.error();
  result.output_error = outputs.error();
  for (const Worst* worst : {&losses, &weights, &outputs}) {
    if (worst->detail().empty()) continue;
    result.verdict = Verdict::kFail;
    result.detail += (result.detail.empty() ? "" : "; ") + worst->detail();
  }
  return session.close();
}

}  // namespace

double CaseResult::share() const {
  return std::max({loss_error / kLossTolerance, weight_error / kWeightTolerance, output_error / kWeightTolerance});
}

std::size_t FileResult::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const CaseResult& result) { return result.verdict == verdict; }));
}

CaseResult run_case(const std::string& name, const Result<GoldenCase>& golden, const std::string& device) {
  CaseResult result;
  result.name = name;
  const Status status = golden.ok() ? run(*golden, device, result) : golden.status();
  if (!status.ok()) {
    result.verdict = status.code() == StatusCode::kUnsupported ? Verdict::kUnsupported : Verdict::kFail;
    result.detail = status.message();
  }
  return result;
}

FileResult run_file(const GoldenFile& file, const std::string& device) {
  FileResult result{file.path, {}};
  for (const GoldenEntry& entry : file.entries) result.cases.push_back(run_case(entry.name, entry.golden, device));
  return result;
}

Status probe_device(const std::string& device) {
  Model model = seed_model(Mode{}, seed_weights());
  Result<Session> session = mount(std::get<Stack>(model), {.device = device});
  return session.ok() ? session->close() : session.status();
}

}  // namespace weft::verify
