"""Segments and groups: --offsets, --begins and --ends, --keys; values, outputs, and what is refused."""

import json
import struct

import tool


class Segments(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.floats("x.npy", range(10))

    def floats(self, name, values, shape=None):
        values = list(values)
        return self.file(name, tool.npy("'<f4'", shape or f"({len(values)},)", tool.floats(*values)))

    def list(self, name, values, descr="'<i8'", letter="q", shape=None):
        data = struct.pack(f"<{len(values)}{letter}", *values)
        return self.file(name, tool.npy(descr, shape or f"({len(values)},)", data))

    def test_offsets_give_a_result_each(self):
        wide = self.list("wide.npy", [0, 3, 3, 10])
        narrow = self.list("narrow.npy", [0, 3, 3, 10], "'<i4'", "i")
        for offsets in (wide, narrow):
            self.assert_printed(tool.run("sum", self.x, "--offsets", offsets), "[ 3  0 42]\n")
        self.assert_printed(tool.run("mean", self.x, "--offsets", wide), "[  1 nan   6]\n")
        self.assert_printed(tool.run("dot", self.x, self.x, "--offsets", wide), "[  5   0 280]\n")
        self.assert_printed(tool.run("max", self.x, "--offsets", wide, "--initial", "-1"), "[ 2 -1  9]\n")
        alone = tool.run("sum", self.x, "--offsets", self.list("one.npy", [2, 4]))
        self.assert_printed(alone, "[5]\n")
        self.assert_printed(tool.run("sum", self.x, "--offsets", self.list("none.npy", [2])), "[]\n")

    def test_ranges_in_any_order(self):
        begins, ends = self.list("begins.npy", [8, 0]), self.list("ends.npy", [10, 9])
        self.assert_printed(tool.run("argmax", self.x, "--begins", begins, "--ends", ends), "[1 8]\n")

    def test_keys(self):
        keys = self.list("keys.npy", [2, 0, 0, 2, 2, 0, 0, 0, 0, 0])
        self.assert_printed(tool.run("sum", self.x, "--keys", keys, "--groups", "4"), "[38  0  7  0]\n")
        self.assert_printed(tool.run("argmax", self.x, "--keys", self.list("k.npy", [1, 0] * 5), "--groups", "2"), "[9 8]\n")
        self.assert_printed(tool.run("dot", self.x, self.x, "--keys", keys, "--groups", "3"), "[260   0  25]\n")
        self.assert_refused(tool.run("sum", self.x, "--keys", keys, "--groups", "2"), 3, "keys.npy", "key 0 is 2")
        self.assert_refused(tool.run("min", self.x, "--keys", keys, "--groups", "3"), 3, "group 1 is empty", "--initial")
        short = self.list("short.npy", [0, 1])
        self.assert_refused(tool.run("sum", self.x, "--keys", short, "--groups", "2"), 3, "2 keys for the 10 elements")
        self.assert_refused(tool.run("sum", self.x, "--keys", keys), 2, "--keys", "--groups")
        self.assert_refused(tool.run("sum", self.x, "--groups", "3"), 2, "--groups", "--keys")
        self.assert_refused(tool.run("sum", self.x, "--keys", keys, "--groups", "3", "--offsets", keys), 2, "--keys")

    def test_keys_on_the_device(self):
        keys = self.list("keys.npy", [2, 0, 0, 2, 2, 0, 0, 0, 0, 0])
        there = tool.run("sum", self.x, "--keys", keys, "--groups", "4", "--engine", "device")
        if there.code != 4:  # where there is a GPU
            self.assert_printed(there, "[38  0  7  0]\n")
        self.assert_refused(tool.run("sum", self.x, "--keys", keys, "--groups", "4", "--engine", "both"), 2, "--engine")

    def test_along_an_axis(self):
        rows = self.floats("rows.npy", range(12), "(4, 3)")
        offsets = self.list("offsets.npy", [0, 1, 4])
        self.assert_printed(tool.run("sum", rows, "--axis", "0", "--offsets", offsets), "[[ 0  1  2]\n [18 21 24]]\n")
        columns = self.list("columns.npy", [1, 3])
        self.assert_printed(tool.run("sum", rows, "--axis", "-1", "--offsets", columns), "[[ 3]\n [ 9]\n [15]\n [21]]\n")
        self.assert_refused(tool.run("sum", rows, "--offsets", offsets), 2, "--axis", "one of the 2 axes")
        self.assert_refused(tool.run("sum", rows, "--axis", "0,1", "--offsets", offsets), 2, "--axis")

    def test_outputs(self):
        offsets = self.list("offsets.npy", [0, 3, 3, 10])
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("sum", self.x, "--offsets", offsets, "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy("'<f4'", "(3,)", tool.floats(3, 0, 42)))
        result = json.loads(tool.run("sum", self.x, "--offsets", offsets, "--json").out)
        self.assertEqual((result["value"], result["shape"], result["count"], result["engine"]), ([3, 0, 42], [3], 10, "host"))
        described = json.loads(tool.run("describe", self.x, "--offsets", offsets, "--json").out)
        self.assertEqual([each["count"] for each in described["value"]], [3, 0, 7])
        self.assert_refused(tool.run("sum", self.x, "--offsets", offsets, "-o", offsets), 2, "-o")

    def test_pipes_and_little_memory(self):
        offsets = self.list("offsets.npy", [1, 5, 70000])
        ones = tool.npy("'<f4'", "(100000,)", tool.floats(*[1.0] * 100000))
        piped = tool.run("sum", "-", "--offsets", offsets, "--memory", "256KiB", "--threads", "1", stdin=ones)
        self.assert_printed(piped, "[    4 69995]\n")
        listed = tool.run("sum", self.x, "--offsets", "-", stdin=self.list("list.npy", [0, 10]).read_bytes())
        self.assert_printed(listed, "[45]\n")
        self.assert_refused(tool.run("sum", "-", "--offsets", "-"), 2, "'-' was given twice")

    def test_bad_lists(self):
        def refused(values, *words, **how):
            bad = self.list("bad.npy", values, **how)
            self.assert_refused(tool.run("sum", self.x, "--offsets", bad), 3, "bad.npy", *words)
        refused([0, 4, 3], "offset 2 is 3, less than 4 before it")
        refused([0, 11], "offset 1 is 11, past the 10 elements of axis 0")
        refused([-1, 5], "offset 0 is -1")
        refused([], "there are no offsets")
        refused([0, 1, 2, 3], "found shape (2, 2)", shape="(2, 2)")
        refused([0, 1], "found u64", descr="'<u8'", letter="Q")
        begins, ends = self.list("begins.npy", [5, 6]), self.list("ends.npy", [7, 3])
        outcome = tool.run("sum", self.x, "--begins", begins, "--ends", ends)
        self.assert_refused(outcome, 3, "ends.npy", "segment 1 ends at 3, before it begins at 6")
        self.assert_refused(tool.run("sum", self.x, "--offsets", self.folder / "gone.npy"), 3, "gone.npy")
        empty = self.list("empty.npy", [0, 2, 2])
        self.assert_refused(tool.run("min", self.x, "--offsets", empty), 3, "segment 1 is empty", "--initial")

    def test_options_that_do_not_go_together(self):
        offsets = self.list("offsets.npy", [0, 3])
        def refused(*line):
            self.assert_refused(tool.run("sum", self.x, *line), 2, line[0])
        refused("--begins", offsets)
        refused("--ends", offsets)
        refused("--offsets", offsets, "--begins", offsets)
        for option in (["--keepdims"], ["--checkpoint", "c"], ["--explain"], ["--engine", "both"]):
            refused(*option, "--offsets", offsets)
        self.assert_refused(tool.run("sum", self.x, "--parts", "2", "--offsets", offsets), 2, "a forced plan")
        self.assert_refused(tool.run("sum", "--merge", "s", "--offsets", offsets), 2, "a list of segments")


if __name__ == "__main__":
    tool.main()
