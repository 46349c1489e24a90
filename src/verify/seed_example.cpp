// The two-layer example.
#include "src/verify/seed_example.h"

namespace weft::verify {
namespace {

std::vector<float> ramp(int count, float step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i % 5 - 2) * step);
  return values;
}

}  // namespace

std::vector<float> seed_weights() { return ramp(16, 0.04F); }
std::vector<float> seed_input() { return ramp(8, 0.1F); }

Model seed_model(Mode mode, const std::vector<float>& w) {
  const Dense layer = dense(4, 4, tanh, {.weight = Tensor({4, 4}, w)});
  if (mode.schedule != Schedule::kMesh) return Stack{layer, layer};
  Grid grid(3, 1, 1, 1);
  grid.cells[0].disabled = true;
  grid.cells[1].op = layer;
  grid.cells[2].op = layer;
  return grid;
}

}  // namespace weft::verify
