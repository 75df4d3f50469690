"""How much memory runs take at their peak: what --memory says, 64 MiB, and the results; on tables that are wide."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import tool

MIB = 1 << 20
ALLOWED = 64 * MIB  # beside --memory and the results


def write_raw(path, words, count):
    """`count` elements of 8 bytes, by turns those in `words`."""
    block = words * (MIB // (8 * len(words)))
    left = 8 * count
    with open(path, "wb") as file:
        while left > 0:
            left -= file.write(bytes().join(block)[:left])


def f64(*values):
    import struct
    return [struct.pack("<d", value) for value in values]


ORDINARY = f64(0.5, -1.25, 3.1, 1e-3, 7.0, 2.5, -0.1)
HARD = f64(1e300, 1e-300, -3.5, 1e150, 1e-150)


@unittest.skipIf(tool.is_sanitized(), "sanitizers take memory of their own")
class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "table.bin"
        self.out = Path(self.folder.name) / "out.npy"

    def check(self, shape, axis, words, ops, memory=16 * MIB):
        count = 1
        for extent in shape:
            count *= extent
        write_raw(self.path, words, count)
        text = ",".join(map(str, shape))
        for op in ops:
            arguments = [op, self.path, *([self.path] if op in ("dot", "cov") else []), "--dtype", "f64", "--shape", text,
                         "--axis", axis, "--memory", str(memory), "-o", self.out]
            code, peak, err = tool.run_to_peak(*arguments)
            self.assertEqual(code, 0, err)
            results = count // shape[axis] * 8
            self.assertLessEqual(peak, memory + ALLOWED + results, f"{op} of {shape} over {axis}")

    def test_the_slowest_axis(self):
        self.check((3, 1000003), 0, ORDINARY, ["var", "std", "norm2", "sum", "mean", "cov", "dot", "norm1", "max"])

    def test_elements_of_all_magnitudes(self):
        self.check((3, 500009), 0, HARD, ["var", "sum", "cov"])

    def test_a_middle_axis(self):
        self.check((2, 5, 300007), 1, ORDINARY, ["var", "mean"])
        self.check((200003, 5, 3), 1, ORDINARY, ["var", "mean"])

    def test_short_rows(self):
        self.check((1000003, 3), 1, ORDINARY, ["var", "sum"])
        self.check((500009, 3), 1, HARD, ["var", "sum"])

    def test_a_pipe_that_would_take_more_is_refused(self):
        write_raw(self.path, ORDINARY, 3 * 2000003)
        arguments = ["var", "-", "--dtype", "f64", "--shape", "3,2000003", "--axis", "0", "-o", self.out]
        for memory, expected in [(MIB, False), (256 * MIB, True)]:
            with open(self.path, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as pipe:
                code, peak, err = tool.run_to_peak(*arguments, "--memory", str(memory), stdin=pipe.stdout)
                pipe.stdout.close()
                pipe.wait()
            self.assertEqual(code == 0, expected, err)
            self.assertLessEqual(peak, memory + ALLOWED + 2000003 * 8)
            if not expected:
                self.assertIn("2000003 partial results", err)

    def test_plans_forecast_what_partial_results_take(self):
        said = tool.run("plan", "var", "--dtype", "f64", "--shape", "3,1000", "--axis", "0", "--engine", "host")
        self.assertIn("accumulators of 48 B, 46.9 KiB for all results", said.out)
        said = tool.run("plan", "var", "--dtype", "f64", "--shape", "3,1000", "--axis", "0", "--engine", "host", "--json")
        self.assertIn('"accumulator_bytes":48', said.out)


if __name__ == "__main__":
    unittest.main()
