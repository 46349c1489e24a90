"""PyTorch on a GPU: eager steps and a replayed CUDA graph of one, in fp32, tf32 and bf16 (weights too).

    python3 bench/peers/cuda_torch.py [WIDTHS:BATCH ...]

Prints a row for each work, precision and way: microseconds a step (median of repeats, data on the GPU) and TFLOP/s,
counted as `weft bench` counts: 2 m n k for each product of a step."""
import statistics
import sys
import time

import torch

USUAL = ["4-4-4:2", "16-32-8:32", "784-128-10:64", "784-512-512-10:128", "1024-1024-1024-1024-1024:512",
         "4096-4096-4096-4096-4096:4096"]
PRECISIONS = {"fp32": (torch.float32, False), "tf32": (torch.float32, True), "bf16": (torch.bfloat16, True)}
RATE = 1e-4


def parse(work):
    widths, batch = work.split(":")
    return [int(width) for width in widths.split("-")], int(batch)


def operations(widths, batch):
    return sum(6 * batch * i * o for i, o in zip(widths, widths[1:])) - 2 * batch * widths[0] * widths[1]


def microseconds(step, seconds=0.3, repeats=5):
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    count = max(3, min(20000, int(seconds / repeats / max(time.perf_counter() - start, 1e-6))))
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        took.append((time.perf_counter() - start) / count * 1e6)
    return statistics.median(took)


def make_step(widths, batch, dtype):
    torch.manual_seed(0)
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=dtype)
    weights = [make(o, i).mul_(i**-0.5).requires_grad_() for i, o in zip(widths, widths[1:])]
    inputs, targets = make(batch, widths[0]), make(batch, widths[-1]) * 0.1

    def step():
        y = inputs
        for weight in weights[:-1]:
            y = torch.tanh(torch.nn.functional.linear(y, weight))
        loss = torch.nn.functional.mse_loss(torch.nn.functional.linear(y, weights[-1]), targets)
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            torch._foreach_add_(weights, gradients, alpha=-RATE)

    return step


def captured(step):
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def main():
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    for work in sys.argv[1:] or USUAL:
        widths, batch = parse(work)
        for precision, (dtype, tf32) in PRECISIONS.items():
            torch.backends.cuda.matmul.allow_tf32 = tf32
            step = make_step(widths, batch, dtype)
            for way, timed in (("eager", step), ("graph", captured(step))):
                took = microseconds(timed)
                print(f"{work:32} torch {way:6} {precision} {took:10.2f} us {operations(widths, batch) / took / 1e6:8.1f} TFLOP/s",
                      flush=True)


main()
