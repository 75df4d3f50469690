#!/usr/bin/env python3
"""The CPU engine beside NumPy and PyTorch: the same arrays, in turns, in one process.

    cmake --preset cpu -B build/peers -DMULTIFOLD_BENCH=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    cmake --build build/peers --target host_peers
    bench/host/peers.py --library build/peers/bench/libhost_peers.so --threads 2
    bench/host/peers.py --library build/peers/bench/libhost_peers.so --spans

Wants NumPy; PyTorch is a column where it can be imported. Ratios are medians over rounds of the faster peer's time over
ours: above 1 multifold is quicker. NumPy has one thread, but for dot products (BLAS). With --spans, the functions of
multifold/ranges.hpp beside NumPy's, called again and again on the same 1 to 10^7 elements: the best of all rounds.
"""

import argparse
import ctypes
import os
import statistics
import sys
import time

DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "i32": "int32"}
OPS = ("sum", "mean", "var", "max", "argmax")
BLAS = ("norm2", "dot")
ANY_FINITE = "any finite bits"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libhost_peers.so")
    parser.add_argument("--threads", type=int, default=os.cpu_count(),
                        help="of multifold, PyTorch and BLAS (default: all)")
    parser.add_argument("--bytes", type=int, default=1 << 30, help="of an array (default: 1 GiB)")
    parser.add_argument("--rounds", type=int, default=7, help="that every contender is timed in (default: 7)")
    parser.add_argument("--spans", action="store_true", help="few elements, and what a call takes")
    parser.add_argument("--only", metavar="TEXT", default="", help="cases whose name contains it")
    return parser.parse_args()


options = arguments()
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(options.threads)

import numpy as np  # noqa: E402  (it reads the variables above)

try:
    import torch
except ImportError:
    torch = None
else:
    torch.set_num_threads(options.threads)


