"""Colours: on terminals, as NO_COLOR and its kin say, and never in pipes unless they are asked for."""

import terminal
import tool

ESCAPE = "\x1b["


class Colour(tool.ToolTest):
    def failure(self, *options, **environment):
        code, text = terminal.run("summ", *options, **environment)
        self.assertEqual(code, 2)
        self.assertIn("did you mean sum?", text)
        return text

    def test_on_a_terminal(self):
        self.assertTrue(self.failure().startswith("\x1b[1;31mmultifold:\x1b[0m found"))
        code, text = terminal.run("sum", "--help", both=True)
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mExamples:\x1b[0m\n", text)
        self.assertIn("\x1b[1mUsage:\x1b[0m multifold sum", text)

    def test_colours_change_nothing_else(self):
        plain = terminal.run("sum", "--help", both=True, NO_COLOR="1")[1]
        coloured = terminal.run("sum", "--help", both=True)[1]
        self.assertEqual(coloured.replace("\x1b[1m", "").replace("\x1b[0m", ""), plain)

    def test_what_the_environment_says(self):
        for environment, coloured in (({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"CLICOLOR": "0"}, False),
                                      ({"CLICOLOR": "1"}, True), ({"TERM": "dumb"}, False), ({"TERM": ""}, False),
                                      ({"TERM": "dumb", "CLICOLOR_FORCE": "1"}, True), ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, True),
                                      ({"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, False)):
            with self.subTest(environment=environment):
                self.assertEqual(ESCAPE in self.failure(**environment), coloured)

    def test_what_the_option_says(self):
        for options, environment, coloured in ((["--color", "never"], {}, False), (["--color=never"], {"CLICOLOR_FORCE": "1"}, False),
                                               (["--color", "always"], {"NO_COLOR": "1"}, True), (["--colour=always"], {"TERM": "dumb"}, True),
                                               (["--color", "auto"], {"NO_COLOR": "1"}, False), (["--color", "auto"], {}, True),
                                               (["--", "--color", "never"], {}, True)):
            with self.subTest(options=options):
                self.assertEqual(ESCAPE in self.failure(*options, **environment), coloured)
        self.assertNotIn(ESCAPE, terminal.run("--color", "never", "sum", "nope.npy")[1])

    def test_pipes(self):
        for line in (["summ"], ["sum", "--help"], ["sum", "nope.npy"]):
            for changes, coloured in (({}, False), ({"CLICOLOR": "1"}, False), ({"CLICOLOR_FORCE": "0"}, False), ({"CLICOLOR_FORCE": "1"}, True)):
                env = {name: value for name, value in tool.environment(TERM="xterm").items() if not name.endswith("COLOR")}
                outcome = tool.run(*line, env={**env, **changes})
                self.assertEqual(ESCAPE in outcome.out + outcome.err, coloured)

    def test_results_and_json_have_none(self):
        x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.assertEqual(terminal.run("sum", x, "--color", "always", both=True), (0, "6\n"))
        for line in (["sum", x, "--json"], ["sum", "nope.npy", "--json"], ["summ", "--json"]):
            text = terminal.run(*line, "--color", "always", both=True)[1]
            self.assertTrue(text.startswith("{") and ESCAPE not in text, text)


if __name__ == "__main__":
    tool.main()
