"""Dask arrays: the bits of the array in memory, whatever the chunks and wherever they are reduced."""

import doctest
import math
import pickle

import numpy as np
import pytest

import multifold
from exact import dtypes, same, some

try:
    import dask
    import dask.array as da

    import multifold.dask as mda
except ImportError:
    dask = None

pytestmark = pytest.mark.skipif(dask is None, reason="there is no Dask")

ops = [
    "sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "count_nonzero", "any", "all", "vector_norm",
]
chunkings = [(30, 20, 5), (7, 11, 2), (1, 20, 5), ((10, 0, 20), (3, 17), (5,))]


def lazily(op, x, chunks, **keywords):
    """The value by chunks, which has the dtype, shape and type that were told before."""
    lazy = getattr(mda, op)(da.from_array(x, chunks=chunks), **keywords)
    value = lazy.compute(scheduler="threads")
    assert isinstance(lazy, da.Array) and lazy.dtype == value.dtype and lazy.shape == np.shape(value)
    return value


@pytest.mark.parametrize("op", ops)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), [1], ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_any_chunks_and_axes(op, axis, keepdims):
    if op in ("argmin", "argmax") and isinstance(axis, (tuple, list)) and len(axis) != 1:
        pytest.skip("indices are of one axis, or of all")
    x = some(np.dtype("float32"), (30, 20, 5))
    expected = getattr(multifold, op)(x, axis=axis, keepdims=keepdims)
    for chunks, split_every in zip(chunkings, (None, 2, 3, None)):
        found = lazily(op, x, chunks, axis=axis, keepdims=keepdims, split_every=split_every)
        same(found, expected)
        assert type(found) is type(expected)


@pytest.mark.parametrize("op", ops)
@pytest.mark.parametrize("dtype", dtypes, ids=str)
def test_any_elements(op, dtype):
    x = some(dtype, (40, 3))
    for axis in (None, 0):
        same(lazily(op, x, (9, 2), axis=axis), getattr(multifold, op)(x, axis=axis))


def test_sums_do_not_depend_on_chunks():
    x = np.random.default_rng(3).lognormal(0, 20, 10_000) * np.tile([1, -1], 5000)
    theirs = set()
    for chunks in (10_000, 5000, 1234, 100):
        theirs.add(float(da.from_array(x, chunks=chunks).sum().compute()))
        assert lazily("sum", x, chunks) == math.fsum(x)
    assert len(theirs) > 1  # or the test would show nothing


@pytest.mark.parametrize("chunks", [9, 100])
def test_settings(chunks):
    x = some(np.dtype("float32"), 100)
    same(lazily("sum", x, chunks, dtype="float64", initial=0.1), multifold.sum(x, dtype="float64", initial=0.1))
    same(lazily("var", x, chunks, correction=1), multifold.var(x, correction=1))
    same(lazily("std", x, chunks, correction=0.5), multifold.std(x, correction=0.5))
    same(lazily("max", x, chunks, initial=1e9), multifold.max(x, initial=1e9))
    for order in (1, 2, np.inf):
        same(lazily("vector_norm", x, chunks, ord=order), multifold.vector_norm(x, ord=order))
    same(lazily("sum", np.full(15, -1), chunks, initial=2**63 - 1), np.int64(2**63 - 16))
    few = np.array([3, -5, 7, 1, 1, 1, 2, 2, 2, 2, 2])
    same(lazily("prod", few, chunks, dtype="int32"), multifold.prod(few, dtype="int32"))


@pytest.mark.parametrize("op", ["dot", "cov"])
@pytest.mark.parametrize("axis", [None, 0, (1, 0)])
def test_two_arrays(op, axis):
    x, y = some(np.dtype("float64"), (30, 4)), some(np.dtype("float64"), (30, 4), seed=2)
    lazy = getattr(mda, op)(da.from_array(x, chunks=(7, 3)), da.from_array(y, chunks=(4, 2)), axis=axis)
    same(lazy.compute(), getattr(multifold, op)(x, y, axis=axis))
    whole = getattr(mda, op)(da.from_array(x, chunks=-1), da.from_array(y, chunks=2), axis=axis, keepdims=True)
    same(whole.compute(), getattr(multifold, op)(x, y, axis=axis, keepdims=True))


@pytest.mark.parametrize("op", [op for op in ops if op != "all"])
def test_nan(op):
    x = some(np.dtype("float64"), (40, 3))
    x[:12, 0] = np.nan  # chunks of nothing else
    x[20, 1] = np.nan
    for axis in (None, 0):
        for nan in ("propagate", "omit"):
            for chunks in ((4, 1), (40, 3)):
                same(lazily(op, x, chunks, axis=axis, nan=nan), getattr(multifold, op)(x, axis=axis, nan=nan))


@pytest.mark.parametrize("op", ["argmin", "argmax"])
def test_the_first_of_equal_elements(op):
    x = np.array([[2, 1, 3], [3, 1, 2], [1, 3, 0.0], [-0.0, 0.0, 3]])
    for chunks in ((1, 1), (2, 2), (4, 1), (1, 3)):
        for axis in (None, 0, 1):
            same(lazily(op, x, chunks, axis=axis), getattr(multifold, op)(x, axis=axis))


def test_indices_of_many_elements():
    block = np.array([[1, 1, 1], [1, 1, 9]])
    where = {0: {"array-location": [(2**30, 2**30 + 2), (5, 8)]}}
    settings = mda._Settings("argmax", block.dtype, None, False)
    end = mda._end_of(settings, block, shape=(2**31, 2**31), block_info=where)
    assert end.value() == (2**30 + 1) * 2**31 + 7


