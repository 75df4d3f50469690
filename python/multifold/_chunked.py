"""Arrays that are stored in chunks: threads read and decode them while others are reduced."""

import collections
import concurrent.futures
import itertools
import math
import os
import threading
from typing import Any, Callable, Iterable, Iterator

import numpy as np

from . import _hdf5
from ._multifold import State

_least_bytes = 4 << 20  # of a block: several small chunks are asked for at once
_step_bytes = 16 << 20  # of rows that are asked for at once
_ahead_bytes = 256 << 20  # of rows that are read ahead, if they are more than one step
_in_order = ("argmin", "argmax", "describe")  # operations that tell where elements stand


class Chunked:
    """What chunked() returns. It has the shape, dtype, chunks and rows of the array."""

    def __init__(self, array: Any, threads: int = 0, progress: bool = False) -> None:
        if not all(hasattr(array, name) for name in ("shape", "dtype", "__getitem__")):
            kind = f"{type(array).__module__}.{type(array).__name__}"
            raise TypeError(f"chunked takes what has shape, dtype and rows by x[first:last], and not {kind}")
        if threads < 0:
            raise ValueError("threads is a number of threads, or 0 for all there are")
        self.array, self.threads, self.progress = array, threads, progress
        self.shape, self.dtype = tuple(array.shape), np.dtype(array.dtype)
        self.ndim = len(self.shape)
        self.chunks = _chunks(array, self.ndim)
        self._read = _hdf5.reader(array) or array.__getitem__

    def __getitem__(self, where: Any) -> Any:
        return self.array[where]

    def __repr__(self) -> str:
        return f"<multifold.chunked({self.array!r})>"

    def read(self, where: tuple) -> np.ndarray:
        """Whole chunks, in this machine's byte order."""
        block = np.asanyarray(self._read(where))
        if isinstance(block, np.ma.MaskedArray):
            raise TypeError("multifold takes no masked arrays, whose masks it would ignore")
        return block.astype(block.dtype.newbyteorder("="), copy=False)


def chunked(x: Any, *, threads: int = 0, progress: bool = False) -> Chunked:
    """An array that gives parts by x[...], to be read by that many threads: multifold.sum(chunked(x, progress=True)).

    Arrays of zarr and h5py need it for these keywords alone. Others are read by one thread if they do not stand here,
    as not all libraries bear more.

    threads   which read and decode at once; 0 for all there are
    progress  a bar of tqdm, on standard error
    """
    return Chunked(x, threads, progress)


def _of(x: Any) -> Chunked | None:
    """What several threads may read."""
    if isinstance(x, Chunked):
        return x
    return Chunked(x) if type(x).__module__.partition(".")[0] in ("zarr", "h5py") and hasattr(x, "shape") else None


def _chunks(array: Any, ndim: int) -> tuple | None:
    """Extents of the chunks; those of shards, which are stored as one, if the array has them."""
    for name in ("shards", "chunks"):
        extents = getattr(array, name, None)
        if isinstance(extents, tuple) and len(extents) == ndim and all(isinstance(e, int) and e > 0 for e in extents):
            return extents
    return None


def _cpus() -> int:
    return len(os.sched_getaffinity(0))


def _cuts(extent: int, step: int) -> list[slice]:
    return [slice(first, min(extent, first + step)) for first in range(0, extent, step)]


def _row_bytes(shape: tuple, dtype: np.dtype) -> int:
    return max(1, math.prod(shape[1:]) * dtype.itemsize)


