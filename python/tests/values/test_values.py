"""Results by bits, for every dtype, layout and axis."""

import math
from fractions import Fraction

import numpy as np
import pytest

import multifold
from exact import bfloat16, dtypes, floating, fractions, integral, root, rounded, same, some


@pytest.mark.parametrize("dtype", floating, ids=str)
@pytest.mark.parametrize("count", [1, 2, 255, 1000])
def test_sums_and_means_are_rounded_once(dtype, count):
    x = some(dtype, count, seed=count)
    total = sum(fractions(x))
    same(multifold.sum(x), rounded(total, dtype))
    same(multifold.mean(x), rounded(total / count, dtype))
    if dtype == np.dtype("float64"):
        assert multifold.sum(x) == math.fsum(x)


@pytest.mark.parametrize("dtype", floating, ids=str)
@pytest.mark.parametrize("correction", [0, 1, 1.0, 0.5, 0.1, np.float32(0.3), 89.5, 5e-324])
def test_variances_are_rounded_once(dtype, correction):
    x = some(dtype, 100)
    values = fractions(x)
    n = len(values)
    variance = (n * sum(v * v for v in values) - sum(values) ** 2) / (n * (n - Fraction(float(correction))))
    same(multifold.var(x, correction=correction), rounded(variance, dtype))
    same(multifold.std(x, correction=correction), root(variance, dtype))


@pytest.mark.parametrize("dtype", floating, ids=str)
def test_norms_are_rounded_once(dtype):
    x = some(dtype, 100)
    values = fractions(x)
    same(multifold.vector_norm(x), root(sum(v * v for v in values), dtype))
    same(multifold.vector_norm(x, ord=1), rounded(sum(map(abs, values)), dtype))
    same(multifold.vector_norm(x, ord=math.inf), np.max(np.abs(x)))
    same(multifold.vector_norm(x.reshape(4, 25), axis=0, ord=math.inf), np.max(np.abs(x.reshape(4, 25)), axis=0))
    assert np.isnan(multifold.vector_norm(np.array([1, np.nan], dtype), ord=math.inf).astype(float))


def test_corrections_that_leave_nothing():
    x = np.array([1.0, 3.0, 5.0])
    assert multifold.var(x, correction=3.5) == multifold.std(x, correction=1e300) == math.inf
    assert np.isnan(multifold.var(np.ones(3), correction=3.5))
    same(multifold.cov(x, x, correction=0.5), np.float64(3.2))
    same(multifold.describe(x, correction=1.5).std, root(Fraction(16, 3), "float64"))
    same(multifold.State("var", "float64").value(correction=0.5), np.float64(math.nan))


@pytest.mark.parametrize("dtype", integral + [np.dtype(bool)], ids=str)
def test_integers_are_those_of_numpy(dtype):
    x = some(dtype, (6, 7))
    for axis in (None, 0, 1, -1, (0, 1), ()):
        same(multifold.sum(x, axis=axis), np.sum(x, axis=axis))
        same(multifold.min(x, axis=axis), np.min(x, axis=axis))
        same(multifold.max(x, axis=axis), np.max(x, axis=axis))
        same(multifold.any(x, axis=axis), np.any(x, axis=axis))
        same(multifold.all(x, axis=axis), np.all(x, axis=axis))
        same(multifold.count_nonzero(x, axis=axis), np.asarray(np.count_nonzero(x, axis=axis)))
    for axis in (None, 0, 1, -1):
        same(multifold.argmin(x, axis=axis), np.argmin(x, axis=axis))
        same(multifold.argmax(x, axis=axis, keepdims=True), np.argmax(x, axis=axis, keepdims=True))
    small = x[:2, :2]
    same(multifold.prod(small), np.prod(small))
    assert multifold.sum(x, out=float) == int(np.sum(x)) and type(multifold.sum(x, out=float)) is int


