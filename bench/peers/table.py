"""The table of bench/peers/run: results of several runs as one, and how it is printed."""
import statistics

import peers
import steps
import works

SHORT = {"torch eager": "torch", "libtorch": "libtorch", "JAX jit": "jit", "JAX loop": "loop", "FANN": "FANN"}
PRODUCT = {"torch eager": "PyTorch", "libtorch": "PyTorch", "JAX jit": "JAX", "JAX loop": "JAX", "FANN": "FANN"}
ALIKE = ["processor", "threads", "weft", "build", "device", "rounds", "seconds", "check_steps"]


def join(results):
    """One result of several, each with a file's name. ValueError where they are not of one machine and the same programs."""
    (first_file, first), *others = results
    for file, other in others:
        for key in ALIKE:
            if other[key] != first[key]:
                raise ValueError(f"{file}: {key}: seen {other[key]}, wanted {first[key]} as in {first_file}")
    versions = {}
    for file, result in results:  # FANN is in the works of batch 1 alone
        for peer, version in result["peers"].items():
            if versions.setdefault(peer, version) != version:
                raise ValueError(f"{file}: {peer}: seen {version}, wanted {versions[peer]} as in another file")
    rows = {row["work"]: row for _, result in results for row in result["rows"]}  # the last of a work counts
    order = [work for work in steps.USUAL if work in rows] + [work for work in rows if work not in steps.USUAL]
    return {**first, "peers": versions, "missing": sorted({reason for _, result in results for reason in result["missing"]}),
            "rows": [rows[work] for work in order]}


def number(value):
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def ratio(row):
    return min(row["peers"].values()) / row["weft"] if row["peers"] else None


def floor(row):
    """Microseconds of the step's products at the peak that weft has measured in the same run."""
    return row["operations"] / row["peak_gflops"] / 1e3


def span(values):
    return f"{min(values):.3g}" if number(min(values)) == number(max(values)) else f"{min(values):.3g} to {max(values):.3g}"


def agreement(row):
    """What the check of a row came to, as a line."""
    losses = row["losses"]
    starts, ends = ([pair[i] for pair in losses.values()] for i in (0, 1))
    text = f"{starts[0]:.6g} to {ends[0]:.6g}"
    if len(losses) == 1:
        return f"{text} in weft, and nothing to compare with"
    if row["agree"]:
        return f"{text} in all {len(losses)}, {row['apart']:.1g} of the fall apart"
    return "NOT THE SAME WORK: " + ", ".join(f"{name} {a:.6g} to {b:.6g}" for name, (a, b) in losses.items())


def show(result):
    """At most 80 columns, where the works are not longer than usual."""
    rows, names = result["rows"], [name for name in peers.ORDER if name in result["peers"]]
    print(f"{result['processor']}, {result['threads']} thread{'s' * (result['threads'] > 1)} for each"
          + (" (FANN: one)" if "FANN" in names else "") + f"; load before: {span([row['load_before'] for row in rows])}")
    print(f"weft {result['weft']}, {result['build']} build, {result['device']}")
    products = {PRODUCT[name]: result["peers"][name] for name in names}
    print("; ".join([f"peak {span([row['peak_gflops'] for row in rows])} GFLOP/s",
                     *(f"{product} {version}" for product, version in products.items())]))
    for reason in result["missing"]:
        print(f"left out: {reason}")
    print(f"µs a step, medians of {result['rounds']} rounds in which all take turns, {result['seconds']} s each\n")
    labels = {row["work"]: works.short(row["work"]) for row in rows}
    width = max([4] + [len(label) for label in labels.values()])
    columns = [("floor", 7, floor), ("weft", 5, lambda row: row["weft"]), ("call", 5, lambda row: row["weft_call"]),
               *((SHORT[name], max(5, len(SHORT[name])), lambda row, name=name: row["peers"].get(name)) for name in names),
               ("ratio", 5, ratio)]
    print(" ".join([f"{'work':<{width}}", *(f"{head:>{wide}}" for head, wide, _ in columns)]))
    for row in rows:
        print(" ".join([f"{labels[row['work']]:<{width}}", *(f"{number(value(row)):>{wide}}" for _, wide, value in columns)]))
    print("\nfloor: the operations of the step's products at weft's measured peak")
    print("call:  weft with a call for each step; weft, loop and FANN stay inside")
    print("ratio: the fastest peer's time over weft's\n")
    print(f"the same work: the loss before and after {result['check_steps']} steps from the same numbers")
    for row in rows:
        print(f"{labels[row['work']]:<{width}} {agreement(row)}")


def compare_losses(losses):
    """(whether all started at one loss and fell by as much, the spread of the falls as a share of them)."""
    starts, falls = [pair[0] for pair in losses.values()], [pair[0] - pair[1] for pair in losses.values()]
    fall = statistics.median(falls)
    if not fall > 0:
        return False, float("inf")
    apart = max(max(falls) - min(falls), max(starts) - min(starts)) / fall
    return apart < 1e-3, apart
