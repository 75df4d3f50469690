"""Every kind of bad input: exit 3, one line that names the file and the byte, and nothing written."""

import os
import pty

import tool


class BadInput(tool.ToolTest):
    def refused(self, path, *words, options=(), code=3):
        """Refused without and with -o, and in both cases nothing is left behind."""
        before = self.names()
        self.assert_refused(tool.run("sum", path, *options), code, path, *words)
        self.assert_refused(tool.run("sum", path, *options, "-o", self.folder / "out.npy"), code, path, *words)
        self.assertEqual(self.names(), before)

    def refused_bytes(self, data, *words, **how):
        self.refused(self.file("bad.npy", data), *words, **how)

    def test_missing(self):
        self.refused(self.folder / "missing.npy", "No such file")

    def test_missing_folder(self):
        self.refused(self.folder / "no" / "x.npy", "No such file")

    def test_directory(self):
        self.refused(self.folder, "directory")

    def test_no_permission(self):
        path = self.file("secret.npy", tool.npy())
        self.folder.chmod(0o755)
        path.chmod(0)
        drop = (lambda: os.setuid(65534)) if os.geteuid() == 0 else None
        outcome = tool.run("sum", path, before=drop)
        self.assert_refused(outcome, 3, path, "Permission denied")

    def test_odd_file_name_stays_one_line(self):
        self.assert_refused(tool.run("sum", self.folder / "two\nlines\x1b[31m"), 3, "two\\x0alines\\x1b[31m")

    def test_empty_file(self):
        self.refused_bytes(b"", "empty", "expected .npy")

    def test_empty_raw_file(self):
        self.refused_bytes(b"", "empty", "f32", options=["--dtype", "f32"])

    def test_wrong_magic(self):
        self.refused_bytes(b"hello, world" * 20, "byte 0", "68 65 6c 6c 6f", "expected .npy", "--dtype")

    def test_other_formats_are_named(self):
        self.refused_bytes(b"PK\x03\x04" + b"\0" * 40, "zip archive", "cut off")
        self.refused_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 40, "HDF5")

    def test_truncated_header(self):
        whole = tool.npy()
        for length in (1, 5, 6, 7, 8, 9, 10, 40, 127):
            with self.subTest(length=length):
                self.refused_bytes(whole[:length], "byte")

    def test_header_without_end(self):
        self.refused_bytes(tool.npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (3,"), "byte")

    def test_header_without_a_key(self):
        self.refused_bytes(tool.npy(header="{'descr': '<f4', 'shape': (3,), }"), "fortran_order")

    def test_truncated_data(self):
        self.refused_bytes(tool.npy(data=b"\0" * 11), "byte 139", "11 bytes", "expected 12", "(3,)")

    def test_data_that_go_on(self):
        self.refused_bytes(tool.npy(data=b"\0" * 13), "byte 140", "13 bytes", "expected 12")

    def test_header_longer_than_the_file(self):
        self.refused_bytes(b"\x93NUMPY\x01\x00\xff\xff" + b" " * 100, "byte 8", "65535", "110")
        self.refused_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100, "byte 8", "4294967295")

    def test_shape_that_overflows(self):
        for shape in ("(4611686018427387904, 4)", "(9223372036854775807,)", "(92233720368547758080,)"):
            with self.subTest(shape=shape):
                self.refused_bytes(tool.npy(shape=shape), "byte")

    def test_negative_extent(self):
        self.refused_bytes(tool.npy(shape="(-3,)"), "byte", "negative", "-3")

    def test_dtypes_that_are_not_numbers(self):
        for descr, word in (("'|O'", "objects"), ("'<U4'", "strings"), ("'|S4'", "byte strings"),
                            ("'<c8'", "complex"), ("'<c16'", "complex"), ("'<M8[s]'", "dates"),
                            ("'|V12'", "raw records"), ("[('x', '<f4'), ('y', '<f4')]", "structured"),
                            ("'<q9'", "no NumPy type"), ("''", "no NumPy type")):
            with self.subTest(descr=descr):
                self.refused_bytes(tool.npy(descr=descr), "byte", word)

    def test_unknown_version(self):
        self.refused_bytes(tool.npy(version=(4, 0)), "byte 6", "4.0", "expected 1.0, 2.0 or 3.0")

    def test_raw_size_no_multiple(self):
        self.refused_bytes(b"\0" * 10, "byte 10", "multiple of 4", options=["--dtype", "f32"])

    def test_raw_size_disagrees_with_shape(self):
        self.refused_bytes(b"\0" * 12, "byte", "(5,)", "12 bytes", options=["--dtype", "f32", "--shape", "5"], code=2)
        self.refused_bytes(b"\0" * 12, "byte", "(2,)", "12 bytes", options=["--dtype", "f32", "--shape", "2"], code=2)

    def test_offset_past_the_end(self):
        self.refused_bytes(b"\0" * 12, "offset", options=["--dtype", "f32", "--offset", "1KiB"])

    def test_npy_taken_for_raw(self):
        self.refused_bytes(tool.npy(), "--dtype", options=["--dtype", "f32"])

    def test_axes_of_the_file_are_usage(self):
        path = self.file("x.npy", tool.npy())
        self.refused(path, "axis 1", "(3,)", options=["--axis", "1"], code=2)
        self.refused(path, "axis -2", "(3,)", options=["--axis", "-2"], code=2)
        self.refused(path, "axis -1", "twice", options=["--axis", "0,-1"], code=2)
        self.refused(path, "axis 0", "twice", options=["--axis", "0", "--axis", "0"], code=2)

    def test_empty_minimum(self):
        path = self.file("x.npy", tool.npy(shape="(0,)", data=b""))
        self.assert_refused(tool.run("min", path), 2, path, "--initial")
        for op in ("argmin", "argmax"):
            outcome = tool.run(op, path)
            self.assert_refused(outcome, 2, path, "expected one element or more")
            self.assertNotIn("initial", outcome.err)
        self.assert_printed(tool.run("min", path, "--initial", "7"), "7\n")
        self.assert_printed(tool.run("sum", path), "0\n")

    def test_result_that_does_not_fit(self):
        path = self.file("x.npy", tool.npy(descr="'<i8'", shape="(2,)", data=b"\xff" * 7 + b"\x7f" + b"\x01" + b"\0" * 7))
        self.assert_refused(tool.run("sum", path), 6, path, "i64")
        self.assert_refused(tool.run("max", path, "--result-dtype", "i32"), 6, path, "i32")

    def test_truncated_pipe(self):
        self.assert_refused(tool.run("sum", "-", stdin=tool.npy(data=b"\0" * 11)), 3, "standard input: byte 139", "(3,)")
        self.assert_refused(tool.run("sum", "-", stdin=tool.npy(data=b"\0" * 13)), 3, "standard input: byte 140")
        self.assert_refused(tool.run("sum", "-", stdin=b""), 3, "standard input", "empty")
        # Its elements take 2^63 - 4 bytes, and the header is in front of them.
        self.assert_refused(tool.run("sum", "-", stdin=tool.npy(shape=f"({2**61 - 1},)")), 3, "2^63 - 1 bytes")
        self.assert_refused(tool.run("sum", "-", "--dtype", "f32", stdin=b"\0" * 10), 3, "standard input: byte 10")

    def test_read_error_in_the_middle(self):
        # Reading from a terminal whose other end has been closed fails with EIO, after the data.
        ours, theirs = pty.openpty()
        os.write(theirs, b"x" * 100)
        os.close(theirs)
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            outcome = tool.run("sum", "-", "--dtype", "u1", "--shape", "1000000", stdin=terminal)
        self.assert_refused(outcome, 3, "standard input: byte 100", "Input/output error")

    def refused_pair(self, code, x, y, *words, options=(), stdin=b""):
        """Refused by both operations that take two files, in either order, without and with -o."""
        before = self.names()
        for op, pair in (("dot", (x, y)), ("cov", (x, y)), ("dot", (y, x))):
            for output in ((), ("-o", self.folder / "out.npy")):
                self.assert_refused(tool.run(op, *pair, *options, *output, stdin=stdin), code, *words)
        self.assertEqual(self.names(), before)

    def test_two_files_that_do_not_fit_each_other(self):
        six = tool.floats(1, 2, 3, 4, 5, 6)
        x = self.file("x.npy", tool.npy(shape="(2, 3)", data=six))
        for name, y, code, words in (
                ("dtype", tool.npy(descr="'<f8'", shape="(2, 3)", data=six * 2), 2, ("dtype", "f32", "f64")),
                ("shape", tool.npy(shape="(3, 2)", data=six), 2, ("shape", "(2, 3)", "(3, 2)")),
                ("rank", tool.npy(shape="(6,)", data=six), 2, ("shape", "(2, 3)", "(6,)")),
                ("order", tool.npy(shape="(2, 3)", data=six, fortran=True), 2, ("C order", "Fortran order", "copy"))):
            with self.subTest(name):
                other = self.file(f"{name}.npy", y)
                self.refused_pair(code, x, other, x, other, "takes two arrays", *words)

    def test_one_bad_file_of_two(self):
        x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        short = self.file("short.npy", tool.npy(data=b"\0" * 11))
        for bad, words in ((self.folder / "missing.npy", ["No such file"]), (self.file("empty.npy", b""), ["empty"]),
                           (short, ["byte 139", "expected 12"])):
            with self.subTest(bad=bad):
                self.refused_pair(3, x, bad, f"multifold: {bad}: ", *words)
        self.refused_pair(3, x, "-", "multifold: standard input: byte 139", stdin=short.read_bytes())

    def test_two_files_of_unknown_length(self):
        x = self.file("x.bin", b"\0" * 12)
        self.refused_pair(2, x, "-", "multifold: standard input: ", "lengths are known", "--shape",
                          options=["--dtype", "f32"], stdin=b"\0" * 12)
        self.assert_printed(tool.run("dot", x, "-", "--dtype", "f32", "--shape", "3", stdin=b"\0" * 12), "0\n")

    def test_one_bad_file_among_good_ones(self):
        good = self.file("good.npy", tool.npy(data=tool.floats(1, 2, 3)))
        outcome = tool.run("sum", good, self.folder / "missing.npy", good)
        self.assertEqual(outcome.code, 3)
        self.assertEqual(outcome.out, f"{good}: 6\n{good}: 6\n")
        self.assertEqual(outcome.err.count("\n"), 1)


if __name__ == "__main__":
    tool.main()
