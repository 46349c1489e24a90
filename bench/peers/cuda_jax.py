"""JAX on a GPU: a jitted step called each time, and fori_loop over a hundred steps inside one jitted function.

    python3 bench/peers/cuda_jax.py [WIDTHS:BATCH ...]

Prints as cuda_torch.py, in JAX's default precision for float32 (tf32 where the GPU has it) and in its highest."""
import os
import statistics
import sys
import time

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import jax
import jax.numpy as jnp

USUAL = ["4-4-4:2", "16-32-8:32", "784-128-10:64", "784-512-512-10:128", "1024-1024-1024-1024-1024:512",
         "4096-4096-4096-4096-4096:4096"]
RATE, LOOP = 1e-4, 100


def parse(work):
    widths, batch = work.split(":")
    return [int(width) for width in widths.split("-")], int(batch)


def operations(widths, batch):
    return sum(6 * batch * i * o for i, o in zip(widths, widths[1:])) - 2 * batch * widths[0] * widths[1]


def loss(weights, inputs, targets):
    y = inputs
    for weight in weights[:-1]:
        y = jnp.tanh(y @ weight.T)
    return jnp.mean((y @ weights[-1].T - targets) ** 2)


def step(weights, inputs, targets):
    return [w - RATE * g for w, g in zip(weights, jax.grad(loss)(weights, inputs, targets))]


def loop(weights, inputs, targets):
    return jax.lax.fori_loop(0, LOOP, lambda _, w: step(w, inputs, targets), weights)


def microseconds(function, weights, inputs, targets, steps, seconds=0.3, repeats=5):
    def once():
        nonlocal weights
        weights = function(weights, inputs, targets)

    once()
    jax.block_until_ready(weights)
    start = time.perf_counter()
    once()
    jax.block_until_ready(weights)
    count = max(2, min(5000, int(seconds / repeats / max(time.perf_counter() - start, 1e-6))))
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            once()
        jax.block_until_ready(weights)
        took.append((time.perf_counter() - start) / count / steps * 1e6)
    return statistics.median(took)


def main():
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}")
    for work in sys.argv[1:] or USUAL:
        widths, batch = parse(work)
        keys = jax.random.split(jax.random.PRNGKey(0), len(widths) + 1)
        for precision in ("default", "highest"):
            with jax.default_matmul_precision(precision):
                for way, function, steps in (("jit", jax.jit(step, donate_argnums=0), 1),
                                             ("loop", jax.jit(loop, donate_argnums=0), LOOP)):
                    weights = [jax.random.normal(key, (o, i)) * i**-0.5 for key, i, o in zip(keys, widths, widths[1:])]
                    inputs = jax.random.normal(keys[-1], (batch, widths[0]))
                    targets = jax.random.normal(keys[-2], (batch, widths[-1])) * 0.1
                    took = microseconds(function, weights, inputs, targets, steps)
                    print(f"{work:32} JAX {way:4} {precision:8} {took:10.2f} us "
                          f"{operations(widths, batch) / took / 1e6:8.1f} TFLOP/s", flush=True)


main()
