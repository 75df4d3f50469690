"""Complex numbers by bits: both parts of sums, means and dot products are rounded once."""

import math
from fractions import Fraction

import numpy as np
import pytest

import multifold
from exact import root, rounded, same

kinds = [np.dtype("complex64"), np.dtype("complex128")]


def some(dtype, shape, seed=1):
    rng = np.random.default_rng(seed)
    scale = np.ldexp(1.0, rng.integers(-20, 20, shape))
    return ((rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) * scale).astype(dtype)


def parts(z):
    return [(Fraction(float(v.real)), Fraction(float(v.imag))) for v in z.ravel()]


def complex_of(re, im, dtype):
    real = np.dtype(dtype).type(0).real.dtype
    return np.dtype(dtype).type(complex(rounded(re, real), rounded(im, real)))


def total(z):
    return [sum(p) for p in zip(*parts(z))]


def product(x, y):
    """The sum of conj(x) y."""
    pairs = list(zip(parts(x), parts(y)))
    return sum(a * c + b * d for (a, b), (c, d) in pairs), sum(a * d - b * c for (a, b), (c, d) in pairs)


@pytest.mark.parametrize("dtype", kinds, ids=str)
@pytest.mark.parametrize("count", [1, 2, 255, 1000])
def test_sums_means_and_dots_are_rounded_once(dtype, count):
    x, y = some(dtype, count, count), some(dtype, count, count + 1)
    re, im = total(x)
    same(multifold.sum(x), complex_of(re, im, dtype))
    same(multifold.mean(x), complex_of(re / count, im / count, dtype))
    same(multifold.vecdot(x, y), complex_of(*product(x, y), dtype))
    squares = sum(a * a + b * b for a, b in parts(x))
    same(multifold.vector_norm(x), root(squares, dtype.type(0).real.dtype))


@pytest.mark.parametrize("dtype", kinds, ids=str)
def test_axes_layouts_and_marks(dtype):
    x = some(dtype, (4, 5, 6))
    for view in (x, x.T, x[::-1, ::2], np.asfortranarray(x), x[:, :0], np.broadcast_to(x[0, 0], (3, 6))):
        for axis in (None, 0, -1, (0, 1), ()):
            for keepdims in (False, True):
                found = multifold.sum(view, axis=axis, keepdims=keepdims)
                expected = np.sum(view, axis=axis, keepdims=keepdims)
                assert found.shape == expected.shape and found.dtype == dtype
                np.testing.assert_allclose(found, expected, rtol=1e-2)
                parts_apart = [multifold.sum(p, axis=axis, keepdims=keepdims) for p in (view.real, view.imag)]
                same(found, (parts_apart[0] + 1j * parts_apart[1]).astype(dtype))
    marks = np.arange(6) % 2 == 0
    same(multifold.sum(x, axis=-1, where=marks), multifold.sum(x[..., ::2], axis=-1))
    same(multifold.mean(x, where=marks), multifold.mean(x[..., ::2]))
    same(multifold.vector_norm(x, axis=(0, 2), keepdims=True), np.stack(
        [multifold.vector_norm(x[:, j]) for j in range(5)]).reshape(1, 5, 1))
    with pytest.raises(ValueError, match="axis 3"):
        multifold.sum(x, axis=3)


@pytest.mark.parametrize("dtype", kinds, ids=str)
def test_products(dtype):
    for count in (0, 1, 7, 60):
        x = some(dtype, count, count)
        re, im = Fraction(1), Fraction(0)
        for a, b in parts(x):
            re, im = re * a - im * b, re * b + im * a
        same(multifold.prod(x), complex_of(re, im, dtype))  # nothing comes near to halfway here
    huge = np.array([1e200, 1e200, 1e-300, 1e-100j], "complex128")
    assert abs(multifold.prod(huge) - 1j) < 1e-15
    x = some(dtype, (3, 4))
    same(multifold.prod(x, axis=0, keepdims=True), np.stack([[multifold.prod(x[:, j]) for j in range(4)]]))


def test_numbers_that_are_zero():
    x = np.array([[0, 1j, -0.0], [2, 1 + 1j, 3]], "complex64")
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            same(multifold.any(x, axis=axis, keepdims=keepdims), np.any(x, axis=axis, keepdims=keepdims))
            same(multifold.all(x, axis=axis, keepdims=keepdims), np.all(x, axis=axis, keepdims=keepdims))
            same(multifold.count_nonzero(x, axis=axis, keepdims=keepdims),
                 np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims)))
    assert multifold.all(x, where=x != 0)


def test_dtypes():
    z, x = some("complex64", 9), np.linspace(0, 1, 9, dtype="float32")
    same(multifold.sum(z, dtype="complex128"), complex_of(*total(z), "complex128"))
    same(multifold.sum(z.astype("complex128"), dtype=np.complex64), multifold.sum(z))
    same(multifold.sum(x, dtype="complex128"), np.complex128(multifold.sum(x, dtype="float64")))
    same(multifold.prod(x[1:], dtype=complex), np.complex128(multifold.prod(x[1:], dtype="float64")))
    same(multifold.mean(np.arange(4), dtype="complex64"), np.complex64(1.5))
    same(multifold.vecdot(z, x), multifold.vecdot(z, x.astype("complex64")))
    same(multifold.vecdot(x.astype("float64"), z), multifold.vecdot(x.astype("complex128"), z.astype("complex128")))
    same(multifold.vecdot(np.arange(9), z).dtype, np.dtype("complex128"))
    assert multifold.sum(z, out=complex) == complex(multifold.sum(z)) and type(multifold.sum(z, out=float)) is complex
    same(multifold.reduce("sum", z, axis=0), multifold.sum(z))


@pytest.mark.parametrize("dtype", kinds, ids=str)
def test_norms_of_any_order(dtype):
    z = some(dtype, (3, 20))
    magnitudes = np.abs(z.astype("clongdouble"))
    for order in (1, 3, 0.5, -1, 100, math.inf, -math.inf, 0):
        expected = np.linalg.vector_norm(magnitudes, ord=order, axis=1).astype(z.real.dtype)
        found = multifold.vector_norm(z, ord=order, axis=1)
        assert found.dtype == expected.dtype
        np.testing.assert_array_max_ulp(found, expected, 1)


def test_vecdots_that_are_broadcast():
    x, y = some("complex64", (3, 1, 4), 1), some("complex64", (2, 4), 2)
    found = multifold.vecdot(x, y)
    assert found.shape == (3, 2)
    for i in range(3):
        for j in range(2):
            same(found[i, j], complex_of(*product(x[i, 0], y[j]), "complex64"))
    same(multifold.vecdot(x, x, axis=0).imag, np.zeros((1, 4), "float32"))
    assert multifold.vecdot(np.array([1j, 2j, 3j]), np.array([1, 2j, 3])) == 4 - 10j
