"""Standard input and output, named pipes, -o files, and outputs that fail."""

import os
import pty
import resource
import select
import stat
import subprocess
import threading
import time

import tool


class Streams(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))

    def test_npy_from_standard_input(self):
        self.assert_printed(tool.run("sum", "-", stdin=self.x.read_bytes()), "6\n")
        with self.x.open("rb") as file:
            self.assert_printed(tool.run("sum", "-", stdin=file), "6\n")

    def test_raw_from_standard_input(self):
        data = bytes(range(256)) * 40000
        self.assert_printed(tool.run("sum", "-", "--dtype", "u1", stdin=data), f"{sum(data)}\n")
        self.assert_printed(tool.run("argmax", "-", "--dtype", "u1", stdin=data), "255\n")
        shape = ["--shape", "40000,256"]
        outcome = tool.run("max", "-", "--dtype", "u1", *shape, "--axis", "0", "--json", stdin=data)
        self.assertEqual(outcome.code, 0)
        self.assertIn('"value":[0,1,2,3,', outcome.out)

    def test_slow_pipe(self):
        def trickle(end):
            with os.fdopen(end, "wb", buffering=0) as pipe:
                for byte in self.x.read_bytes():
                    pipe.write(bytes([byte]))
                    time.sleep(0.001)
        reading, writing = os.pipe()
        thread = threading.Thread(target=trickle, args=(writing,))
        thread.start()
        with os.fdopen(reading, "rb") as pipe:
            self.assert_printed(tool.run("sum", "-", stdin=pipe), "6\n")
        thread.join()

    def test_named_pipe(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        thread = threading.Thread(target=lambda: path.write_bytes(self.x.read_bytes()))
        thread.start()
        self.assert_printed(tool.run("mean", path), "2\n")
        thread.join()

    def test_two_named_pipes(self):
        data = tool.npy(shape="(300000,)", data=tool.floats(*[1, 2, 3] * 100000))
        paths = [self.folder / "one", self.folder / "two"]
        threads = []
        for path in paths:
            os.mkfifo(path)
            threads.append(threading.Thread(target=path.write_bytes, args=(data,)))
            threads[-1].start()
        self.assert_printed(tool.run("dot", *paths), "1400000\n")
        for thread in threads:
            thread.join()

    def test_output_file(self):
        out = self.folder / "y.npy"
        self.assert_printed(tool.run("max", self.x, "--keepdims", "-o", out), "")
        data = out.read_bytes()
        self.assertEqual(len(data), 132)
        self.assertIn(b"'shape': (1,)", data)
        self.assertEqual(data[-4:], tool.floats(3))
        self.assert_printed(tool.run("sum", out), "3\n")
        self.assertEqual(self.names(), ["x.npy", "y.npy"])

    def test_output_replaces_no_input(self):
        before = self.x.read_bytes()
        self.assert_refused(tool.run("max", self.x, "-o", self.x), 2, "same file")
        self.assertEqual(self.x.read_bytes(), before)

    def test_output_to_standard_output(self):
        done = subprocess.run([tool.BINARY, "sum", self.x, "-o", "-"], capture_output=True, check=True, env=tool.environment())
        self.assert_printed(tool.run("max", "-", stdin=done.stdout), "6\n")

    def test_output_that_cannot_be(self):
        locked = self.folder / "locked"
        locked.mkdir()
        before = self.names()
        for path, word in ((self.folder / "no" / "y.npy", "No such file"), (self.folder, "directory"),
                           ("/dev/full", "No space left")):
            with self.subTest(path=path):
                self.assert_refused(tool.run("sum", self.x, "-o", path), 3, path, word)
        self.assertEqual(self.names(), before)

    def test_output_is_judged_before_the_work(self):
        big = self.folder / "big.bin"
        with big.open("wb") as file:
            file.truncate(1 << 40)
        outcome = tool.run("sum", big, "--dtype", "f32", "-o", self.folder / "no" / "y.npy")
        self.assert_refused(outcome, 3, "No such file")
        self.assertLess(outcome.seconds, 10)

    def test_full_disk(self):
        limit = tool.limit(resource.RLIMIT_FSIZE, 100)
        old = self.file("y.npy", b"old")
        self.assert_refused(tool.run("sum", self.x, "-o", old, before=limit), 3, old, "byte", "132 bytes")
        self.assertEqual(old.read_bytes(), b"old")
        self.assertEqual(self.names(), ["x.npy", "y.npy"])

    def test_permissions_of_a_replaced_file_stay(self):
        out = self.file("y.npy", b"old")
        out.chmod(0o640)
        self.assertEqual(tool.run("sum", self.x, "-o", out).code, 0)
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o640)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "wb") as full:
            self.assert_refused(tool.run("sum", self.x, stdout=full), 3, "standard output: No space left")

    def test_standard_output_that_is_not_read(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            outcome = tool.run("sum", self.x, stdout=pipe)
        self.assertEqual((outcome.code, outcome.err), (3, ""))

    def on_terminal(self, seconds, **variables):
        """What a run over a pipe that stays open for `seconds` draws on a terminal."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([tool.BINARY, "sum", "-", "--dtype", "u1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=theirs, env=tool.environment(**variables)) as process:
            os.close(theirs)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                process.stdin.write(bytes(1 << 20))
            process.stdin.close()
            self.assertEqual(process.stdout.read(), b"0\n")
            self.assertEqual(process.wait(), 0)
        drawn = b""
        while select.select([ours], [], [], 0.1)[0]:
            try:
                drawn += os.read(ours, 65536)
            except OSError:
                break
        os.close(ours)
        return drawn

    def test_progress_on_a_terminal_only(self):
        drawn = self.on_terminal(1.5, TERM="xterm")
        lines = drawn.split(b"\r\x1b[K")
        self.assertIn(b"B/s", drawn)
        self.assertEqual(lines[-1], b"", "the line was not taken away")
        self.assertLessEqual(len(lines), 25)
        self.assertNotIn(b"\n", drawn)
        self.assertEqual(self.on_terminal(0.6, TERM="dumb"), b"")
        self.assertEqual(self.on_terminal(0.1, TERM="xterm"), b"", "short runs draw nothing")


if __name__ == "__main__":
    tool.main()
