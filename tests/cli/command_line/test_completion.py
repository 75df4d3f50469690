"""Completions as shells see them, and the manual page: every command and option of --help is in each of them."""

import pathlib
import re
import shutil
import subprocess
import tempfile

import tool

BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_multifold
printf '%s\\n' "${COMPREPLY[@]}"
"""

# Stands for zsh's own function, which needs a terminal: prints what it is told.
ZSH = """
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "${(@P)2}" }
compadd() { }
compdef() { }
source $1; shift
words=("$@") CURRENT=$#
_multifold
"""


def commands():
    text = tool.run("--help-all").out
    return re.findall(r"^  ([a-z0-9_]+)  +\S", text[text.index("Operations:"):text.index("\nHelp:")], re.M)


def options(command):
    """Long options, as --help shows them."""
    return re.findall(r"^  (?:-\w,)?(--[a-z-]+)", tool.run(command, "--help").out, re.M)


class Completion(tool.ToolTest):
    def script(self, shell):
        outcome = tool.run("completion", shell)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        return self.file(f"completion.{shell}", outcome.out.encode())

    def shell(self, *command):
        done = subprocess.run([*map(str, command)], cwd=self.folder, check=False, timeout=60, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def needed(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")

    def bash(self, *words):
        return self.shell("bash", "--norc", "-c", BASH, "bash", self.script("bash"), "multifold", *words)

    def test_bash(self):
        self.file("halves.npy", b"")
        self.assertLessEqual({*commands(), "--help", "--version"}, set(self.bash("")))
        self.assertEqual(self.bash("cou"), ["count_nonzero"])
        for command in commands():
            with self.subTest(command=command):
                self.assertLessEqual(set(options(command)), set(self.bash(command, "--")))
        self.assertEqual(self.bash("sum", "--engine", "d"), ["device"])
        self.assertEqual(self.bash("sum", "--engine", "=", "d"), ["device"])
        self.assertEqual(self.bash("sum", "--transfer", ""), ["auto", "staged", "copy", "mapped"])
        self.assertEqual(self.bash("sum", "--axis", ""), [""])
        self.assertEqual(self.bash("sum", "hal"), ["halves.npy"])
        self.assertEqual(self.bash("sum", "--merge", "hal"), ["halves.npy"])
        self.assertEqual(self.bash("plan", "argma"), ["argmax"])
        self.assertEqual(self.bash("graph", "sum", "hal"), ["halves.npy"])
        self.assertEqual(self.bash("completion", "z"), ["zsh"])
        self.assertEqual(self.bash("info", "hal"), [""])

    def test_bash_leaves_nothing_to_shellcheck(self):
        self.needed("shellcheck")
        self.assertEqual(self.shell("shellcheck", "-s", "bash", self.script("bash")), [])

    def test_zsh(self):
        self.needed("zsh")
        script = self.script("zsh")
        offered = self.shell("zsh", "-f", "-c", ZSH, "zsh", script, "multifold", "")
        self.assertEqual([line.split(":")[0] for line in offered], commands())
        for command in commands():
            with self.subTest(command=command):
                told = "\n".join(self.shell("zsh", "-f", "-c", ZSH, "zsh", script, "multifold", command, ""))
                for option in options(command):
                    self.assertRegex(told, rf"(?m)^(\(.*\)|\*){option}\[")
        told = "\n".join(self.shell("zsh", "-f", "-c", ZSH, "zsh", script, "multifold", "sum", ""))
        self.assertRegex(told, r":ENGINE:\(auto host device both\)")
        self.assertRegex(told, r"\]:STATE:_files")

    def test_fish(self):
        self.needed("fish")
        self.file("halves.npy", b"")
        script = self.script("fish")

        def complete(line):
            text = self.shell("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
            return [each.split("\t")[0] for each in text]
        self.assertLessEqual(set(commands()), set(complete("multifold ")))
        for command in commands():
            with self.subTest(command=command):
                self.assertLessEqual(set(options(command)), set(complete(f"multifold {command} --")))
        self.assertEqual(complete("multifold sum --engine d"), ["device"])
        self.assertEqual(complete("multifold sum hal"), ["halves.npy"])
        self.assertEqual(complete("multifold info hal"), [])
        self.assertEqual(complete("multifold plan argma"), ["argmax"])

    def test_other_shells_are_refused(self):
        self.assert_refused(tool.run("completion", "tcsh"), 2, "tcsh", "multifold completion --help")
        self.assert_refused(tool.run("completion"), 2, "SHELL is required")


class Manual(tool.ToolTest):
    def test_the_page_names_everything(self):
        outcome = tool.run("manual")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        page = outcome.out.replace("\\-", "-")
        version = tool.run("--version").out.split()[1]
        self.assertIn(f'.TH MULTIFOLD 1 "" "multifold {version}"', page)
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXAMPLES", "EXIT STATUS",
                        "ENVIRONMENT", "FILES"):
            self.assertIn(f"\n.SH {section}\n", page)
        for command in commands():
            self.assertIn(f"\n.TP\n\\fB{command}\\fR", page)
            for option in options(command):
                self.assertRegex(page, rf"\n.TP\n\\fB(-\w, )?{option}(, --[a-z-]+)*\\fR")
        self.assertNotIn("  manual ", tool.run("--help").out)

    def test_options_of_some_commands_say_of_which(self):
        page = tool.run("manual").out.replace("\\-", "-")
        self.assertRegex(page, r"\\fB--correction, --ddof\\fR(.*\n){1,2}With: var, std, cov, describe, plan, graph\.")
        self.assertRegex(page, r"\\fB--accuracy\\fR.*\nexact: correctly(.*\n)With: sum, prod, mean, plan, graph\.")
        self.assertRegex(page, r"\\fB--result-dtype\\fR.*\nRound, once(.*\n)Not with: describe, logsumexp, moment, skewness, kurtosis\.")

    def test_man_takes_it(self):
        self.needed_man()
        page = self.file("multifold.1", tool.run("manual").out.encode())
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["man", "--warnings", "-l", str(page)], check=False, timeout=60, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=tool.environment(HOME=home, LC_ALL="C.UTF-8", MANWIDTH="80"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("multifold - reduce arrays", done.stdout)
        self.assertLess(pathlib.Path(page).stat().st_size, 100_000)

    def needed_man(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")


if __name__ == "__main__":
    tool.main()
