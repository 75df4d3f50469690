"""Norms, dot products, variances, covariances and descriptions of every dtype, bit by bit against fractions."""

import json
from fractions import Fraction

import exact
import tool
from exact import DTYPES, FORMATS, INFINITY, NAN

LENGTH = 37
ONE_ARRAY = ["norm1", "sumsq", "norm2", "var", "std"]
TWO_ARRAYS = ["dot", "cov"]
CORRECTED = ("var", "std", "cov")


def covariance(x, y, correction):
    """(n P - S T) / (n (n - c)), and no degrees of freedom below zero."""
    n = len(x)
    top = n * sum(a * b for a, b in zip(x, y)) - sum(x) * sum(y)
    if n == 0:
        return NAN
    if Fraction(correction) < n:
        return top / (n * (n - Fraction(correction)))
    return NAN if top == 0 else INFINITY if top > 0 else -INFINITY


def expected(op, x, y, correction):
    """The exact result, or one that rounds as it does; of finite numbers."""
    x, y = [Fraction(a) for a in x], [Fraction(b) for b in y]
    if op == "norm1":
        return sum(map(abs, x), Fraction(0))
    if op in ("var", "std", "cov"):
        result = covariance(x, y if op == "cov" else x, correction)
    else:
        result = sum((a * b for a, b in zip(x, y if op == "dot" else x)), Fraction(0))
    return exact.root(result) if op in ("std", "norm2") else result