def _blocks(x: Chunked) -> Iterable[tuple]:
    """Where the whole chunks stand, several at once if they are small."""
    steps = list(x.chunks or (max(1, _step_bytes // _row_bytes(x.shape, x.dtype)), *x.shape[1:]))
    for axis in reversed(range(x.ndim)):
        chunks = max(1, _least_bytes // (math.prod(steps) * x.dtype.itemsize))
        steps[axis] *= min(chunks, -(-x.shape[axis] // steps[axis]))
    return itertools.product(*(_cuts(extent, step) for extent, step in zip(x.shape, steps)))


class _Progress:
    """Counts bytes, and shows them where it is asked to."""

    def __init__(self, x: Chunked | None) -> None:
        self._bar = None
        if x is not None and x.progress:
            import tqdm

            total = math.prod(x.shape) * x.dtype.itemsize
            self._bar = tqdm.tqdm(total=total, unit="B", unit_scale=True)

    def __enter__(self) -> Callable[[int], Any]:
        return self._bar.update if self._bar is not None else lambda count: None

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


def total(op: str, x: Any, y: Any, axis: Any, nan: str | None, threads: int) -> State | None:
    """The state of all elements, each block reduced by the thread that has decoded it.

    None where the order of elements matters, where some axis stays, and of what one thread has to read.
    Memory: a block for each thread, of a chunk or 4 MiB, and what the library takes to decode it.
    """
    arrays = [_of(each) for each in (x, y) if each is not None]
    if op in _in_order or None in arrays or arrays[0].ndim == 0 or 0 in arrays[0].shape:
        return None
    first = arrays[0]
    if axis is not None:
        given = axis if isinstance(axis, (tuple, list)) else (axis,)
        if sorted(each % first.ndim for each in given if -first.ndim <= each < first.ndim) != [*range(first.ndim)]:
            return None
    if any(each.shape != first.shape or each.dtype != first.dtype for each in arrays):
        return None
    try:
        State(op, first.dtype, nan=nan)
    except (TypeError, ValueError):  # of products that are rounded on the way, and what has no states
        return None
    places, taking, stop = iter(_blocks(first)), threading.Lock(), threading.Event()

    def work() -> State:
        state = State(op, first.dtype, nan=nan)
        while not stop.is_set():
            with taking:
                where = next(places, None)
            if where is None:
                break
            blocks = [each.read(where) for each in arrays]
            state.update(*blocks, nan=nan, threads=1)
            with taking:
                done(blocks[0].nbytes)
        return state

    workers = threads or first.threads or _cpus()
    with _Progress(first) as done, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        parts = [pool.submit(work) for _ in range(workers)]
        try:
            for part in concurrent.futures.as_completed(parts):
                part.result()
        except BaseException:
            stop.set()
            raise
    whole = parts[0].result()
    for part in parts[1:]:
        whole.merge(part.result())
    return whole


def rows(x: Any) -> Iterator[np.ndarray]:
    """The elements in their order: rows of whole chunks, about 16 MiB at once, read ahead where several threads may.

    Memory: as many such chunks as threads read, but no more than 256 MiB or two of them.
    """
    if len(x.shape) == 0:
        yield x[()]
        return
    known = _of(x)
    dtype = np.dtype(x.dtype) if known is None else known.dtype
    chunks = _chunks(x, len(x.shape)) if known is None else known.chunks
    row_bytes = _row_bytes(x.shape, dtype)
    step = max(1, _step_bytes // row_bytes)
    if chunks is not None:
        step = max(1, step // chunks[0]) * chunks[0]
    cuts = _cuts(x.shape[0], step)
    with _Progress(known) as done:
        for chunk in map(x.__getitem__, cuts) if known is None else _ahead(known, cuts, step * row_bytes):
            done(len(chunk) * row_bytes)
            yield chunk


def _ahead(x: Chunked, cuts: list[slice], step_bytes: int) -> Iterator[np.ndarray]:
    rest = tuple(slice(0, extent) for extent in x.shape[1:])
    threads = min(x.threads or _cpus(), max(1, _ahead_bytes // step_bytes))
    pool = concurrent.futures.ThreadPoolExecutor(threads)
    waiting: collections.deque = collections.deque()
    try:
        for cut in cuts:
            waiting.append(pool.submit(x.read, (cut, *rest)))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