@pytest.mark.parametrize("dtype", dtypes, ids=str)
def test_extremes_of_every_dtype(dtype):
    x = some(dtype, (3, 4, 5))
    for axis in (None, 0, 1, 2, (0, 2)):
        wide = x.astype(float)
        same(multifold.max(x, axis=axis), np.max(wide, axis=axis).astype(dtype))
        same(multifold.min(x, axis=axis, keepdims=True), np.min(wide, axis=axis, keepdims=True).astype(dtype))


def layouts():
    x = some(np.dtype("float64"), (6, 8))
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "dense", x
    yield "fortran", np.asfortranarray(x)
    yield "transposed", x.T
    yield "reversed", x[::-1, ::-2]
    yield "gaps", x[::2, 1::3]
    yield "broadcast", np.broadcast_to(x[0], (5, 8))
    yield "read-only", read_only
    yield "0-d", x[1, 2, ...]
    yield "empty", x[:0]
    yield "view of bytes", memoryview(x)


@pytest.mark.parametrize(("name", "x"), list(layouts()), ids=[name for name, _ in layouts()])
def test_layouts_are_read_where_they_are(name, x):
    dense = np.ascontiguousarray(x)
    same(multifold.sum(x), np.float64(math.fsum(dense.ravel())))
    for axis in range(np.asarray(x).ndim):
        expected = np.apply_along_axis(math.fsum, axis, dense) if dense.size else np.sum(dense, axis=axis)
        same(multifold.sum(x, axis=axis), expected)


def test_two_arrays():
    x, y = some(np.dtype("float32"), 50, 1), some(np.dtype("float32"), 50, 2)
    a, b = fractions(x), fractions(y)
    product = sum(p * q for p, q in zip(a, b))
    same(multifold.dot(x, y), rounded(product, "float32"))
    same(multifold.vecdot(x, y), rounded(product, "float32"))
    covariance = (50 * product - sum(a) * sum(b)) / (50 * 49)
    same(multifold.cov(x, y), rounded(covariance, "float32"))
    rows = some(np.dtype("int32"), (3, 4))
    same(multifold.vecdot(rows, rows[0]), np.asarray((rows * rows[0]).sum(-1, dtype="int32")))
    same(multifold.vecdot(rows[:, None], rows, axis=-1).shape, (3, 3))
    for wrong in ((rows, rows[:, :1]), (rows, rows[0, 0, ...])):
        with pytest.raises(ValueError, match="axis"):
            multifold.vecdot(*wrong)
    with pytest.raises(ValueError, match="axis"):
        multifold.vecdot(rows, rows, axis=2)
    with pytest.raises(ValueError):
        multifold.dot(x, y.astype("float64"))


@pytest.mark.parametrize("dtype", integral, ids=str)
def test_vecdots_of_integers_are_those_of_numpy(dtype):
    info = np.iinfo(dtype)
    x = np.random.default_rng(1).integers(info.min, info.max, (3, 50), dtype=dtype, endpoint=True)
    same(multifold.vecdot(x, x[1]), np.vecdot(x, x[1]))  # modulo 2^bits
    same(multifold.vecdot(x[:, 0], x[:, 1]), np.vecdot(x[:, 0], x[:, 1]))


@pytest.mark.parametrize("one", dtypes, ids=str)
@pytest.mark.parametrize("other", dtypes, ids=str)
def test_vecdots_are_of_the_dtype_that_both_are_promoted_to(one, other):
    if (one == bfloat16) != (other == bfloat16) or np.dtype(bool) in (one, other):
        pytest.skip("NumPy promotes them to no dtype of ours, or has no number")
    x, y = some(one, 9, 1), some(other, 9, 2)
    wanted = np.result_type(one, other)
    found = multifold.vecdot(x, y)
    assert found.dtype == wanted
    same(found, multifold.vecdot(x.astype(wanted), y.astype(wanted)))


