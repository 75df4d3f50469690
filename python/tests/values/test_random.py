"""Random arrays in random layouts, over random axes, with random keywords: every result by Python's exact arithmetic."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import multifold
from exact import dtypes, floating, rounded, root

nan = math.nan


def elements(rng, dtype, count):
    if dtype == np.dtype(bool):
        return rng.integers(0, 2, count).astype(bool)
    if dtype not in floating:
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -(2**40)), min(info.max, 2**40), count, dtype=dtype, endpoint=True)
    reach = {"float16": 4, "bfloat16": 30, "float32": 30, "float64": 300}[dtype.name]
    values = np.ldexp(rng.standard_normal(count), rng.integers(-reach, reach + 1, count)).astype(dtype)
    zeros_and_pairs = rng.random(count)
    values[zeros_and_pairs < 0.1] = 0
    if count > 1:
        values[:: max(1, count // 5)] = -values[0]  # what cancels
    if rng.random() < 0.2 and count:
        values[rng.integers(count)] = rng.choice([math.inf, -math.inf, nan])
    return values


def array(rng, dtype):
    """Of up to four axes; with gaps, backwards, transposed, or broadcast."""
    shape = [int(extent) for extent in rng.integers(0 if rng.random() < 0.1 else 1, 6, rng.integers(0, 5))]
    steps = [int(rng.choice([1, 1, 2, -1, -3])) for _ in shape]
    base = [extent * abs(step) for extent, step in zip(shape, steps)]
    x = elements(rng, dtype, math.prod(base)).reshape(base)[tuple(slice(None, None, step) for step in steps)]
    x = x.transpose(rng.permutation(x.ndim))
    return np.broadcast_to(x, (3, *x.shape)) if x.ndim and rng.random() < 0.1 else x


def number(value):
    value = value.item() if hasattr(value, "item") else float(value)
    return float(value) if isinstance(value, float) or not isinstance(value, (int, bool)) else value


def is_special(value):
    return isinstance(value, float) and not math.isfinite(value)


def exact_sum(values):
    """A Fraction, or what is infinite or NaN."""
    special = [value for value in values if is_special(value)]
    return sum(special) if special else sum((Fraction(value) for value in values), Fraction(0))


def as_result(value, dtype):
    return dtype.type(value) if is_special(value) else rounded(value, dtype)


def real_of(dtype):
    return dtype if dtype in floating else np.dtype("float64")


def expected(op, values, dtype, correction):
    real, count = real_of(dtype), len(values)
    if op == "sum":
        total = exact_sum(values)
        if dtype in floating:
            return as_result(total, dtype)
        return int(total)
    if op == "mean":
        total = exact_sum(values)
        return as_result(total if is_special(total) else nan if count == 0 else total / count, real)
    if op in ("var", "std"):
        if any(map(is_special, values)) or count == 0:
            return real.type(nan)
        squares = sum((Fraction(v) ** 2 for v in values), Fraction(0)) - sum(map(Fraction, values), Fraction(0)) ** 2 / count
        left = count - Fraction(correction)
        if left <= 0:
            return real.type(nan if squares == 0 else math.inf)
        return rounded(squares / left, real) if op == "var" else root(squares / left, real)
    if op == "norm2":
        if any(map(is_special, values)):
            return real.type(nan if any(map(math.isnan, values)) else math.inf)
        return root(sum((Fraction(v) ** 2 for v in values), Fraction(0)), real)
    if op in ("min", "max", "argmin", "argmax"):
        nans = [i for i, value in enumerate(values) if value != value]
        best = nans[0] if nans else values.index(min(values) if op.endswith("min") else max(values))
        return best if op.startswith("arg") else values[best]
    truths = [bool(value) for value in values]
    return {"any": any, "all": all, "count_nonzero": sum}[op](truths)


def check(found, value, what):
    found = number(np.asarray(found)[()])
    assert found == number(value) or (found != found and value != value), what


ops = ["sum", "mean", "var", "std", "norm2", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", dtypes, ids=str)
def test_random_reductions(dtype, seed):
    rng = np.random.default_rng([seed, dtypes.index(dtype)])
    for _ in range(12):
        x, op = array(rng, dtype), str(rng.choice(ops))
        over = sorted(int(axis) for axis in rng.choice(x.ndim, rng.integers(0, x.ndim + 1), replace=False))
        if op.startswith("arg"):
            over = [over[0]] if over else list(range(x.ndim))
        negative = [axis - x.ndim if rng.random() < 0.5 else axis for axis in over]
        axis = None if len(over) == x.ndim else negative[0] if len(over) == 1 else tuple(negative)
        keepdims, marked = bool(rng.integers(2)), op not in ("argmin", "argmax") and rng.random() < 0.3
        omit = dtype in floating and op in ("sum", "mean", "var", "std", "norm2", "count_nonzero") and rng.random() < 0.3
        where = rng.random(x.shape[-1:] if x.ndim and rng.random() < 0.5 else x.shape) < 0.8 if marked else None
        correction = float(rng.choice([0, 1, 0.5, 2.25])) if op in ("var", "std") else 0
        options = {"axis": axis, "keepdims": keepdims, "nan": "omit" if omit else None, "where": where}
        if op in ("var", "std"):
            options["correction"] = correction
        what = (op, x.shape, x.strides, options, x)

        kept = [extent for axis, extent in enumerate(x.shape) if axis not in over]
        extremes = op in ("min", "max", "argmin", "argmax")
        marks = np.broadcast_to(True if where is None else where, x.shape)
        batches = []
        for index in itertools.product(*map(range, kept)):
            at, left = [slice(None)] * x.ndim, list(index)
            for axis in range(x.ndim):
                if axis not in over:
                    at[axis] = left.pop(0)
            taken = np.asarray(x[tuple(at)])[np.asarray(marks[tuple(at)])]
            values = [number(value) for value in taken.ravel()]
            batches.append([value for value in values if not omit or value == value])
        if extremes and not all(batches):
            with pytest.raises(ValueError):
                multifold.reduce(op, x, **options)
            continue
        if extremes and not batches:  # no results
            continue
        found = np.asarray(multifold.reduce(op, x, **options))
        shape = [1 if axis in over else extent for axis, extent in enumerate(x.shape)] if keepdims else kept
        assert list(found.shape) == shape, what
        for value, values in zip(found.ravel(), batches):
            check(value, expected(op, values, dtype, correction), what)


@pytest.mark.parametrize("dtype", floating, ids=str)
def test_random_dots(dtype):
    rng = np.random.default_rng(5)
    for count in (0, 1, 2, 7, 100, 1000):
        x, y = elements(rng, dtype, count), elements(rng, dtype, count)[::-1].copy()[::-1]
        x, y = (np.where(np.isfinite(each), each, 1).astype(dtype) / dtype.type(2**5) for each in (x, y))
        pairs = list(zip(map(number, x), map(number, y)))
        total = sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))
        if abs(total) < (60000 if dtype.name == "float16" else 1e38):
            check(multifold.dot(x, y), rounded(total, dtype), (x, y))
            check(multifold.vecdot(x, y), rounded(total, dtype), (x, y))


def test_sums_are_those_of_fsum():
    rng = np.random.default_rng(6)
    for count in (1, 10, 1000, 100_000):
        x = elements(rng, np.dtype("float64"), count)
        x[~np.isfinite(x)] = 1
        assert multifold.sum(x) == math.fsum(x) and multifold.sum(x[::-1]) == math.fsum(x)
