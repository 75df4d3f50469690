"""Arrays inside .npz and safetensors files, and several files as one array."""

import io
import json
import struct
import zipfile

import tool


def zipped(members, compression=zipfile.ZIP_STORED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def safetensors(**tensors):
    """Each tensor is a dtype, a shape and its bytes."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def doubles(*values):
    return tool.npy("'<f8'", f"({len(values)},)", struct.pack(f"<{len(values)}d", *values))


class Archives(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.npz = self.file("x.npz", zipped({"a.npy": doubles(1, 2, 3), "notes.txt": b"?", "b.npy": doubles(1e300, 7, -1e300)}))
        self.model = self.file("m.safetensors", safetensors(
            weight=("F32", [2, 2], tool.floats(1, 2, 3, 4)), flag=("BOOL", [1], b"\1"), bias=("BF16", [2], b"\x80\x3f\x00\xc0")))

    def test_one_array(self):
        self.assert_printed(tool.run("sum", f"{self.npz}:a"), "6\n")
        self.assert_printed(tool.run("sum", f"{self.npz}:b.npy"), "7\n")
        self.assert_printed(tool.run("sum", f"{self.model}:weight", "--axis", "0"), "[4 6]\n")
        self.assert_printed(tool.run("min", f"{self.model}:bias"), "-2\n")
        self.assert_printed(tool.run("dot", f"{self.npz}:a", f"{self.npz}:b"), "-2e+300\n")
        answer = json.loads(tool.run("sum", f"{self.npz}:a", "--json").out)
        self.assertEqual((answer["file"], answer["value"], answer["shape"]), (f"{self.npz}:a", 6.0, []))
        self.assertIn("length 3", tool.run("plan", "sum", f"{self.npz}:a").out)
        self.assertIn("kernel", tool.run("graph", "sum", f"{self.npz}:a", "--device-model", "h200").out)

    def test_damage(self):
        content = bytearray(self.npz.read_bytes())
        content[content.index(struct.pack("<d", 3)) + 3] ^= 1
        damaged = self.file("y.npz", bytes(content))
        for command in (["sum"], ["var", "--threads", "3"], ["max", "--axis", "0"]):
            self.assert_refused(tool.run(*command, f"{damaged}:a"), 3, f"{damaged}:a: found the CRC-32 ", "of the member a.npy; expected")
        self.assert_printed(tool.run("max", f"{damaged}:b"), "1e+300\n")

    def test_all_arrays(self):
        self.assert_printed(tool.run("sum", self.npz), f"{self.npz}:a: 6\n{self.npz}:b: 7\n")
        self.assert_printed(tool.run("max", self.model, f"{self.npz}:a"),
                            f"{self.model}:weight: 4\n{self.model}:flag: true\n{self.model}:bias: 1\n{self.npz}:a: 3\n")
        lines = tool.run("sum", self.npz, "--json").out.splitlines()
        self.assertEqual([json.loads(line)["file"] for line in lines], [f"{self.npz}:a", f"{self.npz}:b"])
        only = self.file("only.npz", zipped({"arr_0.npy": doubles(4)}))
        self.assert_printed(tool.run("sum", only), "4\n")

    def test_a_tensor_of_another_type_does_not_keep_the_others(self):
        path = self.file("f8.safetensors", safetensors(a=("F8_E4M3", [1], b"?"), b=("U8", [1], b"\5")))
        outcome = tool.run("sum", path)
        self.assertEqual((outcome.code, outcome.out), (3, f"{path}:b: 5\n"))
        self.assertIn(f"{path}:a: found a tensor of F8_E4M3; expected bool", outcome.err)

    def test_one_result_wants_one_array(self):
        for options in (["-o", self.folder / "out.npy"], ["--save-state", self.folder / "x.state"]):
            self.assert_refused(tool.run("sum", self.npz, *options), 2, f"{self.npz}: found 2 arrays; expected one, as in {self.npz}:a")
        self.assert_refused(tool.run("dot", self.npz, f"{self.npz}:a"), 3, self.npz, "found 2 arrays, a, b; expected one of them")
        self.assertEqual(tool.run("sum", f"{self.npz}:b", "-o", self.folder / "out.npy").code, 0)
        self.assert_printed(tool.run("max", self.folder / "out.npy"), "7\n")

    def test_refusals(self):
        self.assert_refused(tool.run("sum", f"{self.npz}:c"), 3, f"{self.npz}: found no array c in it; expected one of a, b")
        self.assert_refused(tool.run("sum", f"{self.npz}:a", "--dtype", "u1"), 3, f"{self.npz}:a", "expected no --dtype, --shape and --offset")
        self.assert_refused(tool.run("sum", self.folder / "none.npz:a"), 3, "none.npz:a: No such file or directory")
        packed = self.file("packed.npz", zipped({"a.npy": doubles(1, 2)}, zipfile.ZIP_BZIP2))
        self.assert_refused(tool.run("sum", packed), 3, f"{packed}:a: found it compressed (bzip2)", "unzip -p")
        cut = self.file("cut.npz", self.npz.read_bytes()[:-30])
        self.assert_refused(tool.run("sum", cut), 3, f"{cut}: byte ", "the file was cut off")
        self.assert_refused(tool.run("sum", "-", stdin=self.npz.read_bytes()), 3, "standard input: byte 0: found a zip archive")
        cut = self.file("cut.safetensors", self.model.read_bytes()[:-1])
        self.assert_refused(tool.run("sum", cut), 3, f"{cut}: byte ", "of data; expected 21, for 3 tensors")

    def test_compressed_members_are_read_as_pipes_are(self):
        many = doubles(*(x % 1000 for x in range(300_000)))
        plain = self.file("plain.npz", zipped({"a.npy": many, "b.npy": doubles(1, 2)}))
        packed = self.file("packed.npz", zipped({"a.npy": many, "b.npy": doubles(1, 2)}, zipfile.ZIP_DEFLATED))
        outcome = tool.run("sum", f"{packed}:a")
        if "built without zlib" in outcome.err:
            self.assert_refused(outcome, 3, f"{packed}:a: found it compressed (deflate)", "unzip -p")
            self.skipTest("built without zlib")
        self.assert_printed(outcome, "149850000\n")
        self.assert_printed(tool.run("sum", packed), f"{packed}:a: 149850000\n{packed}:b: 3\n")
        for line in (["sum", "--memory", "4MiB", "--threads", "3"], ["describe"], ["argmax"], ["std", "--correction", "1"]):
            with self.subTest(line=line):
                self.assertEqual(tool.run(*line, f"{packed}:a").out, tool.run(*line, f"{plain}:a").out)
        self.assert_printed(tool.run("dot", f"{packed}:b", f"{plain}:b"), "5\n")
        self.assert_printed(tool.run("max", f"{packed}:b", f"{packed}:a", "--concatenate"), "999\n")
        self.assert_refused(tool.run("sum", f"{packed}:a", "--checkpoint", self.folder / "c"), 2, f"{packed}:a", "read from any place on")
        damaged = bytearray(packed.read_bytes())
        damaged[len(damaged) // 2] ^= 0x10
        self.assert_refused(tool.run("sum", f"{self.file('damaged.npz', bytes(damaged))}:a"), 3, "damaged.npz:a: byte ")

    def test_raw_bytes_of_an_archive(self):
        self.assertEqual(tool.run("sum", self.npz, "--dtype", "u1").out, f"{sum(self.npz.read_bytes())}\n")


class Concatenate(tool.ToolTest):
    def setUp(self):
        super().setUp()
        self.parts = [self.file("a.npy", tool.npy(shape="(2, 3)", data=tool.floats(1, 2, 3, 4, 5, 6))),
                      self.file("b.npy", tool.npy(shape="(0, 3)", data=b"")),
                      self.file("c.npy", tool.npy(shape="(1, 3)", data=tool.floats(10, 20, 30)))]

    def test_one_result(self):
        self.assert_printed(tool.run("sum", *self.parts, "--concatenate"), "81\n")
        self.assert_printed(tool.run("argmax", *self.parts, "--concatenate"), "8\n")
        self.assert_printed(tool.run("sum", *self.parts, "--concatenate", "--axis", "0"), "[15 27 39]\n")
        self.assert_printed(tool.run("max", *self.parts, "--concatenate", "--axis", "1"), "[ 3  6 30]\n")
        self.assertIn("count  9", tool.run("describe", *self.parts, "--concatenate").out)
        answer = json.loads(tool.run("sum", *self.parts, "--concatenate", "--json").out)
        self.assertEqual((answer["files"], answer["count"]), ([str(part) for part in self.parts], 9))
        self.assert_printed(tool.run("sum", self.parts[0], "--concatenate"), "21\n")
        # What goes wrong with all of them together names the first, and how many there are.
        large = self.file("large.npy", tool.npy("'<u8'", "(1,)", b"\xff" * 8))
        self.assert_refused(tool.run("sum", large, large, "--concatenate"), 6, f"{large} and {large}: ")
        self.assert_refused(tool.run("sum", large, large, large, "--concatenate"), 6, f"{large} and 2 more: ")

    def test_into_files_and_states(self):
        out = self.folder / "out.npy"
        self.assert_printed(tool.run("sum", *self.parts, "--concatenate", "--axis", "0", "-o", out), "")
        self.assert_printed(tool.run("max", out), "39\n")
        state = self.folder / "x.state"
        self.assert_printed(tool.run("sum", *self.parts, "--concatenate", "--save-state", state), "81\n")
        self.assert_printed(tool.run("sum", "--merge", state), "81\n")

    def test_pipes_and_raw_elements(self):
        raw = self.file("raw.bin", tool.floats(1, 2))
        outcome = tool.run("sum", raw, "-", raw, "--concatenate", "--dtype", "f32", stdin=tool.floats(5, 6, 7))
        self.assert_printed(outcome, "24\n")
        self.assert_printed(tool.run("argmax", raw, "-", "--concatenate", "--dtype", "f32", stdin=tool.floats(5, 9, 7)), "3\n")

    def test_large_parts_in_little_memory(self):
        many = [self.file(f"{i}.bin", struct.pack("<50000i", *range(i * 50000, (i + 1) * 50000))) for i in range(7)]
        outcome = tool.run("sum", *many, "--concatenate", "--dtype", "i32", "--memory", "64KiB")
        self.assert_printed(outcome, f"{350000 * 349999 // 2}\n")

    def test_refusals(self):
        other = self.file("d.npy", tool.npy(shape="(3,)"))
        self.assert_refused(tool.run("sum", self.parts[0], other, "--concatenate"), 2,
                            f"{other}: found shape (3,) of f32; expected what can be joined to {self.parts[0]}, shape (2, 3) of f32")
        self.assert_refused(tool.run("sum", *self.parts, "-o", self.folder / "x.npy"), 2, "expected one FILE, or --concatenate")
        self.assert_refused(tool.run("sum", *self.parts, "--save-state", self.folder / "s"), 2, "expected one FILE, or --concatenate")
        missing = self.folder / "none.npy"
        self.assert_refused(tool.run("sum", *self.parts, missing, "--concatenate"), 3, f"{missing}: No such file or directory")
        scalar = self.file("e.npy", tool.npy(shape="()", data=b"\0" * 4))
        self.assert_refused(tool.run("sum", scalar, scalar, "--concatenate"), 2, "found a scalar; expected an axis to join along")


if __name__ == "__main__":
    tool.main()
