"""pkg-config: one command compiles and links, with the shared library or without any."""

import os
import pathlib
import shutil
import tempfile
import unittest

import consumer


@unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
class PkgConfig(unittest.TestCase):
    def pkg_config(self, *words):
        return consumer.run("pkg-config", *words, "multifold",
                            PKG_CONFIG_PATH=str(consumer.PREFIX / "lib/pkgconfig")).split()

    def compile(self, *options, pkg_config=("--cflags", "--libs")):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "consumer"
            consumer.run(consumer.OPTIONS.cxx, *consumer.FLAGS, "-std=c++20", consumer.PROJECT / "main.cpp", "-o", program,
                         *options, *self.pkg_config(*pkg_config))
            consumer.run(program, LD_LIBRARY_PATH=str(consumer.PREFIX / "lib"))
            return consumer.run("readelf", "-d", program)

    def test_the_shared_library(self):
        self.assertIn(consumer.SHARED_NAME, self.compile())

    def test_static(self):
        if consumer.sanitized():
            self.skipTest("sanitizers are shared libraries")
        self.assertNotIn("NEEDED", self.compile("-static", pkg_config=("--static", "--cflags", "--libs")))

    def test_what_it_says(self):
        self.assertEqual(self.pkg_config("--modversion"), [consumer.VERSION])
        self.assertEqual(len(self.pkg_config("--variable=has_cuda")), 1)
        self.assertNotEqual(consumer.outcome("pkg-config", "--atleast-version=99", "multifold",
                                             PKG_CONFIG_PATH=str(consumer.PREFIX / "lib/pkgconfig"))[0], 0)

    def test_it_may_be_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = pathlib.Path(folder) / "elsewhere"
            os.makedirs(moved / "lib")
            shutil.copytree(consumer.PREFIX / "lib/pkgconfig", moved / "lib/pkgconfig")
            flags = consumer.run("pkg-config", "--cflags", "multifold", PKG_CONFIG_PATH=str(moved / "lib/pkgconfig"))
            include = next(word[2:] for word in flags.split() if word.startswith("-I"))
            self.assertEqual(pathlib.Path(include).resolve(), moved.resolve() / "include")


if __name__ == "__main__":
    consumer.main()
