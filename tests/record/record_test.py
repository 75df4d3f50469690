"""What gpu_record.py makes of a run, with programs that are scripts: no GPU is needed."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import gpu_record  # pylint: disable=wrong-import-position

GTEST = """
    for word; do
      case $word in
        --gtest_list_tests) printf 'Sanitized.\\n  one\\n' ;;
        --gtest_output=json:*)
          echo '{"testsuites": [{"testsuite": [{"status": "RUN", "result": "COMPLETED"}]}]}' >"${word#*:}" ;;
      esac
    done
"""
TESTER = """
    while [ $# -gt 0 ]; do
      case $1 in --seed) seed=$2 ;; --seconds) seconds=$2 ;; --json) file=$2 ;; esac
      shift 2
    done
    echo "{\\"seed\\": $seed, \\"cases\\": $((CASES * seconds)), \\"differences\\": DIFFERENCES}" >"$file"
    [ DIFFERENCES = 0 ]
"""
TOOLS = {
    "nvidia-smi": "echo 'NVIDIA H200, 580.1'",
    "nvcc": "echo 'release 13.0, V13.0.88'",
    "compute-sanitizer": """
        tool=$2
        while ! [ -x "$1" ]; do shift; done
        "$@" || exit
        case $tool/$1 in TOOL/*TARGET) echo '========= ERROR SUMMARY: 3 errors' && exit 99 ;; esac
    """,
}


class Record(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for folder in ("lib", "tests", "bin", "tools"):
            (self.root / folder).mkdir()
        for name in (*gpu_record.HASHED_FILES, "lib/kernel.cu"):
            (self.root / name).write_text(name)
        for name in gpu_record.PROGRAMS:
            self.script(f"bin/{name}", GTEST)
        self.put_tester()
        self.put_tools()
        before = gpu_record.ROOT, gpu_record.RECORD, os.environ["PATH"]
        self.addCleanup(self.restore, *before)
        gpu_record.ROOT, gpu_record.RECORD = self.root, self.root / "tests" / "gpu-record.json"
        os.environ["PATH"] = f"{self.root / 'tools'}:{before[2]}"
        gpu_record.MOST_SHARDS = 1
        gpu_record.stamp(self.root / "bin")

    @staticmethod
    def restore(root, record, path):
        gpu_record.ROOT, gpu_record.RECORD, os.environ["PATH"] = root, record, path

    def script(self, name, text):
        path = self.root / name
        path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
        path.chmod(0o755)

    def put_tester(self, cases=500, differences=0):
        self.script(f"bin/{gpu_record.TESTER}", TESTER.replace("CASES", str(cases)).replace("DIFFERENCES", str(differences)))

    def put_tools(self, failing_tool="none", target="none"):
        for name, text in TOOLS.items():
            self.script(f"tools/{name}", text.replace("TOOL", failing_tool).replace("TARGET", target))

    def run_all(self):
        """Exit status, the record, and the line of status."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = gpu_record.run(self.root / "bin")
            before = said.tell()
            self.assertEqual(code, gpu_record.status())
        return code, json.loads(gpu_record.RECORD.read_text()), said.getvalue()[before:]

    def test_says_how_much_was_tried(self):
        code, record, line = self.run_all()
        self.assertEqual(code, 0)
        tried = record["agreement"]
        self.assertEqual((tried["cases"], tried["differences"], tried["verdict"]), (60000, 0, "clean"))
        self.assertEqual([record["sanitizers"][tool].get("cases") for tool in gpu_record.SANITIZERS],
                         [10000, 10000, None, None])
        self.assertIn(f"60000 random cases of seed {tried['seed']}, 0 differences", line)
        self.assertIn("memcheck clean (10000 cases)", line)

    def test_seeds_are_fresh(self):
        seeds = {gpu_record.tester_record(str(self.root / "bin" / gpu_record.TESTER), 1)["seed"] for _ in range(3)}
        self.assertEqual(len(seeds), 3)

    def test_a_difference_is_not_clean(self):
        self.put_tester(differences=2)
        code, record, line = self.run_all()
        self.assertEqual((code, record["agreement"]["differences"]), (1, 2))
        self.assertIn("not clean", line)
        self.assertIn("2 differences", line)

    def test_no_case_is_not_clean(self):
        self.put_tester(cases=0)
        code, record, _ = self.run_all()
        self.assertEqual((code, record["agreement"]["verdict"]), (1, "nothing was run"))

    def test_cases_under_a_sanitizer_count(self):
        self.put_tools("racecheck", gpu_record.TESTER)
        code, record, line = self.run_all()
        self.assertEqual((code, record["sanitizers"]["racecheck"]["verdict"]), (1, "3 errors"))
        self.assertEqual(record["sanitizers"]["memcheck"]["verdict"], "clean")
        self.assertIn("racecheck 3 errors", line)

    def test_what_the_tool_failed_at_is_repeated(self):
        whole = TOOLS["compute-sanitizer"].replace("TOOL", "racecheck").replace("TARGET", gpu_record.TESTER)
        self.script("tools/compute-sanitizer", whole.replace("ERROR SUMMARY: 3 errors", gpu_record.TOOL_FAILED))
        code, record, _ = self.run_all()
        self.assertEqual((code, record["sanitizers"]["racecheck"]["verdict"]), (1, gpu_record.NO_VERDICT))
        self.put_tools("memcheck", gpu_record.TESTER)  # which is not asked again
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(gpu_record.again(self.root / "bin"), 0)
        self.assertEqual(json.loads(gpu_record.RECORD.read_text())["sanitizers"]["racecheck"]["verdict"], "clean")
        (self.root / "lib" / "kernel.cu").write_text("changed")
        self.assertRaises(SystemExit, gpu_record.again, self.root / "bin")

    def test_tests_under_a_sanitizer_count(self):
        self.put_tools("initcheck", "test_graphs")
        code, record, _ = self.run_all()
        self.assertEqual((code, record["sanitizers"]["initcheck"]["verdict"]), (1, "3 errors"))

    def test_a_tool_that_fails_itself_is_tried_once_more(self):
        for times, verdict in [(1, "clean"), (2, gpu_record.NO_VERDICT)]:
            mark = self.root / "failures"
            mark.write_text("x" * times)
            self.script("tools/compute-sanitizer", f"""
                while ! [ -x "$1" ]; do shift; done
                case $1 in *test_stream)
                  if [ -s {mark} ]; then
                    truncate -s -1 {mark}
                    echo '========= {gpu_record.TOOL_FAILED}: Detected a failure'
                    exit 1
                  fi ;;
                esac
                "$@"
            """)
            program = str(self.root / "bin" / "test_stream")
            with contextlib.redirect_stdout(io.StringIO()):
                found = gpu_record.sanitize("initcheck", program, 0)
            self.assertEqual(found["verdict"], verdict)

    def test_without_a_tester_there_is_no_record(self):
        (self.root / "bin" / gpu_record.TESTER).unlink()
        with self.assertRaises(SystemExit):
            self.run_all()
        self.assertFalse(gpu_record.RECORD.exists())

    def test_programs_of_other_sources_are_refused(self):
        (self.root / "lib" / "kernel.cu").write_text("another")
        with self.assertRaises(SystemExit):
            self.run_all()

    def test_changed_sources_make_a_record_stale(self):
        self.run_all()
        (self.root / "lib" / "kernel.cu").write_text("another")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(gpu_record.status(), 1)
        self.assertIn("stale", said.getvalue())

    def test_comments_are_no_code(self):
        code = self.root / "lib" / "kernel.cu"
        code.write_text("// One.\nint f(char c) { return c == '\"' ? 1'000 : 2; }  // two\nauto t = \"//\";\n")
        gpu_record.stamp(self.root / "bin")
        self.run_all()
        for same in ("// Other words.\n//\nint f(char c) { return c == '\"' ? 1'000 : 2; }\nauto t = \"//\";\n",
                     "int f(char c) { return c == '\"' ? 1'000 : 2; }\n\nauto t = \"//\";  // a comment\n"):
            code.write_text(same)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(gpu_record.status(), 0)
        for other in ("int f(char c) { return c == '\"' ? 1'000 : 2; }\nauto t = \"// else\";\n",
                      "int f(char c) { return c == '/' ? 1'000 : 2; }\nauto t = \"//\";\n"):
            code.write_text(other)
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(gpu_record.status(), 1)

    def test_comments_of_cmake_are_no_code(self):
        lists = self.root / "CMakeLists.txt"
        lists.write_text("add_library(a \"#1\" [[#2]])  # one\n# two\n")
        self.assertEqual(gpu_record.code_of(lists), "add_library(a \"#1\" [[#2]])")


if __name__ == "__main__":
    unittest.main()
