"""The keyword stream: what arrays on a GPU are asked for, and what is waited for. The GPU is that of tests/simulated."""

import ctypes

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
