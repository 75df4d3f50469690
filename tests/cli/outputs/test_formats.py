"""What -o writes: .npy, .npz, text or JSON, as the name says, whole or not at all, and nothing binary to a terminal."""

import json
import os
import resource
import struct

import terminal
import tool


class Formats(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(shape="(2, 3)", data=tool.floats(1, 2, 3, 4.5, 5, 1e30)))

    def written(self, name, *line):
        path = self.folder / name
        self.assert_printed(tool.run(*line, "-o", path), "")
        return path.read_text()

    def test_text(self):
        self.assertEqual(self.written("a.txt", "sum", self.x), "1e+30\n")
        self.assertEqual(self.written("a.txt", "max", self.x, "--axis", "0"), "4.5\n5\n1e+30\n")
        self.assertEqual(self.written("a.txt", "max", self.x, "--axis", "0", "--keepdims"), "4.5 5 1e+30\n")
        self.assertEqual(self.written("a.txt", "max", self.x, "--axis", "1", "--hex"), "0x40400000\n0x7149f2ca\n")
        cube = self.file("cube.npy", tool.npy("'<i2'", "(2, 2, 2, 1)", struct.pack("<8h", *range(8))))
        self.assertEqual(self.written("a.txt", "max", cube, "--axis", "3"), "0 1\n2 3\n\n4 5\n6 7\n")
        empty = self.file("empty.npy", tool.npy(shape="(0, 3)", data=b""))
        self.assertEqual(self.written("a.txt", "sum", empty, "--axis", "1"), "")
        self.assertEqual(self.written("a.txt", "describe", self.x), tool.run("describe", self.x).out)
        self.assertEqual(self.written("a.txt", "describe", self.x, "--axis", "0", "--hex"),
                         tool.run("describe", self.x, "--axis", "0", "--hex").out)
        self.assertEqual(self.written("a.txt", "sum", self.x, "--result-dtype", "bf16"), "1e+30\n")

    def test_nothing_is_shortened(self):
        raw = self.file("raw", bytes(3000))
        line = (raw, "--dtype", "int8", "--shape", "1500,2", "--axis", "1")
        self.assertEqual(self.written("a.txt", "sum", *line), "0\n" * 1500)
        self.assertEqual(len(self.written("a.txt", "describe", *line).splitlines()), 1502)
        self.assertEqual(json.loads(self.written("a.json", "sum", *line))["value"], [0] * 1500)

    def test_json(self):
        for line in (["sum", self.x], ["mean", self.x, "--axis", "1"], ["describe", self.x], ["argmax", self.x]):
            file, printed = json.loads(self.written("a.json", *line)), json.loads(tool.run(*line, "--json").out)
            for varying in ("seconds", "gb_per_s"):
                del file[varying], printed[varying]
            self.assertEqual(file, printed)
        both = tool.run("sum", self.x, "--json", "-o", self.folder / "b.json")
        self.assertEqual(json.loads(both.out)["output"], str(self.folder / "b.json"))
        self.assertEqual(json.loads((self.folder / "b.json").read_text())["value"], json.loads(tool.run("sum", self.x, "--json").out)["value"])

    def test_other_names_are_refused(self):
        for name in ("y", "y.csv", "y.zip", "y.NPY", "y.txt.gz", ".npy", "npy", "y.npy/", "y."):
            with self.subTest(name=name):
                outcome = tool.run("sum", self.x, "-o", self.folder / name if not name.endswith("/") else f"{self.folder}/{name}")
                self.assert_refused(outcome, 2, "-o", ".npy, .npz, .txt or .json")
        self.assert_refused(tool.run("describe", self.x, "-o", self.folder / "y.npy"), 2, "-o", "expected .txt or .json, or --json")
        self.assert_refused(tool.run("sum", self.x, "--hex", "-o", self.folder / "y.json"), 2, "--hex", ".txt")
        self.assertEqual(self.names(), ["x.npy"])

    def test_help_and_refusals_offer_the_same_names(self):
        for op, names in (("sum", ".npy, .npz, .txt or .json"), ("ptp", ".npy, .npz, .txt or .json"), ("sum,max", ".npz, .txt or .json"),
                          ("describe", ".txt or .json"), ("sum,describe", ".txt or .json")):
            with self.subTest(op=op):
                self.assertIn(f"To a {names} file", tool.run(op, "--help").out)
                outcome = tool.run(op, self.x, "-o", self.folder / "y.csv")
                self.assert_refused(outcome, 2, "y.csv", f"expected a name that ends with {names}")
                self.assertEqual("'-'" in outcome.err, ".npy" in names)

    def test_pipes_and_devices_take_npy(self):
        reading, writing = os.pipe()
        self.assertEqual(tool.run("sum", self.x, "-o", "-", stdout=writing).code, 0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            self.assertTrue(pipe.read().startswith(b"\x93NUMPY"))
        self.assert_printed(tool.run("sum", self.x, "-o", "/dev/null"), "")

    def test_no_array_goes_to_a_terminal(self):
        for target, both in (("-", True), ("/dev/tty", False)):
            if target == "/dev/tty" and not os.path.exists(target):
                continue
            code, text = terminal.run("sum", self.x, "-o", target, both=both, NO_COLOR="1")
            if target == "/dev/tty" and code == 3:
                continue  # a process without a terminal of its own has none to open
            self.assertEqual(code, 2, text)
            self.assertIn("found a terminal", text)
            self.assertIn("expected a file or a pipe, or no -o", text)
        ours, theirs = os.openpty()
        self.assert_refused(tool.run("sum", self.x, "-o", os.ttyname(theirs)), 2, os.ttyname(theirs), "found a terminal")
        os.close(ours)
        os.close(theirs)

    def test_whole_or_not_at_all(self):
        raw = self.file("raw", bytes(300_000))
        for name in ("y.txt", "y.json"):
            for old in (None, b"as it was"):
                if old is not None:
                    self.file(name, old)
                outcome = tool.run("sum", raw, "--dtype", "int8", "--shape", "100000,3", "--axis", "1", "-o", self.folder / name,
                                   before=tool.limit(resource.RLIMIT_FSIZE, 100_000))
                self.assert_refused(outcome, 3, name, "nothing was changed")
                self.assertEqual((self.folder / name).read_bytes() if old else None, old)
        self.assertEqual(self.names(), ["raw", "x.npy", "y.json", "y.txt"])
        outcome = tool.run("sum", self.x, "-o", self.folder / "no" / "y.txt")
        self.assert_refused(outcome, 3, self.folder / "no" / "y.txt")


if __name__ == "__main__":
    tool.main()
