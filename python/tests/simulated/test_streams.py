"""The keyword stream: what arrays on a GPU are asked for, and what is waited for. The GPU is that of tests/simulated."""

import ctypes
import sys
import types

import numpy as np
import pytest

import multifold

cuda = ctypes.CDLL(multifold._multifold.__file__)
pointer = ctypes.c_void_p
default_kind = 4  # of copies
non_blocking = 1


def done(code):
    assert code == 0, code


def allocated(function, count):
    found = pointer()
    done(function(ctypes.byref(found), ctypes.c_size_t(count)))
    return found.value


def pinned(count):
    return np.frombuffer((ctypes.c_char * count).from_address(allocated(cuda.cudaMallocHost, count)), "u1")


def copy(to, array, stream):
    what = (pointer(to), pointer(array.ctypes.data), ctypes.c_size_t(array.nbytes))
    done(cuda.cudaMemcpyAsync(*what, default_kind, pointer(stream)))


def new_stream():
    found = pointer()
    done(cuda.cudaStreamCreateWithFlags(ctypes.byref(found), non_blocking))
    return found.value


much, elsewhere = pinned(1 << 28), pinned(1 << 28)


class Array:
    """Device memory of float32, that says of itself what CuPy's arrays do."""

    def __init__(self, count):
        self.shape, self.data, self.stream, self.kept = (count,), allocated(cuda.cudaMalloc, 4 * count), None, []
        copy(self.data, np.zeros(count, "f4"), None)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<f4", "data": (self.data, False), "version": 3, "stream": self.stream}

    def become_late(self, value, stream):
        """All elements, when the stream has been busy for a while."""
        values = pinned(4 * self.shape[0]).view("f4")
        values[:] = value
        self.kept.append(values)
        copy(elsewhere.ctypes.data, much, stream)
        copy(self.data, values, stream)


def test_the_gpu_is_simulated():
    assert [engine["supported"] for engine in multifold.engines() if engine["name"] == "device"] == [True]


class OfTorch:
    def __init__(self, number):
        self.cuda_stream = number


class OfCupy:
    def __init__(self, number):
        self.ptr = number


class OfCudaCore:
    def __init__(self, number):
        self.__cuda_stream__ = lambda: (0, number)


@pytest.mark.parametrize("kind", [int, OfTorch, OfCupy, OfCudaCore])
def test_work_on_the_stream_is_waited_for(kind):
    x, stream = Array(1000), new_stream()
    x.become_late(2, stream)
    assert multifold.sum(x, stream=kind(stream), out=float) == 2000


def test_all_functions_wait():
    x, y, stream = Array(1000), Array(1000), new_stream()
    offsets = np.array([0, 1000])
    state = multifold.State("sum", "float32")
    for value, call in enumerate([
        lambda: multifold.mean(x, stream=stream, out=float),
        lambda: multifold.max(x, axis=0, stream=stream, out=float),
        lambda: multifold.vector_norm(x, ord=1, stream=stream, out=float) / 1000,
        lambda: multifold.vector_norm(x, ord=np.inf, stream=stream, out=float),
        lambda: multifold.reduce(["min", "max"], x, stream=stream)[1],
        lambda: (multifold.dot(x, y, stream=stream, out=float) / 1000) ** 0.5,
        lambda: (multifold.vecdot(x, y, stream=stream) / 1000) ** 0.5,
        lambda: multifold.segment_reduce("max", x, offsets, stream=stream)[0],
        lambda: state.update(x, stream=stream) or multifold.max(x, stream=stream),
    ]):
        x.become_late(value, stream)
        copy(y.data, x.kept[-1], stream)
        assert call() == pytest.approx(value, abs=1e-3)


def test_the_producers_stream_is_waited_for():
    x, its_own = Array(1000), new_stream()
    x.stream = its_own
    x.become_late(3, its_own)
    assert multifold.sum(x, out=float) == 3000
    x.become_late(4, its_own)
    assert multifold.sum(x, out=float, stream=new_stream()) == 4000  # which does not wait for it


class Pointer:
    def __init__(self, at):
        self.ptr = at


class Device:
    id = 0