def made(dtype, count, any_finite=False):
    """Random elements: of a normal distribution, or finite ones of any bits."""
    rng = np.random.default_rng(count)
    block = 1 << 20
    if any_finite:
        x = rng.integers(0, 256, block * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
        x = np.where(np.isfinite(x), x, dtype(1))
    elif np.issubdtype(dtype, np.integer):
        x = rng.integers(-1000, 1000, block).astype(dtype)
    else:
        x = rng.standard_normal(block).astype(dtype)
    return np.tile(x, -(-count // x.size))[:count]


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(os.path.abspath(path))
        self.call = library.multifold_reduce_seconds
        self.call.restype = ctypes.c_double
        self.span_call = library.multifold_span_seconds
        self.span_call.restype = ctypes.c_double
        self.results = np.empty(1 << 25, np.uint8)

    def seconds(self, op, dtype, x, y, axis, exact):
        rows, columns = x.shape
        results = 1 if axis is None else x.shape[1 - axis]
        wide = op == "argmax" or (dtype == "i32" and op in ("sum", "mean", "var"))
        size = 8 if wide else x.itemsize
        return self.call(op.encode(), dtype.encode(), ctypes.c_void_p(x.ctypes.data),
                         ctypes.c_void_p(y.ctypes.data if y is not None else None),
                         ctypes.c_int64(rows), ctypes.c_int64(columns), -1 if axis is None else axis, options.threads,
                         int(exact), ctypes.c_void_p(self.results.ctypes.data), ctypes.c_int64(results * size))

    def span_seconds(self, op, dtype, x, y, calls):
        return self.span_call(op.encode(), dtype.encode(), ctypes.c_void_p(x.ctypes.data),
                              ctypes.c_void_p(y.ctypes.data if y is not None else None), ctypes.c_int64(x.size),
                              ctypes.c_int64(calls))


def of_numpy(op, x, y, axis):
    if op == "dot":
        return lambda: np.dot(x.reshape(-1), y.reshape(-1))
    if op == "norm2":
        return lambda: np.linalg.norm(x.reshape(-1))
    return lambda: getattr(np, op)(x, axis=axis)


def of_torch(op, x, y, axis):
    a = torch.from_numpy(x)
    if op == "dot":
        b = torch.from_numpy(y)
        return lambda: torch.dot(a.reshape(-1), b.reshape(-1))
    if op == "norm2":
        return lambda: torch.linalg.vector_norm(a.reshape(-1))
    if op == "max":
        return (lambda: torch.amax(a, axis)) if axis is not None else (lambda: torch.max(a))
    if op == "var":
        return lambda: torch.var(a, axis, correction=0)
    return (lambda: getattr(torch, op)(a, axis)) if axis is not None else (lambda: getattr(torch, op)(a))


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def pause_after(op):
    """Threads of OpenBLAS and of PyTorch spin for a while after a call, on cores that the next contender wants."""
    if op in BLAS or torch:
        time.sleep(0.2)


def contest(library, name, op, dtype, x, y=None, axis=None, peers=True):
    if options.only not in name:
        return
    ways = {"exact": lambda: library.seconds(op, dtype, x, y, axis, True)}
    if dtype != "i32" and op in ("sum", "mean"):
        ways["fast"] = lambda: library.seconds(op, dtype, x, y, axis, False)
    if peers:
        ways["NumPy"] = lambda call=of_numpy(op, x, y, axis): seconds_of(call)
        if torch:
            ways["PyTorch"] = lambda call=of_torch(op, x, y, axis): seconds_of(call)
    times = {way: [] for way in ways}
    for turn in range(options.rounds + 1):
        for way, call in list(ways.items()):
            try:
                seconds = call()
            except RuntimeError:  # PyTorch has no such operation of this dtype
                seconds = -1
            pause_after(op)
            if seconds < 0:
                del ways[way], times[way]
            elif turn > 0:
                times[way].append(seconds)
            if turn == 0 and seconds > 3:  # once is enough
                times[way] = [seconds] * (options.rounds + 1)
                del ways[way]
    report(name, x.size, times)


def report(name, elements, times):
    peers = [times[way] for way in ("NumPy", "PyTorch") if way in times]
    fields = [name]
    for way in ("exact", "fast"):
        if way not in times:
            fields += ["", ""]
            continue
        ratios = [min(peer[i] for peer in peers) / seconds for i, seconds in enumerate(times[way])] if peers else []
        fields.append(f"{statistics.median(ratios):.2f}" if ratios else "")
        fields.append(f"{statistics.median(times[way]) * 1e9 / elements:.3f}")
    fields += [f"{statistics.median(times[way]) * 1e9 / elements:.3f}" if way in times else ""
               for way in ("NumPy", "PyTorch")]
    print("| " + " | ".join(fields) + " |", flush=True)


def shapes(count):
    return {"full": ((1, count), None), "rows of 16384": ((count >> 14, 1 << 14), 1),
            "columns": ((1 << 14, count >> 14), 0)}


def spans(library):
    """A row a size, with NumPy's time over ours for each operation and dtype."""
    cases = [("sum", "f32"), ("sum", "f64"), ("sum", "f16"), ("mean", "f32"), ("max", "f32"), ("var", "f32"),
             ("norm2", "f64"), ("dot", "f32"), ("dot", "f64")]
    cases = [case for case in cases if options.only in " ".join(case)]
    print(f"NumPy {np.__version__}; ns a call, ours / NumPy\n")
    print("| elements | " + " | ".join(" ".join(case) for case in cases) + " |\n|" + "---|" * (len(cases) + 1))
    for count in [10 ** power for power in range(8)]:
        fields = [str(count)]
        for op, dtype in cases:
            x = made(getattr(np, DTYPES[dtype]), count)
            y = x[::-1].copy() if op == "dot" else None
            calls = max(1, 30000 // (count // 10 + 30))
            peer = of_numpy(op, x, y, None)
            ours = theirs = float("inf")
            for _ in range(5 * options.rounds):
                ours = min(ours, library.span_seconds(op, dtype, x, y, calls))
                theirs = min(theirs, seconds_of(lambda: [peer() for _ in range(calls)]) / calls)
            fields.append(f"{ours * 1e9:.0f} / {theirs * 1e9:.0f}")
        print("| " + " | ".join(fields) + " |", flush=True)


def main():
    library = Library(options.library)
    if options.spans:
        return spans(library)
    print(f"{options.threads} threads, {options.bytes} bytes, NumPy {np.__version__}, "
          f"{'PyTorch ' + torch.__version__ if torch else 'no PyTorch'}; ns an element\n")
    print("| case | exact: ratio | ns | fast: ratio | ns | NumPy ns | PyTorch ns |\n|---|---|---|---|---|---|---|")
    for dtype, of_numpy_name in DTYPES.items():
        kind = getattr(np, of_numpy_name)
        count = options.bytes // np.dtype(kind).itemsize
        x = made(kind, count)
        for where, (shape, axis) in shapes(count).items():
            for op in OPS:
                contest(library, f"{op} {dtype} {where}", op, dtype, x.reshape(shape), axis=axis)
        if dtype in ("f32", "f64"):
            y = x[::-1].copy()
            for op in BLAS:
                contest(library, f"{op} {dtype} full", op, dtype, x.reshape(1, -1),
                        y.reshape(1, -1) if op == "dot" else None)
            wild = made(kind, count, True)
            for where, (shape, axis) in shapes(count).items():
                contest(library, f"sum {dtype} {where}, {ANY_FINITE}", "sum", dtype, wild.reshape(shape), axis=axis,
                        peers=False)


if __name__ == "__main__":
    sys.exit(main())
