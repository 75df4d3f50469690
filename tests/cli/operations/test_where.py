"""--where: the elements that take part, against the same done here; broadcast marks, and what is refused."""

import itertools
import json
import random

import exact
import tool


class Where(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy("'<f4'", "(2, 3)", tool.floats(3, -1, 4, -1, 5, -9)))
        self.columns = self.marks("columns.npy", [False, True, False])

    def marks(self, name, values, shape=None, **more):
        return self.file(name, tool.npy("'|b1'", shape or f"({len(values)},)", bytes(values), **more))

    def test_values(self):
        self.assert_printed(tool.run("mean", self.x, "--where", self.columns), "2\n")
        self.assert_printed(tool.run("sum", self.x, "--where", self.columns, "--axis", "1"), "[-1  5]\n")
        self.assert_printed(tool.run("sum", self.x, "--where", self.columns, "--axis", "0"), "[0 4 0]\n")
        self.assert_printed(tool.run("argmax,sum", self.x, "--where", self.columns), "argmax: 4\nsum: 4\n")
        rows = self.marks("rows.npy", [False, True], "(2, 1)")
        self.assert_printed(tool.run("min", self.x, "--where", rows), "-9\n")
        self.assert_printed(tool.run("min", self.x, "--where", self.marks("none.npy", [False]), "--initial", "7"), "7\n")
        one = self.marks("one.npy", [True], "()")
        self.assert_printed(tool.run("sum", self.x, "--where", one), "1\n")

    def test_ways_to_give_the_array(self):
        both = self.marks("both.npy", [True, False, False, True, True, False], "(6,)")
        raw = tool.floats(3, -1, 4, -1, 5, -9)
        self.assert_printed(tool.run("sum", "-", "--dtype", "f32", "--where", both, stdin=raw), "7\n")
        self.assert_printed(tool.run("sum", self.x, "--where", "-", stdin=self.columns.read_bytes()), "4\n")
        fortran = self.file("f.npy", tool.npy("'<f4'", "(2, 3)", tool.floats(3, -1, -1, 5, 4, -9), fortran=True))
        self.assert_printed(tool.run("sum", fortran, "--where", self.columns), "4\n")
        turned = self.marks("turned.npy", [True, True, False, True, False, True], "(2, 3)", fortran=True)
        self.assert_printed(tool.run("sum", self.x, "--where", turned, "--axis", "1"), "[ 3 -5]\n")
        big = self.file("big.npy", tool.npy("'>f4'", "(3,)", tool.floats(1, 2, 3)[::-1]))
        self.assert_printed(tool.run("max", big, "--where", self.columns), "2\n")
        self.assert_printed(tool.run("sum", self.x, self.x, "--concatenate", "--where", self.columns), "8\n")
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("sum", self.x, "--where", self.columns, "--axis", "1", "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy("'<f4'", "(2,)", tool.floats(-1, 5)))
        found = json.loads(tool.run("sum", self.x, "--where", self.columns, "--json").out)
        self.assertEqual((found["where"], found["value"]), (str(self.columns), 4))

    def test_a_pipe_of_many_chunks(self):
        count = 5_000_000
        data = exact.data_of([1] * count, "i16")
        every = self.marks("every.npy", [True, False] * (count // 2))
        outcome = tool.run("sum", "-", "--dtype", "i16", "--where", every, stdin=data)
        self.assert_printed(outcome, f"{count // 2}\n")

    def test_random_marks(self):
        numbers = random.Random(11)
        for trial in range(5 if tool.is_sanitized() else 25):
            dtype = numbers.choice(["f32", "f64", "f16", "bf16"])
            shape = [numbers.randrange(1, 7) for _ in range(3)]
            values = [numbers.uniform(-1, 1) * 2.0 ** numbers.randrange(-12, 12) for _ in range(shape[0] * shape[1] * shape[2])]
            values = [exact.nearest(value, dtype) for value in values]
            marked = [numbers.choice([1, extent]) for extent in shape][numbers.randrange(0, 3):]
            marks = [numbers.random() < 0.6 for _ in range(marked[0] * (marked[1:] or [1])[0] * (marked[2:] or [1])[0])]
            text = "(" + ",".join(map(str, marked)) + ",)"
            file, raw = self.marks("m.npy", marks, text), self.file("raw.bin", exact.data_of(values, dtype))
            padded = [1] * (3 - len(marked)) + marked
            kept = []
            for value, at in zip(values, itertools.product(*map(range, shape))):
                place = [0 if extent == 1 else index for index, extent in zip(at, padded)]
                if marks[(place[0] * padded[1] + place[1]) * padded[2] + place[2]]:
                    kept.append(value)
            if not kept:
                continue
            few = self.file("few.bin", exact.data_of(kept, dtype))
            with self.subTest(trial=trial, dtype=dtype, shape=shape, marked=marked):
                options = ["--dtype", dtype, "--hex"]
                op = numbers.choice(["sum", "mean", "var", "norm2", "min", "max", "count_nonzero"])
                found = tool.run(op, raw, *options, "--shape", ",".join(map(str, shape)), "--where", file)
                self.assert_printed(found, tool.run(op, few, *options).out)
                total = tool.run("sum", raw, *options, "--shape", ",".join(map(str, shape)), "--where", file).out
                expected = exact.nearest(sum(map(exact.Fraction, kept)), dtype)
                self.assertEqual(int(total, 16), exact.bits_of(expected, dtype))

    def test_what_is_refused(self):
        self.assert_refused(tool.run("dot", self.x, self.x, "--where", self.columns), 2, "--where", "dot takes none")
        for options, named in ((["--save-state", "s"], "--save-state"), (["--merge", "s"], "--merge"),
                               (["--checkpoint", "c"], "--checkpoint"), (["--offsets", "o"], "segments"),
                               (["--engine", "device"], "--engine"), (["--memory", "1MiB"], "--memory"),
                               (["--passes", "2"], "forced plan")):
            self.assert_refused(tool.run("sum", self.x, "--where", self.columns, *options), 2, named, "--where")
        self.assert_refused(tool.run("sum", "--where", self.columns), 2, "--where", "expected a FILE")
        self.assert_refused(tool.run("sum", "-", "--where", "-"), 2, "'-' was given twice")
        self.assert_refused(tool.run("sum", self.x, "--where", self.x), 3, "x.npy", "found f32; expected bool")
        self.assert_refused(tool.run("sum", self.x, "--where", "none.npy"), 3, "none.npy")
        self.assert_refused(tool.run("sum", self.x, "--where", self.columns, "-o", self.columns), 2, "-o", "--where")
        long = self.marks("long.npy", [True] * 4)
        self.assert_refused(tool.run("sum", self.x, "--where", long), 3, "x.npy where", "long.npy", "(4,)")
        none = self.marks("none.npy", [False])
        self.assert_refused(tool.run("min", self.x, "--where", none), 3, "min has no value where no element takes part")


if __name__ == "__main__":
    tool.main()
