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


def test_complex_numbers_where_there_are_none():
    z = np.array([1j, 2])
    for call in (multifold.max, multifold.var, multifold.argmin, multifold.describe):
        with pytest.raises((TypeError, ValueError), match="complex"):
            call(z)
    for keywords in ({"dtype": "float64"}, {"dtype": int}, {"nan": "omit"}, {"initial": 1}):
        with pytest.raises((TypeError, ValueError), match="complex"):
            multifold.sum(z, **keywords)
    with pytest.raises(ValueError, match="where"):
        multifold.prod(z, where=np.array([True, False]))
    with pytest.raises(TypeError, match="complex"):
        multifold.dot(z, z)
    with pytest.raises(TypeError, match="complex"):
        multifold.State("sum", "float64").update(z)
    with pytest.raises(TypeError, match="not complex"):
        multifold.reduce("var", np.ones(3), dtype="complex64")


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


def test_corrections():
    for correction in (-1, -0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected"):
            multifold.var(np.ones(3), correction=correction)
    for correction in ("1", 1j, [1]):
        with pytest.raises(TypeError, match="correction"):
            multifold.var(np.ones(3), correction=correction)


def test_norms_that_are_not_there():
    x = np.ones(3)
    with pytest.raises(ValueError, match="NaN"):
        multifold.vector_norm(x, ord=float("nan"))
    with pytest.raises(TypeError):
        multifold.vector_norm(x, ord=[2])
    for keywords in ({"where": x > 0}, {"nan": "omit"}, {"engine": "device"}):
        with pytest.raises(ValueError, match="order 3.0 takes no"):
            multifold.vector_norm(x, ord=3, **keywords)
    for order in (3, -np.inf):
        with pytest.raises(TypeError, match="integers"):
            multifold.vector_norm(np.ones(3, "int64"), ord=order)
    with pytest.raises(ValueError, match="nothing"):
        multifold.vector_norm(x[:0], ord=-np.inf)
    with pytest.raises(TypeError, match="in memory"):
        multifold.vector_norm(iter([x]), ord=3)


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
