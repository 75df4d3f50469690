"""States: saved, merged in any order, resumed, finished, and refused; sums against those of fractions."""

import itertools
import json
import pathlib
import random
import struct
from fractions import Fraction

import exact
import tool
from exact import hex_of

# Type: struct's letter and .npy's name.
FORMATS = {"f16": ("e", "'<f2'"), "f32": ("f", "'<f4'"), "f64": ("d", "'<f8'")}
# Files of every version that was ever written, and the bits of their sums and means.
KEPT = pathlib.Path(__file__).parent / "states"
KEPT_SUMS = {"f16": ("0x7bff", "0x73ff"), "bf16": ("0x7f00", "0x7e00"), "f32": ("0x40000000", "0x3ecccccd"),
             "f64": ("0x4008cccccccccccd", "0x3fe3d70a3d70a3d7"), "infinite": ("0x7f800000", "0x7f800000"),
             "omitted": ("0x40a00000", "0x40200000"), "nothing": ("0x0000000000000000", "0x7ff8000000000000"),
             "minus_zero": ("0x80000000", "0x80000000")}
KEPT_RESULTS = {
    "sum_rows": "[0x7fc00000 0x7f800000]",
    "sum_i16": "0xffffffffffff8006",
    "prod_i16": "[0xfffffffffffffffa 0x0000000000000000]",
    "min_f32": "[0x80000000 0xc0000000 0x7f800000]",
    "max_u64": "0xffffffffffffffff",
    "argmin_f16": "0x0000000000000006",
    "argmax_f32": "[0x0000000000000002 0x0000000000000002]",
    "any_f32": "[0x01 0x01 0x01]",
    "norm1_i16": "0x000000000000800a",
    "norm2_f64": "[0x7e37e43c8800759c 0x40100147a0fa15c0]",
    "var_f16": "0x7c00",
    "std_u64": "0x43d7d9f4cf754635",
    "dot_f32": "[0x40100000 0x41a00000 0x7fc00000]",
    "cov_f64": "0x7ff0000000000000",
    "describe_f32": "count  6\nnan    1\n+inf   1\n-inf   0\nzeros  1\nsum    0x7fc00000  f32\nmean   0x7fc00000  f32\nstd    0x7fc00000  f32\nnorm2  0x7fc00000  f32\nmin    0x7fc00000  f32  at 2\nmax    0x7fc00000  f32  at 2",
    "describe_i16": "count  6\nnan    0\n+inf   0\n-inf   0\nzeros  1\nsum    0xffffffffffff8006  i64\nmean   0xc0b5545555555555  f64\nstd    0x40c7da2e12d9eb66  f64\nnorm2  0x40e0000003c00000  f64\nmin    0x8000              i16  at 5\nmax    0x0004              i16  at 4",
    "argmax_runs": "0x0000000000000004",
    "min_nothing": "[]",
}
STATE_BYTES = {"f16": 80, "bf16": 112, "f32": 112, "f64": 344}


def wild(dtype, count):
    """Finite numbers of all magnitudes whose sum is not that of their largest alone."""
    letter = FORMATS[dtype][0]
    _, least, greatest, _ = exact.FORMATS[dtype]
    generator = random.Random(20240229)
    values = []
    while len(values) < count:
        exponent = generator.randint(max(least, -60), min(greatest - 8, 60))
        value = struct.unpack(letter, struct.pack(letter, generator.choice((-1, 1)) * generator.random() * 2.0**exponent))[0]
        values += [value, -value] if generator.random() < 0.5 else [value]
    return values[:count]


