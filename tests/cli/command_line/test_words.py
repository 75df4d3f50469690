"""Names that people bring from elsewhere, and what is said of names that are slips."""

import json
import re

import tool

# What NumPy, pandas, BLAS and others call an operation.
ALIASES = {"average": "mean", "avg": "mean", "amin": "min", "minimum": "min", "amax": "max", "maximum": "max", "idxmin": "argmin",
           "idxmax": "argmax", "product": "prod", "variance": "var", "stddev": "std", "stdev": "std", "norm": "norm2",
           "nrm2": "norm2", "asum": "norm1", "nnz": "count_nonzero", "covariance": "cov"}


class Words(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy(data=tool.floats(3, -4, 0)))

    def files(self, op):
        return [self.x, self.x] if op in ("dot", "cov") else [self.x]

    def test_other_names_of_operations(self):
        for alias, op in ALIASES.items():
            with self.subTest(alias=alias):
                expected = tool.run(op, *self.files(op))
                self.assert_printed(tool.run(alias, *self.files(op)), expected.out)
                self.assertEqual(json.loads(tool.run(alias, *self.files(op), "--json").out)["op"], op)
                self.assertEqual(tool.run("plan", alias, self.x).out, tool.run("plan", op, self.x).out)
                self.assertEqual(tool.run("graph", alias, self.x).out, tool.run("graph", op, self.x).out)
                self.assertRegex(" ".join(tool.run(op, "--help").out.split()), rf"Also called [\w, ]*\b{alias}\b")

    def test_other_names_of_options(self):
        out = self.folder / "y.npy"
        self.assert_printed(tool.run("sum", self.x, "--out", out), "")
        self.assertTrue(out.exists())
        self.assert_printed(tool.run("var", self.x, "--ddof", "1"), tool.run("var", self.x, "--correction", "1").out)
        self.assert_printed(tool.run("sum", self.x, "--axes", "0", "--keepdims"), "[-1]\n")

    def test_other_names_of_engines(self):
        for engine in ("cpu", "host"):
            self.assert_printed(tool.run("sum", self.x, "--engine", engine), "-1\n")
            self.assert_printed(tool.run("sum", self.x, env=tool.environment(MULTIFOLD_ENGINE=engine)), "-1\n")
        ends = {tool.run("sum", self.x, "--engine", engine).code for engine in ("gpu", "cuda", "device")}
        self.assertEqual(len(ends), 1)
        # The refusal of what goes with no --engine host is that of --engine cpu, too.
        self.assert_refused(tool.run("sum", self.x, "--engine", "cpu", "--transfer", "copy"), 2, "--engine host")

    def test_slips_of_operations(self):
        for slip, meant in (("summ", "sum"), ("SUM", "sum"), ("smu", "sum"), ("maen", "mean"), ("avrage", "average"), ("prodd", "prod"),
                            ("argmim", "argmin"), ("descrbe", "describe"), ("count-nonzero", "count_nonzero"), ("Norm2", "norm2"),
                            ("grpah", "graph"), ("plna", "plan"), ("inof", "info"), ("verzion", "version"), ("mix", "min or max")):
            with self.subTest(slip=slip):
                self.assert_refused(tool.run(slip, self.x), 2, f"'{slip}' (did you mean {meant}?)")
        self.assert_refused(tool.run("plan", "avrage", self.x), 2, "OP", "'avrage' (did you mean average?)")

    def test_nothing_is_suggested_for_what_is_far_off(self):
        for word in ("median", "percentile", "frobnicate", "q", "", "x" * 500):
            with self.subTest(word=word):
                outcome = tool.run(word, self.x)
                self.assert_refused(outcome, 2, "expected sum, prod", "version or completion")
                self.assertNotIn("did you mean", outcome.err)

    def test_names_of_other_tools_that_are_options_here(self):
        self.assert_refused(tool.run("nansum", self.x), 2, "expected sum with --nan omit")
        self.assert_refused(tool.run("nanmean", self.x), 2, "expected mean with --nan omit")
        self.assert_refused(tool.run(self.x), 2, f"found the file {self.x} in the place of an operation")

    def test_slips_of_options(self):
        for slip, meant in (("--axs", "--axis"), ("--axsi", "--axis"), ("--dtpye", "--dtype"), ("--keep-dims", "--keepdims"),
                            ("--result_dtype", "--result-dtype"), ("--outptu", "--output"), ("--colr", "--color"),
                            ("--treads=2", "--threads"), ("--jsno", "--json"), ("--check-point", "--checkpoint")):
            with self.subTest(slip=slip):
                option = slip.split("=")[0]
                self.assert_refused(tool.run("sum", self.x, slip), 2, f"'{option}' (did you mean {meant}?)", "multifold sum --help")
        outcome = tool.run("sum", self.x, "--frobnicate")
        self.assert_refused(outcome, 2, "'--frobnicate'; see")
        self.assert_refused(tool.run("--axis", "0", "sum", self.x), 2, "'--axis' before sum")
        # What an operation refuses is no suggestion.
        self.assertNotIn("--correction", tool.run("sum", self.x, "--corection", "1").err)

    def test_slips_of_words(self):
        for line, words in ((["--engine", "gup"], "'gup' (did you mean gpu?); expected auto, host, device or both"),
                            (["--engine", "hots"], "did you mean host?"), (["--nan", "omitz"], "did you mean omit?"),
                            (["--accuracy", "exuct"], "did you mean exact?"), (["--color", "alwayz"], "did you mean always?"),
                            (["--transfer", "stagde"], "did you mean staged?"), (["--finish", "last_block"], "did you mean last-block?"),
                            (["--form", "shuffl"], "did you mean shuffle?"), (["--dtype", "flot32"], "did you mean float32?"),
                            (["--dtype", "F32"], "did you mean f32?"), (["--dtype", "bfloat"], "float32"),
                            (["--result-dtype", "dobule"], "did you mean double?"), (["--device-model", "h20"], "did you mean h200?")):
            op = ["plan", "sum"] if "--device-model" in line else ["sum"]
            with self.subTest(line=line):
                self.assert_refused(tool.run(*op, self.x, *line), 2, line[0], words)

    def test_dtypes_that_have_two_sizes_are_refused(self):
        for word in ("int", "uint", "float"):
            self.assert_refused(tool.run("sum", self.x, "--dtype", word), 2, "8 bytes in NumPy and 4 in C", f"expected {word}64 or {word}32")
        for word, dtype in (("int16_t", "i16"), ("uint64_t", "u64"), ("fp16", "f16"), ("fp32", "f32"), ("fp64", "f64")):
            self.assertTrue(re.match(f"max of {dtype} to {dtype} ", tool.run("plan", "max", "--dtype", word, "--shape", "3").out))


if __name__ == "__main__":
    tool.main()
