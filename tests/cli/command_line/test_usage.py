"""Command lines that cannot be meant, help, and refusals that are not the file's fault."""

import json
import resource

import tool


class Usage(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(data=tool.floats(1, 2, 3)))
        self.raw = self.file("x.bin", b"\0" * 12)

    def test_command_lines_that_cannot_be_meant(self):
        x, raw = self.x, self.raw
        for line in ([], ["summ", x], ["sum"], ["sum", x, "--bogus"], ["sum", x, "--axis", "first"],
                     ["sum", x, "--axis", ""], ["sum", x, "--axis", "0,,1"], ["sum", x, "--shape", "3"],
                     ["sum", x, "--offset", "3"], ["sum", raw, "--dtype", "f31"], ["sum", raw, "--dtype", "f32", "--shape", ""],
                     ["sum", raw, "--dtype", "f32", "--shape", "-3"], ["sum", raw, "--dtype", "f32", "--shape", "3,y"],
                     ["sum", raw, "--dtype", "f32", "--shape", "4611686018427387904,4"],
                     ["sum", raw, "--dtype", "f32", "--offset", "-1"], ["sum", x, "--memory", "4Q"],
                     ["sum", x, "--memory", "lots"], ["sum", x, "--memory", "0"], ["sum", x, "--memory", "99999999999G"],
                     ["sum", x, "--memory", "2097152.5"],
                     ["sum", x, "--threads", "0"], ["sum", x, "--threads", "many"], ["sum", x, "--engine", "abacus"],
                     ["sum", x, "--transfer", "teleport"], ["plan", "sum", x, "--transfer", ""],
                     ["sum", x, "--accuracy", "good"], ["sum", x, "--nan", "maybe"], ["sum", x, "--initial", "one"],
                     ["mean", x, "--initial", "1"], ["argmax", x, "--initial", "1"], ["sum", x, "--result-dtype", "i64"],
                     ["mean", x, "--result-dtype", "i32"], ["sum", x, "--passes", "0"], ["sum", x, "--passes", "40"],
                     ["sum", x, "--finish", "never"], ["sum", x, "--parts", "0"], ["sum", x, "--form", "square"],
                     ["sum", x, "--hex", "--json"], ["sum", x, "--hex", "-o", "y.npy"], ["sum", x, "--json", "-o", "-"],
                     ["sum", x, x, "-o", "y.npy"], ["sum", "-", "-"], ["plan", "sum"], ["plan", "summ", x],
                     ["plan", "sum", "--dtype", "f32"], ["plan", "sum", x, "--dot", "--json"],
                     ["plan", "sum", x, "--device-model", "abacus"], ["plan", "sum", "-", "--dtype", "f32"],
                     ["info", "x"], ["dot"], ["dot", x], ["dot", x, x, x], ["dot", "-", "-"], ["cov", x], ["dotty", x, x],
                     ["dot", x, x, "--result-dtype", "i64"], ["describe"], ["describe", x, "-o", "y.npy"],
                     ["describe", x, "--json", "--hex"], ["describe", x, "--result-dtype", "i64"],
                     ["var", x, "--correction", "-1"], ["var", x, "--correction", "inf"], ["var", x, "--correction", "nan"], ["var", x, "--correction", "0.5x"], ["cov", x, x, "--correction", "n"],
                     ["sum", x, "--correction", "1"], ["mean", x, "--correction", "0"], ["dot", x, x, "--correction", "1"],
                     ["norm2", x, "--correction", "0"], ["plan", "sum", x, "--correction", "1"], ["plan", "dot", x, x],
                     *(["sum", x, "--checkpoint", "c", "--checkpoint-every", every]
                       for every in ("-1", "-0.5", "nan", "-nan", "inf", "1e10", "", "soon", "1s"))):
            with self.subTest(line=line):
                self.assert_refused(tool.run(*line, cwd=self.folder), 2)
        self.assertEqual(self.names(), ["x.bin", "x.npy"])

    def test_numbers_out_of_range_are_told_the_range(self):
        for option, text, expected in (("--threads", "many", "1 to 65536"), ("--threads", "65537", "1 to 65536"), ("--passes", "0", "1 to 64"),
                                       ("--parts", "2.5", "1 or more"), ("--groups", "-1", "0 or more"),
                                       ("--groups", "9223372036854775808", "0 or more")):
            with self.subTest(option=option, text=text):
                self.assert_refused(tool.run("sum", self.x, option, text), 2, f"{option}: found '{text}'; expected {expected}")

    def test_a_value_or_a_word_too_few_or_too_many(self):
        x = self.x
        for line, words in ((["sum", x, "-o"], "--output: found nothing; expected FILE; see multifold sum --help"),
                            (["sum", x, "--engine="], "--engine: found nothing; expected ENGINE"),
                            (["sum", "--axis"], "--axis: found nothing; expected N,N..."), (["--color"], "--color: found nothing"),
                            (["sum", x, "--output", "a.txt", "-o", "b.txt"], "--output: found more than one; expected one FILE"),
                            (["dot", x, x, "z.npy"], "found 'z.npy'; expected nothing more; see multifold dot --help"),
                            (["version", "x"], "found 'x'; expected nothing more")):
            with self.subTest(line=line):
                self.assert_refused(tool.run(*line, cwd=self.folder), 2, words)
        self.assertEqual(self.names(), ["x.bin", "x.npy"])

    def test_options_that_an_operation_refuses_say_so(self):
        x = self.x
        for op in ("norm1", "sumsq", "norm2", "var", "std", "dot", "cov", "describe", "mean", "argmin", "any",
                   "all", "count_nonzero"):
            files = [x, x] if op in ("dot", "cov") else [x]
            with self.subTest(op=op):
                self.assert_refused(tool.run(op, *files, "--initial", "1"), 2, "--initial", op, "sum, prod, min and max")
                if op != "mean":
                    self.assert_refused(tool.run(op, *files, "--checkpoint", "c"), 2, "--checkpoint", op, "sum and mean")
                if op not in ("argmin", "describe"):
                    self.assert_refused(tool.run(op, *files, "--first-index", "1"), 2, "--first-index", op, "argmin, argmax")
        self.assert_refused(tool.run("dot", x, x, "--correction", "1"), 2, "--correction", "var, std, cov and describe")
        for correction in ("-1", "-0.5", "nan"):
            self.assert_refused(tool.run("var", x, "--correction", correction), 2, "--correction", f"'{correction}'", "0 or more")
        self.assert_refused(tool.run("describe", x, "-o", "y.npy", cwd=self.folder), 2, "-o", ".npy", "--json")
        self.assert_refused(tool.run("dot", x), 2, "Y is required", "multifold dot --help")
        self.assertEqual(self.names(), ["x.bin", "x.npy"])

    def test_options_that_would_do_nothing_are_refused(self):
        x, state = self.x, self.folder / "s"
        self.assertEqual(tool.run("sum", x, "--save-state", state).code, 0)
        self.assert_refused(tool.run("sum", x, "--checkpoint-every", "5"), 2, "--checkpoint-every", "no --checkpoint")
        self.assert_refused(tool.run("sum", x, "--engine", "host", "--transfer", "copy"), 2, "--transfer", "--engine host")
        for options in (["--engine", "host"], ["--threads", "2"], ["--memory", "1MiB"], ["--transfer", "copy"], ["--nan", "omit"],
                        ["--explain"], ["--concatenate"], ["--passes", "2"], ["--parts", "2"], ["--axis", "0"], ["--offset", "4"], ["--keepdims"]):
            with self.subTest(options=options):
                self.assert_refused(tool.run("sum", "--merge", state, *options), 2, f"{options[0]} is about a FILE")
        for options in (["--engine", "host"], ["--threads", "2"], ["--memory", "1MiB"], ["--transfer", "copy"]):
            with self.subTest(options=options):
                outcome = tool.run("plan", "sum", x, "--device-model", "h200", *options)
                self.assert_refused(outcome, 2, f"{options[0]} is for this machine")

    def test_help_says_what_a_state_is_of(self):
        for op in ("sum", "argmax", "cov"):
            self.assertIn("States: what the results are made of", tool.run(op, "--help-all").out)

    def test_what_is_always_exact_stays_so(self):
        for op in ("norm1", "sumsq", "norm2", "var", "std", "dot", "cov", "describe", "max"):
            files = [self.x, self.x] if op in ("dot", "cov") else [self.x]
            results = [json.loads(tool.run(op, *files, "--accuracy", how, "--json").out) for how in ("fast", "exact")]
            with self.subTest(op=op):
                self.assertEqual([result["accuracy"] for result in results], ["exact", "exact"])
                self.assertEqual(results[0]["value_hex"], results[1]["value_hex"])

    def test_every_operation_is_named(self):
        ops = json.loads(tool.run("info", "--json").out)["ops"]
        self.assertEqual(len(ops), 18)
        self.assertEqual(set(ops) & {"norm2", "dot", "cov", "describe"}, {"norm2", "dot", "cov", "describe"})
        top, nothing = tool.run("--help").out, tool.run().err
        for op in ops:
            with self.subTest(op=op):
                self.assertRegex(top, rf"\n  {op} +The ")
                self.assertIn(f" {op}, ", nothing)
                self.assertTrue(tool.run("plan", op, self.x).out.startswith(f"{op} of f32 to "))
                text = tool.run(op, "--help").out
                self.assertEqual("--correction" in text, op in ("var", "std", "cov", "describe"))
                self.assertEqual("--initial" in text, op in ("sum", "prod", "min", "max"))
                self.assertIn(f"multifold {op} x.npy", text)

    def test_integers_want_integers(self):
        path = self.file("i.npy", tool.npy(descr="'<i4'"))
        self.assert_refused(tool.run("sum", path, "--initial", "1.5"), 2, path, "integer", "i32")
        self.assert_refused(tool.run("sum", path, "--initial", "18446744073709551616"), 2, path, "64 bits")
        self.assert_printed(tool.run("sum", path, "--initial", "-7"), "-7\n")
        self.assert_printed(tool.run("max", path, "--initial", "+7"), "7\n")

    def test_exact_sums_of_floats_are_refused_or_exact(self):
        outcome = tool.run("sum", self.x, "--accuracy", "exact", "--json")
        if outcome.code == 0:
            self.assertEqual(json.loads(outcome.out)["accuracy"], "exact")
        else:
            self.assert_refused(outcome, 2, self.x, "fast")

    def test_bf16_results_have_no_npy(self):
        outcome = tool.run("sum", self.x, "--result-dtype", "bf16", "-o", self.folder / "y.npy")
        self.assert_refused(outcome, 2, "y.npy", "bf16", "--result-dtype f32")
        self.assertEqual(self.names(), ["x.bin", "x.npy"])

    def test_no_such_engine(self):
        engines = {engine["name"]: engine for engine in json.loads(tool.run("info", "--json").out)["engines"]}
        if "device" in engines and engines["device"]["supported"]:
            self.skipTest("this machine has a GPU")
        for engine in ("device", "both"):
            self.assert_refused(tool.run("sum", self.x, "--engine", engine), 4, "device")
            self.assert_refused(tool.run("sum", self.x, env=tool.environment(MULTIFOLD_ENGINE=engine)), 4, "device")

    def test_help_and_version(self):
        for line in (["--help"], ["sum", "--help"], ["cov", "--help"], ["describe", "-h"], ["plan", "--help"],
                     ["graph", "--help"], ["info", "-h"]):
            with self.subTest(line=line):
                outcome = tool.run(*line)
                self.assertEqual((outcome.code, outcome.err), (0, ""))
                self.assertIn("Examples:", outcome.out)
                self.assertLessEqual(max(map(len, outcome.out.splitlines())), 100)
        self.assertRegex(tool.run("--version").out, r"\Amultifold \d+\.\d+\.\d+\n\Z")

    def test_sizes(self):
        for size in ("1GiB", "64MiB", "64 MiB", "1e8", "100MB", "0.5GiB", "64M", "67108864"):
            with self.subTest(size=size):
                self.assert_printed(tool.run("sum", self.x, "--memory", size), "6\n")

    def test_memory_that_cannot_be_had(self):
        if tool.is_sanitized():
            self.skipTest("sanitizers reserve terabytes of address space")
        shape = "300000000,2"
        big = self.folder / "big.bin"
        with big.open("wb") as file:
            file.truncate(300000000 * 2)
        outcome = tool.run("sum", big, "--dtype", "i1", "--shape", shape, "--axis", "1",
                           before=tool.limit(resource.RLIMIT_AS, 1 << 30))
        self.assert_refused(outcome, 1, big, "300000000 results of i64", "narrower result dtype", "--memory")

    def test_threads_that_cannot_be_had(self):
        if tool.is_sanitized():
            self.skipTest("sanitizers reserve terabytes of address space")
        outcome = tool.run("sum", self.x, "--threads", "60000", before=tool.limit(resource.RLIMIT_AS, 1 << 29))
        self.assertIn(outcome.code, (0, 1), outcome.err)
        if outcome.code == 1:
            self.assert_refused(outcome, 1)


if __name__ == "__main__":
    tool.main()