def test_chunks_of_unknown_sizes():
    x = some(np.dtype("float32"), 100)
    lazy = da.from_array(x, chunks=9)
    lazy = lazy[lazy > 0]
    for op in ops:
        same(getattr(mda, op)(lazy).compute(), getattr(multifold, op)(x[x > 0]))
    rows = da.from_array(x.reshape(20, 5), chunks=(3, 2))
    rows = rows[rows[:, 0] > 0]
    with pytest.raises(NotImplementedError, match="compute_chunk_sizes"):
        mda.argmin(rows)


def test_no_axes_and_no_elements():
    same(mda.sum(da.from_array(np.array(3.0))).compute(), np.float64(3))
    same(mda.argmin(da.from_array(np.array(3.0))).compute(), np.int64(0))
    same(mda.sum(da.zeros((0, 3), chunks=2), axis=0).compute(), np.zeros(3))
    with pytest.raises(ValueError):
        mda.max(da.zeros((0, 3), chunks=2)).compute()


def test_states_serve_several_results():
    x = da.from_array(some(np.dtype("float32"), (64, 3)), chunks=(5, 3))
    lazy = [mda.argmax(x, axis=0, split_every=n) for n in (2, 3, 16)]
    for value in dask.compute(*lazy, scheduler="sync"):
        same(value, multifold.argmax(x.compute(), axis=0))
    assert mda.sum(x).name == mda.sum(x).name and mda.sum(x).name != mda.mean(x).name


@pytest.mark.filterwarnings("ignore:Port .* is already in use:UserWarning")
@pytest.mark.parametrize("where", ["sync", "processes", "cluster"])
def test_schedulers(where):
    x = some(np.dtype("float64"), (200, 3))
    lazy = da.from_array(x, chunks=(30, 2))
    results = [mda.mean(lazy), mda.var(lazy, axis=0), mda.argmin(lazy), mda.argmax(lazy, axis=0), mda.dot(lazy, lazy)]
    expected = [multifold.mean(x), multifold.var(x, axis=0), multifold.argmin(x), multifold.argmax(x, axis=0)]
    expected.append(multifold.dot(x, x))
    if where == "cluster":
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with distributed.Client(cluster):
                found = dask.compute(*results)
    else:
        found = dask.compute(*results, scheduler=where, num_workers=2)
    for one, other in zip(found, expected):
        same(one, other)
    assert len(pickle.dumps(results)) > 0


@pytest.mark.parametrize("op", ["sum", "argmax"])
@pytest.mark.parametrize("chunks", [(3, 4), (1, 4), (3, 1)])
def test_chunks_at_any_byte(op, chunks):
    """As those that distributed hands over."""
    x = some(np.dtype("float64"), (3, 4))

    def moved(block):
        raw = np.zeros(block.nbytes + 1, "u1")[1:].view("f8").reshape(block.shape)
        raw[:] = block
        return raw

    lazy = da.from_array(x, chunks=chunks).map_blocks(moved, dtype="f8", meta=np.empty((0, 0)))
    for axis in (None, 0):
        same(getattr(mda, op)(lazy, axis=axis).compute(scheduler="sync"), getattr(multifold, op)(x, axis=axis))


@pytest.mark.skipif(int(np.__version__.partition(".")[0]) < 2, reason="NumPy 2 prints its scalars otherwise")
def test_examples():
    assert doctest.testmod(mda).failed == 0


def test_refusals():
    x = da.ones((4, 3), chunks=2)
    with pytest.raises(TypeError, match="multifold.sum takes those in memory"):
        mda.sum(np.ones(3))
    with pytest.raises(TypeError, match="complex"):
        mda.sum(x.astype("complex128"))
    with pytest.raises(TypeError, match="type object"):
        mda.mean(x.astype(object))
    with pytest.raises(ValueError, match="no states of prod"):
        mda.prod(x)
    for axis in (2, (0, 0), (0, -2)):
        with pytest.raises(ValueError, match="axis"):
            mda.sum(x, axis=axis)
    with pytest.raises(NotImplementedError, match="reshape"):
        mda.argmin(x, axis=(0, 1))
    with pytest.raises(ValueError, match="'omit'"):
        mda.sum(x, nan="drop")
    with pytest.raises(ValueError, match="ord 1, 2 and inf"):
        mda.vector_norm(x, ord=3)
    with pytest.raises(TypeError, match="infinite order"):
        mda.vector_norm(x.astype("int64"), ord=np.inf)
    with pytest.raises(ValueError, match="one shape and dtype"):
        mda.dot(x, x[0])
    with pytest.raises(OverflowError):
        mda.sum(da.full(10, 2**62, chunks=3)).compute()
    masked = x.map_blocks(np.ma.masked_equal, 1)
    with pytest.raises(TypeError, match="masked"):
        mda.sum(masked).compute()
    other = x.map_blocks(lambda block: block.astype("f4"), dtype="f8", meta=np.empty((0, 0)))
    for chunks in (2, 4):
        with pytest.raises(ValueError, match="float32 in an array of float64"):
            mda.sum(other.rechunk(chunks)).compute()


def test_xarray():
    xarray = pytest.importorskip("xarray")
    x = some(np.dtype("float32"), (30, 4, 5))
    array = xarray.DataArray(x, dims=("time", "y", "x"))
    for chunks in ({"time": 7, "y": 2}, {"x": 1}):
        lazy = array.chunk(chunks)
        same(lazy.reduce(mda.mean, dim="time").values, multifold.mean(x, axis=0))
        same(lazy.reduce(mda.std, dim=("y", "x"), nan="omit").values, multifold.std(x, axis=(1, 2)))
        same(lazy.reduce(mda.sum).values, multifold.sum(x))
        same(lazy.to_dataset(name="v").reduce(mda.max, dim="time")["v"].values, multifold.max(x, axis=0))
    same(array.reduce(multifold.mean, dim="time").values, multifold.mean(x, axis=0))
