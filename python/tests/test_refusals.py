"""What is refused says what it is, and what to do."""

import array
import decimal

import numpy as np
import pytest

import multifold


@pytest.mark.parametrize(
    ("x", "word"),
    [
        (np.array([1, "a"], object), "objects"),
        (np.array(["a"]), "strings"),
        (np.array([1j]), "complex"),
        (np.array([1], np.longdouble), "long double"),
        (np.array([1.0], ">f8"), "big-endian"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
        (np.zeros(2, [("a", "i4")]), "records"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "where=~x.mask"),
        ([1.0, 2.0], "numpy.asarray"),
        ((1.0,), "numpy.asarray"),
        (3.5, "numpy.asarray"),
        (None, "numpy.asarray"),
        (decimal.Decimal(1), "numpy.asarray"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_is_no_array_of_numbers(x, word):
    with pytest.raises(TypeError, match=word.replace("[", ".")):
        multifold.sum(x)


def test_unaligned():
    raw = np.zeros(33, "u1")
    with pytest.raises(ValueError, match="aligned"):
        multifold.sum(raw[1:].view("f8"))
    with pytest.raises(ValueError, match="aligned"):
        multifold.sum(np.zeros(4, [("a", "u1"), ("b", "f4")])["b"])


class OnDevice:
    def __dlpack_device__(self):
        return (2, 3)

    def __dlpack__(self, **_):
        raise AssertionError("nobody should ask")


class OnCuda:
    __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (0, False), "version": 3}


def test_devices():
    if any(engine["name"] == "device" and engine["supported"] for engine in multifold.engines()):
        pytest.skip("there is a GPU")
    with pytest.raises(TypeError, match="cuda:3"):
        multifold.sum(OnDevice())
    with pytest.raises(TypeError, match="CUDA"):
        multifold.sum(OnCuda())
    with pytest.raises(RuntimeError):
        multifold.sum(np.ones(3), engine="device")


@pytest.mark.parametrize(
    ("keywords", "word"),
    [
        ({"axis": 2}, "axis"),
        ({"axis": 0.5}, "axis"),
        ({"axis": (0, 0)}, "axis"),
        ({"nan": "drop"}, "'omit'"),
        ({"accuracy": "good"}, "'fast'"),
        ({"engine": "tpu"}, "'host'"),
        ({"threads": -1}, "threads"),
        ({"dtype": "complex128"}, "complex128"),
        ({"dtype": "int32"}, "int|i32"),
        ({"out": np.zeros(1)}, "float"),
        ({"where": np.array([1.0])}, "bool"),
        ({"unknown": 1}, "incompatible"),
    ],
    ids=str,
)
def test_keywords(keywords, word):
    with pytest.raises((TypeError, ValueError), match=word):
        multifold.sum(np.ones((2, 3)), **keywords)


def test_correction_has_to_be_an_integer():
    with pytest.raises(ValueError, match="integer"):
        multifold.var(np.ones(3), correction=0.5)
    with pytest.raises(TypeError, match="correction"):
        multifold.var(np.ones(3), correction="1")


def test_norms_that_are_not_there():
    for order in (0, 3, -np.inf, 0.5):
        with pytest.raises(ValueError, match="ord 1, 2 and inf"):
            multifold.vector_norm(np.ones(3), ord=order)


def test_nothing_has_no_extreme():
    for name in ("min", "max", "argmin", "argmax"):
        with pytest.raises(ValueError):
            getattr(multifold, name)(np.zeros(0))


def test_out_is_one_number():
    with pytest.raises(ValueError, match="single"):
        multifold.sum(np.ones((2, 2)), axis=0, out=float)


def test_unknown_operations():
    with pytest.raises(ValueError, match="multifold.ops"):
        multifold.reduce("median", np.ones(3))
    with pytest.raises(TypeError, match="two arrays"):
        multifold.reduce("dot", np.ones(3))
    with pytest.raises(TypeError, match="one array"):
        multifold.reduce("sum", np.ones(3), np.ones(3))


def test_arrays_of_the_standard_library():
    assert multifold.sum(array.array("d", [0.1] * 10)) == 1.0
    assert multifold.sum(b"\x01\x02") == 3
