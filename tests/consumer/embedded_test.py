"""multifold inside of another project, by add_subdirectory and by FetchContent: what it brings, and what it must not."""

import json
import re
import shutil
import unittest

import consumer


class Embedded(unittest.TestCase):
    def configure(self, way, *options):
        folder = consumer.SCRATCH / way
        shutil.rmtree(folder, ignore_errors=True)
        output = consumer.run(*consumer.configure(folder, f"-DWAY={way}", f"-DMULTIFOLD_SOURCE={consumer.OPTIONS.source}",
                                                  f"-DMULTIFOLD_CUDA={consumer.OPTIONS.cuda}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                                                  *options))
        targets = set(re.search(r"-- targets (.*)", output)[1].split(";"))
        commands = {entry["file"]: entry["command"] for entry in json.loads((folder / "compile_commands.json").read_text())}
        return folder, targets, commands

    def check_traces(self, folder, targets, commands):
        self.assertEqual({name for name in targets if not name.startswith("multifold_")}, {"consumer"})
        self.assertFalse({"multifold_app", "multifold_commands", "multifold_ladder"} & targets)
        self.assertNotIn("add_test", "".join(path.read_text() for path in folder.rglob("CTestTestfile.cmake")))
        installed = consumer.run("cmake", "--install", folder, "--prefix", folder / "nothing")
        self.assertFalse((folder / "nothing").exists(), installed)
        own = commands.pop(str(consumer.PROJECT / "main.cpp"))
        self.assertNotRegex(own, r" -(W|O|f(?!PI)|std=gnu(?!\+\+20))|-DMULTIFOLD_NO_CONTRACTION")
        cache = (folder / "CMakeCache.txt").read_text()
        self.assertRegex(cache, r"CMAKE_BUILD_TYPE:STRING=\n")

    def test_subdirectory(self):
        folder, targets, commands = self.configure("subdirectory")
        self.check_traces(folder, targets, commands)
        self.assertNotIn("multifold_shared", targets)
        self.assertGreater(len(commands), 50)
        for file, command in commands.items():
            if file.endswith(".cpp"):
                self.assertRegex(command, r" -O3 .*-ffp-contract=off|-ffp-contract=off .*-O3 ", file)
                self.assertNotIn(" -W", command)
        consumer.run("cmake", "--build", folder, "--target", "multifold/lib/src/core/CMakeFiles/multifold_core.dir/dtype.cpp.o")

    def test_the_whole_projects_kind_and_build_type(self):
        _, targets, commands = self.configure("subdirectory", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_CXX_FLAGS=-O1")
        self.assertIn("multifold_shared", targets)
        self.assertFalse([command for command in commands.values() if " -O3" in command])

    def test_fetch_content(self):
        folder, targets, commands = self.configure("fetch")
        self.check_traces(folder, targets, commands)


if __name__ == "__main__":
    consumer.main()
