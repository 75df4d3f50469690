"""--weights: weighted means against fractions, and what is refused."""

import json
import random

import exact
import tool


class Weights(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.floats("x.npy", [1, 2, 3, 4, 5, 6], "(2, 3)")
        self.w = self.floats("w.npy", [1, 0, 3])

    def floats(self, name, values, shape=None):
        return self.file(name, tool.npy("'<f4'", shape or f"({len(values)},)", tool.floats(*values)))

    def test_values(self):
        self.assert_printed(tool.run("mean", self.x, "--weights", self.w), "4\n")
        self.assert_printed(tool.run("average", self.x, "--weights", self.w, "--axis", "1"), "[2.5 5.5]\n")
        rows = self.floats("rows.npy", [1, 3], "(2, 1)")
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("mean", self.x, "--weights", rows, "--axis", "0", "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy("'<f4'", "(3,)", tool.floats(3.25, 4.25, 5.25)))
        piped = tool.run("mean", "-", "--dtype", "f32", "--shape", "2,3", "--weights", self.w, "--keepdims",
                         stdin=tool.floats(1, 2, 3, 4, 5, 6))
        self.assert_printed(piped, "[[4]]\n")
        self.assert_printed(tool.run("mean", self.x, "--weights", "-", stdin=self.w.read_bytes()), "4\n")
        found = json.loads(tool.run("mean", self.x, "--weights", self.w, "--result-dtype", "f64", "--json").out)
        self.assertEqual((found["op"], found["weights"], found["value"], found["dtype"], found["accuracy"]),
                         ("mean", str(self.w), 4, "f64", "exact"))

    def test_random_weights(self):
        numbers = random.Random(5)
        for trial in range(4 if tool.is_sanitized() else 20):
            dtype, descr = numbers.choice([("f32", "'<f4'"), ("f64", "'<f8'"), ("f16", "'<f2'")])
            count = numbers.randrange(1, 50)
            draw = lambda: exact.nearest(numbers.uniform(-1, 2) * 2.0 ** numbers.randrange(-9, 9), dtype)
            x, w = ([draw() for _ in range(count)] for _ in range(2))
            if sum(map(exact.Fraction, w)) == 0:
                continue
            files = [self.file(f"{name}.npy", tool.npy(descr, f"({count},)", exact.data_of(values, dtype)))
                     for name, values in (("a", x), ("b", w))]
            mean = sum(exact.Fraction(a) * exact.Fraction(b) for a, b in zip(x, w)) / sum(map(exact.Fraction, w))
            found = tool.run("mean", files[0], "--weights", files[1], "--hex")
            self.assertEqual(int(found.out, 16), exact.bits_of(exact.nearest(mean, dtype), dtype), (trial, dtype))

    def test_what_is_refused(self):
        self.assert_refused(tool.run("sum", self.x, "--weights", self.w), 2, "--weights", "sum takes none; mean does")
        self.assert_refused(tool.run("mean,max", self.x, "--weights", self.w), 2, "--weights", "mean,max takes none")
        for options, named in ((["--save-state", "s"], "--save-state"), (["--checkpoint", "c"], "--checkpoint"),
                               (["--offsets", "o"], "segments"), (["--engine", "gpu"], "--engine"),
                               (["--nan", "omit"], "--nan omit"), (["--accuracy", "fast"], "--accuracy fast"),
                               (["--where", self.w], "--where"), (["--memory", "1MiB"], "--memory")):
            self.assert_refused(tool.run("mean", self.x, "--weights", self.w, *options), 2, named, "--weights")
        self.assert_refused(tool.run("mean", "--weights", self.w), 2, "--weights", "expected a FILE")
        self.assert_refused(tool.run("mean", "-", "--weights", "-"), 2, "'-' was given twice")
        self.assert_refused(tool.run("mean", self.x, "--weights", "none.npy"), 3, "none.npy")
        long = self.floats("long.npy", [1, 1, 1, 1])
        self.assert_refused(tool.run("mean", self.x, "--weights", long), 3, "x.npy by", "long.npy", "(4,)")
        zero = self.floats("zero.npy", [1, -2, 1])
        self.assert_refused(tool.run("mean", self.x, "--weights", zero), 3, "zero.npy", "add up to zero")
        other = self.file("other.npy", tool.npy("'<f8'", "(1,)", bytes(8)))
        self.assert_refused(tool.run("mean", self.x, "--weights", other), 2, "weights of f64 for elements of f32")


if __name__ == "__main__":
    tool.main()
