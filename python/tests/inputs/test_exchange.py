"""Arrays come in without a copy, and are given back exactly once."""

import ctypes
import gc
import sys
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import multifold
from exact import same, some


class Through:
    """An array that can be had by DLPack alone."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned, self.asked = array, versioned, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if not self.versioned and "max_version" in keywords:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"])
def test_dlpack(versioned, dtype):
    base = np.arange(24).reshape(4, 6).astype(dtype)
    for x in (base, base[::-1, ::2], base.T, base[:0], base[1, 2, ...]):
        through = Through(x, versioned)
        before = sys.getrefcount(x)
        same(multifold.sum(through), multifold.sum(x))
        if x.ndim == 2:
            same(multifold.count_nonzero(through, axis=1), multifold.count_nonzero(x, axis=1))
        gc.collect()
        assert sys.getrefcount(x) == before
        assert through.asked[0] == {"max_version": (1, 0)}


deleter_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p), ("deleter", deleter_type),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


@pytest.mark.parametrize("item", [1, 2, 4, 8])
def test_negative_strides_of_cupy(item):
    x = np.arange(100).astype(f"i{item}")
    last = np.ascontiguousarray(x).ctypes.data + 99 * item
    shape, strides = (ctypes.c_int64 * 1)(50), (ctypes.c_int64 * 1)((2**64 - 2 * item) // item)
    where = (ctypes.addressof(shape), ctypes.addressof(strides), 0)
    managed = Managed(last, 1, 0, 1, 0, 8 * item, 1, *where, None, deleter_type(lambda _: None))

    class Producer:
        def __dlpack__(self):
            return new_capsule(ctypes.addressof(managed), b"dltensor", None)

    assert multifold.sum(Producer(), out=int) == x[::-2].sum() and multifold.argmax(Producer(), out=int) == 0


def test_deleters_run_once():
    calls = []
    deleter = deleter_type(lambda _: calls.append(1))
    data, shape = (ctypes.c_double * 3)(0, 1, 2.5), (ctypes.c_int64 * 1)(2)

    class Producer:
        code = 2

        def __dlpack__(self):
            where, layout = (ctypes.addressof(data), 1, 0), (ctypes.addressof(shape), None, 8)
            self.managed = Managed(*where, 1, self.code, 64, 1, *layout, None, deleter)
            return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    assert multifold.sum(Producer()) == 3.5
    assert len(calls) == 1
    refused = Producer()
    refused.code = 5
    with pytest.raises(TypeError, match="complex"):
        multifold.sum(refused)
    assert len(calls) == 2


def test_buffers_are_released():
    x = bytearray(b"\x01\x02")
    multifold.sum(x)
    x.append(3)  # a BufferError while somebody holds it
    with pytest.raises(ValueError):
        multifold.sum(x, axis=3)
    x.append(4)
    assert multifold.sum(x) == 10


def test_bfloat16():
    x = np.ones(1000, ml_dtypes.bfloat16)
    same(multifold.sum(x), ml_dtypes.bfloat16(1000))
    same(multifold.sum(x.reshape(10, 100)[::-1, ::2], axis=1), np.full(10, 50, ml_dtypes.bfloat16))


class OnDevice(bytearray):
    """As an array of CuPy: it has a buffer, and it is on a GPU."""

    __cuda_array_interface__ = {"typestr": "<f4", "data": (0, True), "shape": (0,), "strides": None, "version": 3}


def test_arrays_on_a_gpu_are_not_read_as_buffers():
    if any(engine["name"] == "device" and engine["supported"] for engine in multifold.engines()):
        pytest.skip("there is a GPU, which test_device.py is for")
    with pytest.raises(TypeError, match="CUDA device, which multifold cannot read here"):
        multifold.sum(OnDevice(b"1234"))


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    assert multifold.sum(pyarrow.array([0.1] * 10)) == 1.0
    with pytest.raises(TypeError, match="null"):
        multifold.sum(pyarrow.array([1.0, None]))


def test_arrow_is_read_where_it_is():
    pyarrow = pytest.importorskip("pyarrow")
    x = some(np.dtype("float32"), 1 << 20)
    column = pyarrow.Array.from_buffers(pyarrow.float32(), x.size, [None, pyarrow.py_buffer(x)])
    before = pyarrow.default_memory_pool().bytes_allocated()
    tracemalloc.start()
    same(multifold.sum(column), multifold.sum(x))
    same(multifold.max(column[7:99]), multifold.max(x[7:99]))
    same(multifold.argmin(pyarrow.chunked_array([column[:10], column[10:]])), multifold.argmin(x))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert pyarrow.default_memory_pool().bytes_allocated() == before


def test_chunked_columns_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.table({"x": pyarrow.chunked_array([[0.1] * 4, [], [0.1] * 6])}).column("x")
    assert multifold.sum(column) == 1.0
    same(multifold.reduce(["min", "argmax"], column)[1], np.int64(0))
    same(multifold.sum(pyarrow.chunked_array([], pyarrow.float32())), np.float32(0))
    same(multifold.any(pyarrow.chunked_array([[False, True]])), np.bool_(True))
    with pytest.raises(TypeError, match="drop_null"):
        multifold.sum(pyarrow.chunked_array([[1.0], [None]]))
    with pytest.raises(TypeError, match="object|str"):
        multifold.sum(pyarrow.chunked_array([["a"]]))


def test_torch():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        x = torch.ones(4, 6, dtype=dtype)
        found = multifold.sum(x.T[:, ::2], axis=0)
        assert isinstance(found, torch.Tensor) and found.dtype == dtype and found.tolist() == [6, 6]
        assert multifold.sum(x).ndim == 0


def test_results_are_arrays_of_the_callers_library():
    strict = pytest.importorskip("array_api_strict")
    x = strict.asarray([[1.0, 2.0], [3.0, 4.0]])
    found = multifold.sum(x, axis=0)
    assert type(found) is type(x) and strict.all(found == strict.asarray([4.0, 6.0]))
    assert type(multifold.max(x)) is type(x) and multifold.max(x).shape == ()
    xp = multifold.array_namespace(x)
    assert float(xp.mean(xp.abs(x))) == 2.5 and float(xp.linalg.vector_norm(x)) == np.sqrt(30)


def test_namespace_of_numpy():
    xp = multifold.array_namespace(np.ones(2))
    assert xp.sum is multifold.sum and xp.arange is np.arange and "arange" in dir(xp)
    with pytest.raises(TypeError, match="array library"):
        multifold.array_namespace([1.0])


def test_pandas_is_told_the_way():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="to_numpy"):
        multifold.sum(pandas.Series([1.0]))
