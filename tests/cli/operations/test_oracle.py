"""Every operation against NumPy: dtypes, byte orders, memory orders, axes, NaN policies, over random data."""

import json
import math
import unittest

import tool

try:
    import numpy as np
except ImportError:
    np = None

SEED = 20240229
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
SHAPES = [((), [None]), ((1,), [None, 0]), ((257,), [None, -1]), ((33, 65), [None, 0, 1]),
          ((7, 5, 11), [None, 0, 1, 2, (0, 1), (0, 2), (1, 2)]), ((3, 1, 4, 2), [(1, 3), (0, 2), -1])]
TRUTHS = ["any", "all", "count_nonzero"]
OPS = ["sum", "prod", "min", "max", "argmin", "argmax", "mean", *TRUTHS]


def round_off(dtype, value):
    """Half the distance between neighbours of `value` in `dtype`; a hair more, for values next to a power of two."""
    return float(np.spacing(np.abs(np.asarray(value, dtype=dtype)).astype(dtype))) * 0.5000001


@unittest.skipIf(np is None, "there is no NumPy: set MULTIFOLD_PYTHON to a Python that has it")
class Oracle(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(SEED)

    def reduced(self, op, path, axes, *options):
        """The result that -o writes, loaded by NumPy; argmin and argmax over several axes count in C order."""
        where = [] if axes is None else ["--axis=" + ",".join(map(str, np.atleast_1d(axes)))]
        out = self.folder / "out.npy"
        outcome = tool.run(op, path, *where, *options, "-o", out)
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, "", ""), (op, axes, options))
        return np.load(out)

    def saved(self, array):
        path = self.folder / "in.npy"
        np.save(path, array)
        return path

    def moved(self, array, axes):
        """`array` with the reduced axes as one, at the end."""
        axes = tuple(range(array.ndim)) if axes is None else tuple(a % array.ndim for a in np.atleast_1d(axes))
        kept = [a for a in range(array.ndim) if a not in axes]
        shape = [array.shape[a] for a in kept]
        return np.transpose(array, kept + sorted(axes)).reshape(shape + [-1])

    def compare_exactly(self, result, expected):
        expected = np.asarray(expected)
        self.assertEqual((result.shape, result.dtype.str[1:]), (expected.shape, expected.dtype.str[1:]))
        np.testing.assert_array_equal(result, expected)

    def compare_bounded(self, result, rows, op, dtype):
        """Each result within n roundings of double, and one to its dtype, of the exactly rounded one."""
        self.assertEqual((result.shape, result.dtype), (rows.shape[:-1], dtype))
        count = rows.shape[-1]
        for got, row in zip(result.reshape(-1).tolist(), rows.reshape(-1, count).astype("f8").tolist()):
            want = math.prod(row) if op == "prod" else math.fsum(row) / (count if op == "mean" else 1)
            scale = abs(want) if op == "prod" else math.fsum(map(abs, row)) / (count if op == "mean" else 1)
            bound = 2 * (count + 2) * 2.0**-53 * scale + round_off(dtype, want)
            self.assertLessEqual(abs(got - want), bound, (op, dtype, got, want))

    def check(self, array, axes):
        path = self.saved(array)
        rows = self.moved(array, axes)
        if rows.shape[-1:] == (0,):
            return
        kind = array.dtype.kind
        for op in OPS:
            with self.subTest(op=op, dtype=array.dtype.str, shape=array.shape, axes=axes):
                result = self.reduced(op, path, axes)
                if op in ("min", "max", "argmin", "argmax", *TRUTHS):
                    self.compare_exactly(result, getattr(np, op)(rows, axis=-1))
                elif kind == "f":
                    self.compare_bounded(result, rows, op, array.dtype.newbyteorder("="))
                elif op == "mean":
                    self.compare_bounded(result, rows, op, np.dtype("f8"))
                else:
                    wide = "u8" if kind == "u" else "i8"
                    self.compare_exactly(result, getattr(np, op)(rows, axis=-1, dtype=wide))

    def sample(self, dtype, shape):
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.random.integers(0, 2, shape).astype("b1")
        if kind in "iu":
            values = self.random.integers(0 if kind == "u" else -100, 100, shape)
            few = self.random.random(shape) < 0.98  # products stay within 64 bits
            return np.where(few, np.where(values % 2 == 0, 1, 1 if kind == "u" else -1), values % 3 + 1).astype(dtype)
        return np.asarray(self.random.uniform(0.5, 1.5, shape) * self.random.choice([-1, 1], shape)).astype(dtype)

    def test_axes_and_memory_orders(self):
        for shape, all_axes in SHAPES:
            for axes in all_axes:
                for order in "CF" if len(shape) > 1 else "C":
                    self.check(np.asarray(self.sample("f4", shape), order=order), axes)

    def test_every_dtype(self):
        for dtype in ["b1", *INTEGERS, *FLOATS]:
            for axes in (None, 0, 1):
                self.check(self.sample(dtype, (13, 67)), axes)

    def test_other_byte_order(self):
        for dtype in (">i2", ">i4", ">u8", ">f2", ">f4", ">f8"):
            self.check(self.sample(dtype, (9, 31)), 1)

    def test_integers_of_full_range(self):
        for dtype in ("i1", "i2", "i4", "u1", "u2", "u4"):
            limits = np.iinfo(dtype)
            array = self.random.integers(limits.min, limits.max, (50, 333), dtype=dtype, endpoint=True)
            path = self.saved(array)
            for axes in (None, 0, 1):
                with self.subTest(dtype=dtype, axes=axes):
                    rows = self.moved(array, axes)
                    self.compare_exactly(self.reduced("sum", path, axes), rows.sum(-1, dtype="u8" if dtype[0] == "u" else "i8"))
                    self.compare_exactly(self.reduced("argmax", path, axes), rows.argmax(-1))

    def test_sums_in_128_bits(self):
        array = self.random.integers(-(2**63), 2**63 - 1, 4001, dtype="i8", endpoint=True)
        total = sum(array.tolist())
        outcome = tool.run("sum", self.saved(array), "--result-dtype", "f64", "--json")
        self.assertEqual(json.loads(outcome.out)["value"], float(total))
        mean = tool.run("mean", self.saved(array), "--json")
        self.assertEqual(json.loads(mean.out)["value"], total / 4001)

    def test_nan(self):
        array = self.random.standard_normal((40, 100)).astype("f4")
        array[self.random.random(array.shape) < 0.05] = np.nan
        array[7] = 1
        path = self.saved(array)
        for axes in (None, 0, 1):
            rows = self.moved(array, axes)
            for op in ("min", "max", "argmin", "argmax"):
                with self.subTest(op=op, axes=axes):
                    self.compare_exactly(self.reduced(op, path, axes), getattr(np, op)(rows, axis=-1))
                    self.compare_exactly(self.reduced(op, path, axes, "--nan", "omit"), getattr(np, "nan" + op)(rows, axis=-1))
            for op in ("sum", "mean"):
                with self.subTest(op=op, axes=axes):
                    np.testing.assert_array_equal(np.isnan(self.reduced(op, path, axes)), np.isnan(rows).any(-1))
                    expected = getattr(np, "nan" + op)(rows.astype("f8"), axis=-1)
                    np.testing.assert_allclose(self.reduced(op, path, axes, "--nan", "omit"), expected, rtol=1e-5, atol=1e-5)

    def test_zeros_of_either_sign_and_what_is_none(self):
        for dtype in ["b1", *INTEGERS, *FLOATS]:
            for zeros in (0.02, 0.5, 0.98):
                array = np.ones((40, 100), dtype)
                if array.dtype.kind == "f":
                    array = self.random.choice([1, -1, np.nan, np.inf, np.finfo(dtype).smallest_subnormal], array.shape).astype(dtype)
                array[self.random.random(array.shape) < zeros] = 0
                if array.dtype.kind == "f":
                    array[self.random.random(array.shape) < zeros / 2] = -0.0
                path = self.saved(array)
                for axes in (None, 0, 1):
                    rows = self.moved(array, axes)
                    taken = np.ones(rows.shape, bool) if array.dtype.kind != "f" else ~np.isnan(rows)
                    for op in TRUTHS:
                        with self.subTest(op=op, dtype=dtype, zeros=zeros, axes=axes):
                            self.compare_exactly(self.reduced(op, path, axes), getattr(np, op)(rows, axis=-1))
                            omitted = np.where(taken, rows, 1 if op == "all" else 0)
                            self.compare_exactly(self.reduced(op, path, axes, "--nan", "omit"), getattr(np, op)(omitted, axis=-1))

    def test_ties_go_to_the_first(self):
        array = np.zeros((20, 3000), "i2")
        array[:, 1777] = array[:, 2900] = 3
        self.compare_exactly(self.reduced("argmax", self.saved(array), 1), np.full(20, 1777))

    def test_bf16(self):
        wide = self.random.uniform(0.5, 2, 1000).astype("f4")
        bits = (wide.view("u4") >> 16).astype("u2")
        path = self.folder / "x.bin"
        path.write_bytes(bits.tobytes())
        values = (bits.astype("u4") << 16).view("f4").astype("f8")
        for op, expected in (("max", values.max()), ("sum", math.fsum(values.tolist()))):
            outcome = tool.run(op, path, "--dtype", "bf16", "--result-dtype", "f64", "--json")
            self.assertAlmostEqual(json.loads(outcome.out)["value"], expected, delta=1e-9)

    def test_the_raw_bytes_of_an_array(self):
        array = self.sample("f8", (21, 34))
        path = self.folder / "x.bin"
        path.write_bytes(b"\xff" * 24 + array.tobytes())
        result = self.reduced("max", path, 0, "--dtype", "f64", "--shape", "21,34", "--offset", "24")
        self.compare_exactly(result, array.max(0))

    def test_initial(self):
        path = self.saved(np.array([[3, 4], [5, 6]], "i4"))
        self.compare_exactly(self.reduced("sum", path, 0, "--initial", "100"), np.array([108, 110]))
        self.compare_exactly(self.reduced("min", path, 1, "--initial", "4"), np.array([3, 4], "i4"))

    def test_forced_plans_give_the_same_answer(self):
        path = self.saved(self.random.integers(-1000, 1000, (4, 50000)).astype("i4"))
        expected = self.reduced("sum", path, 1)
        for options in (["--passes", "2"], ["--passes", "3"], ["--parts", "7"], ["--threads", "1"], ["--threads", "3"],
                        ["--memory", "64KiB"]):
            with self.subTest(options=options):
                out = self.folder / "forced.npy"
                outcome = tool.run("sum", path, "--axis", "1", *options, "-o", out)
                if outcome.code == 2:
                    self.assert_refused(outcome, 2, path)
                    continue
                self.assertEqual((outcome.code, outcome.err), (0, ""))
                np.testing.assert_array_equal(np.load(out), expected)

    def test_larger_than_the_buffers(self):
        array = self.random.standard_normal(3_000_001)
        path = self.saved(array)
        for memory in ("1MiB", "3MB", "256MiB"):
            with self.subTest(memory=memory):
                self.compare_bounded(self.reduced("sum", path, None, "--memory", memory), array, "sum", np.dtype("f8"))
                self.compare_exactly(self.reduced("argmin", path, None, "--memory", memory), array.argmin())
        grid = array[:3_000_000].reshape(3000, 1000)
        self.compare_exactly(self.reduced("max", self.saved(grid), 0, "--memory", "1MiB"), grid.max(0))
        self.compare_exactly(self.reduced("max", self.saved(grid.T), 1, "--memory", "1MiB"), grid.max(0))


if __name__ == "__main__":
    tool.main()
