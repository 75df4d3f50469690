"""The library's errors name options as in C++, and the tool says its own in their place."""

import pathlib
import re

import tool

ROOT = pathlib.Path(__file__).parents[3]
# What a message may call an option of the library.
NAMES = re.compile(r"\b(?:raw|reduce|plan)_options(?:::\w+)?|\b(?:engine_choice|accuracy|nan_policy|dtype|transfer|finish|block_form)::\w+"
                   r"|\bh200_traits\(\)")
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def strings(folder):
    """Every string literal below `folder`, without comments."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
            text = re.sub(r"//[^\n]*", "", path.read_text())
            for line in text.splitlines():
                if not line.lstrip().startswith("#"):
                    yield from ((path, found) for found in STRING.findall(line))


class Messages(tool.ToolTest):
    def test_every_name_has_an_option(self):
        table = set(re.findall(r'\{"([^"]+)", "[^"]+"\}', (ROOT / "apps/common/messages/option_names.cpp").read_text()))
        self.assertGreater(len(table), 5)
        named = {name: path for folder in ("lib", "graphs") for path, text in strings(folder) for name in NAMES.findall(text)}
        self.assertGreater(len(named), 5)
        for name, path in named.items():
            self.assertIn(name, table, f"{path} names it: apps/common/messages/option_names.cpp has to say which option that is")

    def test_the_tool_speaks_of_its_own_options(self):
        x = self.file("x.npy", tool.npy())
        raw = self.file("x.bin", b"\0" * 12)
        nothing = self.file("nothing.npy", tool.npy(shape="(0,)", data=b""))
        brain = self.file("brain.npy", tool.npy(descr="'|V2'", shape="(6,)"))
        for line, code, words in (
                (["dot", raw, "-", "--dtype", "f32"], 2, "say --shape"), (["sum", x, "--dtype", "f32"], 3, "expected no --dtype"),
                (["max", nothing], 2, "--initial"), (["sum", brain], 3, "--dtype bf16, --offset 128"),
                (["sum", self.file("empty", b"")], 3, "raw elements and their --dtype"),
                (["sum", self.file("none", b""), "--dtype", "f32"], 3, "or --shape 0"),
                (["sum", self.file("text", b"hello, world" * 20)], 3, "read by --dtype, --shape and --offset"),
                (["plan", "sum", "--dtype", "f32", "--shape", "0", "--engine", "device"], 4, "--engine host")):
            with self.subTest(line=line):
                outcome = tool.run(*line, stdin=b"\0" * 12)
                if code == 4 and outcome.code == 0:
                    self.skipTest("this machine has a GPU")
                self.assert_refused(outcome, code, words)
                self.assertNotIn("::", outcome.err)


if __name__ == "__main__":
    tool.main()
