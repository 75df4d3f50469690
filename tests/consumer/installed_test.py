"""Installs the build into a folder, which other tests use, and looks at what is there."""

import shutil
import subprocess
import sys
import unittest

import consumer

PREFIX = consumer.PREFIX


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(PREFIX, ignore_errors=True)
        consumer.run("cmake", "--install", consumer.OPTIONS.build, "--prefix", PREFIX)

    def test_everything_is_there(self):
        for name in ("include/multifold/multifold.hpp", "include/multifold/graphs/topology.hpp", "lib/libmultifold.a",
                     f"lib/libmultifold.so.{consumer.VERSION}", "lib/pkgconfig/multifold.pc", "bin/multifold",
                     "lib/cmake/multifold/multifoldConfig.cmake", "share/man/man1/multifold.1", "share/man/man3/multifold.3",
                     "share/bash-completion/completions/multifold", "share/zsh/site-functions/_multifold",
                     "share/fish/vendor_completions.d/multifold.fish", "share/doc/multifold/LICENSE",
                     "share/doc/multifold/README.md", "share/doc/multifold/docs/states.md"):
            with self.subTest(name=name):
                self.assertTrue((PREFIX / name).is_file())
                self.assertGreater((PREFIX / name).stat().st_size, 0)
        library = PREFIX / "lib"
        self.assertEqual((library / "libmultifold.so").readlink().name, consumer.SHARED_NAME)
        self.assertEqual((library / consumer.SHARED_NAME).resolve().name, f"libmultifold.so.{consumer.VERSION}")

    def test_nothing_else_is_there(self):
        self.assertEqual({path.name for path in PREFIX.iterdir()}, {"bin", "include", "lib", "share"})
        self.assertEqual([path.name for path in (PREFIX / "include").iterdir()], ["multifold"])
        self.assertEqual([path.name for path in (PREFIX / "bin").iterdir()], ["multifold"])
        self.assertEqual(len(list((PREFIX / "lib").iterdir())), 6)

    def test_no_file_names_the_build_or_the_sources(self):
        texts = [path for path in PREFIX.rglob("*") if path.is_file() and path.parent.name not in ("bin", "lib")]
        self.assertGreater(len(texts), 100)
        for path in texts:
            self.assertNotIn(str(consumer.OPTIONS.source).encode(), path.read_bytes(), path)

    def test_links_between_documents_lead_somewhere(self):
        consumer.run(sys.executable, "-B", consumer.OPTIONS.source / "tests/documents/links_test.py", PREFIX / "share/doc/multifold")

    def test_components_are_apart(self):
        counts = {}
        for component in ("runtime", "dev", "tools"):
            folder = consumer.SCRATCH / component
            shutil.rmtree(folder, ignore_errors=True)
            consumer.run("cmake", "--install", consumer.OPTIONS.build, "--prefix", folder, "--component", component)
            counts[component] = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}
            shutil.rmtree(folder)
        self.assertEqual(counts["runtime"], {f"lib/libmultifold.so.{consumer.VERSION}", f"lib/{consumer.SHARED_NAME}"})
        self.assertIn("bin/multifold", counts["tools"])
        self.assertIn("lib/libmultifold.so", counts["dev"])
        everything = {str(path.relative_to(PREFIX)) for path in PREFIX.rglob("*") if not path.is_dir() or path.is_symlink()}
        self.assertEqual(counts["runtime"] | counts["dev"] | counts["tools"], everything)
        self.assertEqual(sum(map(len, counts.values())), len(everything))

    def test_the_tool_runs(self):
        done = subprocess.run([PREFIX / "bin/multifold", "--version"], check=True, stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, f"multifold {consumer.VERSION}\n")


if __name__ == "__main__":
    consumer.main()
