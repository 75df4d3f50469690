#!/usr/bin/env python3
"""Calls of the Python package: on NumPy's arrays beside NumPy, or on CUDA tensors beside PyTorch.

    PYTHONPATH=build/cuda/python bench/host/calls.py
    PYTHONPATH=build/cuda/python bench/host/calls.py --sizes 256 --functions sum,max --dtypes f4
    PYTHONPATH=build/cuda/python bench/host/calls.py --cuda

A cell is microseconds of ours, of the peer, and their ratio: below 1 ours is quicker. Both are called in turns, again
and again on the same array, and the least of all rounds counts. A call on a CUDA tensor is done when it is enqueued;
the GPU is waited for between rounds.
"""

import argparse
import time

import numpy as np

import multifold

FUNCTIONS = ("sum", "mean", "max", "argmax", "var")
DTYPES = ("f4", "f8", "i4", "i8")
SIZES = (16, 64, 256, 1024, 4096, 8192, 65536)


def arguments():
    words = lambda text: tuple(text.split(","))  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=words, default=FUNCTIONS, help="by commas (default: %(default)s)")
    parser.add_argument("--dtypes", type=words, default=DTYPES, help="NumPy's names (default: %(default)s)")
    parser.add_argument("--sizes", type=lambda text: tuple(map(float, words(text))), help="KiB (default: 16 to 65536)")
    parser.add_argument("--rounds", type=int, default=15, help="of 20 ms each (default: 15)")
    parser.add_argument("--threads", type=int, default=0, help="of multifold, at most (default: all)")
    parser.add_argument("--cuda", action="store_true", help="CUDA tensors of 1 KiB and 1 MiB, beside PyTorch")
    return parser.parse_args()


def seconds(call, count, finish):
    start = time.perf_counter()
    for _ in range(count):
        call()
    taken = (time.perf_counter() - start) / count
    finish()
    return taken


def contest(ours, theirs, rounds, finish=lambda: None):
    """Microseconds of each: the least of all rounds, which they take in turns."""
    calls = [(call, max(1, round(0.02 / max(seconds(call, 3, finish), 1e-8)))) for call in (ours, theirs)]
    found = [[seconds(call, min(count, 100000), finish) for call, count in calls] for _ in range(rounds)]
    return [min(column) * 1e6 for column in zip(*found)]


def array(dtype, size):
    count = max(1, int(size * 1024) // np.dtype(dtype).itemsize)
    return (np.random.default_rng(1).standard_normal(count) * 100).astype(dtype)


def beside_numpy(options):
    for function in options.functions:
        ours, theirs = getattr(multifold, function), getattr(np, function)
        for dtype in options.dtypes:
            cells = []
            for size in options.sizes or SIZES:
                x = array(dtype, size)
                cells.append(contest(lambda x=x: ours(x, threads=options.threads), lambda x=x: theirs(x),
                                     options.rounds))
            yield f"{function} {dtype}", cells


def beside_torch(options):
    import torch

    for function in options.functions:
        for dtype in (name for name in options.dtypes if name[0] == "f"):
            cells = []
            for size in options.sizes or (1, 1024):
                x = torch.from_numpy(array(dtype, size)).cuda()
                ours, theirs = getattr(multifold, function), getattr(torch, function)
                cells.append(contest(lambda x=x: ours(x), lambda x=x: theirs(x), options.rounds,
                                     torch.cuda.synchronize))
            yield f"{function} {dtype}", cells


def main():
    options = arguments()
    sizes = options.sizes or ((1, 1024) if options.cuda else SIZES)
    peer = "PyTorch" if options.cuda else f"NumPy {np.__version__}"
    print(f"microseconds of multifold / {peer} = ratio\n")
    print("| | " + " | ".join(f"{size:g} KiB" for size in sizes) + " |\n|" + "---|" * (len(sizes) + 1))
    for name, cells in (beside_torch if options.cuda else beside_numpy)(options):
        print(f"| {name} | " + " | ".join(f"{a:.1f} / {b:.1f} = {a / b:.2f}" for a, b in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
