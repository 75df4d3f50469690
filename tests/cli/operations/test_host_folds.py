"""logsumexp, moment, skewness and kurtosis against fractions, and what is refused: the operations of the host engine alone."""

import json
import math
import os
from decimal import Decimal, localcontext
from fractions import Fraction

import exact
import tool
from exact import DTYPES, FORMATS, NAN

LENGTH = 37
FOLDS = {"logsumexp": [], "moment": ["--power", "3"], "skewness": [], "kurtosis": []}


def moment(x, power, shift=None):
    """The mean of (x - shift)^power, about the mean if there is no shift."""
    if not x:
        return NAN
    about = sum(x) / len(x) if shift is None else Fraction(shift)
    return sum((a - about) ** power for a in x) / len(x)


def skewness(x, bias=True):
    """A fraction that rounds as the skewness does, which has a root in it."""
    n, second = len(x), moment(x, 2)
    if n < (1 if bias else 3) or second == 0:
        return NAN
    third = moment(x, 3)
    square = third**2 / second**3 * (1 if bias else Fraction(n * (n - 1), (n - 2) ** 2))
    return exact.root(square) * (1 if third >= 0 else -1)


def kurtosis(x, bias=True, fisher=True):
    n, second = len(x), moment(x, 2)
    if n < (1 if bias else 4) or second == 0:
        return NAN
    excess = moment(x, 4) / second**2 - 3
    if not bias:
        excess = Fraction(n - 1, (n - 2) * (n - 3)) * ((n + 1) * excess + 6)
    return excess + (0 if fisher else 3)


def logsumexp(x):
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        most = max(map(Decimal, x))
        return most + sum((Decimal(a) - most).exp() for a in x).ln()


