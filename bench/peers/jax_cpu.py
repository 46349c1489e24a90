"""JAX on the CPU: a jitted step called for each step (`jit`), or the loop over the steps inside jit (`loop`). See steps.py.

The last argument says which. The threads are those of the processors that the process may run on; the driver sees to it.
"""
import functools
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp

import steps


@jax.jit
def loss(weights, inputs, targets):
    y = inputs
    for weight in weights[:-1]:
        y = jnp.tanh(y @ weight)
    return jnp.mean((y @ weights[-1] - targets) ** 2)


def step(rate, weights, inputs, targets):
    gradients = jax.grad(loss)(weights, inputs, targets)
    return [weight - rate * gradient for weight, gradient in zip(weights, gradients)]


@functools.cache
def jitted_step(rate):
    return jax.jit(functools.partial(step, rate), donate_argnums=0)


@functools.cache
def jitted_loop(rate):
    def loop(weights, inputs, targets, count):
        return jax.lax.fori_loop(0, count, lambda _, now: step(rate, now, inputs, targets), weights)

    return jax.jit(loop, donate_argnums=0)


class Net:
    """Keeps the weights from run to run: a donated array is gone."""

    def __init__(self, work):
        self.weights = [jnp.array(weight.T) for weight in work.weights]  # [in, out], as JAX's users have it
        self.inputs, self.targets = jnp.array(work.inputs), jnp.array(work.targets)

    def loss(self):
        return float(loss(self.weights, self.inputs, self.targets))

    def jit(self, count, rate):
        call = jitted_step(rate)
        for _ in range(count):
            self.weights = call(self.weights, self.inputs, self.targets)
        jax.block_until_ready(self.weights)

    def loop(self, count, rate):
        self.weights = jax.block_until_ready(jitted_loop(rate)(self.weights, self.inputs, self.targets, count))


def main():
    work = steps.Work()
    net = Net(work)
    kind = sys.argv[5]
    steps.answer(f"JAX {kind}", jax.__version__, work, net.jit if kind == "jit" else net.loop, net.loss)


main()
