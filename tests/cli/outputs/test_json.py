"""The JSON of results, plans and info, and the picture of a plan."""

import json
import struct

import tool

RESULT_KEYS = ["schema", "op", "file", "value", "value_hex", "dtype", "shape", "input_dtype", "count", "engine", "device",
               "accuracy", "bytes", "seconds", "gb_per_s", "plan"]
PASS_KEYS = ["kernel", "batches", "length", "parts", "part_length", "tile", "finish", "form", "threads", "group", "blocks"]


def reject(text):
    raise ValueError(f"{text} is no JSON")


class Json(tool.ToolTest):
    def parsed(self, *arguments):
        outcome = tool.run(*arguments)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertEqual(outcome.out.count("\n"), 1)
        return json.loads(outcome.out, parse_constant=reject)

    def result_of(self, dtype, data, *options, op="max"):
        return self.parsed(op, self.file("x.bin", data), "--dtype", tool.word(dtype), "--json", *options)

    def test_every_key(self):
        result = self.result_of("f32", tool.floats(1, 2, 4), op="sum")
        self.assertEqual(list(result), RESULT_KEYS)
        self.assertEqual(result["schema"], "multifold.result/1")
        expected = {"op": "sum", "file": str(self.folder / "x.bin"), "value": 7.0, "value_hex": "0x40e00000",
                    "dtype": "f32", "shape": [], "input_dtype": "f32", "count": 3, "engine": "host", "bytes": 12}
        self.assertEqual({key: result[key] for key in expected}, expected)
        self.assertIn(result["accuracy"], ("exact", "fast"))
        self.assertGreaterEqual(result["seconds"], 0)
        self.assertGreaterEqual(result["gb_per_s"], 0)
        self.assertTrue(result["device"])
        self.assertEqual(result["plan"], [])  # files come in chunks

    def test_values_are_exact(self):
        self.assertEqual(self.result_of("u64", b"\xff" * 8)["value"], 2**64 - 1)
        self.assertEqual(self.result_of("i64", b"\0" * 7 + b"\x80")["value"], -(2**63))
        self.assertIs(self.result_of("bool", b"\1")["value"], True)
        self.assertEqual(self.result_of("f32", struct.pack("<f", 0.1))["value"], struct.unpack("<f", struct.pack("<f", 0.1))[0])
        for value in (0.1, 1e300, 5e-324, 2.0**53 + 2):
            self.assertEqual(self.result_of("f64", struct.pack("<d", value))["value"], value)

    def test_what_json_cannot_say_is_a_string(self):
        for value in ("nan", "inf", "-inf"):
            self.assertEqual(self.result_of("f64", struct.pack("<d", float(value)))["value"], value)

    def test_arrays_are_nested_and_whole(self):
        result = self.result_of("u8", bytes(range(250)) * 8, "--shape", "20,100,1", "--axis", "2")
        self.assertEqual(result["shape"], [20, 100])
        flat = [value for row in result["value"] for value in row]
        self.assertEqual(flat, list(range(250)) * 8)
        self.assertEqual(result["value_hex"][0][255 - 253], "0x02")

    def test_output_file_instead_of_value(self):
        result = self.result_of("u8", bytes(8), "-o", self.folder / "y.npy")
        self.assertEqual(result["output"], str(self.folder / "y.npy"))
        self.assertNotIn("value", result)
        self.assertTrue((self.folder / "y.npy").read_bytes().startswith(b"\x93NUMPY"))

    def test_several_files_are_json_lines(self):
        path = self.file("x.npy", tool.npy())
        outcome = tool.run("sum", path, path, "--json")
        self.assertEqual([json.loads(line)["value"] for line in outcome.out.splitlines()], [0, 0])

    def test_plan(self):
        plan = self.parsed("plan", "sum", "--dtype", "f32", "--shape", "4,268435456", "--axis", "1", "--device-model",
                           "h200", "--json")
        self.assertEqual(plan["schema"], "multifold.plan/1")
        self.assertEqual((plan["outer"], plan["length"], plan["inner"], plan["access"]), (4, 2**28, 1, "rows"))
        self.assertGreater(plan["plan"][0]["parts"], 1)
        self.assertGreater(plan["workspace_bytes"], 0)
        self.assertIsNone(plan["engine_reason"])
        for step in plan["plan"]:
            self.assertEqual(list(step), PASS_KEYS)
        clear, kernel, last = plan["steps"][0], plan["steps"][-2], plan["steps"][-1]
        self.assertEqual((clear["kind"], clear["clears"], clear["bytes"]), ("clear", ["status"], 4))
        self.assertEqual((kernel["kind"], kernel["threads"] > 0, kernel["blocks"] > 0), ("bin_rows", True, True))
        self.assertEqual(last["kind"], "bin_parts")

    def test_plan_follows_what_is_forced(self):
        plan = self.parsed("plan", "sum", "--dtype", "f32", "--shape", "1000000", "--passes", "3", "--device-model", "h200",
                           "--json")
        self.assertEqual(len(plan["plan"]), 3)

    def test_plan_of_a_file(self):
        path = self.file("x.npy", tool.npy(shape="(1, 3)"))
        plan = self.parsed("plan", "mean", path, "--axis", "0", "--json")
        self.assertEqual((plan["op"], plan["length"], plan["engine_reason"]), ("mean", 1, "it was asked for"))
        outcome = tool.run("plan", "mean", path)
        self.assertTrue(outcome.out.endswith("\nengine host: it was asked for\n"), outcome.out)

    def test_dot_has_a_node_for_each_pass(self):
        line = ["plan", "sum", "--dtype", "f32", "--shape", "1000000", "--passes", "3", "--device-model", "h200"]
        outcome = tool.run(*line, "--dot")
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertTrue(outcome.out.startswith("digraph plan {") and outcome.out.endswith("}\n"))
        self.assertEqual(outcome.out.count("  pass"), 6)  # a node and an edge out of each
        table = tool.run(*line).out
        for number in (1, 2, 3):
            kernel = outcome.out.split(f'pass{number} [label="pass {number}: ')[1].split("\\n")[0].replace(" ", "_")
            self.assertRegex(table, rf"\n{number} +{kernel} ")

    def test_info(self):
        info = self.parsed("info", "--json")
        self.assertEqual(info["schema"], "multifold.info/1")
        host = [engine for engine in info["engines"] if engine["name"] == "host"]
        self.assertEqual([engine["supported"] for engine in host], [True])
        for engine in info["engines"]:
            self.assertEqual(engine["supported"], engine["reason"] == "")

    def test_explain_stands_beside_the_result(self):
        outcome = tool.run("sum", self.file("x.npy", tool.npy()), "--explain")
        self.assertEqual((outcome.code, outcome.out), (0, "0\n"))
        self.assertIn("sum of f32", outcome.err)
        self.assertTrue(outcome.err.endswith("\nengine host: it was asked for\n"), outcome.err)

    def test_rates_are_measured_once(self):
        cache = self.folder / "cache"
        env = {**tool.environment(), "XDG_CACHE_HOME": str(cache)}
        for damage in (None, b"", b"multifold rates 1\nversion x\n"):
            if damage is not None:
                (cache / "multifold" / "rates").write_bytes(damage)
            with self.subTest(damage=damage):
                self.assertIsNone(json.loads(tool.run("info", "--json", env=env).out)["rates"])
                self.assertIn("not measured yet", tool.run("info", env=env).out)
                rates = json.loads(tool.run("info", "--measure", "--json", env=env).out)["rates"]
                self.assertGreater(min(rates["host_one"], rates["host_all"]), 1e6)
                self.assertEqual(json.loads(tool.run("info", "--json", env=env).out)["rates"], rates)
                self.assertRegex(tool.run("info", env=env).out, r"\n  host +[0-9.]+ .?B/s")
        self.assertEqual([path.name for path in (cache / "multifold").iterdir()], ["rates"])
        nowhere = tool.run("info", "--measure", env={**env, "MULTIFOLD_RATES": "/proc/none"})
        self.assertEqual((nowhere.code, nowhere.err.count("\n")), (3, 1))
        self.assertIn("the rates could not be kept", nowhere.err)
        self.assertRegex(nowhere.out, r"\n  host +[0-9.]+ .?B/s")


if __name__ == "__main__":
    tool.main()
