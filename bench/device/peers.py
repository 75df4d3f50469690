#!/usr/bin/env python3
"""multifold beside PyTorch and CuPy on a GPU: the same arrays in its memory, in turns, in one process.

    bench/device/peers.py --out bench/results/NAME-peers.json
    bench/device/peers.py --only '^rows' --compile '^rows' --bytes 1073741824

Wants the Python package multifold with the GPU engine, and PyTorch; CuPy is a contender where it can be imported, and
torch.compile in the cases that --compile names (a compilation a case, of some seconds). Calls are enqueued one behind
another, and time is that of the device between two events; of each contender the median over the rounds, which it takes
in turns with the others. Results are compared before they are timed.
"""

import argparse
import datetime
import json
import math
import pathlib
import re
import statistics
import subprocess

import torch

import multifold

try:
    import cupy
except ImportError:
    cupy = None

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16,
          "i32": torch.int32, "i8": torch.int8}
LENGTHS = (3, 17, 64, 100, 255, 1000, 1024, 4096, 65536)
MIDDLES = ((8, 2), (64, 4), (64, 17), (1000, 17), (64, 64), (1000, 256), (64, 1000), (8, 10007))
PAIRS = ((1, 2), (0, 2), (0, 3), (1, 3))
BATCH_NORM = (256, 256, 128, 128)
CALLS = 3  # behind one another, between two events


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=4 << 30, help="of an array (default: 4 GiB)")
    parser.add_argument("--rounds", type=int, default=7, help="that every contender is timed in (default: 7)")
    parser.add_argument("--only", metavar="REGEX", default="", help="cases whose name matches")
    parser.add_argument("--compile", metavar="REGEX", default="^$", help="cases in which torch.compile is a contender")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="where the record goes")
    parser.add_argument("--commit", metavar="REV", help="the commit of these sources, where there is no git history")
    return parser.parse_args()


