"""PyTorch on the CPU, eager: a step is the forward pass, autograd, and the update in place. See steps.py."""
import torch

import steps


class Net:
    def __init__(self, work):
        self.weights = [torch.from_numpy(weight).requires_grad_() for weight in work.weights]
        self.inputs, self.targets = torch.from_numpy(work.inputs), torch.from_numpy(work.targets)

    def loss(self):
        y = self.inputs
        for weight in self.weights[:-1]:
            y = torch.tanh(torch.nn.functional.linear(y, weight))
        return torch.nn.functional.mse_loss(torch.nn.functional.linear(y, self.weights[-1]), self.targets)

    def step(self, rate):
        gradients = torch.autograd.grad(self.loss(), self.weights)
        with torch.no_grad():
            torch._foreach_add_(self.weights, gradients, alpha=-rate)

    def run(self, count, rate):
        for _ in range(count):
            self.step(rate)


def main():
    work = steps.Work()
    torch.set_num_threads(work.threads)
    net = Net(work)
    steps.answer("torch eager", torch.__version__, work, net.run, lambda: net.loss().item())


main()
