"""Arrays that are stored in chunks: zarr, HDF5, and what stands in multifold.chunked."""

import itertools
import math
import signal
import subprocess
import sys
import textwrap
import threading
import time
import zlib

import numpy as np
import pytest

import multifold
from exact import same, some
from multifold import _chunked, _hdf5

ops = ["sum", "mean", "var", "min", "max", "argmin", "argmax", "count_nonzero", "any", "all", "norm2", "prod"]


def check(stored, x):
    """Every operation, of all elements and along axes, has the bits of the array in memory."""
    for op in ops:
        for axis in (None, 0, -1, *((tuple(range(x.ndim)),) if not op.startswith("arg") else ())):
            same(multifold.reduce(op, stored, axis=axis), multifold.reduce(op, x, axis=axis))
    same(multifold.sum(stored, dtype="float64", initial=3), multifold.sum(x, dtype="float64", initial=3))
    same(multifold.var(stored, correction=2), multifold.var(x, correction=2))
    same(multifold.mean(stored, keepdims=True), multifold.mean(x, keepdims=True))
    same(multifold.dot(stored, stored), multifold.dot(x, x))
    assert multifold.max(stored, out=float) == float(np.max(x))
    assert multifold.describe(stored) == multifold.describe(x)


@pytest.fixture(params=[2, 3])
def store(request, tmp_path):
    zarr = pytest.importorskip("zarr")

    def create(x, **more):
        return zarr.create_array(tmp_path / "x.zarr", data=x, zarr_format=request.param, **more)

    return create


@pytest.mark.parametrize("shape, chunks", [((1000,), (300,)), ((50, 40), (20, 15)), ((7, 5, 9), (3, 5, 2))])
def test_zarr(store, shape, chunks):
    x = some(np.dtype("float32"), shape)
    check(store(x, chunks=chunks), x)