def cases(size):
    """Name, operation, dtype, extents and axes; None for all."""
    for dtype in DTYPES:
        yield f"peers/full/sum/{dtype}", "sum", dtype, (size // DTYPES[dtype].itemsize,), None
    count = size // 4
    for op in ("mean", "max", "argmax", "var", "norm2"):
        yield f"peers/full/{op}/f32", op, "f32", (count,), None
    for length in LENGTHS:
        yield f"peers/rows/{length}/sum/f32", "sum", "f32", (count // length, length), (1,)
    for op in ("var", "argmax"):
        yield f"peers/rows/1024/{op}/f32", op, "f32", (count // 1024, 1024), (1,)
    for length, inner in MIDDLES:
        yield f"peers/middle/{length}x{inner}/sum/f32", "sum", "f32", (count // (length * inner), length, inner), (1,)
    for pair in PAIRS:
        outer = max(1, count // (512 * 512 * 64))
        yield f"peers/pair/{pair[0]},{pair[1]}/sum/f32", "sum", "f32", (outer, 512, 512, 64), pair
    for op in ("sum", "var"):
        outer = max(1, count // math.prod(BATCH_NORM[1:]))
        yield f"peers/batch_norm/{op}/f32", op, "f32", (outer, *BATCH_NORM[1:]), (0, 2, 3)


def made(dtype, count):
    """Random elements: of a normal distribution, or integers from -100 to 99."""
    torch.manual_seed(1)
    if DTYPES[dtype].is_floating_point:
        return torch.randn(count, dtype=DTYPES[dtype], device="cuda")
    return torch.randint(-100, 100, (count,), dtype=DTYPES[dtype], device="cuda")


def of_multifold(op, axes, **options):
    names = {"norm2": "vector_norm"}
    call = getattr(multifold, names.get(op, op))
    one = axes[0] if axes and len(axes) == 1 else axes
    return lambda x: call(x, axis=one, **options)


def of_torch(op, axes):
    one = axes[0] if axes and len(axes) == 1 else axes
    if op == "argmax":
        return lambda x: torch.argmax(x, one)
    if op == "max":
        return lambda x: torch.amax(x, () if axes is None else axes)
    if op == "var":
        return lambda x: torch.var(x, axes, correction=0)
    if op == "norm2":
        return lambda x: torch.linalg.vector_norm(x, dim=axes)
    return lambda x: getattr(torch, op)(x, axes)


def of_cupy(op, axes):
    one = axes[0] if axes and len(axes) == 1 else axes
    if op == "norm2":
        return lambda x: cupy.linalg.norm(x, axis=one)
    return lambda x: getattr(cupy, op)(x, axis=one)


def contenders(name, op, dtype, axes, options):
    found = {"multifold": of_multifold(op, axes)}
    if op in ("sum", "mean") and DTYPES[dtype].is_floating_point:
        found["multifold fast"] = of_multifold(op, axes, accuracy="fast")
    found["PyTorch"] = of_torch(op, axes)
    if re.search(options.compile, name.removeprefix("peers/")):
        found["PyTorch compiled"] = torch.compile(of_torch(op, axes), dynamic=False)
    if cupy and dtype != "bf16":
        found["CuPy"] = of_cupy(op, axes)
    return found


def agree(op, x, mine, theirs, axes):
    """Whether two results are as near as rounding at every step leaves them; of indices, whether their elements are."""
    if op == "argmax":
        shape = x if axes is None else x.movedim(axes[0], -1)
        mine, theirs = (torch.take_along_dim(shape, i.long().unsqueeze(-1), -1) for i in (mine, theirs))
    mine, theirs = mine.double(), theirs.double()
    scale = torch.ones_like(theirs) if op != "sum" else torch.full_like(theirs, (x.numel() / theirs.numel()) ** 0.5)
    tolerance = 0.02 if x.element_size() == 2 else 1e-3
    return bool(((mine - theirs).abs() <= tolerance * (theirs.abs() + scale)).all())


def milliseconds(call, x):
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    for _ in range(CALLS):
        call(x)
    last.record()
    last.synchronize()
    return first.elapsed_time(last) / CALLS


def contest(name, op, dtype, x, axes, options):
    """Rows of the record: one for each contender that can do it."""
    ways = contenders(name, op, dtype, axes, options)
    arrays, wanted = {}, None
    for way, call in list(ways.items()):
        arrays[way] = cupy.asarray(x) if way == "CuPy" else x
        try:
            found = torch.as_tensor(call(arrays[way]), device=x.device)
            torch.cuda.synchronize()
        except (RuntimeError, TypeError, ValueError) as error:
            if way == "multifold":
                raise
            print(f"{name}: {way} fails: {str(error).splitlines()[0][:100]}", flush=True)
            del ways[way]
            continue
        wanted = found if wanted is None else wanted
        if way == "PyTorch" and not agree(op, x, wanted, found, axes):
            raise SystemExit(f"{name}: multifold and PyTorch differ")
        del found
    results = wanted.numel() * wanted.element_size()
    size = x.numel() * x.element_size() + (results if wanted.numel() > 1 else 0)
    times = {way: [] for way in ways}
    for turn in range(options.rounds + 1):
        for way, call in ways.items():
            taken = milliseconds(call, arrays[way])
            if turn > 0:
                times[way].append(taken)
    first = next(iter(times.values()))
    for way, all_of_it in times.items():
        speeds = [size / taken / 1e6 for taken in all_of_it]
        low, middle, high = statistics.quantiles(speeds, method="inclusive")
        yield {"name": name, "bytes": size, "contender": way, "median_gbps": round(middle, 1), "q1": round(low, 1),
               "q3": round(high, 1), "min": round(min(speeds), 1), "max": round(max(speeds), 1),
               "repetitions": len(speeds), "ratio_to_cub": None,
               "first_over_this": round(statistics.median(b / a for a, b in zip(first, all_of_it)), 4)}


def record_of(rows, options):
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                            text=True, check=False).stdout.splitlines()
    versions = {"PyTorch": torch.__version__, **({"CuPy": cupy.__version__} if cupy else {})}
    return {"schema": "multifold.bench/1", "device": torch.cuda.get_device_name(),
            "driver": driver[0] if driver else None, "cuda": torch.version.cuda, "cub_version": None, "peers": versions,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": options.commit, "cases": rows, "must_reach": []}


def table(rows):
    """A case a line: ours in GB/s, and how many times as fast it is as each of the others."""
    ways = list(dict.fromkeys(row["contender"] for row in rows))
    print("| case | multifold GB/s | " + " | ".join(f"over {way}" for way in ways[1:]) + " |")
    print("|" + "---|" * (len(ways) + 1))
    for name in dict.fromkeys(row["name"] for row in rows):
        found = {row["contender"]: row for row in rows if row["name"] == name}
        cells = [f"{found[way]['first_over_this']:.2f}" if way in found else "" for way in ways[1:]]
        print(f"| {name.removeprefix('peers/')} | {found[ways[0]]['median_gbps']:.0f} | " + " | ".join(cells) + " |")


def main():
    options = arguments()
    rows, x = [], torch.empty(0)
    for name, op, dtype, extents, axes in cases(options.bytes):
        if not re.search(options.only, name.removeprefix("peers/")):
            continue
        count = math.prod(extents)
        if x.dtype != DTYPES[dtype] or x.numel() < count:
            x = torch.empty(0)  # the one before it goes first
            x = made(dtype, options.bytes // DTYPES[dtype].itemsize)
        rows += contest(name, op, dtype, x[:count].reshape(extents), axes, options)
        if options.out:
            options.out.write_text(json.dumps(record_of(rows, options), indent=1) + "\n")
    table(rows)


if __name__ == "__main__":
    main()
