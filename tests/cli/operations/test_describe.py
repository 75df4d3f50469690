"""Descriptions: every statistic against fractions, bit by bit, and how tables and JSON show them."""

import json
import math
from fractions import Fraction

import exact
import tool
from exact import DTYPES, FORMATS, INFINITY, NAN

COUNTS = ["count", "nan", "positive_infinity", "negative_infinity", "zero"]
KEYS = COUNTS + ["sum", "mean", "std", "norm2", "min", "argmin", "max", "argmax"]


def sum_dtype(dtype, real):
    return real if dtype in FORMATS else "u64" if dtype[0] == "u" else "i64"


def least(row, sign):
    """Value and index of the least element, or of the greatest for a negative sign: the first of them, -0 below +0."""
    order = [(sign * x, sign * math.copysign(1, x)) for x in row]
    index = min(range(len(row)), key=order.__getitem__)
    return row[index], index


def description(row, dtype, real, correction):
    """The fields of a row of finite numbers: (numbers, bits)."""
    exactly = [Fraction(x) for x in row]
    n, total, squares = len(row), sum(exactly), sum(x * x for x in exactly)
    top = n * squares - total * total
    variance = top / (n * (n - correction)) if correction < n else NAN if top == 0 else INFINITY
    (low, argmin), (high, argmax) = least(row, 1), least(row, -1)
    numbers = {"count": n, "nan": 0, "positive_infinity": 0, "negative_infinity": 0,
               "zero": sum(x == 0 for x in row), "argmin": argmin, "argmax": argmax}
    bits = {"sum": exact.hex_of(total if dtype in FORMATS else int(total), sum_dtype(dtype, real)),
            "mean": exact.hex_of(total / n, real), "std": exact.hex_of(exact.root(variance), real),
            "norm2": exact.hex_of(exact.root(squares), real), "min": exact.hex_of(low, dtype),
            "max": exact.hex_of(high, dtype)}
    return numbers, bits


