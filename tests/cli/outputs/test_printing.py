"""What printing takes at most: --memory, 64 MiB and the results, however large the text or the JSON of them is."""

import tool

MEMORY = 64 << 20
OWN = 64 << 20


class Printing(tool.ToolTest):
    def zeros(self, count):
        path = self.folder / "zeros.bin"
        with path.open("wb") as file:
            file.truncate(count)
        return path

    def check(self, results_bytes, *arguments):
        """Bytes that were printed."""
        if tool.is_sanitized():
            self.skipTest("sanitizers take memory of their own")
        with (self.folder / "out").open("wb") as out:
            code, peak, err = tool.run_to_peak(*arguments, "--memory", MEMORY, stdout=out)
        self.assertEqual(code, 0, err)
        self.assertLessEqual(peak, MEMORY + OWN + results_bytes)
        return (self.folder / "out").stat().st_size

    def test_descriptions_as_json(self):
        path = self.zeros(500_000 * 3 * 4)
        printed = self.check(500_000 * 104, "describe", path, "--dtype", "f32", "--shape", "500000,3", "--axis", "1", "--json")
        self.assertGreater(printed, 100 << 20)

    def test_arrays_as_json(self):
        path = self.zeros(4_000_000)
        for op in ("sum", "max"):
            printed = self.check(4_000_000 * 8, op, path, "--dtype", "int8", "--shape", "2000,2000,1", "--axis", "2", "--json")
            self.assertGreater(printed, 30 << 20)

    def test_text_of_many_axes(self):
        # Up to six indices of each axis are shown.
        for op, axes, item in (("max", 8, 1), ("describe", 6, 104)):
            shape = ",".join(["6"] * axes + ["1"])
            printed = self.check(6**axes * item, op, self.zeros(6**axes), "--dtype", "uint8", "--shape", shape, "--axis", axes)
            self.assertGreater(printed, 3 << 20)

    def test_files(self):
        path = self.zeros(4_000_000)
        for name in ("y.npy", "y.txt", "y.json"):
            out = self.folder / name
            self.check(4_000_000 * 8, "mean", path, "--dtype", "int8", "--shape", "4000000,1", "--axis", "1", "-o", out)
            self.assertGreaterEqual(out.stat().st_size, 8_000_000)


if __name__ == "__main__":
    tool.main()
