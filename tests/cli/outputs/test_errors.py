"""With --json, failures are objects on standard error, one a line: their kind, code, message and file."""

import json
import os
import signal
import time

import tool


class Errors(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.bad = self.file("bad.npy", tool.npy(data=tool.floats(1)))
        self.wide = self.file("wide.npy", tool.npy("'<i8'", "(2,)", (b"\xff" * 7 + b"\x7f") * 2))

    def failed(self, code, *line, **how):
        outcome = tool.run(*line, "--json", **how)
        self.assert_refused(outcome, code)
        return self.error_object(outcome.err, code)

    def test_kinds_and_files(self):
        missing = self.folder / "nope.npy"
        for code, line, file in ((2, ["summ"], None), (2, [], None), (2, ["sum"], None), (2, ["sum", self.x, "--bogus"], None),
                                 (2, ["sum", self.x, "--axis", "5"], self.x), (2, ["sum", self.x, "--axis", "first"], None),
                                 (2, ["sum", self.x, "-o", "y.csv"], None), (2, ["plan", "summ", self.x], None),
                                 (3, ["sum", missing], missing), (3, ["mean", self.bad], self.bad), (3, ["plan", "sum", missing], missing),
                                 (3, ["graph", "sum", missing], missing), (3, ["sum", self.x, "-o", self.folder / "no" / "y.npy"],
                                                                           self.folder / "no" / "y.npy"),
                                 (3, ["sum", self.x, "--merge", missing], missing), (3, ["sum", self.x, "--offsets", self.x], self.x),
                                 (3, ["sum", "-"], "-"), (6, ["sum", self.wide], self.wide), (2, ["help", "poetry"], None)):
            with self.subTest(line=line):
                if line[:1] == ["help"]:
                    self.assert_refused(tool.run(*line), code)  # has no --json
                    continue
                error = self.failed(code, *line)
                self.assertEqual(error.get("file"), file and str(file))

    def test_the_message_is_that_without_json(self):
        for line in (["summ"], ["sum", self.bad], ["sum", self.x, "--bogus"], ["sum", self.wide]):
            plain, error = tool.run(*line), tool.run(*line, "--json")
            self.assertEqual(plain.err, f"multifold: {json.loads(error.err)['message']}\n")
            self.assertEqual(plain.code, error.code)

    def test_no_such_engine(self):
        outcome = tool.run("sum", self.x, "--engine", "gpu", "--json")
        if outcome.code == 0:
            self.skipTest("this machine has a GPU")
        self.assertEqual(self.error_object(outcome.err, 4)["file"], str(self.x))

    def test_several_files(self):
        outcome = tool.run("sum", self.bad, self.x, self.wide, "--json")
        self.assertEqual(outcome.code, 3)
        self.assertEqual(json.loads(outcome.out)["value"], 6)
        errors = [json.loads(line) for line in outcome.err.splitlines()]
        self.assertEqual([error["file"] for error in errors], [str(self.bad), str(self.wide)])
        self.assertEqual([error["exit_code"] for error in errors], [3, 6])
        error = self.failed(2, "dot", self.x, self.wide)
        self.assertEqual(error["files"], [str(self.x), str(self.wide)])

    def test_names_of_any_bytes(self):
        for name in (b"\xff\xfe.npy", b'"\\.npy', b"a\nb.npy"):
            outcome = tool.run("sum", self.folder / os.fsdecode(name), "--json")
            self.assert_refused(outcome, 3)
            self.assertIn("file", json.loads(outcome.err))
        self.assertEqual(self.failed(3, "sum", self.folder / "a\nb")["file"], str(self.folder / "a\nb"))

    def test_behind_a_double_dash_it_is_a_file(self):
        outcome = tool.run("sum", "--", "--json", cwd=self.folder)
        self.assertTrue(outcome.err.startswith("multifold: --json: No such file"), outcome.err)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            reading, writing = os.pipe()
            process = tool.start("sum", "-", "--json", stdin=reading)
            os.close(reading)
            tool.await_hearing(process, number)
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            os.close(writing)
            self.assertEqual((process.returncode, out), (128 + number, b""))
            error = self.error_object(err.decode(), 128 + number)
            self.assertEqual((error["kind"], error["file"]), ("interrupted", "-"))


if __name__ == "__main__":
    tool.main()
