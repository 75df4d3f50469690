"""One sum in many ways: threads, GPUs, chunks, files, a process that is killed, ranks of MPI. All have the same bits.

    python3 bench/one_value.py --elements 100000000 --tool build/cpu/bin/multifold

Ways whose library or program is not there are left out, with a word. What rounds at every step stands below the line.
Exits with 1 if two exact ways differ.
"""

import argparse
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import multifold

CHUNKINGS = (1, 3, 10, 100, 1000)  # into how many chunks
RANKS = (1, 2, 3, 5, 8)


def wild(count):
    """Floats of both signs and of magnitudes from 1e-19 to 1e19, always the same ones."""
    x = np.empty(count, "f4")
    rng = np.random.default_rng(7)
    for first in range(0, count, 1 << 22):
        part = x[first : first + (1 << 22)]
        part[:] = np.ldexp(rng.standard_normal(part.size, "f4"), rng.integers(-64, 65, part.size, "i4"))
    return x


def hex_of(value):
    return f"0x{int(np.float32(value).view('u4')):08x}"


def there(module):
    return all(importlib.util.find_spec(name) for name in (module.partition(".")[0], module))


def by_python(x, npy):
    for threads in (1, 2, 16):
        yield f"Python, {threads} thread{'s'[: threads - 1]}", hex_of(multifold.sum(x, threads=threads))
    yield "Python, permuted", hex_of(multifold.sum(np.random.default_rng(1).permutation(x)))
    yield "Python, a .npy", hex_of(multifold.sum(npy))


def by_dask(x):
    if not there("dask.array"):
        yield "Dask", "no Dask here"
        return
    import dask.array as da
    import multifold.dask

    for count in CHUNKINGS:
        chunked = da.from_array(x, chunks=-(-x.size // count))
        yield f"Dask, {count} chunk{'s' if count > 1 else ''}", hex_of(multifold.dask.sum(chunked).compute())


def by_zarr(x, folder):
    if not there("zarr"):
        yield "zarr", "no zarr here"
        return
    import zarr

    stored = zarr.create_array(folder / "x.zarr", data=x, chunks=(max(1, x.size // 50),))
    yield "zarr, 50 chunks", hex_of(multifold.sum(stored))


def by_tool(tool, npy, folder):
    if tool is None:
        yield "the tool", "no multifold here"
        return

    for threads in "12":
        command = [tool, "sum", str(npy), "--hex", "--engine", "host", "--threads", threads]
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        yield f"C++ (the tool), {threads} thread{'s'[: int(threads) - 1]}", found.stdout.strip()
    yield "C++, killed and resumed", killed_at_a_checkpoint(tool, npy, folder / "x.part")


def killed_at_a_checkpoint(tool, npy, part):
    """Kills the sum when it has left a checkpoint, and starts it again."""
    command = [tool, "sum", npy, "--hex", "--engine", "host", "--threads", "1", "--checkpoint", part]
    for _ in range(5):
        part.unlink(missing_ok=True)
        with subprocess.Popen([*command, "--checkpoint-every", "0.001"], stdout=subprocess.DEVNULL) as running:
            while running.poll() is None and not part.exists():
                time.sleep(0.0005)
            running.kill()
        if running.returncode == -signal.SIGKILL and part.exists():
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return "was done before it could be killed"


def killed_and_resumed(npy, folder):
    """A process saves its state behind every part of the file, and is killed; another goes on."""
    command = [sys.executable, __file__, "--go-on", str(npy), str(folder / "x.state")]
    killed = subprocess.run([*command, "--parts", "3"], check=False)
    assert killed.returncode == -signal.SIGKILL
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    yield "Python, killed and resumed", found.stdout.strip()


def go_on(npy, saved, parts):
    """Adds what the saved state lacks, a tenth at a time; kills itself behind so many parts."""
    x, saved = np.load(npy, mmap_mode="r"), pathlib.Path(saved)
    state = multifold.State.from_bytes(saved.read_bytes()) if saved.exists() else multifold.State("sum", x.dtype)
    while state.count < x.size:
        state.update(x[state.count : state.count + -(-x.size // 10)])
        saved.with_suffix(".new").write_bytes(bytes(state))
        saved.with_suffix(".new").replace(saved)
        parts -= 1
        if parts == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    print(hex_of(state.value()))


def by_gpu(x, tool, npy):
    if not any(engine["name"] == "device" and engine["supported"] for engine in multifold.engines()):
        yield "GPU", "no GPU engine here"
        return
    yield "Python, a GPU", hex_of(multifold.sum(x, engine="device"))
    yield "Python, CPU and GPU", hex_of(multifold.sum(x, engine="both"))
    if tool is not None:
        command = [tool, "sum", str(npy), "--hex", "--devices", "all"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        yield "C++ (the tool), all GPUs", found.stdout.strip() or found.stderr.strip()


def by_mpi(npy):
    if not there("mpi4py") or shutil.which("mpiexec") is None:
        yield "MPI", "no mpiexec with mpi4py here"
        return
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    for ranks in RANKS:
        command = ["mpiexec", "-n", str(ranks), sys.executable, __file__, "--rank-of", str(npy)]
        found = subprocess.run(command, env=os.environ | allowed, capture_output=True, text=True, check=True)
        yield f"MPI, {ranks} rank{'s' if ranks > 1 else ''}", found.stdout.strip()


def one_rank(npy):
    """What each rank does: the state of its part, and all states together."""
    from mpi4py import MPI

    x = np.load(npy, mmap_mode="r")
    rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    state = multifold.State("sum", x.dtype)
    state.update(x[x.size * rank // ranks : x.size * (rank + 1) // ranks], threads=1)
    states = MPI.COMM_WORLD.gather(state)
    if rank == 0:
        for other in states[1:]:
            state.merge(other)
        print(hex_of(state.value()))


def rounded_at_every_step(x):
    yield "NumPy", hex_of(np.sum(x))
    yield "NumPy, in reverse", hex_of(np.sum(x[::-1].copy()))
    yield "NumPy, permuted", hex_of(np.sum(np.random.default_rng(1).permutation(x)))
    if there("dask.array"):
        import dask.array as da

        for count in CHUNKINGS[1:]:
            yield f"Dask's own, {count} chunks", hex_of(da.from_array(x, chunks=-(-x.size // count)).sum().compute())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=100_000_000)
    parser.add_argument("--tool", default=shutil.which("multifold"), help="the command line tool")
    parser.add_argument("--rank-of", help=argparse.SUPPRESS)
    parser.add_argument("--go-on", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--parts", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.go_on:
        return go_on(*options.go_on, options.parts)
    if options.rank_of:
        return one_rank(options.rank_of)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        x, npy = wild(options.elements), folder / "x.npy"
        np.save(npy, x)
        print(f"the sum of {x.size} float32")
        exact = set()
        in_python = (by_python(x, npy), killed_and_resumed(npy, folder), by_dask(x), by_zarr(x, folder))
        for group in (*in_python, by_tool(options.tool, npy, folder),
                      by_gpu(x, options.tool, npy), by_mpi(npy)):
            for way, found in group:
                print(f"  {way:28}{found}", flush=True)
                exact |= {found} if found.startswith("0x") else set()
        print("rounded at every step")
        for way, found in rounded_at_every_step(x):
            print(f"  {way:28}{found}")
    return 0 if len(exact) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
