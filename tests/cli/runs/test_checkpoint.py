"""Long sums that are broken off, and go on from their checkpoint with the same bits."""

import json
import os
import random
import signal
import struct
import subprocess
import time

import tool


class Checkpoint(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.checkpoint = self.folder / "x.part"

    def large(self, gibibytes=4):
        """A sparse file of doubles, with some that are not 0 all over it."""
        path = self.folder / "x.bin"
        values = random.Random(5)
        with path.open("wb") as file:
            file.truncate(gibibytes << 30)
            for _ in range(200):
                file.seek(values.randrange(0, gibibytes << 30, 8))
                file.write(struct.pack("<d", values.uniform(-1, 1) * 10.0 ** values.randrange(-200, 200)))
        return path

    def arguments(self, path, *options, every="0.1"):
        return ["sum", path, "--dtype", "f64", "--checkpoint", self.checkpoint, "--checkpoint-every", every, *options]

    def stopped(self, path, number):
        """Sends `number` once there is a checkpoint; what the process said."""
        process = tool.start(*self.arguments(path, "--threads", "1"))
        while not self.checkpoint.exists():
            self.assertIsNone(process.poll(), "ended before there was a checkpoint")
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        return process.returncode, err.decode()

    def test_goes_on_after_being_killed(self):
        path = self.large()
        whole = json.loads(tool.run("sum", path, "--dtype", "f64", "--json").out)
        self.assertEqual(self.stopped(path, signal.SIGKILL)[0], -signal.SIGKILL)
        answer = json.loads(tool.run(*self.arguments(path, "--json", every="10")).out)
        self.assertEqual(answer["value_hex"], whole["value_hex"])
        self.assertEqual(answer["count"], whole["count"])
        self.assertGreater(answer["resumed"], 0)
        self.assertEqual(answer["bytes"], (answer["count"] - answer["resumed"]) * 8)
        self.assertFalse(self.checkpoint.exists())
        # What a killed process was writing stays beside it; nothing else does.
        self.assertEqual([name for name in self.names() if not name.startswith(".multifold-")], ["x.bin"])

    def zeros(self, name, place, value, gibibytes=4):
        """A sparse file of doubles that are 0, but for one."""
        path = self.folder / name
        with path.open("wb") as file:
            file.truncate(gibibytes << 30)
            file.seek(place * 8)
            file.write(struct.pack("<d", value))
        return path

    def test_files_that_have_been_replaced_are_refused(self):
        first, second = self.zeros("x.bin", 1_000_003, 7), self.zeros("y.bin", 2_000_005, 1000000)
        self.assertEqual(self.stopped(first, signal.SIGKILL)[0], -signal.SIGKILL)
        left = self.checkpoint.read_bytes()
        words = f"{self.checkpoint}: found the checkpoint of other elements than those of "
        self.assert_refused(tool.run(*self.arguments(second)), 3, words + str(second), "remove it to start anew")
        times = first.stat()
        second.replace(first)
        os.utime(first, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assert_refused(tool.run(*self.arguments(first)), 3, words + str(first), "remove it to start anew")
        self.assertEqual(self.checkpoint.read_bytes(), left)
        self.checkpoint.unlink()
        self.assert_printed(tool.run(*self.arguments(first)), "1000000\n")

    def test_copies_go_on(self):
        path = self.large(2)
        self.assertEqual(self.stopped(path, signal.SIGKILL)[0], -signal.SIGKILL)
        copy = self.folder / "copy.bin"
        subprocess.run(["cp", "--sparse=always", path, copy], check=True)
        answer = json.loads(tool.run(*self.arguments(copy, "--json")).out)
        self.assertGreater(answer["resumed"], 0)
        self.assertEqual(answer["value_hex"], json.loads(tool.run("sum", copy, "--dtype", "f64", "--json").out)["value_hex"])

    def test_says_so_when_it_is_interrupted(self):
        path = self.large()
        code, err = self.stopped(path, signal.SIGINT)
        self.assertEqual((code, err), (130, f"multifold: {path}: interrupted; started again, it goes on from {self.checkpoint}\n"))
        self.assertEqual(self.names(), ["x.bin", "x.part"])
        self.assertEqual(tool.run(*self.arguments(path, every="10")).code, 0)
        self.assertEqual(self.names(), ["x.bin"])

    def test_small_files(self):
        path = self.file("x.bin", struct.pack("<4d", 1e300, 1, 1, -1e300))
        self.assert_printed(tool.run(*self.arguments(path)), "2\n")
        self.assert_printed(tool.run("mean", *self.arguments(path)[1:]), "0.5\n")
        self.assert_printed(tool.run(*self.arguments(path), path, "--concatenate"), "4\n")
        state = self.folder / "x.state"
        self.assert_printed(tool.run(*self.arguments(path, "--save-state", state)), "2\n")
        self.assert_printed(tool.run("sum", "--merge", state), "2\n")
        self.assertEqual(self.names(), ["x.bin", "x.state"])

    def test_refusals(self):
        path = self.file("x.bin", struct.pack("<2d", 1, 2))
        self.assert_refused(tool.run("max", path, "--dtype", "f64", "--checkpoint", "c"), 2, "max leaves none; sum and mean do")
        for options, words in ((["--accuracy", "fast"], "exact"), (["--initial", "1"], "--initial"), (["--parts", "2"], "forced"),
                               ([path], "expected one FILE, or --concatenate"), (["--save-state", self.checkpoint], "another one")):
            with self.subTest(options=options):
                self.assert_refused(tool.run(*self.arguments(path, *options)), 2, "--checkpoint: ", words)
        self.assert_refused(tool.run("sum", "--merge", "x", "--checkpoint", "c"), 2, "found nothing to read")
        self.assert_refused(tool.run(*self.arguments("-"), stdin=b"\0" * 8), 2, "standard input: a sum with checkpoints reads files")
        self.assert_refused(tool.run("sum", path, "--dtype", "i64", "--checkpoint", self.checkpoint), 2, "and not by sum of i64 to 1 result")
        self.checkpoint.write_bytes(b"hello")
        self.assert_refused(tool.run(*self.arguments(path)), 3, f"{self.checkpoint}: checkpoint, byte 0: found 104, expected the magic")
        self.assertEqual(self.checkpoint.read_bytes(), b"hello")
        self.assert_refused(tool.run(*self.arguments(path)[:-3], self.folder / "none" / "c"), 3, "No such file or directory")


if __name__ == "__main__":
    tool.main()
