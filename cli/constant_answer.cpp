// Mean targets, and what is left beside them.
#include "cli/constant_answer.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace weft::cli {
namespace {

/// The entropy of the mean distribution.
double cross_entropy(const std::vector<double>& means) {
  double sum = 0.0;
  for (const double mean : means) {
    if (mean > 0.0) sum -= mean * std::log(mean);
  }
  return sum;
}

}  // namespace

double constant_answer_loss(const data::Samples& samples, Loss loss) {
  const Tensor& targets = samples.targets;
  const std::int64_t rows = samples.size(), outputs = targets.elements() / rows;
  std::vector<double> means(static_cast<std::size_t>(outputs), 0.0);
  for (std::int64_t i = 0; i < targets.elements(); ++i) means[static_cast<std::size_t>(i % outputs)] += targets.at(i);
  for (double& mean : means) mean /= static_cast<double>(rows);
  if (loss == Loss::kCrossEntropy) return cross_entropy(means);
  double sum = 0.0;
  for (std::int64_t i = 0; i < targets.elements(); ++i) {
    const double gap = targets.at(i) - means[static_cast<std::size_t>(i % outputs)];
    sum += gap * gap;
  }
  return sum / static_cast<double>(targets.elements());
}

}  // namespace weft::cli
