"""The keyword stream, where there is no GPU: what is refused. tests/simulated has what it is for."""

import numpy as np
import pytest

import multifold

x = np.ones(4)
calls = [
    multifold.sum, multifold.mean, multifold.var, multifold.max, multifold.argmin, multifold.any, multifold.describe,
    multifold.vector_norm, multifold.nanmean, multifold.minmax,
    lambda x, **k: multifold.vector_norm(x, ord=1, **k),
    lambda x, **k: multifold.vector_norm(x, ord=np.inf, **k),
    lambda x, **k: multifold.dot(x, x, **k),
    lambda x, **k: multifold.cov(x, x, **k),
    lambda x, **k: multifold.vecdot(x, x, **k),
    lambda x, **k: multifold.sum(x + 1j, **k),
    lambda x, **k: multifold.reduce(["min", "max"], x, **k),
    lambda x, **k: multifold.segment_sum(x, np.array([0, 4]), **k),
    lambda x, **k: multifold.segment_reduce("max", x, np.array([0, 4]), **k),
    lambda x, **k: multifold.reduce_by_key("max", x, np.array([0, 0, 1, 1]), **k),
    lambda x, **k: multifold.State("sum", "float64").update(x, **k),
]


class OfTorch:
    cuda_stream = 5


@pytest.mark.parametrize("call", calls)
def test_arrays_in_the_memory_of_the_cpu_have_none(call):
    for stream in (0, 1, 5, OfTorch()):
        with pytest.raises(TypeError, match="stream is for arrays on a GPU"):
            call(x, stream=stream)
    call(x, stream=None)


def test_norms_of_other_orders_are_those_of_the_cpu():
    with pytest.raises(ValueError, match="order 3.0 takes no stream"):
        multifold.vector_norm(x, ord=3, stream=7)


def test_nor_have_files_and_iterators(tmp_path):
    np.save(tmp_path / "x.npy", x)
    for source in (tmp_path / "x.npy", iter([x])):
        with pytest.raises(TypeError, match="stream is for arrays on a GPU"):
            multifold.sum(source, stream=1)


class OtherVersion:
    def __cuda_stream__(self):
        return (7, 1)


class NoNumber:
    ptr = "1"


@pytest.mark.parametrize(
    ("stream", "error", "word"),
    [
        (True, TypeError, "cudaStream_t, or an object"), ("1", TypeError, "cudaStream_t, or an object"),
        (1.0, TypeError, "and not 1.0"), (object(), TypeError, "cuda.core"), (NoNumber(), TypeError, "CuPy"),
        (-1, ValueError, "negative"), (2**64, ValueError, "longer"), (OtherVersion(), ValueError, "version"),
    ],
)
def test_what_is_no_stream(stream, error, word):
    with pytest.raises(error, match=word):
        multifold.sum(x, stream=stream)
