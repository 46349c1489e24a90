"""JAX on the CPU: a jitted step called for each step, and the loop over the steps inside jit.

Usage: jax_cpu.py THREADS SECONDS REPEATS WIDTHS:BATCH...
The threads are those of the processors that the process may run on; the driver sees to it.
"""
import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp

import steps


def loss(weights, inputs, targets):
    y = inputs
    for weight in weights[:-1]:
        y = jnp.tanh(y @ weight)
    return jnp.mean((y @ weights[-1] - targets) ** 2)


def step(weights, inputs, targets):
    gradients = jax.grad(loss)(weights, inputs, targets)
    return [weight - steps.RATE * gradient for weight, gradient in zip(weights, gradients)]


@functools.partial(jax.jit, donate_argnums=0)
def loop(weights, inputs, targets, count):
    return jax.lax.fori_loop(0, count, lambda _, now: step(now, inputs, targets), weights)


call = jax.jit(step, donate_argnums=0)


class Run:
    """Keeps the weights from run to run: a donated array is gone."""

    def __init__(self, widths, batch):
        weights, inputs, targets = steps.numbers(widths, batch)
        self.weights = [jnp.asarray(weight.T) for weight in weights]  # [in, out], as JAX's users have it
        self.inputs, self.targets = jnp.asarray(inputs), jnp.asarray(targets)

    def calls(self, count):
        for _ in range(count):
            self.weights = call(self.weights, self.inputs, self.targets)
        jax.block_until_ready(self.weights)

    def loop(self, count):
        self.weights = jax.block_until_ready(loop(self.weights, self.inputs, self.targets, count))


def main():
    works, seconds, repeats, _ = steps.arguments()
    for name, widths, batch in works:
        steps.report("JAX jit", jax.__version__, name, steps.time_steps(Run(widths, batch).calls, seconds, repeats))
        steps.report("JAX loop", jax.__version__, name, steps.time_steps(Run(widths, batch).loop, seconds, repeats))


main()
