"""Environment variables: all that are read are documented, and `info` shows what they are."""

import json
import pathlib
import re

import tool

ROOT = pathlib.Path(__file__).parents[3]


def variables():
    return json.loads(tool.run("info", "--json").out)["environment"]


class Environment(tool.ToolTest):
    def test_every_variable_is_documented(self):
        read = set()
        for folder in ("lib", "graphs", "apps"):
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
                    text = path.read_text()
                    read |= set(re.findall(r'(?:getenv|variable)\("(\w+)"\)', text)) | set(re.findall(r'"(MULTIFOLD_\w+)', text))
        self.assertGreater(len(read), 8)
        self.assertLessEqual(read - {"MULTIFOLD_VERSION"}, set(variables()))
        text = tool.run("help", "environment").out
        for name in variables():
            self.assertRegex(text, rf"\n  {name} +\S")

    def test_present_values(self):
        env = tool.environment(MULTIFOLD_SIMD="portable", NO_COLOR="a\tb")
        env.pop("CLICOLOR", None)
        outcome = tool.run("info", env=env)
        self.assertEqual(outcome.code, 0)
        self.assertIn("\n  MULTIFOLD_SIMD        portable\n", outcome.out)
        self.assertIn("\n  NO_COLOR              a\\x09b\n", outcome.out)
        self.assertIn("\n  CLICOLOR              not set\n", outcome.out)
        values = json.loads(tool.run("info", "--json", env=env).out)["environment"]
        self.assertEqual((values["MULTIFOLD_SIMD"], values["NO_COLOR"], values["CLICOLOR"]), ("portable", "a\tb", None))

    def test_info_says_which_values_are_invalid(self):
        x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.assertEqual(json.loads(tool.run("info", "--json").out)["invalid"], {})
        for name in ("MULTIFOLD_SIMD", "MULTIFOLD_ENGINE"):
            env = tool.environment(**{name: "abacus"})
            outcome = tool.run("info", env=env)
            self.assertEqual((outcome.code, outcome.err), (0, ""))
            self.assertRegex(outcome.out, rf"\n  {name} +abacus\n +invalid: .*{name}.* expected ")
            words = re.search("invalid: (.*)", outcome.out)[1]
            self.assertEqual(json.loads(tool.run("info", "--json", env=env).out)["invalid"], {name: words})
            self.assert_refused(tool.run("sum", x, env=env), 4 if name == "MULTIFOLD_ENGINE" else 2, words)
        # An engine that this machine does not have is a matter of the list of engines.
        self.assertNotIn("invalid", tool.run("info", env=tool.environment(MULTIFOLD_ENGINE="device")).out)
        self.assertNotIn("invalid", tool.run("info", env=tool.environment(MULTIFOLD_SIMD="")).out)

    def test_what_help_says_of_them(self):
        x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        for level in ("portable", "avx2", "avx512"):
            self.assertIn(level, tool.run("help", "environment").out)
        # Those that the processor has, and the build.
        outcomes = [tool.run("sum", x, env=tool.environment(MULTIFOLD_SIMD=level)) for level in ("portable", "avx2", "avx512")]
        for outcome in outcomes:
            if outcome.code == 0:
                self.assert_printed(outcome, "6\n")
            else:
                self.assertRegex(outcome.err, "this (processor has no such instructions|build has no such kernels); the best it has is")
        self.assertIn(0, [outcome.code for outcome in outcomes])
        self.assert_refused(tool.run("sum", x, env=tool.environment(MULTIFOLD_SIMD="abacus")), 2, "MULTIFOLD_SIMD")


if __name__ == "__main__":
    tool.main()
