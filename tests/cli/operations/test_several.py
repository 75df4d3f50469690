"""Several operations in one word, on one read: each has the value that it has by itself, and what does not combine is refused."""

import json
import random
import struct
import zipfile

import exact
import tool

OPS = ("sum", "prod", "min", "max", "argmin", "argmax", "mean", "norm1", "sumsq", "norm2", "var", "std", "any", "all",
       "count_nonzero", "describe")


class Several(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy("'<f4'", "(2, 3)", tool.floats(3, -1, 4, -1, 5, -9)))

    def test_text(self):
        self.assert_printed(tool.run("sum,max,argmin", self.x), "sum: 1\nmax: 5\nargmin: 5\n")
        self.assert_printed(tool.run("max,sum", self.x, "--axis", "0"), "max:\n[3 5 4]\nsum:\n[ 2  4 -5]\n")
        self.assertEqual(tool.run("min,describe", self.x).out.splitlines()[:3], ["min: -9", "describe:", "count  6"])
        self.assert_printed(tool.run("dot,cov", self.x, self.x), "dot: 133\ncov: 22.13889\n")
        self.assert_printed(tool.run("average,amax", self.x, "--hex"), "mean: 0x3e2aaaab\nmax: 0x40a00000\n")
        self.assert_printed(tool.run("--color", "never", "sum,any", self.x), "sum: 1\nany: true\n")

    def test_minmax_is_a_word_for_two(self):
        self.assert_printed(tool.run("minmax", self.x), "min: -9\nmax: 5\n")
        self.assertIn("Usage: multifold minmax", tool.run("help", "minmax").out)

    def test_ptp_is_their_difference(self):
        self.assert_printed(tool.run("ptp", self.x), "14\n")
        self.assert_printed(tool.run("ptp", self.x, "--axis", "0"), "[ 4  6 13]\n")
        self.assert_printed(tool.run("ptp", self.x, self.x), f"{self.x}: 14\n{self.x}: 14\n")
        self.assert_printed(tool.run("ptp", "-", "--dtype", "int8", stdin=bytes([128, 127])), "255\n")
        self.assert_printed(tool.run("ptp", "-", "--dtype", "f32", "--nan", "omit", stdin=tool.floats(1, float("nan"), 3)), "2\n")
        self.assert_printed(tool.run("ptp", "-", "--dtype", "f32", stdin=tool.floats(1, float("nan"), 3)), "nan\n")
        found = json.loads(tool.run("ptp", self.x, "--json").out)
        self.assertEqual((found["op"], found["value"], found["dtype"]), ("ptp", 14, "f32"))
        for name in ("p.npy", "p.npz"):
            self.assert_printed(tool.run("ptp", self.x, "--axis", "1", "-o", self.folder / name), "")
        self.assert_printed(tool.run("max", self.folder / "p.npy", f"{self.folder / 'p.npz'}:ptp"),
                            f"{self.folder / 'p.npy'}: 14\n{self.folder / 'p.npz'}:ptp: 14\n")
        wide = self.file("wide.npy", tool.npy("'<i8'", "(2,)", struct.pack("<2q", -2**63, 1)))
        outcome = tool.run("ptp", wide)
        self.assertEqual((outcome.code, outcome.out), (tool.run("sum", self.file("full.npy", tool.npy(
            "'<i8'", "(2,)", struct.pack("<2q", 2**63 - 1, 1)))).code, ""))
        self.assertIn("does not fit i64", outcome.err)
        self.assert_refused(tool.run("ptp", self.x, "--result-dtype", "f64"), 2, "--result-dtype", "ptp")
        self.assert_refused(tool.run("ptp"), 2, "FILE is required", "multifold ptp --help")
        self.assert_refused(tool.run("ptp", self.x, "--save-state", "s"), 2, "--save-state")
        self.assertIn("multifold ptp x.npy", tool.run("help", "ptp").out)

    def test_several_files_are_named(self):
        y = self.file("y.npy", tool.npy("'<f4'", "(1,)", tool.floats(7)))
        outcome = tool.run("sum,max", self.x, y)
        self.assert_printed(outcome, f"{self.x}: sum: 1\n{self.x}: max: 5\n{y}: sum: 7\n{y}: max: 7\n")
        flat = self.file("flat.npy", tool.npy("'<f4'", "(6,)", tool.floats(3, -1, 4, -1, 5, -9)))
        self.assert_printed(tool.run("sum,argmax", flat, y, "--concatenate"), "sum: 8\nargmax: 6\n")
        outcome = tool.run("sum,max", self.folder / "none.npy", y)
        self.assertEqual((outcome.code, outcome.out), (3, f"{y}: sum: 7\n{y}: max: 7\n"))

    def test_options_are_for_those_that_take_them(self):
        self.assert_printed(tool.run("sum,max,mean", self.x, "--initial", "7"), "sum: 8\nmax: 7\nmean: 0.16666667\n")
        self.assert_printed(tool.run("var,sum", self.x, "--correction", "1"), "var: 26.566668\nsum: 1\n")
        self.assert_refused(tool.run("sum,max", self.x, "--correction", "1"), 2, "--correction", "sum,max take none")
        self.assert_refused(tool.run("mean,var", self.x, "--initial", "1"), 2, "--initial", "mean,var take none")
        whole = self.file("whole.npy", tool.npy("'<i4'", "(2,)", struct.pack("<2i", 1, 2)))
        self.assert_refused(tool.run("sum,mean", whole, "--result-dtype", "i64"), 2, "--result-dtype", "mean")

    def alone(self, op, *arguments, **more):
        found = json.loads(tool.run(op, *arguments, "--json", **more).out)
        return {key: found[key] for key in ("op", "value", "value_hex", "shape", "dtype", "count", "accuracy")}

    def test_random_arrays_have_the_bits_of_single_operations(self):
        numbers = random.Random(7)
        for trial in range(3 if tool.is_sanitized() else 12):
            dtype = numbers.choice(["f32", "f64", "i16", "bool", "bf16"])
            rows, columns = numbers.randrange(1, 40), numbers.randrange(1, 40)
            values = [numbers.choice([0, 1]) if dtype == "bool" else numbers.randrange(-99, 100) for _ in range(rows * columns)]
            raw = self.file("raw.bin", exact.data_of(values, dtype))
            ops = numbers.sample(OPS, numbers.randrange(2, 6))
            options = ["--dtype", tool.word(dtype), "--shape", f"{rows},{columns}"]
            options += numbers.choice([[], ["--axis", "0"], ["--axis", "1"]])
            with self.subTest(trial=trial, ops=ops, options=options):
                alone = [self.alone(op, raw, *options) for op in ops]
                for file, stdin in ((raw, b""), ("-", raw.read_bytes())):
                    together = tool.run(",".join(ops), file, *options, "--json", stdin=stdin)
                    self.assertEqual((together.code, together.err), (0, ""))
                    found = [json.loads(line) for line in together.out.splitlines()]
                    self.assertEqual([{key: each[key] for key in alone[0]} for each in found], alone)

    def test_pipes_in_little_memory(self):
        ones = tool.npy("'<f4'", "(100000,)", tool.floats(*[1.0] * 99999, 3.0))
        piped = tool.run("sum,argmax", "-", "--memory", "256KiB", "--threads", "1", stdin=ones)
        self.assert_printed(piped, "sum: 100002\nargmax: 99999\n")

    def test_words_that_cannot_be_meant(self):
        self.assert_refused(tool.run("sum,smu", self.x), 2, "'sum,smu'", "did you mean sum?")
        self.assert_refused(tool.run("sum,", self.x), 2, "'sum,'", "found ''")
        self.assert_refused(tool.run("mean,average", self.x), 2, "mean twice")
        self.assert_refused(tool.run("sum,dot", self.x), 2, "sum takes one array and dot two")
        self.assert_refused(tool.run("sum,plan", self.x), 2, "found 'plan'")
        self.assert_refused(tool.run("a.npy,b.npy"), 2, "found the operation 'a.npy,b.npy'")
        self.assert_refused(tool.run("sum,max"), 2, "FILE is required", "multifold sum,max --help")
        self.assert_refused(tool.run("dot,cov", self.x), 2, "Y is required")
        self.assert_refused(tool.run("sum,max", self.x, "--axsi", "0"), 2, "--axis", "multifold sum,max --help")

    def test_what_is_for_one_operation(self):
        for options in (["--save-state", "s"], ["--merge", "s"], ["--checkpoint", "c"], ["--first-index", "1"],
                        ["--keys", "k", "--groups", "2"]):
            self.assert_refused(tool.run("sum,argmax", self.x, *options), 2, options[0], "several operations")
        self.assert_refused(tool.run("sum,max", self.x, "--offsets", "o"), 2, "segments", "several operations")
        self.assert_refused(tool.run("sum,max", self.x, "--passes", "2"), 2, "forced plan", "several operations")
        self.assert_refused(tool.run("sum,max", self.x, "-o", "y.npy"), 2, "-o", "one array", ".npz, .txt or .json")
        self.assert_refused(tool.run("sum,max", self.x, "-o", "-"), 2, "-o", "one array")
        self.assert_refused(tool.run("sum,describe", self.x, "-o", "y.npz"), 2, "-o", "description")
        self.assert_refused(tool.run("sum,max", self.x, self.x, "-o", "y.npz"), 2, "-o", "expected one FILE")

    def test_results_in_a_file(self):
        out = self.folder / "out.json"
        self.assert_printed(tool.run("sum,argmax", self.x, "--axis", "1", "-o", out), "")
        found = json.loads(out.read_text())
        self.assertEqual([(each["op"], each["value"]) for each in found], [("sum", [6, -5]), ("argmax", [2, 1])])
        out = self.folder / "out.txt"
        self.assert_printed(tool.run("sum,max", self.x, "-o", out), "")
        self.assertEqual(out.read_text(), "sum:\n1\nmax:\n5\n")
        out = self.folder / "out.npz"
        self.assert_printed(tool.run("sum,argmax,any", self.x, "--axis", "0", "-o", out), "")
        self.assert_printed(tool.run("sum", out), f"{out}:sum: 1\n{out}:argmax: 1\n{out}:any: 3\n")
        with zipfile.ZipFile(out) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), ["sum.npy", "argmax.npy", "any.npy"])
        lines = tool.run("sum,max", self.x, "-o", out, "--json").out.splitlines()
        self.assertEqual([json.loads(line)["output"] for line in lines], [str(out)] * 2)
        self.assert_printed(tool.run("max", self.x, "-o", out), "")
        self.assert_printed(tool.run("max", f"{out}:max"), "5\n")
        half = self.file("half.bin", exact.data_of([1, 2], "bf16"))
        self.assert_refused(tool.run("argmax,sum", half, "--dtype", "bfloat16", "-o", out), 2, "bf16")

    def test_help(self):
        text = tool.run("help", "sum,max").out
        self.assertEqual(text, tool.run("sum,max", "--help").out)
        self.assertIn("Usage: multifold sum,max", text)
        whole = tool.run("sum,max", "--help-all").out
        self.assertIn("--output", whole)
        for option in ("--keys", "--merge", "--passes"):
            self.assertNotIn(option, whole)
        self.assertIn("multifold dot,cov x.npy y.npy", tool.run("dot,cov", "--help").out)


if __name__ == "__main__":
    tool.main()
