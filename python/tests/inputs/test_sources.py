"""Files, iterators and arrays that give rows."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import multifold
from exact import same, some


class OfBytes:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_npy_and_npz(tmp_path):
    x = some(np.dtype("float32"), (20, 30))
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", a=x, b=x[0])
    for path in (tmp_path / "x.npy", str(tmp_path / "x.npy"), str(tmp_path / "x.npz") + ":a"):
        same(multifold.sum(path), multifold.sum(x))
        same(multifold.mean(path, axis=0), multifold.mean(x, axis=0))
    same(multifold.dot(tmp_path / "x.npy", tmp_path / "x.npy"), multifold.dot(x, x))
    same(multifold.reduce(["min", "max"], tmp_path / "x.npy")[1], np.max(x))
    (tmp_path / "é\udcff.npy").write_bytes((tmp_path / "x.npy").read_bytes())  # a name that is no UTF-8
    for path in (tmp_path / "é\udcff.npy", OfBytes(os.fsencode(tmp_path / "x.npy"))):
        same(multifold.sum(path), multifold.sum(x))
    with pytest.raises(OSError, match="missing.npy"):
        multifold.sum(tmp_path / "missing.npy")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(ValueError, match="bad.npy"):
        multifold.sum(tmp_path / "bad.npy")
    with pytest.raises(TypeError, match="one of each"):
        multifold.dot(tmp_path / "x.npy", x)


def test_iterators():
    x = some(np.dtype("float64"), 10000)
    chunks = [x[:1], x[1:1], x[1:7000], x[7000:].reshape(3, 1000)]
    same(multifold.sum(iter(chunks)), multifold.sum(x))
    same(multifold.argmax(chunk for chunk in chunks), multifold.argmax(x))
    with pytest.raises(ValueError, match="no chunk"):
        multifold.sum(iter([]))
    with pytest.raises(TypeError, match="float32 after one of float64"):
        multifold.sum(iter([x, x.astype("float32")]))
    for chunks in ([np.ma.masked_array([1.0], [True])], [x, np.ma.masked_array([1.0], [False])]):
        with pytest.raises(TypeError, match="masked"):
            multifold.sum(iter(chunks))

    def broken():
        yield x
        raise KeyError("from the generator")

    with pytest.raises(KeyError, match="from the generator"):
        multifold.sum(broken())


class Rows:
    """As h5py and zarr have it."""

    def __init__(self, array, chunks=None):
        self.array, self.shape, self.dtype, self.chunks, self.read = array, array.shape, array.dtype, chunks, 0

    def __getitem__(self, where):
        chunk = self.array[where]
        self.read += chunk.size
        return chunk


@pytest.mark.parametrize("chunks", [None, (7, 4)])
@pytest.mark.parametrize("dtype", ["float32", ">f4", ">i2"])
def test_rows(chunks, dtype):
    x = some(np.dtype("float32"), (100, 8)).astype(dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    for axis in (None, 0, 1):
        rows = Rows(x, chunks)
        same(multifold.sum(rows, axis=axis), multifold.sum(native, axis=axis))
        assert rows.read == x.size
    same(multifold.sum(Rows(x[3, 4, ...])), multifold.sum(native[3, 4, ...]))
    same(multifold.sum(Rows(x[:0])), multifold.sum(native[:0]))


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    x = some(np.dtype("float32"), (100, 8))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = file.create_dataset("x", data=x, chunks=(10, 8), compression="gzip")
        same(multifold.mean(stored, axis=0), multifold.mean(x, axis=0))


def test_memmap(tmp_path):
    x = some(np.dtype("float64"), 1000)
    np.save(tmp_path / "x.npy", x)
    same(multifold.sum(np.load(tmp_path / "x.npy", mmap_mode="r")), multifold.sum(x))


def test_ctrl_c_ends_it():
    program = textwrap.dedent(
        """
        import itertools, numpy, multifold
        print("begun", flush=True)
        try:
            multifold.sum(itertools.repeat(numpy.ones(1 << 16)))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    try:
        process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        pass
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out == "interrupted\n" and process.returncode == 0