class Ndarray:
    """What is asked of a cupy.ndarray."""

    device = Device()

    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.strides = np.empty(self.shape, self.dtype).strides
        self.count = int(np.prod(self.shape, dtype=int))
        self.data = Pointer(allocated(cuda.cudaMalloc, max(self.count * self.dtype.itemsize, 1)))

    def on_host(self, stream):
        """Behind what is on the stream."""
        found = pinned(self.count * self.dtype.itemsize)
        what = (pointer(found.ctypes.data), pointer(self.data.ptr), ctypes.c_size_t(found.nbytes))
        done(cuda.cudaMemcpyAsync(*what, default_kind, pointer(stream)))
        done(cuda.cudaStreamSynchronize(pointer(stream)))
        return found.view(self.dtype).reshape(self.shape)


@pytest.fixture
def cupy():
    """A module that says what CuPy does, for as long as the process lives: what is asked of it is looked up once."""
    module = sys.modules.get("cupy") or types.ModuleType("cupy")
    module.ndarray, module.empty = Ndarray, Ndarray
    module.stream = Pointer(new_stream())
    module.cuda = types.SimpleNamespace(
        get_current_stream=lambda: module.stream, runtime=types.SimpleNamespace(getDevice=lambda: 0),
        alloc=lambda count: Pointer(allocated(cuda.cudaMalloc, count)))
    sys.modules["cupy"] = module
    return module


def late(cupy, shape, dtype, values):
    """An array that has its elements when the current stream has been busy for a while."""
    x = Ndarray(shape, dtype)
    there = pinned(x.count * x.dtype.itemsize).view(dtype)
    there[:] = np.ravel(values)
    copy(elsewhere.ctypes.data, much, cupy.stream.ptr)
    copy(x.data.ptr, there, cupy.stream.ptr)
    return x


def test_results_stay_on_the_gpu(cupy):
    values = np.arange(3000, dtype="f4").reshape(30, 100) / 7
    for op, axis in [("sum", None), ("mean", 0), ("max", 1), ("argmin", None), ("var", 1), ("any", 0), ("count_nonzero", 1)]:
        found = multifold.reduce(op, late(cupy, (30, 100), "f4", values), axis=axis, keepdims=axis == 0)
        wanted = multifold.reduce(op, values, axis=axis, keepdims=axis == 0)
        assert type(found) is Ndarray and found.dtype == wanted.dtype and found.shape == wanted.shape
        assert np.array_equal(found.on_host(cupy.stream.ptr), wanted)


def test_nothing_is_waited_for(cupy):
    x = late(cupy, (1000,), "f4", np.ones(1000))
    multifold.sum(x)  # what the first call finds out, which takes its time
    x = late(cupy, (1000,), "f4", np.ones(1000))
    first = ctypes.c_float.from_address(x.data.ptr)
    first.value = 0
    found = multifold.sum(x)
    assert first.value == 0
    assert found.on_host(cupy.stream.ptr) == 1000


def test_what_may_fail_is_waited_for(cupy):
    with pytest.raises(OverflowError):
        multifold.sum(late(cupy, (2,), "i8", [1 << 62, 1 << 62]))
    assert multifold.sum(late(cupy, (2,), "f4", [1, 2]), out=float) == 3
    assert multifold.mean(late(cupy, (2,), "i8", [1, 2])).on_host(cupy.stream.ptr) == 1.5
    with pytest.raises(ValueError, match="max of no elements has no value"):
        multifold.max(Ndarray((0,), "f4"))


def test_both_arrays_lie_there(cupy):
    with pytest.raises(ValueError, match="one place"):
        multifold.dot(late(cupy, (2,), "f4", [1, 2]), np.ones(2, "f4"))


class Asked:
    """On a GPU, says DLPack."""

    def __init__(self):
        self.keywords = None

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        self.keywords = keywords
        raise InterruptedError


@pytest.mark.parametrize(
    ("given", "asked"), [(None, 1), (0, 1), (1, 1), (2, 2), (12345, 12345), (OfTorch(0), 1), (OfCupy(77), 77)]
)
def test_dlpack_is_asked_for_the_stream(given, asked):
    for call in (multifold.sum, multifold.logsumexp) if given is None else (multifold.sum, multifold.max):
        x = Asked()
        with pytest.raises(InterruptedError):
            call(x, **({} if given is None else {"stream": given}))
        assert x.keywords == {"stream": asked, "max_version": (1, 0)}


def test_both_arrays_are_asked():
    x = Array(10)
    with pytest.raises(InterruptedError):
        multifold.dot(x, Asked(), stream=9)
    with pytest.raises(TypeError, match="stream is for arrays on a GPU"):
        multifold.dot(x, np.ones(10, "f4"), stream=new_stream())
