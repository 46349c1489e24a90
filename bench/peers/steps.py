"""What the peers written in Python share: the works, the weights and how a step is timed."""
import json
import statistics
import sys
import time

RATE = 1e-4  # of learning, as in weft bench: the weights stay about as they are


def arguments():
    """Works as (name, widths, batch), seconds and repeats for each, and threads, from the command line."""
    threads, seconds, repeats = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    works = []
    for name in sys.argv[4:]:
        widths, batch = name.split(":")
        works.append((name, [int(width) for width in widths.split("-")], int(batch)))
    return works, seconds, repeats, threads


def numbers(widths, batch):
    """Weights [out, in], inputs and targets as float32 arrays."""
    import numpy

    draw = numpy.random.default_rng(1)
    weights = [
        draw.uniform(-(i**-0.5), i**-0.5, (o, i)).astype(numpy.float32) for i, o in zip(widths, widths[1:])
    ]
    inputs = draw.uniform(-1, 1, (batch, widths[0])).astype(numpy.float32)
    targets = draw.uniform(-1, 1, (batch, widths[-1])).astype(numpy.float32)
    return weights, inputs, targets


def time_steps(run, seconds, repeats):
    """The median time of a step in microseconds. run(n) makes n steps and returns when they are done."""
    run(20)  # warm-up, compilation
    steps = 1
    while True:
        start = time.perf_counter()
        run(steps)
        took = time.perf_counter() - start
        if took >= seconds / repeats / 8:
            break
        steps *= 4
    steps = max(1, round(steps * seconds / repeats / took))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run(steps)
        times.append((time.perf_counter() - start) * 1e6 / steps)
    return statistics.median(times)


def report(peer, version, work, microseconds):
    print(json.dumps({"peer": peer, "version": version, "work": work, "us": microseconds}), flush=True)
