"""Works as bench/peers/run knows them: their spelling, and the numbers that every peer and weft start from."""
import array
import itertools
import json
import pathlib
import random
import struct
import sys

import steps


def named(text):
    """A work by name: "784-128-10:64", or the widths alone of one that is timed where nothing else is asked for.
    "256x5" is 256 five times."""
    usual = [name for name in steps.USUAL if text in (name, name.split(":")[0], short(name), short(name).split(":")[0])]
    if usual:
        return usual[0]
    widths, _, batch = text.partition(":")
    sizes = []
    for part in widths.split("-"):
        size, repeated, times = part.partition("x")
        sizes += [size] * (int(times) if times.isdecimal() else 1 if not repeated else 0)
    if len(sizes) < 2 or not all(size.isascii() and size.isdecimal() and int(size) > 0 for size in [*sizes, batch]):
        raise ValueError(f"seen '{text}', wanted WIDTHS:BATCH such as 784-128-10:64, or the widths of one of "
                         + ", ".join(steps.USUAL))
    return f"{'-'.join(sizes)}:{batch}"


def short(name):
    """Four layers of 1024 as "1024x5": many equal widths are no reading matter."""
    widths, batch = steps.parse(name)
    groups = [(width, len(list(group))) for width, group in itertools.groupby(widths)]
    return "-".join(f"{width}x{count}" if count > 3 else "-".join([str(width)] * count) for width, count in groups) \
        + f":{batch}"


def check_rate(name):
    """Of learning, for the steps that show that all do the same work: the mean over all outputs has small gradients."""
    return 0.05 * steps.parse(name)[0][-1]


class Numbers:
    """The files of a work: all of it for the peers, and what `weft train` reads."""

    def __init__(self, name, folder):
        widths, batch = steps.parse(name)
        draw = random.Random(1)

        def floats(count, most=1.0):
            values = array.array("f", (draw.uniform(-most, most) for _ in range(count)))
            if sys.byteorder != "little":
                values.byteswap()
            return values.tobytes()

        folder = pathlib.Path(folder)
        weights = [floats(i * o, i**-0.5) for i, o in itertools.pairwise(widths)]
        inputs, targets = floats(batch * widths[0]), floats(batch * widths[-1])
        self.all = folder / "numbers.f32"
        self.all.write_bytes(b"".join([*weights, inputs, targets]))
        self.weights, self.inputs, self.targets = (folder / file for file in ("weights.safetensors", "x.npy", "y.npy"))
        shapes = [[o, i] for i, o in itertools.pairwise(widths)]
        self.weights.write_bytes(safetensors({f"leaf.{i}.weight": (shape, data)
                                              for i, (shape, data) in enumerate(zip(shapes, weights), 1)}))
        self.inputs.write_bytes(npy((batch, widths[0]), inputs))
        self.targets.write_bytes(npy((batch, widths[-1]), targets))


def safetensors(tensors):
    header, at = {}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(data for _, data in tensors.values())


def npy(shape, data):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data