@pytest.mark.parametrize("dtype", ["bool", "int16", ">f4", "float16", "float64"])
def test_dtypes_of_zarr(store, dtype):
    x = np.arange(60).reshape(12, 5).astype(dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    stored = store(x, chunks=(5, 5))
    for axis in (None, 0):
        same(multifold.sum(stored, axis=axis), multifold.sum(native, axis=axis))


def test_shards(tmp_path):
    zarr = pytest.importorskip("zarr")
    x = some(np.dtype("float32"), (64, 64))
    stored = zarr.create_array(tmp_path / "x.zarr", data=x, chunks=(8, 8), shards=(32, 16))
    assert multifold.chunked(stored).chunks == (32, 16)
    check(stored, x)


def test_chunks_that_were_never_written(tmp_path):
    zarr = pytest.importorskip("zarr")
    stored = zarr.create_array(tmp_path / "x.zarr", shape=(100,), chunks=(30,), dtype="f4", fill_value=0.25)
    assert multifold.sum(stored) == 25


@pytest.mark.parametrize("filters", [{"compression": "gzip"}, {"compression": "gzip", "shuffle": True}, {}])
@pytest.mark.parametrize("shape, chunks", [((1000,), (300,)), ((50, 40), (20, 15))])
def test_hdf5(tmp_path, filters, shape, chunks):
    h5py = pytest.importorskip("h5py")
    x = some(np.dtype("float32"), shape)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = file.create_dataset("x", data=x, chunks=chunks, **filters)
        assert (_hdf5.reader(stored) is not None) == ("compression" in filters)
        check(stored, x)
        stored[3] = 1000  # which the file itself does not have yet
        same(multifold.sum(stored), multifold.sum(stored[...]))


@pytest.mark.parametrize("inflater", ["isal", "zlib"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", ">i4", "<f8", "float16"])
def test_dtypes_of_hdf5(tmp_path, monkeypatch, dtype, inflater):
    h5py = pytest.importorskip("h5py")
    if inflater == "isal":
        pytest.importorskip("isal")
    else:
        monkeypatch.setitem(sys.modules, "isal", None)
    assert _hdf5._inflater().__module__ in (inflater, "isal.isal_zlib")
    x = (np.arange(60).reshape(12, 5) % 7).astype(dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = file.create_dataset("x", data=x, chunks=(5, 2), compression="gzip", shuffle=True)
        assert _hdf5.reader(stored) is not None
        for axis in (None, 0):
            same(multifold.sum(stored, axis=axis), multifold.sum(native, axis=axis))


def test_what_h5py_has_to_decode(tmp_path):
    h5py = pytest.importorskip("h5py")
    x = some(np.dtype("float32"), 100)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        checked = file.create_dataset("checked", data=x, chunks=(30,), compression="gzip", fletcher32=True)
        lzf = file.create_dataset("lzf", data=x, chunks=(30,), compression="lzf")
        unwritten = file.create_dataset("unwritten", (100,), "f4", chunks=(30,), compression="gzip", fillvalue=0.25)
        for each in (checked, lzf):
            assert _hdf5.reader(each) is None
            same(multifold.sum(each), multifold.sum(x))
        assert _hdf5.reader(unwritten) is None and multifold.sum(unwritten) == 25


def test_a_broken_chunk(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = file.create_dataset("x", data=np.ones(100, "f4"), chunks=(50,), compression="gzip")
        stored.id.write_direct_chunk((50,), b"no deflated data")
        for axis in (None, 0):
            with pytest.raises(Exception, match="(?i)error|invalid|incorrect"):
                multifold.sum(stored, axis=axis)
        stored.id.write_direct_chunk((50,), zlib.compress(b"\0" * 40))
        with pytest.raises(ValueError, match="reshape"):
            multifold.sum(stored)


class Stored:
    """As zarr has it; it counts who reads, and how many at once."""

    def __init__(self, array, chunks, fail_at=math.inf):
        self.array, self.shape, self.dtype, self.chunks = array, array.shape, array.dtype, chunks
        self.asked, self.at_once, self.most_at_once, self.fail_at, self.together = 0, 0, 0, fail_at, None

    def __getitem__(self, where):
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.asked > self.fail_at:
            raise OSError("no such chunk")
        if self.together is not None:
            self.together.wait(timeout=20)
        time.sleep(0.001)
        self.at_once -= 1
        return self.array[where]


@pytest.mark.parametrize("op", ["sum", "argmax"])
def test_threads_read_at_once(op):
    x = np.broadcast_to(some(np.dtype("float64"), 1 << 21), (8, 1 << 21))
    stored = Stored(x, (1, 1 << 21))
    stored.together = threading.Barrier(4)  # which breaks unless four threads read at the same time
    same(multifold.reduce(op, multifold.chunked(stored, threads=4)), multifold.reduce(op, x))
    assert stored.asked == 8


def test_what_is_not_known_is_read_by_one_thread_at_a_time():
    x = some(np.dtype("float64"), (8, 1 << 19))
    stored = Stored(x, (1, 1 << 19))
    same(multifold.sum(stored), multifold.sum(x))
    same(multifold.argmin(stored), multifold.argmin(x))
    assert stored.most_at_once == 1


def test_blocks_are_whole_chunks_each_of_them_once():
    for shape, chunks in (((100, 70), (7, 20)), ((5, 6, 7), (2, 6, 3)), ((10_000_000,), (3,)), ((3, 3_000_000), None)):
        x = multifold.chunked(Stored(np.broadcast_to(np.float32(1), shape), chunks))
        covered = 0
        for where in _chunked._blocks(x):
            for cut, step, extent in zip(where, chunks or (1, 1), shape):
                assert cut.start % step == 0 and (cut.stop % step == 0 or cut.stop == extent)
            size = math.prod(cut.stop - cut.start for cut in where)
            assert size * 4 <= 16 << 20
            covered += size
        assert covered == math.prod(shape)


@pytest.mark.parametrize("op", ["sum", "argmin"])
def test_errors_of_readers(op):
    x = some(np.dtype("float32"), (10, 1 << 20))
    with pytest.raises(OSError, match="no such chunk"):
        multifold.reduce(op, multifold.chunked(Stored(x, (1, 1 << 20), fail_at=2), threads=2))
    with pytest.raises(ValueError, match="NaN|element"):
        multifold.reduce(op if op == "argmin" else "min", multifold.chunked(Stored(x[:0], (1, 1 << 20))))


def test_refusals():
    with pytest.raises(TypeError, match="list"):
        multifold.chunked([1.0])
    x = multifold.chunked(Stored(np.ones(4), (2,)), threads=2)
    with pytest.raises(ValueError, match="threads"):
        multifold.chunked(x, threads=-1)
    with pytest.raises(TypeError, match="masked"):
        multifold.sum(multifold.chunked(Stored(np.ma.masked_equal(np.ones(4), 1), (2,))))
    with pytest.raises(OverflowError):
        multifold.sum(multifold.chunked(Stored(np.full(4, 2**62), (2,))))
    with pytest.raises(ValueError, match="axis"):
        multifold.sum(x, axis=3)
    assert "chunked" in repr(x) and multifold.sum(x) == 4


def test_where_and_nan(store):
    x = some(np.dtype("float64"), (40, 30))
    x[3, 4] = np.nan
    stored = store(x, chunks=(16, 16))
    same(multifold.sum(stored, nan="omit"), multifold.sum(x, nan="omit"))
    same(multifold.min(stored), multifold.min(x))
    with pytest.raises(ValueError, match="where"):
        multifold.sum(stored, where=~np.isnan(x))
    assert math.isclose(multifold.sum(stored, accuracy="fast", nan="omit"), multifold.sum(x, nan="omit"))


@pytest.mark.parametrize("axis", [None, 0])
def test_progress(axis, capsys):
    pytest.importorskip("tqdm")
    x = some(np.dtype("float32"), (40, 1 << 18))
    stored = Stored(x, (4, 1 << 18))
    same(multifold.sum(multifold.chunked(stored, progress=True), axis=axis), multifold.sum(x, axis=axis))
    assert "100%" in capsys.readouterr().err
    multifold.sum(multifold.chunked(stored), axis=axis)
    assert capsys.readouterr().err == ""


def test_any_threads_and_chunks_give_the_same_bytes():
    x = some(np.dtype("float32"), 100_000)
    expected = multifold.State("mean", "float32")
    expected.update(x)
    for threads, chunk in itertools.product((1, 2, 5), (1000, 7777, 100_000)):
        state = _chunked.total("mean", multifold.chunked(Stored(x, (chunk,))), None, None, None, threads)
        assert bytes(state) == bytes(expected)


@pytest.mark.parametrize("axis", ["None", "0"])
def test_ctrl_c_ends_it(axis):
    program = textwrap.dedent(
        f"""
        import time, numpy, multifold
        class Slow:
            shape, dtype, chunks = (1 << 20, 1 << 20), numpy.dtype("f4"), (1, 1 << 20)
            def __getitem__(self, where):
                time.sleep(0.05)
                return numpy.broadcast_to(numpy.float32(1), [cut.stop - cut.start for cut in where])
        print("begun", flush=True)
        try:
            multifold.sum(multifold.chunked(Slow(), threads=3), axis={axis})
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n" and process.returncode == 0
