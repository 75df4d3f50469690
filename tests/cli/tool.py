"""Calls the binary under test, and makes the files that it is called with. No tests here."""

import json
import mmap
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass

BINARY = os.environ.get("MULTIFOLD_BIN", "multifold")

ITEM_BYTES = {"bool": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8,
              "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
KINDS = {1: "other", 2: "usage", 3: "input", 4: "no_engine", 5: "device", 6: "does_not_fit"}


def word(dtype):
    """What --dtype takes for `dtype`, as output names it: i8 and u8 would be 8 bytes in NumPy."""
    return {"i8": "int8", "u8": "uint8"}.get(dtype, dtype)


@dataclass
class Outcome:
    code: int
    out: str
    err: str
    seconds: float
    json: bool = False  # whether failures are asked for as JSON


def environment(**changes):
    base = {name: value for name, value in os.environ.items() if not name.startswith("MULTIFOLD_")}
    return {**base, "MULTIFOLD_ENGINE": "host", **changes}


def run(*arguments, stdin=b"", env=None, before=None, cwd=None, stdout=subprocess.PIPE):
    """`stdin` is bytes or something with a file number; `before` runs in the child."""
    given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    start = time.monotonic()
    done = subprocess.run([BINARY, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, timeout=120,
                          env=env or environment(), preexec_fn=before, check=False, **given)
    out = (done.stdout or b"").decode(errors="surrogateescape")
    return Outcome(done.returncode, out, done.stderr.decode(errors="surrogateescape"), time.monotonic() - start,
                   "--json" in arguments)


def start(*arguments, stdin=subprocess.DEVNULL):
    """A run in the background that hears signals even where the caller ignores them."""
    def hear():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
    return subprocess.Popen([BINARY, *map(str, arguments)], stdin=stdin, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(), preexec_fn=hear)


def await_hearing(process, number):
    """Returns once the process holds the signal back for a thread that waits for it, or has ended: before that, on a busy machine,
    it dies of it."""
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        if int(re.search(r"^SigBlk:\s*(\w+)", status, re.MULTILINE)[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.005)


# The peak that the kernel reports of a child is its parent's, if that is larger: a Python that has imported next to
# nothing is the parent here.
SMALL_PARENT = """
import os, sys
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=sys.stderr)
"""


def run_to_peak(*arguments, stdin=None, stdout=subprocess.DEVNULL):
    """Exit status, peak memory in bytes, and what a run wrote to its standard error."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SMALL_PARENT, BINARY, *map(str, arguments)], stdin=stdin,
                          stdout=stdout, stderr=subprocess.PIPE, env=environment(), check=True, text=True)
    *err, last = done.stderr.splitlines()
    code, kilobytes = map(int, last.split())
    return code, kilobytes * 1024, "\n".join(err)


def is_sanitized():
    with open(BINARY, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as binary:
        return binary.find(b"__asan_init") >= 0


def limit(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


def npy(descr="'<f4'", shape="(3,)", data=b"\0" * 12, version=(1, 0), fortran=False, header=None):
    """The bytes of a .npy file, well formed or not; `descr` and `shape` are Python text."""
    if header is None:
        header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text = header.encode("utf-8" if version[0] >= 3 else "latin-1")
    length_bytes = 2 if version[0] == 1 else 4
    text += b" " * (63 - (8 + length_bytes + len(text)) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + len(text).to_bytes(length_bytes, "little") + text + data


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


class ToolTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="multifold-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def assert_refused(self, outcome, code, *words):
        """One line on standard error with each of `words`, or one JSON object if that was asked for, and nothing else anywhere."""
        what = f"\nstdout: {outcome.out!r}\nstderr: {outcome.err!r}"
        self.assertEqual(outcome.code, code, what)
        self.assertEqual(outcome.out, "", what)
        self.assertTrue(outcome.err.endswith("\n") and outcome.err.count("\n") == 1, "expected one line" + what)
        if outcome.json:
            message = self.error_object(outcome.err, code)["message"]
        else:
            self.assertTrue(outcome.err.startswith("multifold: "), what)
            message = outcome.err
        for word in words:
            self.assertIn(str(word), message, what)
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f]", outcome.err), what)

    def error_object(self, line, code):
        """The JSON object of a failure."""
        error = json.loads(line)
        self.assertEqual((error["schema"], error["program"], error["exit_code"]), ("multifold.error/1", "multifold", code))
        self.assertEqual(error["kind"], KINDS.get(code, "interrupted"))
        self.assertLessEqual(set(error), {"schema", "program", "kind", "message", "exit_code", "file", "files"})
        return error

    def assert_printed(self, outcome, text):
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, text, ""))


def main():
    program = unittest.main(exit=False)
    result = program.result
    for test, reason in result.skipped:
        print(f"*** SKIPPED {test}: {reason}", file=sys.stderr)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.testsRun and len(result.skipped) == result.testsRun else 0)