class Describe(tool.ToolTest):
    def raw(self, values, dtype, name="x.bin"):
        return self.file(name, exact.data_of(values, dtype))

    def described(self, values, dtype, *options):
        outcome = tool.run("describe", self.raw(values, dtype), "--dtype", tool.word(dtype), "--json", *options)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        return json.loads(outcome.out)

    def rows(self, dtype, length):
        rows = exact.rows(dtype, length, "described")
        if dtype in ("i64", "u64"):  # sums that fit 64 bits
            rows = [[x // 64 for x in row] for row in rows]
        return rows

    def test_every_dtype(self):
        for dtype in DTYPES:
            rows = self.rows(dtype, 29)
            flat = [x for row in rows for x in row]
            for real in (None, "f32", "f64"):
                for correction in (0, 1, 29):
                    with self.subTest(dtype=dtype, real=real, correction=correction):
                        options = ["--result-dtype", real] if real else []
                        result = self.described(flat, dtype, "--shape", f"{len(rows)},29", "--axis", "1", "--correction",
                                                correction, *options)
                        kind = real or (dtype if dtype in FORMATS else "f64")
                        self.assertEqual((result["dtype"], result["accuracy"]), (kind, "exact"))
                        for row, value, bits in zip(rows, result["value"], result["value_hex"]):
                            self.assertEqual(list(value), KEYS)
                            numbers, wanted = description(row, dtype, kind, correction)
                            self.assertEqual({key: value[key] for key in numbers}, numbers)
                            self.assertEqual(bits, wanted)

    def test_nan_and_infinities(self):
        values = [2, NAN, -INFINITY, 0, -0.0, NAN, 5, INFINITY]
        counts = {"nan": 2, "positive_infinity": 1, "negative_infinity": 1, "zero": 2}
        value = self.described(values, "f32")["value"]
        self.assertEqual({key: value[key] for key in counts}, counts)
        self.assertEqual((value["count"], value["argmin"], value["argmax"]), (8, 1, 1))
        for key in ("sum", "mean", "std", "norm2", "min", "max"):
            self.assertEqual(value[key], "nan")
        value = self.described(values, "f32", "--nan", "omit")["value"]
        self.assertEqual({key: value[key] for key in counts}, counts)
        self.assertEqual((value["count"], value["argmin"], value["argmax"]), (6, 2, 7))
        self.assertEqual((value["min"], value["max"], value["sum"], value["norm2"]), ("-inf", "inf", "nan", "inf"))

    def test_nothing_to_describe(self):
        for values, options in (([], ["--shape", "0"]), ([NAN, NAN], ["--nan", "omit"])):
            with self.subTest(values=values):
                result = self.described(values, "f32", *options)
                nothing = {"count": 0, "sum": 0, "mean": "nan", "std": "nan", "norm2": 0, "min": None, "argmin": None,
                           "max": None, "argmax": None}
                self.assertEqual({key: result["value"][key] for key in nothing}, nothing)
                self.assertEqual((result["value_hex"]["min"], result["value_hex"]["norm2"]), (None, "0x00000000"))
                self.assertEqual(result["value"]["nan"], len(values))
        self.assert_printed(tool.run("describe", self.raw([], "f32"), "--dtype", "f32", "--shape", "0,3", "--axis", "1"), "[]\n")

    def test_a_table(self):
        path = self.raw([2, -1, 0, 7, 7, -1], "i16")
        self.assert_printed(tool.run("describe", path, "--dtype", "i16"),
                            "count  6\n"
                            "nan    0\n"
                            "+inf   0\n"
                            "-inf   0\n"
                            "zeros  1\n"
                            "sum    14                  i64\n"
                            "mean   2.3333333333333335  f64\n"
                            "std    3.4480268109295333  f64\n"
                            "norm2  10.198039027185569  f64\n"
                            "min    -1                  i16  at 1\n"
                            "max    7                   i16  at 3\n")

    def test_a_table_in_bits(self):
        path = self.raw([1, 3], "f32")
        self.assert_printed(tool.run("describe", path, "--dtype", "f32", "--hex"),
                            "count  2\nnan    0\n+inf   0\n-inf   0\nzeros  0\n"
                            "sum    0x40800000  f32\nmean   0x40000000  f32\nstd    0x3f800000  f32\n"
                            "norm2  0x404a62c2  f32\nmin    0x3f800000  f32  at 0\nmax    0x40400000  f32  at 1\n")

    def test_a_line_for_each_batch(self):
        path = self.raw([1, 2, 3, 5], "u8")
        outcome = tool.run("describe", path, "--dtype", "u1", "--shape", "2,1,2", "--axis", "2")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        lines = outcome.out.splitlines()
        self.assertEqual(lines[0].split(), ["count", "nan", "+inf", "-inf", "zeros", "sum", "mean", "std", "norm2", "min",
                                            "argmin", "max", "argmax"])
        self.assertEqual(lines[1].split(), ["u64", "f64", "f64", "f64", "u8", "u8"])
        self.assertEqual(lines[2].split(), "[0, 0] 2 0 0 0 0 3 1.5 0.5 2.23606797749979 1 0 2 1".split())
        self.assertEqual(lines[3].split(), "[1, 0] 2 0 0 0 0 8 4 1 5.830951894845301 3 0 5 1".split())
        self.assertEqual(len(lines), 4)
        self.assertEqual({len(line) for line in lines[2:]}, {len(lines[0])}, "numbers end where their headings do")

    def test_long_tables_are_shortened(self):
        path = self.raw([1] * 2002, "u8")
        outcome = tool.run("describe", path, "--dtype", "u1", "--shape", "1001,2", "--axis", "1")
        self.assertEqual(outcome.code, 0)
        self.assertEqual([line.split()[0] for line in outcome.out.splitlines()[2:]],
                         ["[0]", "[1]", "[2]", "...", "[998]", "[999]", "[1000]"])
        self.assertIn("1001 results, shortened here; --json or -o OUT.txt gives them all", outcome.err)
        self.assertEqual(len(self.described([1] * 2002, "u8", "--shape", "1001,2", "--axis", "1")["value"]), 1001)

    def test_several_files(self):
        one, two = self.raw([1], "u8", "one"), self.raw([2], "u8", "two")
        outcome = tool.run("describe", one, two, "--dtype", "u1")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertTrue(outcome.out.startswith(f"{one}:\ncount  1\n"))
        self.assertIn(f"\n{two}:\ncount  1\n", outcome.out)

    def test_pipes_and_chunks(self):
        values = exact.rows("f64", 100_003, "long")[1]
        path = self.raw(values, "f64")
        _, bits = description(values, "f64", "f64", 1)
        for options in ([], ["--memory", "256KiB"], ["--threads", "1"]):
            outcome = tool.run("describe", path, "--dtype", "f64", "--correction", "1", "--json", *options)
            self.assertEqual(json.loads(outcome.out)["value_hex"], bits)
        piped = tool.run("describe", "-", "--dtype", "f64", "--correction", "1", "--json", stdin=path.read_bytes())
        self.assertEqual(json.loads(piped.out)["value_hex"], bits)


if __name__ == "__main__":
    tool.main()