class States(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.serial = itertools.count()

    def array(self, values, dtype="f32", name=None):
        letter, descr = FORMATS[dtype][:2]
        data = struct.pack(f"<{len(values)}{letter}", *values)
        return self.file(name or f"x{next(self.serial)}.npy", tool.npy(descr, f"({len(values)},)", data))

    def state(self, values, dtype="f32", op="sum"):
        path = self.folder / f"s{next(self.serial)}.state"
        outcome = tool.run(op, self.array(values, dtype), "--save-state", path)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertEqual(path.stat().st_size, STATE_BYTES[dtype])
        return path

    def refused(self, line, code, *words, **how):
        """Refused, and all files are as they were."""
        before = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        self.assert_refused(tool.run(*line, **how), code, *words)
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}, before)

    def test_three_parts_in_any_order_are_the_whole(self):
        for dtype in FORMATS:
            values = wild(dtype, 301)
            total = sum(map(Fraction, values))
            whole = self.state(values, dtype).read_bytes()
            runs, parts = [], []
            for part in (values[:50], values[50:51], values[51:]):
                parts.append(self.folder / f"part{len(parts)}.{dtype}")
                runs.append(tool.start("sum", self.array(part, dtype), "--save-state", parts[-1]))
            for run in runs:
                run.communicate()
                self.assertEqual(run.returncode, 0)
            for order in itertools.permutations(parts):
                with self.subTest(dtype=dtype, order=[path.name for path in order]):
                    out = self.folder / "merged"
                    merged = tool.run("sum", "--merge", *order, "--save-state", out, "--hex")
                    self.assert_printed(merged, hex_of(total, dtype) + "\n")
                    self.assertEqual(out.read_bytes(), whole)
                    mean = tool.run("mean", "--merge", *order, "--hex")
                    self.assert_printed(mean, hex_of(total / len(values), dtype) + "\n")
                    for result in FORMATS:
                        wide = tool.run("sum", "--merge", *order, "--result-dtype", result, "--hex")
                        self.assert_printed(wide, hex_of(total, result) + "\n")

    def test_a_run_resumes_in_place(self):
        values = wild("f64", 97)
        state = self.folder / "so far"
        so_far = Fraction(0)
        for first in range(0, len(values), 13):
            part = values[first:first + 13]
            so_far += sum(map(Fraction, part))
            before = ["--merge", state] if first > 0 else []
            outcome = tool.run("mean", self.array(part, "f64", "part.npy"), *before, "--save-state", state, "--hex")
            self.assert_printed(outcome, hex_of(so_far / (first + len(part)), "f64") + "\n")
        self.assertEqual(state.read_bytes(), self.state(values, "f64").read_bytes())
        self.assertEqual([name for name in self.names() if name.startswith(".")], [])

    def test_sums_and_means_share_states(self):
        self.assertEqual(self.state([1, 2, 3.5], op="mean").read_bytes(), self.state([3.5, 1, 2]).read_bytes())

    def test_bf16_and_pipes(self):
        halves = [struct.pack("<4H", 0x3F80, 0x4000, 0x7F00, 0x0001), struct.pack("<2H", 0xFF00, 0xBF80)]
        for name, data in zip("ab", halves):
            outcome = tool.run("sum", "-", "--dtype", "bf16", "--save-state", self.folder / name, stdin=data)
            self.assertEqual((outcome.code, outcome.err), (0, ""))
        merged = tool.run("sum", "--merge", self.folder / "a", "-", "--hex", stdin=(self.folder / "b").read_bytes())
        self.assert_printed(merged, "0x4000\n")
        wide = tool.run("sum", "--merge", self.folder / "b", self.folder / "a", "--result-dtype", "f64")
        self.assert_printed(wide, "2\n")

    def test_specials_and_nothing(self):
        inf, nan = float("inf"), float("nan")
        for parts, bits in (([[inf], [1]], "7f800000"), ([[inf], [-inf]], "7fc00000"), ([[nan], [inf]], "7fc00000"),
                            ([[-inf], [-inf]], "ff800000"), ([[-0.0], [-0.0]], "80000000"), ([[-0.0], [0.0]], "00000000"),
                            ([[2.0**127, 2.0**127], [-(2.0**127), -(2.0**127), 1.0]], "3f800000")):
            with self.subTest(parts=parts):
                self.assert_printed(tool.run("sum", "--merge", *map(self.state, parts), "--hex"), f"0x{bits}\n")
        nothing = self.folder / "nothing"
        empty = self.file("empty.npy", tool.npy(shape="(0, 3)", data=b""))
        self.assert_printed(tool.run("sum", empty, "--save-state", nothing), "0\n")
        self.assert_printed(tool.run("mean", "--merge", nothing), "nan\n")
        self.assert_printed(tool.run("mean", self.array([4, 5]), "--merge", nothing), "4.5\n")

    def test_omitted_nan_take_no_part(self):
        path = self.array([1, float("nan"), 2])
        state = self.folder / "state"
        self.assert_printed(tool.run("sum", path, "--nan", "omit", "--save-state", state), "3\n")
        self.assert_printed(tool.run("mean", "--merge", state), "1.5\n")

    def test_json_and_files(self):
        a, b, out = self.state([1, 2]), self.folder / "b", self.folder / "out.npy"
        found = json.loads(tool.run("sum", self.array([3]), "--merge", a, "--save-state", b, "--json").out)
        self.assertEqual((found["value"], found["state"], found["merged"], found["count"]), (6, str(b), [str(a)], 1))
        found = json.loads(tool.run("mean", "--merge", a, b, "--json", "--result-dtype", "f64").out)
        self.assertEqual((found["value"], found["file"], found["dtype"], found["accuracy"]), (1.8, None, "f64", "exact"))
        self.assertNotIn("state", found)
        self.assert_printed(tool.run("sum", "--merge", b, "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy(shape="()", data=tool.floats(6)))

    def test_every_operation_keeps_its_state(self):
        values = wild("f32", 60)
        rows = [values[first:first + 6] for first in range(0, 60, 6)]

        def matrix(some):
            data = tool.floats(*itertools.chain(*some))
            return self.file(f"m{next(self.serial)}.npy", tool.npy(shape=f"({len(some)}, 6)", data=data))

        whole, parts = matrix(rows), [matrix(rows[:3]), matrix(rows[3:4]), matrix(rows[4:])]
        for op in ("sum", "mean", "min", "max", "argmin", "argmax", "norm1", "sumsq", "norm2", "var", "std", "any", "all",
                   "count_nonzero", "describe", "dot", "cov"):
            two, indexed = op in ("dot", "cov"), op in ("argmin", "argmax", "describe")
            for axis, step in ((["--axis", "0"], 1), ([], 6)):
                with self.subTest(op=op, axis=axis):
                    states = []
                    for part, first in zip(parts, (0, 3, 4)):
                        states.append(self.folder / f"s{next(self.serial)}")
                        at = ["--first-index", str(first * step)] if indexed else []
                        saved = tool.run(op, *[part] * (2 if two else 1), *axis, *at, "--save-state", states[-1])
                        self.assertEqual((saved.code, saved.err), (0, ""))
                    states = [states[1], states[2], states[0]]
                    files = [whole, whole] if two else [whole]
                    expected = tool.run(op, *files, *axis, "--hex", "--save-state", self.folder / "whole")
                    merged = tool.run(op, "--merge", *states, "--hex", "--save-state", self.folder / "merged")
                    self.assert_printed(merged, expected.out)
                    self.assert_printed(tool.run(op, *files, *axis, "--hex"), expected.out)
                    self.assertEqual((self.folder / "merged").read_bytes(), (self.folder / "whole").read_bytes())

    def test_integers(self):
        most = struct.pack("<2q", 2**63 - 1, 2**63 - 1)
        a, b = self.folder / "a", self.folder / "b"
        self.refused(["sum", "-", "--dtype", "int64", "--save-state", a], 6, "does not fit", stdin=most)
        self.assert_printed(tool.run("mean", "-", "--dtype", "int64", "--save-state", a, stdin=most), "9.223372036854776e+18\n")
        less = tool.run("sum", "-", "--dtype", "int64", "--merge", a, "--save-state", b, stdin=struct.pack("<2q", -(2**63), -(2**63)))
        self.assert_printed(less, "-2\n")
        factors = self.file("f.npy", tool.npy("'<i4'", "(3,)", struct.pack("<3i", 3, -4, 5)))
        self.assert_printed(tool.run("prod", factors, "--save-state", a), "-60\n")
        self.assert_printed(tool.run("prod", factors, "--merge", a), "3600\n")
        self.assert_printed(tool.run("prod", "--merge", a, a, "--initial", "2"), "7200\n")

    def test_indices_go_on_behind_what_is_merged(self):
        state = self.folder / "so far"
        for values, printed in (([1, 5], "1\n"), ([5, 2], "1\n"), ([float("nan")], "4\n")):
            before = ["--merge", state] if state.exists() else []
            self.assert_printed(tool.run("argmax", self.array(values), *before, "--save-state", state), printed)
        again = self.folder / "again"
        tool.run("argmax", self.array([7]), "--save-state", again)
        self.refused(["argmax", "--merge", state, again], 2, state, again, "element 0", "--first-index")
        self.refused(["argmax", self.array([7]), "--merge", state, "--first-index", "2"], 2, "element 2")
        self.assert_printed(tool.run("argmax", self.array([7]), "--merge", state, "--first-index", "10"), "4\n")

    def test_options_at_the_end(self):
        state, out = self.folder / "state", self.folder / "out.npy"
        matrix = self.file("m.npy", tool.npy(shape="(2, 2)", data=tool.floats(1, 2, 3, 5)))
        self.assert_printed(tool.run("var", matrix, "--axis", "0", "--save-state", state), "[   1 2.25]\n")
        self.assert_printed(tool.run("var", "--merge", state, "--correction", "1", "--result-dtype", "f64"), "[  2 4.5]\n")
        self.assert_printed(tool.run("std", "--merge", state), "[  1 1.5]\n")
        self.assert_printed(tool.run("std", "--merge", state, "-o", out), "")
        self.assertEqual(out.read_bytes(), tool.npy(shape="(2,)", data=tool.floats(1, 1.5)))
        found = json.loads(tool.run("std", "--merge", state, "--json").out)
        self.assertEqual((found["value"], found["shape"]), ([1, 1.5], [2]))
        kept = tool.run("max", matrix, "--axis", "0", "--keepdims", "--save-state", state)
        self.assert_printed(kept, "[[3 5]]\n")
        self.assert_printed(tool.run("max", "--merge", state, "--initial", "4"), "[4 5]\n")

    def test_files_of_every_version(self):
        for name, (total, mean) in KEPT_SUMS.items():
            with self.subTest(name=name):
                path, out = KEPT / f"{name}.state", self.folder / "out"
                self.assert_printed(tool.run("sum", "--merge", path, "--hex", "--save-state", out), f"{total}\n")
                self.assert_printed(tool.run("mean", "--merge", path, "--hex"), f"{mean}\n")
                self.assertEqual(out.read_bytes(), path.read_bytes())
        for name, printed in KEPT_RESULTS.items():
            with self.subTest(name=name):
                path, out = KEPT / f"{name}.state", self.folder / "out"
                merged = tool.run(name.split("_")[0], "--merge", path, "--hex", "--save-state", out)
                self.assert_printed(merged, f"{printed}\n")
                self.assertEqual(out.read_bytes(), path.read_bytes())

    def test_states_of_segments_and_groups(self):
        def integers(name, *values):
            return self.file(name, tool.npy("'<i8'", f"({len(values)},)", struct.pack(f"<{len(values)}q", *values)))

        top, rest = self.array([1, 2]), self.array([3, 4, 5])
        whole, a = self.array([1, 2, 3, 4, 5]), self.folder / "a"
        groups = ["--groups", "3", "--hex"]
        self.assertEqual(tool.run("var", top, "--keys", integers("k1.npy", 1, 1), *groups, "--save-state", a).code, 0)
        merged = tool.run("var", rest, "--keys", integers("k2.npy", 0, 1, 0), *groups, "--merge", a, "--save-state", a)
        wanted = tool.run("var", whole, "--keys", integers("k.npy", 1, 1, 0, 1, 0), *groups)
        self.assertEqual((merged.code, merged.out), (0, wanted.out))
        self.assertEqual(tool.run("var", "--merge", a, "--hex").out, wanted.out)
        self.refused(["var", rest, "--keys", integers("k3.npy", 0, 1, 0), "--groups", "4", "--merge", a], 3, a, "(3,)", "(4,)")

        offsets = ["--offsets", integers("o.npy", 0, 1, 1, 3)]
        printed = tool.run("min", rest, *offsets, "--save-state", a, "--initial", "9")
        self.assertEqual((printed.code, printed.out), (2, ""))  # an initial value is none of a state
        self.assertEqual(tool.run("sum", rest, *offsets, "--save-state", a).out, tool.run("sum", rest, *offsets).out)
        self.refused(["argmin", rest, *offsets, "--save-state", a], 2, "argmin", "indices")

    def test_states_of_many_results(self):
        count = 20000
        wide = self.file("wide.npy", tool.npy("'<i4'", f"(1, {count})", struct.pack(f"<{count}i", *range(count))))
        a, out = self.folder / "a", self.folder / "out.npy"
        self.assertEqual(tool.run("norm2", wide, "--axis", "0", "--save-state", a, "-o", out).code, 0)
        self.assertEqual(a.stat().st_size, 40 + 8 + 40 * count + 8)
        before = out.read_bytes()
        self.assertEqual(tool.run("norm2", "--merge", a, "-o", out).code, 0)
        self.assertEqual(out.read_bytes(), before)
        data = a.read_bytes()
        for content, *words in ((data[:70000], "byte 70000", "the end"), (data + b"x", f"{len(data) + 1} bytes"),
                                (data[:16] + b"\xff" * 8 + data[24:], "the end")):
            self.refused(["norm2", "--merge", self.file("bad", content)], 3, "bad", *words)

    def test_bad_states(self):
        x, good = self.array([1, 2, 3]), self.state([1, 2])
        data = good.read_bytes()

        def changed(at, byte):
            return data[:at] + bytes([byte]) + data[at + 1:]

        bad = [(b"", "byte 0", "the end"), (b"hello, world", "byte 0", "found 104", "magic"), (data[:9], "byte 9", "header of 16"),
               (data[:100], "byte 100", "the end", "expected 112 bytes"), (data + b"\0\0", "byte 112", "2 more bytes"),
               (data + data, "byte 112"), (changed(8, 2), "byte 8", "found version 2", "expected version 1", "newer multifold"),
               (changed(10, 9), "byte 10"), (changed(11, 1), "byte 10", "sums of products of f32", "expected sums of f32"),
               (changed(12, 7), "byte 12", "size of 7"), (x.read_bytes(), "byte 0", "magic")]
        bad += [(changed(at, data[at] ^ 16), "byte 104", "corrupted") for at in (16, 24, 55, 56, 103, 111)]
        for content, *words in bad:
            with self.subTest(words=words):
                path = self.file("bad", content)
                self.refused(["sum", x, "--merge", path], 3, path, *words)
                self.refused(["mean", "--merge", good, path, "--save-state", self.folder / "new"], 3, path, *words)
                self.refused(["sum", x, "--merge", path, "--save-state", path], 3, path, *words)
                self.refused(["sum", x, "--merge", path, "-o", self.folder / "out.npy"], 3, path, *words)

    def test_states_of_another_kind(self):
        narrow, wide, new = self.state([1, 2]), self.state([1, 2], "f64"), ["--save-state", self.folder / "new"]
        matrix = self.file("m.npy", tool.npy(shape="(2, 2)", data=tool.floats(1, 2, 3, 4)))
        sums = "sum and mean of f32"
        self.refused(["sum", "--merge", narrow, wide], 3, wide, "found the state of sum and mean of f64", f"expected one of {sums}")
        self.refused(["sum", self.array([1], "f64"), "--merge", narrow, "--save-state", narrow], 3, narrow, sums,
                     "expected one of sum and mean of f64")
        self.refused(["max", "--merge", narrow], 3, narrow, f"found the state of {sums}", "expected one of max")
        self.refused(["max", matrix, "--merge", narrow, *new], 3, narrow, f"found the state of {sums}", "expected one of max")
        self.refused(["mean", self.file("i.npy", tool.npy("'<i4'")), "--merge", narrow], 3, narrow, sums, "sum and mean of i32")
        self.refused(["sum", matrix, "--axis", "1", "--merge", narrow], 3, narrow, sums, f"{sums} to (2,)")
        omits = self.folder / "omits"
        tool.run("max", matrix, "--nan", "omit", "--save-state", omits)
        self.refused(["max", matrix, "--merge", omits], 3, omits, "without its NaN", "with its NaN")

    def test_states_that_cannot_be_read(self):
        x = self.array([1])
        self.refused(["sum", x, "--merge", self.folder / "missing"], 3, "missing", "No such file")
        self.refused(["sum", x, "--merge", self.folder], 3, self.folder, "directory")
        self.refused(["sum", "--merge", "/dev/zero"], 3, "/dev/zero", "byte 0", "found 0")

    def test_states_that_cannot_be_written(self):
        x, state = self.array([1, 2]), self.state([3])
        self.refused(["sum", x, "--save-state", self.folder], 3, self.folder, "directory")
        self.refused(["sum", x, "--save-state", self.folder / "no" / "state"], 3, "state", "No such file")
        self.refused(["sum", x, "--save-state", "/dev/full"], 3, "/dev/full", "No space left")
        with open("/dev/full", "wb") as full:
            self.refused(["sum", x, "--merge", state, "--save-state", state], 3, "No space left", stdout=full)
            self.refused(["sum", x, "--save-state", self.folder / "new"], 3, "No space left", stdout=full)

    def test_a_state_is_as_it_was_if_the_file_is_bad(self):
        state = self.state([3])
        short = self.file("short.npy", tool.npy(data=b"\0" * 11))
        for path in (short, self.folder / "missing.npy"):
            self.refused(["sum", path, "--merge", state, "--save-state", state], 3, path)

    def test_what_has_no_state(self):
        x, state = self.array([1, 2, 3, 4]), self.state([1])
        matrix = self.file("m.npy", tool.npy(shape="(2, 2)", data=tool.floats(1, 2, 3, 4)))
        integers = self.file("i.npy", tool.npy("'<i4'"))
        to = ["--save-state", self.folder / "new"]
        for line, *words in ((["prod", x, *to], x, "prod of f32"), (["prod", integers, "--result-dtype", "f64", *to], "i64 or u64"),
                             (["sum", x, "--accuracy", "fast", *to], "exact"), (["max", x, "--first-index", "3", *to], "argmin"),
                             (["argmin", x, "--first-index", "3"], "--save-state"), (["max", x, "--checkpoint", "c"], "sum and mean"),
                             (["argmin", x, "--first-index", "-1", *to], "--first-index"), (["dot", x, *to], "Y is required"),
                             (["dot"], "X is required"), 
                             (["argmax", x, "--engine", "both", *to], "host engine"),
                             (["sum", x, "--initial", "1", *to], "--initial"), (["sum", x, x, *to], "one FILE"),
                             (["sum", x, "--save-state", "-"], "standard output"), (["sum", x, "--save-state", ""], "empty name"),
                             (["sum", *to], "FILE", "--merge"), (["sum"], "FILE is required"), (["sum", "--merge"], "--merge"),
                             (["sum", "--merge", state, "--axis", "0"], "FILE"), (["sum", "--merge", state, "--dtype", "f32"], "FILE"),
                             (["sum", "--merge", state, "--result-dtype", "i64"], "i64"), (["sum", "-", "--merge", "-"], "twice"),
                             (["sum", x, "--save-state", self.folder / "new.npy", "-o", self.folder / "new.npy"], "same file")):
            with self.subTest(line=line):
                self.refused(line, 2, *words)
        self.assert_printed(tool.run("sum", matrix, "--axis", "0,1", *to), "10\n")


if __name__ == "__main__":
    tool.main()
