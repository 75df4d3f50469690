"""Chunks of HDF5 data sets, decoded outside of the one lock under which HDF5 decodes.

Those of the filters deflate (gzip) and shuffle, of elements that stand in the file as in memory; h5py reads all others.
The package isal inflates them half again as fast as zlib, and is taken where it is installed.
"""

import itertools
import sys
from typing import Any, Callable

import numpy as np

_deflate, _shuffle = 1, 2


def reader(x: Any) -> Callable[[tuple], np.ndarray] | None:
    """What reads whole chunks of `x`; None where h5py has to."""
    h5py = sys.modules.get("h5py")
    if h5py is None or not isinstance(x, h5py.Dataset) or not x.chunks or 0 in x.shape:
        return None
    filters = _filters(x)
    plain = x.dtype.kind in "biuf" and h5py.h5t.py_create(x.dtype, logical=True).equal(x.id.get_type())
    if not plain or _deflate not in filters or not set(filters) <= {_deflate, _shuffle}:
        return None
    grid = [-(-extent // step) for extent, step in zip(x.shape, x.chunks)]
    if x.id.get_num_chunks() != np.prod(grid):  # some were never written
        return None
    return _Direct(x, filters)


def _inflater() -> Callable[[bytes], bytes]:
    try:
        from isal import isal_zlib

        return isal_zlib.decompress
    except ImportError:
        import zlib

        return zlib.decompress


def _filters(x: Any) -> list[int]:
    properties = x.id.get_create_plist()
    return [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]


class _Direct:
    def __init__(self, x: Any, filters: list[int]) -> None:
        self._id, self._chunks, self._dtype, self._filters = x.id, x.chunks, x.dtype, filters
        self._inflated = _inflater()

    def __call__(self, where: tuple) -> np.ndarray:
        shape = [cut.stop - cut.start for cut in where]
        starts = [range(cut.start, cut.stop, step) for cut, step in zip(where, self._chunks)]
        if all(len(each) == 1 for each in starts):
            chunk = self._chunk(tuple(each[0] for each in starts))
            return chunk[tuple(slice(0, extent) for extent in shape)]
        block = np.empty(shape, self._dtype)
        for offset in itertools.product(*starts):
            there = [slice(at - cut.start, at - cut.start + step) for at, cut, step in zip(offset, where, self._chunks)]
            part = block[tuple(there)]
            part[...] = self._chunk(offset)[tuple(slice(0, extent) for extent in part.shape)]
        return block

    def _chunk(self, offset: tuple) -> np.ndarray:
        left_out, data = self._id.read_direct_chunk(offset)
        for at, code in reversed(list(enumerate(self._filters))):
            if left_out >> at & 1:
                continue
            data = self._inflated(data) if code == _deflate else self._unshuffled(data)
        return np.frombuffer(data, self._dtype).reshape(self._chunks)

    def _unshuffled(self, data: Any) -> Any:
        planes = np.frombuffer(data, np.uint8).reshape(self._dtype.itemsize, -1)
        elements = np.empty(planes.shape[::-1], np.uint8)
        for place, plane in enumerate(planes):  # thrice as fast as a copy of the transpose
            elements[:, place] = plane
        return elements
