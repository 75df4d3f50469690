"""How results look: shortest decimals, bits, booleans, nested rows, several files."""

import struct

import tool


class Values(tool.ToolTest):
    def printed(self, dtype, data, *options, op="max"):
        path = self.file("x.bin", data)
        outcome = tool.run(op, path, "--dtype", tool.word(dtype), *options)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        return outcome.out

    def test_floats_are_the_shortest_that_read_back(self):
        for value, text in ((0.1, "0.1"), (1 / 3, "0.3333333333333333"), (6.0, "6"), (-0.0, "-0"), (1e5, "100000"),
                            (123456789012345680.0, "1.2345678901234568e+17"), (1e15, "1000000000000000"), (1e16, "1e+16"),
                            (1e-5, "0.00001"), (1.5e-7, "1.5e-07"), (5e-324, "5e-324"),
                            (1.7976931348623157e308, "1.7976931348623157e+308"), (float("nan"), "nan"),
                            (float("inf"), "inf"), (float("-inf"), "-inf")):
            with self.subTest(value=value):
                self.assertEqual(self.printed("f64", struct.pack("<d", value)), text + "\n")

    def test_each_precision_has_its_own_shortest(self):
        self.assertEqual(self.printed("f32", struct.pack("<f", 0.1)), "0.1\n")
        self.assertEqual(self.printed("f32", struct.pack("<f", 16777216)), "16777216\n")
        self.assertEqual(self.printed("f16", struct.pack("<e", 0.1)), "0.1\n")
        self.assertEqual(self.printed("f16", struct.pack("<e", 65504)), "65500\n")
        self.assertEqual(self.printed("f16", struct.pack("<e", 0.015625)), "0.01563\n")
        self.assertEqual(self.printed("f16", struct.pack("<e", -0.015625)), "-0.01563\n")
        self.assertEqual(self.printed("f16", struct.pack("<e", 2.0**-24)), "6e-08\n")
        self.assertEqual(self.printed("bf16", struct.pack("<H", 0x3DCD)), "0.1\n")
        self.assertEqual(self.printed("bf16", struct.pack("<H", 0x7F7F)), "3.39e+38\n")
        self.assertEqual(self.printed("bf16", struct.pack("<H", 0xFF80)), "-inf\n")

    def test_every_f16_and_bf16_reads_back(self):
        finite = [bits for bits in range(0x7C00)][::37]
        out = self.printed("f16", struct.pack(f"<{len(finite)}H", *finite), "--shape", f"{len(finite)},1", "--axis", "1")
        shown = out.replace("[", " ").replace("]", " ").split()
        back = [struct.unpack("<H", struct.pack("<e", float(text)))[0] for text in shown]
        self.assertEqual(back, finite)

    def test_no_f16_has_a_shorter_decimal(self):
        for bits in [power << 10 for power in range(1, 31)] + list(range(1, 0x7C00, 1499)):
            value = struct.unpack("<e", struct.pack("<H", bits))[0]
            text = self.printed("f16", struct.pack("<H", bits)).strip()
            digits = len(text.split("e")[0].replace(".", "").strip("0"))
            for fewer in range(1, digits):
                power = 10.0 ** (fewer - 1 - int(f"{value:e}".split("e")[1]))
                for whole in (int(value * power), int(value * power) + 1):
                    self.assertNotEqual(struct.pack("<e", whole / power), struct.pack("<e", value), (text, whole / power))

    def test_integers_and_booleans(self):
        self.assertEqual(self.printed("u64", b"\xff" * 8), "18446744073709551615\n")
        self.assertEqual(self.printed("i64", b"\0" * 7 + b"\x80"), "-9223372036854775808\n")
        self.assertEqual(self.printed("i8", b"\x80"), "-128\n")
        self.assertEqual(self.printed("bool", b"\0\1"), "true\n")
        self.assertEqual(self.printed("bool", b"\0\1", op="min"), "false\n")
        self.assertEqual(self.printed("bool", b"\0\1\1", op="sum"), "2\n")

    def test_hex_shows_every_bit(self):
        for dtype, data, text in (("f32", struct.pack("<f", 1), "0x3f800000"), ("f64", struct.pack("<d", -0.0), "0x8000000000000000"),
                                  ("f16", struct.pack("<e", 1), "0x3c00"), ("bf16", b"\x80\x3f", "0x3f80"),
                                  ("i8", b"\xff", "0xff"), ("i16", b"\xff\xff", "0xffff"), ("bool", b"\1", "0x01"),
                                  ("u32", b"\1\0\0\0", "0x00000001"), ("i64", b"\xfe" + b"\xff" * 7, "0xfffffffffffffffe")):
            with self.subTest(dtype=dtype):
                self.assertEqual(self.printed(dtype, data, "--hex"), text + "\n")

    def test_nested_rows(self):
        data = struct.pack("<12h", *range(-6, 6))
        rows = self.printed("i16", data, "--shape", "2,3,2", "--axis", "2")
        self.assertEqual(rows, "[[-5 -3 -1]\n [ 1  3  5]]\n")
        cubes = self.printed("i16", data, "--shape", "2,2,3,1", "--axis", "3")
        self.assertEqual(cubes, "[[[-6 -5 -4]\n  [-3 -2 -1]]\n\n [[ 0  1  2]\n  [ 3  4  5]]]\n")
        self.assertEqual(self.printed("i16", data, "--shape", "12", "--keepdims"), "[5]\n")
        self.assertEqual(self.printed("i16", data, "--shape", "3,4", "--axis", "1", "--hex"), "[0xfffd 0x0001 0x0005]\n")

    def test_no_results_at_all(self):
        path = self.file("x.npy", tool.npy(shape="(1000000000000, 0, 3)", data=b""))
        self.assert_printed(tool.run("sum", path, "--axis", "2"), "[]\n")

    def test_long_results_are_shortened_and_say_so(self):
        path = self.file("x.bin", bytes(range(250)) * 8)
        self.assertNotIn("...", self.printed("u8", path.read_bytes()[:1000], "--shape", "1000,1", "--axis", "1"))
        outcome = tool.run("max", self.file("x.bin", bytes(range(250)) * 8), "--dtype", "u1", "--shape", "2000,1", "--axis", "1")
        self.assertEqual((outcome.code, outcome.out), (0, "[  0   1   2 ... 247 248 249]\n"))
        self.assertEqual(outcome.err.count("\n"), 1)
        self.assertIn("-o OUT.npy", outcome.err)

    def test_lines_stay_within_80_columns(self):
        out = self.printed("f64", struct.pack("<300d", *(1 / n for n in range(1, 301))), "--shape", "300,1", "--axis", "1")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual([float(text) for text in out.strip("[]\n").split()], [1 / n for n in range(1, 301)])
        # Twenty numbers of three digits would end in column 80, and leave no room for the bracket.
        out = self.printed("u8", bytes([200] * 20), "--shape", "20,1", "--axis", "1")
        self.assertEqual(out, "[" + " ".join(["200"] * 19) + "\n 200]\n")

    def test_several_files(self):
        one = self.file("one.npy", tool.npy(data=tool.floats(1, 2, 3)))
        two = self.file("two.npy", tool.npy(shape="(3, 1)", data=tool.floats(4, 5, 6)))
        self.assert_printed(tool.run("sum", one, two), f"{one}: 6\n{two}: 15\n")
        self.assert_printed(tool.run("sum", two, two, "--axis", "1"), f"{two}:\n[4 5 6]\n{two}:\n[4 5 6]\n")


if __name__ == "__main__":
    tool.main()