class Moments(tool.ToolTest):
    def array(self, name, rows, dtype):
        return self.file(name, b"".join(exact.data_of(row, dtype) for row in rows))

    def result(self, op, files, dtype, rows, *options):
        outcome = tool.run(op, *files, "--dtype", tool.word(dtype), "--shape", f"{len(rows)},{len(rows[0])}", "--axis", "1", "--json",
                           *options)
        self.assertEqual((outcome.code, outcome.err), (0, ""), (op, dtype, options))
        return json.loads(outcome.out)

    def check(self, op, dtype, length, corrections):
        x = exact.rows(dtype, length, "x")
        y = exact.rows(dtype, length, "y")
        files = [self.array("x", x, dtype)] + ([self.array("y", y, dtype)] if op in TWO_ARRAYS else [])
        for correction in corrections:
            wanted = [expected(op, a, b, correction) for a, b in zip(x, y)]
            for result_dtype in ("f32", "f64"):
                with self.subTest(op=op, dtype=dtype, length=length, correction=correction, result=result_dtype):
                    options = ["--correction", correction] if op in CORRECTED else []
                    result = self.result(op, files, dtype, x, "--result-dtype", result_dtype, *options)
                    self.assertEqual(result["value_hex"], [exact.hex_of(value, result_dtype) for value in wanted])
                    self.assertEqual((result["accuracy"], result["input_dtype"]), ("exact", dtype))

    def test_every_dtype_is_rounded_once(self):
        for dtype in DTYPES:
            for op in ONE_ARRAY + TWO_ARRAYS:
                self.check(op, dtype, LENGTH, (0, 1, LENGTH) if op in CORRECTED else (0,))

    def test_one_element_and_more_freedom_than_elements(self):
        for dtype in ("f32", "i16"):
            for op in ONE_ARRAY + TWO_ARRAYS:
                self.check(op, dtype, 1, (0, 1, 2) if op in CORRECTED else (0,))
            for op in CORRECTED:
                self.check(op, dtype, 3, (2, 4, 2**62))

    def test_corrections_that_are_no_integers(self):
        for dtype in ("f32", "u64"):
            for op in CORRECTED:
                self.check(op, dtype, LENGTH, (0.5, 0.1, 1e-3, LENGTH - 0.75, LENGTH + 0.5))
        files = [self.array("x", [[1, 2, 4]], "i8")]
        whole = self.result("describe", files, "i8", [[1, 2, 4]], "--correction", "0.5")
        self.assertEqual((whole["correction"], whole["value"][0]["std"]), (0.5, 1.3662601021279464))
        self.assertEqual(self.result("var", files, "i8", [[1, 2, 4]], "--correction", "1.0")["correction"], 1)
        state = self.folder / "s"
        self.assert_printed(tool.run("var", *files, "--dtype", "int8", "--correction", "0.5", "--save-state", state),
                            f"{14 / 7.5}\n")
        self.assert_printed(tool.run("var", "--merge", state, "--correction", "0.5"), f"{14 / 7.5}\n")

    def test_results_keep_their_own_dtype(self):
        for dtype in DTYPES:
            x = [row[:5] for row in exact.rows(dtype, 5, "own")[:1]]
            y = [row[::-1] for row in x]
            files = {1: [self.array("x", x, dtype)], 2: [self.array("x", x, dtype), self.array("y", y, dtype)]}
            for op in ONE_ARRAY + TWO_ARRAYS:
                real = op in ("norm2", *CORRECTED)
                own = dtype if dtype in FORMATS else "f64" if real else "u64" if dtype[0] == "u" else "i64"
                with self.subTest(op=op, dtype=dtype):
                    result = self.result(op, files[2 if op in TWO_ARRAYS else 1], dtype, x)
                    self.assertEqual(result["dtype"], own)
                    self.assertEqual(result["value_hex"], [exact.hex_of(expected(op, x[0], y[0], 0), own)])

    def test_what_is_not_finite(self):
        x = [[1, NAN, 2], [1, INFINITY, 2], [1, -INFINITY, INFINITY], [0, INFINITY, NAN], [NAN, NAN, NAN]]
        y = [[1, 1, 1], [1, 0, NAN], [-1, -1, -1], [1, -1, 1], [1, 2, 3]]
        files = [self.array("x", x, "f32"), self.array("y", y, "f32")]
        for op, policy, wanted in (
                ("norm1", "propagate", [NAN, INFINITY, INFINITY, NAN, NAN]),
                ("norm1", "omit", [3, INFINITY, INFINITY, INFINITY, 0]),
                ("norm2", "omit", [exact.root(5), INFINITY, INFINITY, INFINITY, 0]),
                ("var", "propagate", [NAN] * 5), ("var", "omit", [Fraction(1, 4), NAN, NAN, NAN, NAN]),
                ("dot", "propagate", [NAN, NAN, NAN, NAN, NAN]), ("dot", "omit", [3, NAN, NAN, -INFINITY, 0]),
                ("cov", "omit", [0, NAN, NAN, NAN, NAN])):
            with self.subTest(op=op, policy=policy):
                result = self.result(op, files[:2 if op in TWO_ARRAYS else 1], "f32", x, "--nan", policy)
                self.assertEqual(result["value_hex"], [exact.hex_of(value, "f32") for value in wanted])

    def test_results_that_pass_their_dtype(self):
        path = self.array("x", [[2**62, -(2**63), 5]], "i64")
        for op in ("sumsq", "norm1"):
            self.assert_refused(tool.run(op, path, "--dtype", "i64"), 6, path, op, "i64")
        self.assert_refused(tool.run("dot", path, path, "--dtype", "i64"), 6, path, "dot", "i64")
        total = 2**124 + 2**126 + 25
        self.assert_printed(tool.run("sumsq", path, "--dtype", "i64", "--result-dtype", "f64", "--hex"),
                            exact.hex_of(total, "f64") + "\n")
        wide = self.array("y", [[60000.0, 60000.0]], "f16")
        self.assert_printed(tool.run("sumsq", wide, "--dtype", "f16"), "inf\n")
        self.assert_printed(tool.run("norm2", wide, "--dtype", "f16", "--result-dtype", "f32", "--hex"),
                            exact.hex_of(exact.root(2 * 60000**2), "f32") + "\n")

    def test_chunks_and_pipes_give_the_same_bits(self):
        x, y = (exact.rows("f32", 300_001, name)[1] for name in "xy")
        files = [self.array("x", [x], "f32"), self.array("y", [y], "f32")]
        for op in ("dot", "cov"):
            wanted = exact.hex_of(expected(op, x, y, 0), "f32") + "\n"
            with self.subTest(op=op):
                for options in ([], ["--memory", "256KiB"], ["--memory", "256KiB", "--threads", "1"], ["--accuracy", "fast"]):
                    self.assert_printed(tool.run(op, *files, "--dtype", "f32", "--hex", *options), wanted)
                piped = tool.run(op, files[0], "-", "--dtype", "f32", "--shape", len(x), "--hex",
                                 stdin=files[1].read_bytes())
                self.assert_printed(piped, wanted)
                self.assert_printed(tool.run(op, "-", files[1], "--dtype", "f32", "--shape", len(x), "--hex",
                                             stdin=files[0].read_bytes()), wanted)
        one = exact.hex_of(expected("var", x, x, 1), "f32") + "\n"
        self.assert_printed(tool.run("var", "-", "--dtype", "f32", "--correction", "1", "--hex", stdin=files[0].read_bytes()),
                            one)

    def test_two_files_in_json(self):
        files = [self.array("x", [[1, 2]], "i8"), self.array("y", [[3, -4]], "i8")]
        result = self.result("dot", files, "i8", [[1, 2]])
        self.assertEqual(result["files"], [str(path) for path in files])
        self.assertNotIn("file", result)
        self.assertEqual((result["value"], result["count"], result["bytes"]), ([-5], 2, 4))
        self.assertNotIn("correction", result)
        self.assertEqual(self.result("cov", files, "i8", [[1, 2]], "--correction", 1)["correction"], 1)

    def test_columns_into_a_file(self):
        x = tool.npy(descr="'<i2'", shape="(2, 3)", data=exact.data_of([1, 2, 3, 4, 5, 6], "i16"))
        files = [self.file("x.npy", x), self.file("y.npy", x)]
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("dot", *files, "--axis", "0", "--keepdims", "-o", out), "")
        self.assert_printed(tool.run("max", out, "--axis", "0"), "[17 29 45]\n")
        self.assertIn(b"'shape': (1, 3)", out.read_bytes())


if __name__ == "__main__":
    tool.main()
