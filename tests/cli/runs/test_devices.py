"""--devices: several GPUs for one reduction, or the same one several times."""

import json

import tool


class Devices(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.x = self.file("x.npy", tool.npy("'<f4'", "(2, 3)", tool.floats(1, -2, 3, 4, -5, 6.5)))

    def test_words_that_cannot_be_meant(self):
        for text in ("", ",", "0,x", "-1", "1.5", "every"):
            self.assert_refused(tool.run("sum", self.x, "--devices", text), 2, "--devices", "all, or numbers of GPUs")

    def test_options_that_do_not_go_with_it(self):
        for options, said in (
            (("--engine", "host"), "--engine"),
            (("--engine", "both"), "--engine"),
            (("--save-state", "s"), "--save-state"),
            (("--checkpoint", "c"), "--checkpoint"),
            (("--offsets", "o.npy"), "a list of segments"),
            (("--where", "w.npy"), "--where"),
            (("--passes", "2"), "a forced plan"),
        ):
            self.assert_refused(tool.run("sum", self.x, "--devices", "0", *options), 2, "--devices", said)
        self.assert_refused(tool.run("sum,max", self.x, "--devices", "0"), 2, "--devices", "more than one operation")
        self.assert_refused(tool.run("dot", self.x, self.x, "--devices", "0"), 2, "--devices", "two arrays")

    def test_shares_have_the_bits_of_one(self):
        there = tool.run("sum", self.x, "--engine", "device")
        if there.code == 4:
            self.assert_refused(tool.run("sum", self.x, "--devices", "all"), 4, "device engine is not there")
            self.skipTest("no GPU")
        for devices in ("all", "0", "0,0,0"):
            found = tool.run("sum", self.x, "--devices", devices, "--json")
            self.assertEqual((found.code, found.err), (0, ""))
            self.assertEqual(json.loads(found.out)["value"], 7.5)
        self.assert_printed(tool.run("max", self.x, "--axis", "1", "--devices", "0,0"), "3 6.5\n")
        self.assert_refused(tool.run("sum", self.x, "--devices", "4711"), 4, "4711")


if __name__ == "__main__":
    tool.main()
