"""How element types are named: NumPy's names as NumPy means them, ours as ours, and what may be either is refused."""

import struct

import tool

# The letter of Python's struct for each dtype, as output names it.
LETTERS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
           "f16": "e", "f32": "f", "f64": "d"}
NAMES = {"bool": ["bool", "bool8", "bool_", "b1", "?", "|b1", "|?", "<?"], "i8": ["int8", "i1", "|i1", "<i1", ">i1", "=i1"],
         "i16": ["i16", "int16", "i2", "<i2", "=i2"], "i32": ["i32", "int32", "i4", "<i4", "|i4"],
         "i64": ["i64", "int64", "<i8", "=i8", "|i8"], "u8": ["uint8", "u1", "|u1", ">u1"], "u16": ["u16", "uint16", "u2", "<u2"],
         "u32": ["u32", "uint32", "u4", "=u4"], "u64": ["u64", "uint64", "<u8", "=u8"],
         "f16": ["f16", "float16", "f2", "<f2", "half"], "f32": ["f32", "float32", "f4", "<f4", "=f4", "single"],
         "f64": ["f64", "float64", "f8", "<f8", "double"]}
OTHER_ORDER = {"i16": ">i2", "i32": ">i4", "i64": ">i8", "u16": ">u2", "u32": ">u4", "u64": ">u8", "f16": ">f2", "f32": ">f4",
               "f64": ">f8"}


class Dtypes(tool.ToolTest):
    def printed(self, data, word, op="max"):
        return tool.run(op, self.file("x.bin", data), "--dtype", word)

    def test_names_mean_what_they_mean_elsewhere(self):
        for dtype, words in NAMES.items():
            data = struct.pack(f"<8{LETTERS[dtype]}", 1, 0, 0, 0, 0, 0, 0, 0)
            for word in words:
                with self.subTest(word=word):
                    self.assert_printed(self.printed(data, word), "true\n" if dtype == "bool" else "1\n")
                    self.assert_printed(self.printed(data, word, "argmax"), "0\n")
                    plan = tool.run("plan", "max", "--dtype", word, "--shape", "3")
                    self.assertTrue(plan.out.startswith(f"max of {dtype} to {dtype} "), plan.out)
                    wanted = tool.run("plan", "max", "--dtype", word, "--shape", "3", "--result-dtype", word)
                    self.assertEqual((wanted.code, wanted.err), (0, ""))

    def test_other_byte_orders_are_swapped(self):
        for dtype, word in OTHER_ORDER.items():
            with self.subTest(word=word):
                data = struct.pack(f">5{LETTERS[dtype]}", 1, 2, 3, 4, 5)
                self.assert_printed(self.printed(data, word), "5\n")
                self.assert_printed(self.printed(data, word, "sum"), "15\n")
                self.assert_printed(tool.run("sum", "-", "--dtype", word, stdin=data), "15\n")
                self.assert_printed(tool.run("sum", self.file("y.bin", b"abc" + data), "--dtype", word, "--offset", "3"), "15\n")
                outcome = tool.run("max", self.file("x.bin", data), "--dtype", dtype, "--result-dtype", word)
                self.assert_refused(outcome, 2, "--result-dtype", word, f"expected {dtype}")

    def test_what_may_mean_either_is_refused(self):
        path = self.file("x.bin", bytes(8))
        for option in ("--dtype", "--result-dtype"):
            given = [] if option == "--dtype" else ["--dtype", "f32"]
            for letter, kind in (("i", "int"), ("u", "uint")):
                outcome = tool.run("max", path, *given, option, f"{letter}8")
                self.assert_refused(outcome, 2, option, f"'{letter}8'", "NumPy", f"{kind}64 ({letter}64)", f"{kind}8 ({letter}1)")

    def test_names_of_nothing_are_refused_with_a_hint(self):
        path = self.file("x.bin", bytes(16))
        for word, hint in ((">f32", "expected >f4"), ("<i16", "expected <i2"), (">int64", "expected >i8"), ("<f16", "long doubles"),
                           (">bf16", "like >f4"), ("c8", "float32"), ("f12", "float32"), ("", "float32"), (">", "like >f4"),
                           ("i3", "float32"), ("F32", "float32")):
            with self.subTest(word=word):
                self.assert_refused(tool.run("sum", path, "--dtype", word), 2, "--dtype", f"'{word}'", hint)


if __name__ == "__main__":
    tool.main()