def test_nan_where_initial_and_dtype():
    x = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]], "float32")
    assert np.isnan(multifold.sum(x))
    same(multifold.sum(x, nan="omit"), np.float32(19))
    same(multifold.mean(x, nan="omit", axis=0), np.array([2.5, 5, 4.5], "float32"))
    same(multifold.min(x, nan="omit"), np.float32(1))
    same(multifold.sum(x, where=~np.isnan(x)), np.float32(19))
    same(multifold.sum(x, where=np.array([True, False, True]), axis=1), np.array([4, 10], "float32"))
    same(multifold.sum(x, nan="omit", initial=0.5), np.float32(19.5))
    same(multifold.max(np.zeros(0), initial=-3), np.float64(-3))
    for kind in ("float64", np.float64, np.dtype("f8"), float):
        same(multifold.sum(x[1], dtype=kind), np.float64(15))
    same(multifold.sum(x[1], dtype=bfloat16), bfloat16.type(15))


@pytest.mark.parametrize("dtype", floating, ids=str)
def test_an_initial_integer_is_a_number_like_any_other(dtype):
    x = np.array([1, 2, 4], dtype)
    for initial in (3, np.int8(3), np.uint64(3), np.array(3), True, -2):
        same(multifold.sum(x, initial=initial), dtype.type(7 + float(initial)))
        same(multifold.prod(x, initial=initial), dtype.type(8 * float(initial)))
        same(multifold.max(-x, initial=initial), dtype.type(max(-1, float(initial))))
        same(multifold.min(x * x, initial=initial), dtype.type(min(1, float(initial))))
    same(multifold.sum(x.astype("float64"), initial=2**64 - 1), np.float64(2.0**64))
    state = multifold.State("sum", dtype)
    state.update(x)
    same(state.value(initial=3), dtype.type(10))


def test_a_sum_that_overflows_on_the_way_does_not():
    same(multifold.sum(np.array([1e308, 1e308, -1e308])), np.float64(1e308))
    same(multifold.vector_norm(np.array([3 * 2.0**900, 4 * 2.0**900])), np.float64(5 * 2.0**900))


def test_integers_that_do_not_fit_are_errors():
    x = np.array([2**63 - 1, 1])
    with pytest.raises(OverflowError):
        multifold.sum(x)
    with pytest.raises(OverflowError):
        multifold.sum(np.full(3, 100, "int8"), dtype="int8")
    with pytest.raises(OverflowError):
        multifold.prod(np.array([2**62, 2]))


def test_several_and_described():
    x = some(np.dtype("float32"), (4, 5))
    total, greatest, where = multifold.reduce(["sum", "max", "argmax"], x, axis=1)
    same(total, multifold.sum(x, axis=1))
    same(greatest, multifold.max(x, axis=1))
    same(where, multifold.argmax(x, axis=1))
    all_of_it = multifold.describe(x, correction=1)
    assert all_of_it.count == 20 and all_of_it.nan == 0
    same(all_of_it.std, multifold.std(x, correction=1))
    same(all_of_it.min, multifold.min(x))
    same(multifold.describe(x, axis=0).norm2, multifold.vector_norm(x, axis=0))
    assert multifold.describe(np.array([1, 2, 3]), out=float).sum == 6


def test_segments_and_groups():
    x = some(np.dtype("float32"), 6)
    sums = np.array([multifold.sum(x[:3]), 0, multifold.sum(x[3:])], "float32")
    same(multifold.segment_sum(x, np.array([0, 3, 3, 6])), sums)
    greatest = np.array([np.argmax(x[:3]), np.argmax(x[3:])])
    same(multifold.segment_reduce("argmax", x, np.array([0, 3, 6], "int32")), greatest)
    keys = np.array([2, 0, 2, 0, 2, 0])
    expected = np.array([multifold.sum(x[1::2]), 0, multifold.sum(x[::2])], "float32")
    same(multifold.reduce_by_key("sum", x, keys), expected)
    same(multifold.reduce_by_key("sum", x, keys, 4), np.append(expected, np.float32(0)))
    table = np.arange(12.0).reshape(6, 2)
    same(multifold.segment_sum(table, np.array([0, 2, 6])), np.array([[2.0, 4.0], [28.0, 32.0]]))
    with pytest.raises(ValueError):
        multifold.segment_sum(x, np.array([0, 7]))
