"""What the peers written in Python share: the work, its numbers, and the answers to bench/peers/run.

They are started as `PEER.py THREADS SECONDS WIDTHS:BATCH FILE [MORE]`; peer.h says what they answer and what is in FILE.
"""
import itertools
import json
import sys
import time

RATE = 1e-4  # of learning, as in weft bench: the weights stay about as they are
WARM_UP = 20  # steps

# What is timed where nothing else is asked for.
USUAL = ["4-4-4:2", "10-32-32-1:1", "16-32-8:32", "784-128-10:64", "784-512-512-10:128", "1024-1024-1024-1024-1024:512"]


def parse(name):
    """(widths, batch) of "784-128-10:64"."""
    widths, batch = name.split(":")
    return [int(width) for width in widths.split("-")], int(batch)


class Work:
    """From the command line: threads, seconds, weights [out, in], inputs and targets as float32 arrays."""

    def __init__(self):
        import numpy

        self.threads, self.seconds = int(sys.argv[1]), float(sys.argv[2])
        widths, batch = parse(sys.argv[3])
        numbers = numpy.fromfile(sys.argv[4], dtype="<f4")
        shapes = [(o, i) for i, o in itertools.pairwise(widths)] + [(batch, widths[0]), (batch, widths[-1])]
        ends = list(itertools.accumulate(a * b for a, b in shapes))
        if ends[-1] != len(numbers):
            sys.exit(f"{sys.argv[4]}: {len(numbers)} numbers, wanted the {ends[-1]} of {sys.argv[3]}")
        *self.weights, self.inputs, self.targets = [
            part.reshape(shape) for part, shape in zip(numpy.split(numbers, ends[:-1]), shapes)
        ]


def seconds_of(run, steps):
    start = time.perf_counter()
    run(steps, RATE)
    return time.perf_counter() - start


def steps_for(run, seconds):
    """How many steps take about so many seconds."""
    run(WARM_UP, RATE)  # and compilation
    steps = 1
    while (took := seconds_of(run, steps)) < seconds / 8:
        steps *= 4
    return max(1, round(steps * seconds / took))


def answer(peer, version, work, run, loss):
    """Until the end of the input. run(steps, rate) returns when the steps are done; loss() is a number."""
    print(json.dumps({"peer": peer, "version": version}), flush=True)
    steps = 0
    for line in sys.stdin:
        if line.startswith("check "):
            _, count, rate = line.split()
            before = loss()
            run(int(count), float(rate))
            print(json.dumps([before, loss()]), flush=True)
        else:
            steps = steps or steps_for(run, work.seconds)
            print(seconds_of(run, steps) * 1e6 / steps, flush=True)
