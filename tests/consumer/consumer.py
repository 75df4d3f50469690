"""What the tests of this folder share: the options that CTest gives them, and running commands. No tests here."""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

_parser = argparse.ArgumentParser()
_parser.add_argument("--build", type=pathlib.Path, required=True)
_parser.add_argument("--source", type=pathlib.Path, required=True)
_parser.add_argument("--cxx", required=True)
_parser.add_argument("--flags", default="")
_parser.add_argument("--cuda", default="OFF")
_parser.add_argument("--launcher", default="")
OPTIONS, _REST = _parser.parse_known_args()

SCRATCH = OPTIONS.build / "consumer"
PREFIX = SCRATCH / "prefix"
PROJECT = OPTIONS.source / "tests" / "consumer" / "project"
FLAGS = shlex.split(OPTIONS.flags)
VERSION = next(line.split('"')[1] for line in
               (OPTIONS.source / "lib/include/multifold/version.hpp").read_text().splitlines() if "#define" in line)
SHARED_NAME = "libmultifold.so." + ("0." + VERSION.split(".")[1] if VERSION.startswith("0.") else VERSION.split(".")[0])
# The namespace of all that there is, multifold::v0_1, whose inner part is inline, as compilers write it.
NAMESPACE = "".join(f"{len(name)}{name}" for name in ("multifold", "v" + SHARED_NAME.partition(".so.")[2].replace(".", "_")))


def sanitized():
    return "-fsanitize" in OPTIONS.flags


def run(*command, where=None, **environment):
    """The output of both kinds, of a command that has to succeed."""
    code, output = outcome(*command, where=where, **environment)
    if code != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}\nended with {code}:\n{output}")
    return output


def outcome(*command, where=None, **environment):
    done = subprocess.run([str(word) for word in command], cwd=where, env={**os.environ, **environment}, check=False,
                          text=True, timeout=500, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def configure(folder, *options, cmake="cmake"):
    """The command that configures the user's project in `folder`."""
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={OPTIONS.launcher}"] if OPTIONS.launcher else []
    return [cmake, "-G", "Ninja", "-S", PROJECT, "-B", folder, f"-DCMAKE_CXX_COMPILER={OPTIONS.cxx}", *launcher, *options]


def main():
    program = unittest.main(argv=[sys.argv[0], *_REST], exit=False)
    failed = not program.result.wasSuccessful()
    skipped = program.result.testsRun > 0 and len(program.result.skipped) == program.result.testsRun
    sys.exit(1 if failed else 77 if skipped else 0)
