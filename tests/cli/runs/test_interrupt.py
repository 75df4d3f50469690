"""Ctrl-C and its kin: exit 128 + the signal's number within a second, one line, nothing written, whatever the tool is waiting for."""

import os
import pathlib
import signal
import subprocess
import time

import tool

# Sanitizers slow the way out, too.
PATIENCE = 5.0 if tool.is_sanitized() else 1.0


class Interrupt(tool.ToolTest):
    def sparse(self):
        path = self.folder / "sparse.bin"
        with path.open("wb") as file:
            file.truncate(200 << 30)
        return path

    def interrupted(self, process, number=signal.SIGINT, after=0.5):
        tool.await_hearing(process, number)
        time.sleep(after)
        self.assertIsNone(process.poll(), "ended before it was interrupted")
        start = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        seconds = time.monotonic() - start
        outcome = tool.Outcome(process.returncode, out.decode(), err.decode(), seconds)
        self.assert_refused(outcome, 128 + number, "interrupted")
        self.assertLess(seconds, PATIENCE)
        return outcome

    def test_long_run(self):
        path = self.sparse()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                outcome = self.interrupted(tool.start("sum", path, "--dtype", "f32"), number)
                self.assertIn(str(path), outcome.err)

    def test_every_pattern(self):
        path = self.sparse()
        for options in (["sum", "--shape", "50,1073741824", "--axis", "1"], ["max", "--shape", "52428800,1024", "--axis", "0"],
                        ["argmin", "--shape", "50,1073741824", "--axis", "1"]):
            with self.subTest(options=options):
                self.interrupted(tool.start(*options, path, "--dtype", "f32"))

    def test_nothing_is_written(self):
        path = self.sparse()
        self.interrupted(tool.start("sum", path, "--dtype", "f32", "-o", self.folder / "out.npy"))
        self.assertEqual(self.names(), ["sparse.bin"])

    def has_unfinished(self, process):
        """Whether the process has a file open in the folder beside its input."""
        for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
            try:
                target = pathlib.Path(os.readlink(link))
            except FileNotFoundError:
                continue
            if target.parent == pathlib.Path(os.path.realpath(self.folder)) and target.name != "x.npy":
                return True
        return False

    def test_nothing_is_left_of_what_was_being_written(self):
        """The state waits, without a name where there are such files, until the value is told, and nothing reads that."""
        path = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        for some in (b"x" * 65536, b"x"):
            with self.assertRaises(BlockingIOError):
                while True:
                    os.write(writing, some)
        os.set_blocking(writing, True)
        process = subprocess.Popen([tool.BINARY, "sum", path, "--save-state", self.folder / "s"], stdout=writing,
                                   stderr=subprocess.PIPE, env=tool.environment())
        until = time.monotonic() + 30
        while not self.has_unfinished(process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertTrue(self.has_unfinished(process.pid))
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=60)[1].decode()
        os.close(reading)
        os.close(writing)
        self.assertEqual(process.returncode, 130)
        self.assertIn("nothing was written", err)
        self.assertEqual(self.names(), ["x.npy"])

    def test_pipe_that_says_nothing(self):
        reading, writing = os.pipe()
        process = tool.start("sum", "-", stdin=reading)
        os.close(reading)
        self.interrupted(process)
        os.close(writing)

    def test_pipe_that_stops_in_the_middle(self):
        reading, writing = os.pipe()
        process = tool.start("sum", "-", "--dtype", "f32", stdin=reading)
        os.close(reading)
        os.write(writing, bytes(40000))
        self.interrupted(process)
        os.close(writing)

    def test_named_pipe_that_is_never_opened(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        self.interrupted(tool.start("sum", path))

    def test_two_files(self):
        path = self.sparse()
        for op, options in (("dot", []), ("cov", ["--shape", "52428800,1024", "--axis", "0"])):
            outcome = self.interrupted(tool.start(op, path, path, "--dtype", "f32", *options))
            self.assertIn(f"{path} and {path}: interrupted", outcome.err)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        outcome = self.interrupted(tool.start("dot", path, pipe, "--dtype", "f32"))
        self.assertIn(f"{path} and {pipe}: interrupted", outcome.err)

    def test_the_second_signal_is_at_once(self):
        reading, writing = os.pipe()
        process = tool.start("sum", "-", stdin=reading)
        os.close(reading)
        tool.await_hearing(process, signal.SIGINT)
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - start, PATIENCE / 2)
        os.close(writing)

    def test_the_remaining_files_are_left_alone(self):
        path = self.sparse()
        self.interrupted(tool.start("sum", path, path, path, "--dtype", "f32"))

    def test_ignored_signals_stay_ignored(self):
        reading, writing = os.pipe()
        ignore = "trap '' INT; exec \"$0\" sum - --dtype uint8"
        with subprocess.Popen(["sh", "-c", ignore, tool.BINARY], stdin=reading, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=tool.environment()) as process:
            os.close(reading)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            time.sleep(0.8)
            self.assertIsNone(process.poll())
            os.write(writing, b"\x05\x06")
            os.close(writing)
            out, _ = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, b"11\n"))


if __name__ == "__main__":
    tool.main()
