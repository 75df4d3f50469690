"""What results have to be, by Python's own exact arithmetic."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

bfloat16 = np.dtype(ml_dtypes.bfloat16)
floating = [np.dtype(t) for t in ("float16", "float32", "float64")] + [bfloat16]
integral = [np.dtype(t) for t in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")]
dtypes = floating + integral + [np.dtype(bool)]


def _bits(dtype):
    """Significand bits and least exponent of a quantum."""
    return {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}[dtype.name]


def rounded(value, dtype):
    """A Fraction, rounded once to nearest, ties to even."""
    dtype = np.dtype(dtype)
    if value == 0:
        return dtype.type(0.0)
    bits, least = _bits(dtype)
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    quantum = max(exponent - bits + 1, least)
    units = round(magnitude / Fraction(2) ** quantum)  # ties to even
    result = math.ldexp(units, quantum)
    return dtype.type(math.copysign(result, value))


def fractions(array):
    return [Fraction(float(x)) if np.dtype(array.dtype) in floating else Fraction(int(x)) for x in array.ravel()]


def root(value, dtype):
    """The square root of a Fraction, rounded once: from an integer root with bits to spare, and a sticky one."""
    scale = 1200
    scaled = value * Fraction(4) ** scale
    whole = scaled.numerator // scaled.denominator
    low = math.isqrt(whole)
    sticky = low * low != scaled
    return rounded(Fraction(2 * low + sticky, 2 * 2**scale), dtype)


def same(found, expected):
    """By bits, and by type."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert found.tobytes() == expected.tobytes(), (found, expected)


def some(dtype, shape, seed=1):
    rng = np.random.default_rng(seed)
    if dtype in floating:
        exponents = rng.integers(-6, 7, shape)
        return np.ldexp(rng.standard_normal(shape), exponents).astype(dtype)
    if dtype == np.dtype(bool):
        return rng.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    return rng.integers(max(info.min, -1000), min(info.max, 1000), shape, dtype=dtype, endpoint=True)
