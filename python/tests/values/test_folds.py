"""Results of what is made of folds, for every dtype: norms of any order, logsumexp, central moments."""

import decimal
import math
from fractions import Fraction

import numpy as np
import pytest

import multifold
from exact import dtypes, floating, fractions, root, rounded, same, some


def power_norm(values, order):
    with decimal.localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**9, -(10**9)
        power = decimal.Decimal(order)
        return sum(decimal.Decimal(abs(v)) ** power for v in values) ** (1 / power)


def near(found, expected):
    """Within one place of the last digit."""
    spacing = decimal.Decimal(float(np.spacing(found)))
    return abs(decimal.Decimal(float(found)) - expected) <= spacing


@pytest.mark.parametrize("order", [3, 2.5, 1.0000001, 100, -1, -2.5, -100])
def test_norms_of_any_order_are_within_a_place(order):
    for dtype in ("float16", "float32", "float64"):
        x = some(np.dtype(dtype), (4, 25))
        found = multifold.vector_norm(x, ord=order, axis=1)
        assert found.dtype == x.dtype and found.shape == (4,)
        for norm, row in zip(found, x):
            assert near(norm, power_norm(row.astype(float).tolist(), order))
    x = np.array([3e300, 4e300, 1e-300])
    assert near(multifold.vector_norm(x, ord=3), power_norm(x.tolist(), 3))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_logsumexp(dtype):
    x = (some(np.dtype("float64"), (4, 50)) * 100).astype(dtype)
    found = multifold.logsumexp(x, axis=1)
    assert found.dtype == np.dtype(dtype) and found.shape == (4,)
    for value, row in zip(found, x):
        with decimal.localcontext() as context:
            context.prec = 60
            assert near(value, sum(decimal.Decimal(v).exp() for v in row.astype(float).tolist()).ln())
    same(multifold.logsumexp(x, keepdims=True).shape, (1, 1))
    assert multifold.logsumexp(np.array([1000.0, 1000.0]), out=float) == 1000 + math.log(2)
    assert multifold.logsumexp(np.zeros(0)) == -math.inf
    with pytest.raises(TypeError, match="integers"):
        multifold.logsumexp(np.arange(3))
    with pytest.raises(TypeError, match="in memory"):
        multifold.logsumexp(iter([x]))


@pytest.mark.parametrize("dtype", dtypes, ids=str)
def test_central_moments(dtype):
    x = np.random.default_rng(2).normal(5, 2, (4, 50)).astype(dtype)
    x[:, 0] = 0
    real = dtype if dtype in floating else np.dtype("float64")

    def moment(row, power, shift=None):
        values = fractions(row)
        about = sum(values) / len(values) if shift is None else Fraction(shift)
        return sum((v - about) ** power for v in values) / len(values)

    for power in (1, 2, 3, 4):
        for shift in (None, 0.25, -3) + ((2**64 - 1,) if real.itemsize == 8 else ()):
            found = multifold.moment(x, power, shift=shift, axis=1)
            same(found, np.array([rounded(moment(row, power, shift), real) for row in x]))
    same(multifold.moment(x, 2, axis=1), multifold.var(x, axis=1))
    n = x.shape[1]
    for row in x:
        m2, m3, m4 = (moment(row, power) for power in (2, 3, 4))
        sign = -1 if m3 < 0 else 1
        same(multifold.skewness(row), sign * root(m3**2 / m2**3, real))
        same(multifold.skewness(row, bias=False), sign * root(m3**2 / m2**3 * Fraction(n * (n - 1), (n - 2) ** 2), real))
        same(multifold.kurtosis(row), rounded(m4 / m2**2 - 3, real))
        same(multifold.kurtosis(row, fisher=False), rounded(m4 / m2**2, real))
        unbiased = Fraction(n - 1, (n - 2) * (n - 3)) * ((n + 1) * (m4 / m2**2 - 3) + 6)
        same(multifold.kurtosis(row, bias=False), rounded(unbiased, real))
    same(multifold.skewness(x, keepdims=True).shape, (1, 1))
    assert isinstance(multifold.kurtosis(x, bias=False, out=float), float)


def test_central_moments_that_have_no_value():
    assert np.isnan(multifold.moment(np.zeros(0), 2)) and np.isnan(multifold.skewness(np.ones(5)))
    assert np.isnan(multifold.kurtosis(np.array([1.0, np.inf]))) and np.isnan(multifold.skewness(np.arange(2), bias=False))
    with pytest.raises(ValueError, match="power of 1 to 4"):
        multifold.moment(np.arange(3), 5)
    with pytest.raises(ValueError, match="finite"):
        multifold.moment(np.arange(3), 2, shift=math.nan)
    with pytest.raises(ValueError, match="64 bits"):
        multifold.moment(np.arange(3), 2, shift=2**64)
    with pytest.raises(TypeError, match="shift takes a number"):
        multifold.moment(np.arange(3), 2, shift="mean")
    with pytest.raises(TypeError, match="in memory"):
        multifold.skewness(iter([np.arange(3)]))


def test_norms_of_orders_that_are_no_powers():
    x = np.array([[3.0, 0.0, -5.0], [-1.0, 2.0, 0.5]], "float32")
    same(multifold.vector_norm(x, ord=0), np.float32(5))
    same(multifold.vector_norm(x, ord=-math.inf, axis=1), np.array([0, 0.5], "float32"))
    same(multifold.vector_norm(x, ord=3, keepdims=True).shape, (1, 1))
    assert multifold.vector_norm(x[0], ord=-1) == 0 and multifold.vector_norm(x[:0], ord=3) == 0
    for order in (0.5, 3, -3, -math.inf):
        assert np.isnan(multifold.vector_norm(np.array([1.0, np.nan]), ord=order))
    assert multifold.vector_norm(np.array([1.0, -np.inf]), ord=3) == math.inf
    assert multifold.vector_norm(x[1], ord=3, out=float) == float(multifold.vector_norm(x[1], ord=3))
