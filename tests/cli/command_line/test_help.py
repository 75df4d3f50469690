"""Help: that it fits the terminal, has everything, and that its examples run."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import terminal
import tool

WIDTHS = (60, 80, 100)
OTHERS = ("plan", "graph", "info", "help", "version", "completion")
TOPICS = ("environment", "exit-codes", "dtypes")
# Programs that examples name, in place of those that may not be there.
SHIMS = {"zstd": 'exec cat "$2"', "dot": 'while read -r _; do :; done; echo "<svg/>"', "jq": "exec cat"}
HEADING = re.compile(r"^(\w[^\n]*):$", re.MULTILINE)


def operations():
    """All of them, but a few of each kind where programs are ten times as slow."""
    info = json.loads(tool.run("info", "--json").out)
    return ["sum", "argmax", "var", "dot", "describe", "moment"] if tool.is_sanitized() else info["ops"] + info["host_ops"]


def commands():
    return (*operations(), *OTHERS)


def help_of(*line, columns=80):
    outcome = tool.run(*line, env=tool.environment(COLUMNS=str(columns)))
    assert (outcome.code, outcome.err) == (0, ""), outcome
    return outcome.out


def examples_in(text):
    """The commands of the part "Examples:", lines that were broken joined again."""
    part = re.search(r"^Examples:\n((?:  [^\n]*\n)+)", text, re.MULTILINE)
    if part is None:
        return []
    lines = part[1].replace(" \\\n   ", "").splitlines()
    return [re.split(r" {2,}", line.strip())[0] for line in lines if not line.startswith("  # ")]


class Help(tool.ToolTest):
    def test_no_line_is_too_long(self):
        for columns in WIDTHS:
            for line in ([], ["--help-all"], *([command] for command in commands()),
                         *([command, "--all"] for command in commands()), *([topic] for topic in TOPICS)):
                words = ["--help-all"] if line == ["--help-all"] else ["help", *line]
                with self.subTest(columns=columns, line=words):
                    text = help_of(*words, columns=columns)
                    # A command of one word cannot be broken.
                    longest = max(text.splitlines(), key=len)
                    self.assertLessEqual(len(longest), columns, longest)
                    self.assertTrue(text.endswith("\n") and not text.endswith("\n\n") and "\n\n\n\n" not in text)
                    self.assertNotRegex(text, r"[ \t]\n|\x1b")

    def test_the_first_screen_fits_forty_lines(self):
        for columns in (80, 100):
            for line in ([], *([command] for command in commands()), *([topic] for topic in TOPICS)):
                with self.subTest(columns=columns, line=line):
                    self.assertLessEqual(help_of("help", *line, columns=columns).count("\n"), 40)

    def test_every_way_to_ask_is_alike(self):
        for command in commands():
            short, whole = help_of("help", command), help_of("help", command, "--all")
            self.assertEqual(short, help_of(command, "--help"))
            self.assertEqual(short, help_of(command, "-h"))
            self.assertEqual(whole, help_of(command, "--help-all"))
            self.assertIn(f"\nUsage: multifold {command}", short)
        self.assertEqual(help_of("help"), help_of("--help"))
        self.assertEqual(help_of("help", "--all"), help_of("--help-all"))
        self.assertEqual(help_of("help", "average"), help_of("mean", "--help"))
        for command in commands():
            self.assertIn(help_of(command, "--help-all"), help_of("--help-all"))

    def test_rare_options_are_in_the_whole_help(self):
        rare = ("--offsets", "--keys", "--groups", "--merge", "--checkpoint", "--passes", "--form", "--transfer", "--accuracy",
                "--concatenate", "--explain")
        short, whole = help_of("sum", "--help"), help_of("sum", "--help-all")
        for option in rare:
            self.assertNotIn(f"\n  {option} ", short)
            self.assertRegex(whole, rf"\n  {option}\b")
        for option in ("--axis", "--dtype", "--json", "-o, --output", "--engine", "--help-all", "--color"):
            self.assertIn(f"\n  {option}", short)
        common, order = HEADING.findall(short)[:-2], HEADING.findall(whole)
        self.assertEqual(order[:len(common)], common)
        self.assertEqual(order[-2:], ["Help", "Examples"])

    def test_everything_has_a_description(self):
        for command in commands():
            tables = help_of(command, "--help-all", columns=100).split("\nExamples:")[0].splitlines()
            for line, following in zip(tables, [*tables[1:], ""]):
                if re.match(r"  \S", line):
                    self.assertTrue(re.search(r"\S {2,}\S", line) or following.startswith(" " * 10), line)

    def test_version(self):
        self.assertEqual(tool.run("version").out, tool.run("--version").out)

    def test_width_of_the_terminal(self):
        for columns, expected in ((64, 64), (90, 90), (300, 100), (10, 40)):
            code, text = terminal.run("sum", "--help", columns=columns, both=True, NO_COLOR="1")
            self.assertEqual(code, 0)
            self.assertEqual(text, help_of("sum", "--help", columns=expected))
        plain = tool.run("sum", "--help", env={name: value for name, value in tool.environment().items() if name != "COLUMNS"})
        self.assertEqual(plain.out, help_of("sum", "--help", columns=80))
        for nonsense in ("", "0", "-5", "wide", "9" * 30):
            self.assertEqual(tool.run("sum", "--help", env=tool.environment(COLUMNS=nonsense)).out, plain.out)

    def test_topics(self):
        codes = help_of("help", "exit-codes")
        for code in (0, 1, 2, 3, 4, 5, 6):
            self.assertRegex(codes, rf"\n  {code}\b")
        for kind in tool.KINDS.values():
            self.assertIn(kind, codes)
        types = help_of("help", "dtypes")
        for words in re.findall(r"^  (\w+) +(.+)$", types, re.MULTILINE):
            for word in (words[0], *words[1].split(", ")):
                outcome = tool.run("plan", "max", "--dtype", word, "--shape", "3")
                self.assertEqual(outcome.code, 0, word)
                self.assertEqual(outcome.out, tool.run("plan", "max", "--dtype", words[0], "--shape", "3").out)
        self.assert_refused(tool.run("help", "environmant"), 2, "'environmant'", "did you mean environment?")
        self.assert_refused(tool.run("help", "poetry"), 2, "'poetry'", "a command, or environment, exit-codes or dtypes")


class Examples(tool.ToolTest):
    def setUp(self):
        super().setUp()
        for name in ("x.npy", "y.npy", "z.npy", "huge.npy", "x.npy.zst"):
            self.file(name, tool.npy(shape="(7,)", data=tool.floats(*range(7))))
        self.file("rows.npy", tool.npy("'<i4'", "(3,)", struct.pack("<3i", 0, 1, 7)))
        self.file("k.npy", tool.npy("'<i4'", "(7,)", struct.pack("<7i", 6, 5, 4, 3, 2, 1, 0)))
        self.file("x.bin", bytes(4 * 64 * 1000))
        self.file("y.bin", bytes(4 * 64 * 1000))
        programs = self.folder / "programs"
        programs.mkdir()
        for name, text in SHIMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        os.symlink(pathlib.Path(shutil.which(tool.BINARY)).resolve(), programs / "multifold")
        self.environment = tool.environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", MULTIFOLD_RATES=str(self.folder / "r"))

    def ran(self, line):
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=120, check=False)

    def leave_states(self, command, wanted):
        """Those of another machine."""
        if not wanted:
            return
        two = command in ("dot", "cov")
        files = ["x.npy", "y.npy"] if two else ["y.npy"]
        first = ["--first-index", "7"] if command in ("argmin", "argmax", "describe") else []
        outcome = tool.run(command, *files, "--save-state", "more.state" if two else "y.state", *first, cwd=self.folder)
        self.assertEqual((outcome.code, outcome.err), (0, ""))

    def test_examples_run(self):
        for command in (*operations(), *OTHERS):
            examples = examples_in(help_of(command, "--help-all"))
            self.assertGreaterEqual(len(examples), 0 if command == "version" else 2, command)
            self.leave_states(command, any("--merge" in line for line in examples))
            for line in examples:
                with self.subTest(line=line):
                    done = self.ran(line)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertTrue(done.stdout or " -o " in line or ">" in line, line)

    def test_examples_of_the_program_run(self):
        examples = examples_in(help_of("--help"))
        self.assertEqual(len(examples), 5)
        for line in examples:
            self.assertEqual(self.ran(line).returncode, 0, line)

    def test_examples_are_the_same_at_every_width(self):
        for command in operations():
            every = [examples_in(help_of(command, "--help-all", columns=columns)) for columns in (44, *WIDTHS)]
            self.assertGreater(len(every[0]), 4)
            for others in every[1:]:
                self.assertEqual(others, every[0])


if __name__ == "__main__":
    tool.main()
