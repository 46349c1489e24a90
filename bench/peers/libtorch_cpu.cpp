// libtorch: PyTorch's kernels and autograd from C++, the step of torch_cpu.py without the interpreter.
//
// peer.h says how this is started and what it answers.
#include <torch/torch.h>

#include <vector>

#include "peer.h"

namespace {

struct Net {
  std::vector<torch::Tensor> weights;  // [out, in]
  torch::Tensor inputs, targets;

  torch::Tensor loss() const {
    torch::Tensor y = inputs;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i) y = torch::tanh(torch::linear(y, weights[i]));
    return torch::mse_loss(torch::linear(y, weights.back()), targets);
  }

  void step(double rate) {
    const auto gradients = torch::autograd::grad({loss()}, weights);
    const torch::NoGradGuard guard;
    at::_foreach_add_(weights, gradients, -rate);
  }
};

void run(void* self, long steps, double rate) {
  for (long i = 0; i < steps; ++i) static_cast<Net*>(self)->step(rate);
}

double loss(void* self) { return static_cast<Net*>(self)->loss().item<double>(); }

}  // namespace

int main(int count, char** arguments) {
  static work work;
  if (work_open(&work, count, arguments) == 0) return 2;
  at::set_num_threads(work.threads);
  Net net;
  for (int i = 0; i + 1 < work.count; ++i)
    net.weights.push_back(torch::from_blob(work.weights[i], {work.widths[i + 1], work.widths[i]}).requires_grad_());
  net.inputs = torch::from_blob(work.inputs, {work.batch, work.widths[0]});
  net.targets = torch::from_blob(work.targets, {work.batch, work.widths[work.count - 1]});
  const peer peer = {run, run, loss, &net};
  return peer_answer(&peer, &work, "libtorch", PEER_VERSION);
}