class Folds(tool.ToolTest):
    def array(self, name, rows, dtype):
        return self.file(name, b"".join(exact.data_of(row, dtype) for row in rows))

    def floats(self, name, values, shape=None):
        return self.file(name, tool.npy("'<f4'", shape or f"({len(values)},)", tool.floats(*values)))

    def result(self, fold, path, dtype, rows, *options):
        outcome = tool.run(fold, path, "--dtype", tool.word(dtype), "--shape", f"{len(rows)},{len(rows[0])}", "--axis", "1", "--json",
                           *options)
        self.assertEqual((outcome.code, outcome.err), (0, ""), (fold, dtype, options))
        return json.loads(outcome.out)

    def test_every_dtype_is_rounded_once(self):
        wanted = [("moment", ["--power", power], lambda x, p=power: moment(x, p)) for power in (1, 2, 3, 4)]
        wanted += [("moment", ["--power", power, "--shift", shift], lambda x, p=power, s=shift: moment(x, p, s))
                   for power, shift in ((1, "0"), (2, "-3"), (3, "0.5"), (4, "18446744073709551615"))]
        wanted += [("skewness", [], skewness), ("skewness", ["--unbiased"], lambda x: skewness(x, False)),
                   ("kurtosis", [], kurtosis), ("kurtosis", ["--unbiased"], lambda x: kurtosis(x, False)),
                   ("kurtosis", ["--pearson"], lambda x: kurtosis(x, fisher=False)),
                   ("kurtosis", ["--unbiased", "--pearson"], lambda x: kurtosis(x, False, False))]
        for dtype in (("f32", "i16") if tool.is_sanitized() else DTYPES):
            rows = exact.rows(dtype, LENGTH, "x")
            path = self.array("x", rows, dtype)
            own = dtype if dtype in FORMATS else "f64"
            for fold, options, value in wanted:
                with self.subTest(fold=fold, dtype=dtype, options=options):
                    result = self.result(fold, path, dtype, rows, *options)
                    self.assertEqual(result["value_hex"], [exact.hex_of(value([Fraction(a) for a in row]), own) for row in rows])
                    self.assertEqual((result["op"], result["dtype"], result["input_dtype"]), (fold, own, dtype))
                    self.assertEqual((result["accuracy"], result["engine"], result["count"]), ("exact", "host", LENGTH * len(rows)))

    def test_logsumexp_is_near(self):
        for dtype in ("f16", "bf16", "f32", "f64", "i8", "i64", "u16", "u64"):
            rows = exact.rows(dtype, LENGTH, "e")
            if dtype in ("f32", "f64", "bf16"):
                rows = [[exact.nearest(Fraction(a) % 1500 - 700, dtype) for a in row] for row in rows]
            own = dtype if dtype in FORMATS else "f64"
            result = self.result("logsumexp", self.array("x", rows, dtype), dtype, rows)
            self.assertEqual((result["dtype"], result["accuracy"]), (own, "fast"))
            for value, row in zip(result["value"], rows):
                sure = Fraction(logsumexp(row))
                # The bound of the double, and then one rounding.
                bound = Fraction(2) ** -50 + abs(sure) * (Fraction(2) ** -51 + Fraction(2) ** -FORMATS[own][0])
                with self.subTest(dtype=dtype, row=row[:3]):
                    self.assertLessEqual(abs(Fraction(value) - sure), bound)

    def test_what_is_not_finite_and_what_is_too_little(self):
        x = [[1, NAN, 2], [1, math.inf, 2], [-math.inf] * 3, [5, 5, 5], [1, 2, 4]]
        path = self.array("x", x, "f32")
        self.assertEqual(self.result("logsumexp", path, "f32", x)["value"][:3], ["nan", "inf", "-inf"])
        for fold, options in FOLDS.items():
            if fold == "logsumexp":
                continue
            self.assertEqual(self.result(fold, path, "f32", x, *options)["value"][:3], ["nan"] * 3)
            self.assertEqual(self.result(fold, path, "f32", x, *options)["value"][3], 0 if fold == "moment" else "nan")
        self.assertNotEqual(self.result("skewness", path, "f32", x, "--unbiased")["value"][4], "nan")
        self.assertEqual(self.result("kurtosis", path, "f32", x, "--unbiased")["value"][4], "nan")
        nothing = self.file("nothing.npy", tool.npy(shape="(0, 2)", data=b""))
        self.assert_printed(tool.run("skewness", nothing), "nan\n")
        self.assert_printed(tool.run("logsumexp", nothing, "--axis", "0", "--keepdims"), "[[-inf -inf]]\n")
        self.assert_printed(tool.run("moment", nothing, "--axis", "1", "--power", "2"), "[]\n")

    def test_axes_outputs_and_settings(self):
        x = self.floats("x.npy", [1, 2, 4, 8, 16, 64], "(2, 3)")
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("moment", x, "--power", "2", "--shift", "0", "--axis", "1"), "[   7 1472]\n")
        self.assert_printed(tool.run("moment", x, "--order", "2", "--center", "0", "--axis", "-1", "--keepdims", "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy("'<f4'", "(2, 1)", tool.floats(7, 1472)))
        self.assert_printed(tool.run("moment", x, "--power", "1", "--shift", "1.5", "--hex"),
                            exact.hex_of(Fraction(95, 6) - Fraction(3, 2), "f32") + "\n")
        for name in ("out.txt", "out.npz", "out.json"):
            self.assert_printed(tool.run("skewness", x, "--axis", "0", "-o", self.folder / name), "")
        self.assert_printed(tool.run("max", f"{self.folder / 'out.npz'}:skewness"), "0\n")
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["op"], "skewness")
        settings = lambda *line: {key: value for key, value in json.loads(tool.run(*line, x, "--json").out).items()
                                  if key in ("power", "shift", "bias", "fisher")}
        self.assertEqual(settings("logsumexp"), {})
        self.assertEqual(settings("moment", "--power", "3"), {"power": 3, "shift": None})
        self.assertEqual(settings("moment", "--power", "4", "--shift", "-0.5"), {"power": 4, "shift": -0.5})
        self.assertEqual(settings("moment", "--power", "1", "--shift", "+7"), {"power": 1, "shift": 7})
        self.assertEqual(settings("skewness", "--unbiased"), {"bias": False})
        self.assertEqual(settings("kurtosis", "--pearson"), {"bias": True, "fisher": False})

    def test_files_archives_pipes_and_chunks(self):
        rows = exact.rows("f32", 300_001 if not tool.is_sanitized() else 30_001, "x")[:1]
        raw, data = self.array("x.bin", rows, "f32"), exact.data_of(rows[0], "f32")
        whole = self.file("x.npy", tool.npy("'<f4'", f"({len(rows[0])},)", data))
        halves = [self.file(f"{i}.npy", tool.npy("'<f4'", f"({len(part) // 4},)", part))
                  for i, part in enumerate((data[:4 * 1000], data[4 * 1000:]))]
        for fold, options in FOLDS.items():
            wanted = tool.run(fold, whole, *options, "--hex").out
            for line in ([whole, "--memory", "64KiB", "--threads", "1"], [whole, "--threads", "3"], [whole, "--engine", "cpu"],
                         [raw, "--dtype", "f32"], [*halves, "--concatenate"]):
                self.assert_printed(tool.run(fold, *line, *options, "--hex"), wanted)
            self.assert_printed(tool.run(fold, "-", "--dtype", "f32", *options, "--hex", stdin=data), wanted)
            self.assert_printed(tool.run(fold, "-", *options, "--hex", stdin=whole.read_bytes()), wanted)
            pipe = self.folder / f"{fold}.pipe"
            os.mkfifo(pipe)
            writer = os.fork()
            if writer == 0:
                pipe.write_bytes(whole.read_bytes())
                os._exit(0)
            self.assert_printed(tool.run(fold, pipe, *options, "--hex"), wanted)
            os.waitpid(writer, 0)
            several = tool.run(fold, whole, *halves, *options).out.splitlines()
            self.assertEqual([line.split(": ")[0] for line in several], [str(whole), *map(str, halves)])
        columns = self.file("f.npy", tool.npy("'<f4'", "(2, 3)", tool.floats(1, 2, 3, 5, 8, 14), fortran=True))
        self.assert_printed(tool.run("moment", columns, "--power", "2", "--axis", "0"), "[0.25    1    9]\n")

    def test_other_names(self):
        x = self.floats("x.npy", [1, 2, 4])
        for alias, fold in (("skew", "skewness"), ("kurt", "kurtosis")):
            self.assert_printed(tool.run(alias, x), tool.run(fold, x).out)
            self.assertEqual(json.loads(tool.run(alias, x, "--json").out)["op"], fold)
            self.assertIn(f"Also called {alias}.", tool.run(fold, "--help").out)
        for slip, meant in (("skewnes", "skewness"), ("kurtossis", "kurtosis"), ("logsumxp", "logsumexp"), ("momnet", "moment")):
            self.assert_refused(tool.run(slip, x), 2, f"'{slip}' (did you mean {meant}?)")
        self.assert_refused(tool.run("skewness", x, "--unbaised"), 2, "did you mean --unbiased?")
        self.assertNotIn("--nan omit", tool.run("nanlogsumexp", x).err)
        self.assertEqual(json.loads(tool.run("info", "--json").out)["host_ops"], list(FOLDS))

    def test_options_that_do_not_go_with_them(self):
        x = self.floats("x.npy", [1, 2, 4])
        for fold, options in FOLDS.items():
            for option, *value in (["--nan", "omit"], ["--result-dtype", "f64"], ["--accuracy", "exact"], ["--initial", "1"],
                                   ["--correction", "1"], ["--where", x], ["--weights", x], ["--offsets", x], ["--begins", x],
                                   ["--ends", x], ["--keys", x], ["--groups", "2"], ["--merge", x], ["--save-state", "s"],
                                   ["--checkpoint", "c"], ["--checkpoint-every", "1"], ["--first-index", "1"], ["--explain"],
                                   ["--transfer", "copy"], ["--devices", "all"], ["--passes", "2"], ["--finish", "atomic"],
                                   ["--parts", "2"], ["--block-size", "64"], ["--form", "shuffle"]):
                with self.subTest(fold=fold, option=option):
                    outcome = tool.run(fold, x, *options, option, *value, cwd=self.folder)
                    self.assert_refused(outcome, 2, option, f"{fold} takes no such option", f"multifold {fold} --help")
                    self.assertNotIn(option, tool.run(fold, "--help-all").out)
            for engine in ("gpu", "device", "cuda", "both"):
                for json_too in ([], ["--json"]):
                    self.assert_refused(tool.run(fold, x, *options, "--engine", engine, *json_too), 2, "--engine", f"'{engine}'",
                                        "only the host engine", "expected auto or host")
            self.assert_refused(tool.run(fold, x, *options, "--engine", "hots"), 2, "'hots' (did you mean host?)")
            for word in (f"sum,{fold}", f"{fold},max", f"{fold},{fold}"):
                self.assert_refused(tool.run(word, x), 2, f"'{word}'", f"{fold} does not go with several operations")
            for command in ("plan", "graph"):
                self.assert_refused(tool.run(command, fold, x), 2, f"'{fold}'", "expected sum, prod")
        self.assert_refused(tool.run("sum,skew", x), 2, "skew does not go with several")
        self.assertEqual(self.names(), ["x.npy"])

    def test_bad_input(self):
        x = self.floats("x.npy", [1, 2, 4])
        self.assert_refused(tool.run("moment", x), 2, "--power is required", "multifold moment --help")
        for power in ("0", "5", "-1", "2.5", "", "two"):
            self.assert_refused(tool.run("moment", x, "--power", power), 2, "--power", f"'{power}'", "expected 1, 2, 3 or 4")
        for shift in ("nan", "inf", "-inf", "1e400", "", "mean", "1.5x"):
            self.assert_refused(tool.run("moment", x, "--power", "2", "--shift", shift), 2, "--shift", f"'{shift}'", "a finite number")
        for line in (["logsumexp", x, "--power", "2"], ["skewness", x, "--pearson"], ["kurtosis", x, "--shift", "0"],
                     ["moment", x, "--power", "2", "--unbiased"]):
            self.assert_refused(tool.run(*line), 2, f"found the option '{line[2 if line[0] != 'moment' else 4]}'")
        cut = self.file("cut.npy", tool.npy(shape="(4,)"))
        marks = self.file("marks.npy", tool.npy("'|b1'", "(3,)", b"\1\0\1"))
        narrow = self.file("x.bin", b"\0" * 6)
        for fold, options in FOLDS.items():
            self.assert_refused(tool.run(fold, *options), 2, "FILE is required", f"multifold {fold} --help")
            self.assert_refused(tool.run(fold, "none.npy", *options), 3, "none.npy")
            self.assert_refused(tool.run(fold, cut, *options), 3, cut)
            self.assert_refused(tool.run(fold, x, *options, "--axis", "1"), 2, x, "axis 1")
            self.assert_refused(tool.run(fold, "-", "-", *options), 2, "'-' was given twice")
            self.assert_refused(tool.run(fold, "-", *options, "--dtype", "f32", stdin=b"123"), 3, "standard input")
            self.assert_refused(tool.run(fold, x, *options, "-o", x), 2, "-o", "same file")
            self.assert_refused(tool.run(fold, x, x, *options, "-o", "y.npy", cwd=self.folder), 2, "-o", "one FILE")
            self.assert_refused(tool.run(fold, x, *options, "--json", "--hex"), 2, "--hex")
            outcome = tool.run(fold, narrow, *options, "--dtype", "bf16", "-o", "y.npy", cwd=self.folder)
            self.assert_refused(outcome, 2, "y.npy", "no bf16", "a .txt")
            self.assertNotIn("--result-dtype", outcome.err)
        self.assert_refused(tool.run("logsumexp", marks), 2, marks, "logsumexp of bool")
        self.assert_printed(tool.run("moment", marks, "--power", "2"), f"{2 / 9}\n")
        self.assertEqual(self.names(), ["cut.npy", "marks.npy", "x.bin", "x.npy"])

    def test_memory_that_is_too_little_names_its_option(self):
        rows = self.file("rows.bin", bytes(8 * 3000 * 40))
        outcome = tool.run("skewness", rows, "--dtype", "f64", "--shape", "40,3000", "--axis", "0", "--memory", "16KiB")
        self.assertIn(outcome.code, (0, 1))
        if outcome.code == 1:
            self.assert_refused(outcome, 1, rows, "--memory")
            self.assertNotIn("::", outcome.err)


if __name__ == "__main__":
    tool.main()
