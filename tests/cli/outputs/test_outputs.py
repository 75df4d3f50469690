"""What is written: never in the place of what is read."""

import contextlib
import os
import subprocess
import time

import tool


class Outputs(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.other = self.file("y.npy", tool.npy(data=tool.floats(4, 5, 6)))

    def everything(self):
        return {path.name: (os.lstat(path).st_ino, path.read_bytes()) for path in self.folder.iterdir() if path.is_file()}

    def refused(self, line, *words, **how):
        before = self.everything()
        self.assert_refused(tool.run(*line, cwd=self.folder, **how), 2, "same file", "expected another one", *words)
        self.assertEqual(self.everything(), before)

    def aliases(self):
        """Other names of x.npy."""
        (self.folder / "sub").mkdir()
        os.link(self.x, self.folder / "hard.npy")
        (self.folder / "soft.npy").symlink_to("x.npy")
        (self.folder / "chain.npy").symlink_to("soft.npy")
        (self.folder / "dir").symlink_to(".")
        return ["x.npy", "./x.npy", "sub/../x.npy", self.x, "hard.npy", "soft.npy", "chain.npy", "dir/x.npy"]

    def test_no_output_is_its_own_input(self):
        for alias in self.aliases():
            with self.subTest(alias=alias):
                for option in ("-o", "--save-state", "--checkpoint"):
                    self.refused(["sum", "x.npy", option, alias], f"{option}: {alias} ", "FILE x.npy")
                    self.refused(["sum", alias, option, "x.npy"], option, f"FILE {alias}")
                    self.refused(["sum", "y.npy", alias, "--concatenate", option, "x.npy"], f"FILE {alias}")
                self.refused(["dot", "y.npy", alias, "-o", "x.npy"], f"FILE {alias}")

    def test_standard_input_and_output_are_files_too(self):
        with self.x.open("rb") as data:
            self.refused(["sum", "-", "-o", "x.npy"], "FILE standard input", stdin=data)
        for options in ([], ["--json"], ["-o", "-"]):
            with self.x.open("ab") as out:
                self.refused(["sum", "x.npy", *options], "standard output is", stdout=out)

    def test_arrays_of_archives(self):
        self.file("a:b.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.refused(["sum", "a:b.npy", "-o", "a:b.npy"], "FILE a:b.npy")
        self.refused(["sum", "x.npy:c:d", "-o", "x.npy"], "FILE x.npy:c:d")

    def test_states_that_are_merged_are_replaced_by_states_alone(self):
        self.assertEqual(tool.run("sum", self.x, "--save-state", "s.npy", cwd=self.folder).code, 0)
        for option in ("-o", "--checkpoint"):
            self.refused(["sum", "x.npy", "--merge", "s.npy", option, "./s.npy"], option, "--merge s.npy")
        self.assert_printed(tool.run("sum", "x.npy", "--merge", "s.npy", "--save-state", "s.npy", cwd=self.folder), "12\n")

    def test_outputs_differ(self):
        (self.folder / "to").symlink_to(".")
        for first, second in (("-o", "--save-state"), ("-o", "--checkpoint"), ("--save-state", "--checkpoint")):
            for name in ("new.npy", "./new.npy", "to/new.npy"):
                self.refused(["sum", "x.npy", first, "new.npy", second, name], f"{second}: {name}", f"{first} new.npy")

    def test_a_process_that_is_killed_leaves_nothing(self):
        # The state is written before the result is printed, and put in its place behind it; here nothing reads.
        for target in ("new", "old"):
            self.file("old", b"as it was")
            before = self.everything()
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(writing, bytes(4096))
            os.set_blocking(writing, True)
            process = subprocess.Popen([tool.BINARY, "sum", "x.npy", "--save-state", target], cwd=self.folder, stdout=writing,
                                       env=tool.environment())
            time.sleep(1)
            self.assertIsNone(process.poll())
            process.kill()
            process.wait()
            os.close(reading)
            os.close(writing)
            self.assertEqual(self.everything(), before)

    def test_other_files_are_written(self):
        for path in ("new.npy", "y.npy", "/dev/null"):
            self.assert_printed(tool.run("sum", self.x, "-o", path, cwd=self.folder), "")
        self.assertEqual((self.folder / "new.npy").read_bytes(), self.other.read_bytes())
        with open("/dev/null", "rb") as data:
            self.assert_refused(tool.run("sum", "-", "-o", "/dev/null", stdin=data), 3, "empty")


if __name__ == "__main__":
    tool.main()
