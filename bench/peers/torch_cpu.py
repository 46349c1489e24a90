"""PyTorch on the CPU, eager: a step is the forward pass, autograd, and the update in place.

Usage: torch_cpu.py THREADS SECONDS REPEATS WIDTHS:BATCH...
"""
import torch

import steps


def make_run(widths, batch):
    weights, inputs, targets = steps.numbers(widths, batch)
    weights = [torch.from_numpy(weight).requires_grad_() for weight in weights]
    inputs, targets = torch.from_numpy(inputs), torch.from_numpy(targets)

    def step():
        y = inputs
        for weight in weights[:-1]:
            y = torch.tanh(torch.nn.functional.linear(y, weight))
        y = torch.nn.functional.linear(y, weights[-1])
        loss = torch.nn.functional.mse_loss(y, targets)
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            torch._foreach_add_(weights, gradients, alpha=-steps.RATE)

    def run(count):
        for _ in range(count):
            step()

    return run


def main():
    works, seconds, repeats, threads = steps.arguments()
    torch.set_num_threads(threads)
    for name, widths, batch in works:
        steps.report("torch eager", torch.__version__, name, steps.time_steps(make_run(widths, batch), seconds, repeats))


main()
