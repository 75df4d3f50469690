"""find_package: both kinds of library, components, versions, and what it refuses."""

import json
import re
import unittest

import consumer


class FindPackage(unittest.TestCase):
    def configure(self, name, wanted="", *options):
        folder = consumer.SCRATCH / name
        return folder, consumer.outcome(*consumer.configure(
            folder, f"-DCMAKE_PREFIX_PATH={consumer.PREFIX}", f"-DCMAKE_CXX_FLAGS={consumer.OPTIONS.flags}",
            f"-DWANTED={wanted.replace(' ', ';')}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "--fresh", *options))

    def found(self, kind, *arguments):
        folder, (code, output) = self.configure(*arguments)
        self.assertEqual(code, 0, output)
        self.assertRegex(output, rf"found {re.escape(consumer.VERSION)} multifold::multifold_{kind} HAS_CUDA=[01]")
        return folder

    def built(self, kind, *arguments):
        folder = self.found(kind, *arguments)
        consumer.run("cmake", "--build", folder)
        consumer.run(folder / "consumer")
        dynamic = consumer.run("readelf", "-d", folder / "consumer")
        self.assertEqual(consumer.SHARED_NAME in dynamic, kind == "shared")
        return folder

    def test_static_unless_something_says_otherwise(self):
        folder = self.built("static", "default", "0.1")
        # What multifold is compiled with is no affair of its users' own code.
        commands = json.loads((folder / "compile_commands.json").read_text())
        self.assertNotRegex(commands[0]["command"], "-fmad|-ffp-contract|relaxed-constexpr|MULTIFOLD_NO_CONTRACTION|-Wall")

    def test_shared(self):
        self.built("shared", "shared", "0.1 COMPONENTS shared")

    def test_what_says_which_kind(self):
        self.found("shared", "asked", "", "-DBUILD_SHARED_LIBS=ON")
        self.found("static", "asked", "COMPONENTS static", "-DBUILD_SHARED_LIBS=ON")
        self.found("static", "asked", "OPTIONAL_COMPONENTS static nonsense")

    def test_refusals(self):
        for wanted, expected in (("0.2", "not compatible|compatible with requested"), ("1.0", "compatible"),
                                 ("0.0.9", "compatible"),
                                 ("COMPONENTS static shared", "static or shared; expected one of these components"),
                                 ("COMPONENTS gpu", "no component gpu; expected static, shared or cuda")):
            with self.subTest(wanted=wanted):
                _, (code, output) = self.configure("refused", wanted)
                self.assertNotEqual(code, 0)
                self.assertRegex(output.replace("\n", " "), expected)

    def test_cuda_is_a_component(self):
        _, (code, output) = self.configure("asked")
        self.assertEqual(code, 0)
        has_cuda = "HAS_CUDA=1" in output
        _, (code, output) = self.configure("asked", "COMPONENTS cuda")
        self.assertEqual(code == 0, has_cuda, output)
        if not has_cuda:
            self.assertIn("built without the component cuda", re.sub(r"\s+", " ", output))


if __name__ == "__main__":
    consumer.main()
