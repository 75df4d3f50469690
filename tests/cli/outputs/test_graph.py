"""multifold graph: the table, the pictures and the JSON of what a GPU would run."""

import json
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree

import tool

H200 = ("--device-model", "h200")
ROWS = ("--dtype", "f64", "--shape", "4,268435456", "--axis", "1", *H200)
NODE_KEYS = ["kind", "label", "shape", "blocks", "threads", "bytes", "body"]


class Graph(tool.ToolTest):
    def printed(self, *arguments, **how):
        outcome = tool.run("graph", *arguments, **how)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        return outcome.out

    def program(self, name, script):
        """An executable in a folder of its own, and the environment in which PATH has nothing else."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        path = folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return tool.environment(PATH=str(folder))

    def test_a_table(self):
        self.assertEqual(self.printed("sum", *ROWS), """\
sum of f64 on NVIDIA H200
node  kind    label                          shape                                grid       bytes  after
1     memset  status                                                                         4 B
2     memset  sums, arrivals, marks, claims                                                  3 KiB  1
3     kernel  pair_rows                      (4, 268435456) -> (4 x 66, 4091904)  264 x 512  8 GiB  2
4     kernel  wide_rows                                                           132 x 192         3
""")

    def test_forced_plans(self):
        lines = self.printed("max", "--dtype", "i32", "--shape", "268435456", "--passes", "3", *H200).splitlines()
        self.assertEqual([line.split()[2] for line in lines[2:]], ["block_rows", "partials", "partials"])

    def test_every_operation_has_one(self):
        path = self.file("x.npy", tool.npy())
        for op in json.loads(tool.run("info", "--json").out)["ops"]:
            with self.subTest(op=op):
                self.assertTrue(self.printed(op, path).startswith(f"{op} of f32 on "))

    def test_a_file_on_whatever_gpu_there_is(self):
        path = self.file("x.npy", tool.npy())
        engines = {engine["name"]: engine for engine in json.loads(tool.run("info", "--json").out)["engines"]}
        title = self.printed("sum", path).splitlines()[0]
        self.assertEqual("(there is no GPU here)" in title, not engines["device"]["supported"])
        self.assertEqual(self.printed("sum", path, *H200).splitlines()[0], "sum of f32 on NVIDIA H200")

    def test_no_results(self):
        arguments = ("sum", "--dtype", "f32", "--shape", "0,3", "--axis", "1", *H200)
        self.assertIn("nothing to run", self.printed(*arguments))
        graph = json.loads(self.printed(*arguments, "--json"))
        self.assertEqual((graph["nodes"], graph["edges"]), ([], []))

    def test_json(self):
        text = self.printed("sum", *ROWS, "--json")
        self.assertEqual(text.count("\n"), 1)
        graph = json.loads(text)
        self.assertEqual(list(graph), ["schema", "title", "op", "input_dtype", "dtype", "engine", "nodes", "edges"])
        self.assertEqual([graph[key] for key in ("schema", "title", "op", "input_dtype", "dtype", "engine")],
                         ["multifold.graph/1", "sum of f64 on NVIDIA H200", "sum", "f64", "f64", "NVIDIA H200"])
        self.assertEqual(graph["edges"], [[0, 1], [1, 2], [2, 3]])
        for node in graph["nodes"]:
            self.assertEqual(list(node), NODE_KEYS)
        self.assertEqual(graph["nodes"][0], {"kind": "memset", "label": "status", "shape": None, "blocks": None,
                                             "threads": None, "bytes": 4, "body": None})
        self.assertEqual(graph["nodes"][2], {"kind": "kernel", "label": "pair_rows", "blocks": 264, "threads": 512,
                                             "shape": "(4, 268435456) -> (4 x 66, 4091904)", "bytes": 2**33, "body": None})

    def test_dot(self):
        dot = self.printed("sum", *ROWS, "--dot")
        self.assertTrue(dot.startswith("digraph multifold {\n") and dot.endswith("}\n"))
        self.assertEqual([dot.count(f"n{i} [label=") for i in range(1, 6)], [1, 1, 1, 1, 0])
        self.assertEqual(dot.count(" -> n"), 3)
        self.assertIn("264 blocks x 512 threads", dot)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_svg(self):
        root = xml.etree.ElementTree.fromstring(self.printed("sum", *ROWS, "--svg", env=tool.environment()))
        self.assertTrue(root.tag.endswith("svg"))
        words = [element.text for element in root.iter() if element.tag.endswith("text")]
        for word in ("sum of f64 on NVIDIA H200", "pair_rows", "wide_rows", "264 blocks x 512 threads"):
            self.assertIn(word, words)

    def test_svg_is_what_dot_makes_of_the_picture(self):
        env = self.program("dot", 'test "$*" = -Tsvg || exit 9\nwhile IFS= read -r line; do printf "%s\\n" "$line"; done\n')
        self.assertEqual(self.printed("sum", *ROWS, "--svg", env=env), self.printed("sum", *ROWS, "--dot"))

    def test_without_graphviz(self):
        nowhere = tool.environment(PATH=str(self.folder))
        self.assert_refused(tool.run("graph", "sum", *ROWS, "--svg", env=nowhere), 1, "--svg", "dot", "PATH", "--dot")
        self.assertTrue(self.printed("sum", *ROWS, "--dot", env=nowhere))

    def test_graphviz_that_fails(self):
        env = self.program("dot", "echo half a picture\necho 'no such\nformat' >&2\nexit 3\n")
        self.assert_refused(tool.run("graph", "sum", *ROWS, "--svg", env=env), 1, "--svg", "ended with 3", "no such format")
        env = self.program("dot", "kill -9 $$\n")
        self.assert_refused(tool.run("graph", "sum", *ROWS, "--svg", env=env), 1, "--svg", "signal 9")

    def test_what_the_driver_knows(self):
        engines = {engine["name"]: engine for engine in json.loads(tool.run("info", "--json").out)["engines"]}
        for op, *array in (["sum", "--dtype", "f64", "--shape", "4,268435456", "--axis", "1"],
                           ["mean", "--dtype", "f32", "--shape", "1000"], ["max", "--dtype", "i32", "--shape", "268435456"],
                           ["var", "--dtype", "f32", "--shape", "1000,64", "--axis", "0"],
                           ["prod", "--dtype", "f32", "--shape", "268435456", "--passes", "3"]):
            with self.subTest(op=op):
                if not engines["device"]["supported"]:
                    self.assert_refused(tool.run("graph", op, *array, "--driver"), 4, "no GPU")
                    continue
                said, found = (json.loads(self.printed(op, *array, "--json", *how)) for how in ((), ("--driver",)))
                self.assertEqual(found["title"], said["title"] + ", as the driver knows it")
                self.assertEqual(found["edges"], said["edges"])
                for mine, theirs in zip(said["nodes"], found["nodes"], strict=True):
                    for key in ("kind", "blocks", "threads"):
                        self.assertEqual(mine[key], theirs[key])
        self.assert_refused(tool.run("graph", "sum", *ROWS, "--driver"), 2, "--driver")

    def test_what_cannot_be_drawn(self):
        x = self.file("x.npy", tool.npy())
        for line in ([], ["sum"], ["summ", x], ["sum", x, "--dot", "--json"], ["sum", x, "--svg", "--json"],
                     ["sum", x, "--dot", "--svg"], ["sum", x, "--device-model", "abacus"], ["sum", "-", "--dtype", "f32"],
                     ["sum", "--dtype", "f32"], ["sum", x, "--axis", "7"], ["sum", x, "--engine", "host"],
                     ["sum", x, "--passes", "40"], ["dot", x, x]):
            with self.subTest(line=line):
                self.assert_refused(tool.run("graph", *line), 2)
        self.assert_refused(tool.run("graph", "sum", self.folder / "none.npy"), 3, "none.npy")
        self.assert_refused(tool.run("graph", "sum", self.file("y.npy", b"\x93NUMPY")), 3, "y.npy")
        self.assert_refused(tool.run("graph", "sum", x, "--dot", "--svg"), 2, "--dot", "--svg")


if __name__ == "__main__":
    tool.main()
