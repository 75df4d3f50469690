"""What is refused says what it is, and what to do."""

import array
import ctypes
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
        raise AssertionError("this is not asked for")


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
        ({"where": [True, False, True]}, "numpy.asarray"),
        ({"where": np.array([True, False])}, "broadcast"),
        ({"axis": 2**70}, "axis takes integers of 64 bits"),
        ({"axis": np.array([0, 1])}, "axis takes integers"),
        ({"initial": "5"}, "initial takes a real number, and not '5'"),
        ({"initial": 1j}, "initial takes"),
        ({"initial": np.ones(2)}, "initial takes"),
        ({"initial": 2**70}, "64 bits"),
        ({"keepdims": "yes"}, "incompatible"),
        ({"keepdims": None}, "incompatible"),
        ({"unknown": 1}, "incompatible"),
    ],
    ids=str,
)
def test_keywords(keywords, word):
    with pytest.raises((TypeError, ValueError), match=word):
        multifold.sum(np.ones((2, 3)), **keywords)


def test_numbers_in_arrays_of_one():
    x = np.arange(3.0)
    assert multifold.sum(x, initial=np.array(2.5)) == 5.5 and multifold.sum(x, initial=np.array(2)) == 5
    assert multifold.var(x, correction=np.array(0.5)) == 0.8 and multifold.var(x, correction=np.int8(1)) == 1


def test_truths_are_those_of_numpy_too():
    x = np.arange(6.0).reshape(2, 3)
    for keepdims in (True, np.True_, 1):
        assert multifold.sum(x, keepdims=keepdims).shape == (1, 1)
    for keepdims in (False, np.False_, 0):
        assert multifold.reduce("max", x, axis=1, keepdims=keepdims).shape == (2,)
    assert multifold.sum(x, where=True) == 15 and multifold.sum(x, where=False) == 0


def test_corrections():
    for correction in (-1, -0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected"):
            multifold.var(np.ones(3), correction=correction)
    with pytest.raises(ValueError, match="correction takes integers of 64 bits"):
        multifold.var(np.ones(3), correction=2**70)
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
    with pytest.raises(ValueError, match="initial="):
        multifold.max(np.zeros((0, 3)), axis=0)


def test_options_have_their_names_in_python():
    with pytest.raises(ValueError) as refused:
        multifold.segment_reduce("max", np.ones(3), np.array([0, 0, 3]))
    assert "initial=" in str(refused.value) and "::" not in str(refused.value)


def test_keys_that_are_none():
    x = np.ones(4)
    for keys in (np.array([0.0, 1, 0, 1]), np.array([1, 0, 0, 2**63], "u8"), x > 0):
        with pytest.raises(ValueError, match="expected i32 or i64"):
            multifold.reduce_by_key("sum", x, keys)


def test_out_is_one_number():
    with pytest.raises(ValueError, match="single"):
        multifold.sum(np.ones((2, 2)), axis=0, out=float)


def test_unknown_operations():
    with pytest.raises(ValueError, match="multifold.ops"):
        multifold.reduce("median", np.ones(3))
    for op in (None, 3, ["sum", 3]):
        with pytest.raises(ValueError, match="multifold.ops"):
            multifold.reduce(op, np.ones(3))
    with pytest.raises(TypeError, match="two arrays"):
        multifold.reduce("dot", np.ones(3))
    with pytest.raises(TypeError, match="one array"):
        multifold.reduce("sum", np.ones(3), np.ones(3))


def test_arrays_of_the_standard_library():
    assert multifold.sum(array.array("d", [0.1] * 10)) == 1.0
    assert multifold.sum(b"\x01\x02") == 3
    x = np.arange(12.0).reshape(3, 4)
    assert multifold.sum(memoryview(x)) == 66 and multifold.sum(memoryview(x[:, ::2])) == x[:, ::2].sum()


def test_arrays_of_ctypes():
    numbers = ((ctypes.c_double * 3) * 2)((1, 2, 3), (4, 5, 6))
    assert multifold.sum(numbers, axis=0).tolist() == [5, 7, 9]
    assert multifold.max((ctypes.c_int16 * 4)(1, -5, 3, 2)) == 3 and multifold.sum(ctypes.c_float(2.5)) == 2.5
