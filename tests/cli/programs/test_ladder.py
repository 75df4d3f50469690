"""The ladder: its table, its page and its JSON, and that every rung is right."""

import json
import os
import subprocess

import tool

LADDER = os.environ.get("MULTIFOLD_LADDER_BIN", "multifold-ladder")
RUNGS = ["one accumulator", "several accumulators", "pairwise", "Kahan", "Neumaier", "SIMD", "threads", "exact"]
QUICK = ["--repeats", "1", "--bytes", "256KiB", "--threads", "2"]


class Ladder(tool.ToolTest):
    def ladder(self, *arguments):
        return subprocess.run([LADDER, *arguments], capture_output=True, text=True, timeout=120, check=False,
                              cwd=self.folder, env=tool.environment())

    def climbed(self, *arguments):
        done = self.ladder(*QUICK, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_every_rung_is_right(self):
        for dtype in ["f32", "f64", "i32"]:
            for op in ["sum", "max", "dot"]:
                found = self.climbed("--dtype", dtype, "--op", op)
                self.assertEqual(found["schema"], "multifold.ladder/1")
                self.assertEqual((found["op"], found["dtype"]), (op, dtype))
                self.assertEqual(found["elements"] * (8 if dtype == "f64" else 4), 256 * 1024)
                compensated = [] if dtype != "i32" and op != "max" else ["Kahan", "Neumaier"]
                self.assertEqual([rung["name"] for rung in found["rungs"]],
                                 [name for name in RUNGS if name not in compensated])
                for rung in found["rungs"]:
                    self.assertTrue(rung["right"], rung)
                    self.assertGreater(rung["bytes_per_second"], 0)
                self.assertEqual(found["rungs"][-1]["value"], found["exact"])
                self.assertEqual(len(found["orders"]), 3 if (op, dtype) == ("sum", "f32") else 0)

    def test_table_and_page(self):
        done = self.ladder(*QUICK, "--html", "ladder.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in RUNGS:
            self.assertIn(f" {name} ", done.stdout)
        self.assertIn("the sum of 65536 f32 (256 KiB)", done.stdout)
        text = (self.folder / "ladder.html").read_text(encoding="utf-8")
        self.assertIn("Kahan's compensated sum", text)
        self.assertEqual(text.count('<rect class="stair"'), 2 * len(RUNGS))  # for wide screens, and for narrow ones
        self.assertRegex(text, r"@media \(max-width: \d+px\) {[^@]*svg.stairs { display: none; } svg.lying { display: block; }")
        self.assertNotIn("http", text)

    def test_the_ladder_of_the_machine(self):
        """The GPU's where there is one; asked for by name, it is there or said to be missing."""
        wanted = ["--repeats", "1", "--bytes", "256KiB", "--json"]
        found, asked = self.ladder(*wanted), self.ladder(*wanted, "--engine", "device")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn(asked.returncode, (0, 4), asked.stderr)
        title = "The GPU's ladder" if asked.returncode == 0 else "The CPU's ladder"
        self.assertEqual(json.loads(found.stdout)["title"], title)
        if asked.returncode == 4:
            self.assertIn("--engine host", asked.stderr)
        self.assertEqual(json.loads(self.ladder(*QUICK, "--json", "--engine", "host").stdout)["title"], "The CPU's ladder")

    def test_words_are_those_of_the_tool(self):
        self.assertEqual(self.climbed("--engine", "cpu", "--op", "maximum", "--dtype", "float32")["op"], "max")
        done = self.ladder("--engine", "hots")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("multifold-ladder: --engine: found 'hots' (did you mean host?); expected auto, host or device", done.stderr)
        done = self.ladder("--json", "--opp", "sum")
        error = json.loads(done.stderr)
        self.assertEqual((error["schema"], error["program"], error["exit_code"]), ("multifold.error/1", "multifold-ladder", done.returncode))
        self.assertIn("'--opp' (did you mean --op?)", error["message"])

    def test_bad_input(self):
        for arguments, code, word in [
            (["--dtype", "f16"], 2, "--dtype"),
            (["--op", "prod"], 2, "--op"),
            (["--bytes", "0"], 2, "--bytes"),
            (["--repeats", "0"], 2, "--repeats"),
            (["--threads", "-1"], 2, "--threads"),
            (["--engine", "device", "--threads", "2"], 2, "--threads"),
            (["x.npy"], 2, "x.npy"),
            ([*QUICK, "--html", "no/such/folder.html"], 3, "folder.html"),
        ]:
            done = self.ladder(*arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertTrue(done.stderr.startswith("multifold-ladder: "), done.stderr)
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    tool.main()
