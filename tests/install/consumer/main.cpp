// A program of another project: mounts, trains, prints.
#include <cstdio>
#include <weft/weft.hpp>

int main() {
  weft::Stack model{weft::dense(4, 4, weft::tanh), weft::dense(4, 4)};
  model.initialise({.seed = 1}).value();
  auto session = weft::mount(model, {.device = "cpu"}).value();
  const weft::Tensor x({2, 4}, std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0}), target({2, 4}, std::vector<float>(8, 0.5f));
  const double first = session.train(x, target, {.mode = "NormalBP", .lr = 0.5}).value().loss;
  double last = first;
  for (int call = 0; call < 50; ++call) last = session.train(x, target, {.mode = "NormalBP", .lr = 0.5}).value().loss;
  std::printf("weft %s: loss %g -> %g\n", weft::version(), first, last);
  return last < first ? 0 : 1;
}
