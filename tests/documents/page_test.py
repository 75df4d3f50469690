"""Runs one page, README.md or one of docs: every command must print what the text shows, every program must compile and run.

    sh      `$ command` lines, each followed by its output; `...` stands for what varies
    cpp     a complete program, built against this build's package; a ```text block below it is its output. Commands call
            the first one first.cpp. One that includes mpi.h is compiled where there is MPI, and runs as one process
    cuda    the same, compiled where there is nvcc, run where there is a GPU too
    cmake   a complete CMakeLists.txt beside first.cpp, which configures and builds against this build's package

`<!-- not run: reason -->` above a block exempts it. Commands of ./dev and of CMake presets are only checked to exist:
this test runs inside of them. Where `./dev demo` stands, this build is installed as the demo installs its own.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import markdown_blocks

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(page LANGUAGES CXX {languages})
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
find_package(multifold REQUIRED)
"""
WITH_MPI = """set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX)
if(TARGET MPI::MPI_CXX)
  add_executable({name} {name}.cpp)
  target_link_libraries({name} PRIVATE multifold::multifold MPI::MPI_CXX)
endif()
"""
# Programs that a build may leave out.
DEMOS = ("multifold-ladder", "multifold-overlap")


def takes_mpi(block):
    return "#include <mpi.h>" in block.text


class Mistake(Exception):
    """The text promises something that is not so."""


LIMIT_S = 300


def run(command, where, environment, shell=False):
    return subprocess.run(command, timeout=LIMIT_S, cwd=where, env=environment, shell=shell, check=False, text=True,
                          executable="/bin/bash" if shell else None, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Reader:
    """One run through the text, in a scratch folder that all blocks share, as a reader's folder would be."""

    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        self.programs = {}  # line of a block -> its executable
        path = [str(options.build / "bin"), str(self.python_folder()), os.environ["PATH"]]
        self.environment = dict(os.environ, PATH=os.pathsep.join(path), MULTIFOLD_ENGINE="auto", NO_COLOR="1")

    def python_folder(self):
        """A folder whose python3 is the one with NumPy."""
        folder = self.scratch / ".python"
        folder.mkdir()
        launcher = folder / "python3"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(shutil.which(self.options.python))} "$@"\n')
        launcher.chmod(0o755)
        return folder

    def compile(self, blocks):
        """Builds every program of the text in one CMake project, as a user of the package would."""
        languages = {"cpp": "cpp", "c++": "cpp", "cuda": "cu"}
        chosen = [block for block in blocks if block.language in languages and not block.not_run
                  and (block.language != "cuda" or self.options.cuda_compiler)]
        if not chosen:
            return
        first = next((block for block in chosen if block.language != "cuda"), None)
        if first:
            (self.scratch / "first.cpp").write_text(first.text)
        folder = self.scratch / ".programs"
        folder.mkdir()
        cuda = any(block.language == "cuda" for block in chosen)
        lines = PROJECT.format(languages="CUDA" if cuda else "")
        for block in chosen:
            name = f"line_{block.line}"
            (folder / f"{name}.{languages[block.language]}").write_text(block.text)
            self.programs[block.line] = folder / "build" / name
            if takes_mpi(block):
                lines += WITH_MPI.format(name=name)
                continue
            lines += f"add_executable({name} {name}.{languages[block.language]})\n"
            lines += f"target_link_libraries({name} PRIVATE multifold::multifold)\n"
            if block.language == "cuda":
                lines += f"target_compile_options({name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)\n"
        (folder / "CMakeLists.txt").write_text(lines)

        configure = ["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-Dmultifold_DIR={self.options.build}",
                     f"-DCMAKE_CXX_COMPILER={self.options.cxx}", f"-DCMAKE_CXX_FLAGS={self.options.cxx_flags}",
                     "-DCMAKE_CUDA_ARCHITECTURES=90"]
        if cuda:
            configure.append(f"-DCMAKE_CUDA_COMPILER={self.options.cuda_compiler}")
        for command in (configure, ["cmake", "--build", folder / "build"]):
            result = run(command, folder, self.environment)
            if result.returncode != 0:
                raise Mistake(f"a program does not compile:\n{result.stdout}")

    def check_program(self, block, shown):
        program = self.programs.get(block.line)
        if program is None:
            return "not compiled: no CUDA compiler in this build"
        if takes_mpi(block) and not program.exists():
            return "not compiled: no MPI here"
        if block.language == "cuda" and not shutil.which("nvidia-smi"):
            return "compiled, not run: no GPU"
        result = run([program], self.scratch, self.environment)
        if result.returncode != 0:
            raise Mistake(f"the program ended with {result.returncode}:\n{result.stdout}")
        if shown is not None:
            self.compare(shown.splitlines(), result.stdout)
        return "ran"

    def check_project(self, block):
        """A CMakeLists.txt of the reader's own, in the folder where first.cpp is."""
        (self.scratch / "CMakeLists.txt").write_text(block.text)
        build = self.scratch / ".project"
        for command in (["cmake", "-G", "Ninja", "-S", self.scratch, "-B", build, f"-Dmultifold_DIR={self.options.build}",
                         f"-DCMAKE_CXX_COMPILER={self.options.cxx}", f"-DCMAKE_CXX_FLAGS={self.options.cxx_flags}"],
                        ["cmake", "--build", build]):
            result = run(command, self.scratch, self.environment)
            if result.returncode != 0:
                raise Mistake(f"the project does not build:\n{result.stdout}")
        return "built"

    def check_commands(self, block):
        for command in markdown_blocks.commands(block):
            words = command.text.split()
            if words[0] == "./dev":
                self.check_dev(words)
            elif words[0] == "cmake" and "--preset" in words:
                self.check_preset(command.text)
            elif words[0] in DEMOS and not shutil.which(words[0], path=self.environment["PATH"]):
                return f"not run: {words[0]} is not in this build"
            else:
                self.check_output(command)
        return "ran"

    def check_dev(self, words):
        script = (self.options.source / "dev").read_text()
        names = re.findall(r"^  ([a-z]+) ", script, re.M)
        if len(words) > 1 and words[1] not in names:
            raise Mistake(f"./dev has no command {words[1]}")
        if words[1:2] == ["demo"]:
            prefix = re.search(r'cmake --install "build/\$preset" --prefix (\S+)', script)[1]
            result = run(["cmake", "--install", self.options.build, "--prefix", self.scratch / prefix], self.scratch, self.environment)
            if result.returncode != 0:
                raise Mistake(f"this build cannot be installed:\n{result.stdout}")

    def check_preset(self, text):
        presets = json.loads((self.options.source / "CMakePresets.json").read_text())["configurePresets"]
        names = {preset["name"] for preset in presets if not preset.get("hidden")}
        for name in re.findall(r"--preset[ =](\S+)", text):
            if name not in names:
                raise Mistake(f"there is no preset {name}")

    def check_output(self, command):
        text = re.sub(r"(?:\./)?build/\w+(?=/bin/| )", str(self.options.build), command.text)
        result = run(text, self.scratch, self.environment, shell=True)
        if result.returncode != 0:
            raise Mistake(f"`{command.text}` ended with {result.returncode}:\n{result.stdout}")
        if command.expected:
            self.compare(command.expected, result.stdout, command.text)

    @staticmethod
    def compare(expected, printed, what="the program"):
        while expected and not expected[-1].strip():
            expected = expected[:-1]
        if not markdown_blocks.matches(expected, [line.rstrip() for line in printed.rstrip("\n").split("\n")]):
            raise Mistake(f"{what} should print\n" + "\n".join(expected) + f"\nbut printed\n{printed}")


def check(reader, page, blocks):
    failures = 0
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        try:
            if block.not_run:
                outcome = f"not run: {block.not_run}"
            elif block.language in ("sh", "bash", "console"):
                outcome = reader.check_commands(block)
            elif block.language in ("cpp", "c++", "cuda"):
                shown = following.text if following and following.language == "text" else None
                outcome = reader.check_program(block, shown)
            elif block.language == "cmake":
                outcome = reader.check_project(block)
            else:
                continue
        except (Mistake, ValueError, subprocess.TimeoutExpired) as mistake:
            failures += 1
            outcome = f"FAILED: {mistake}"
        print(f"{page}:{block.line}: {block.language}: {outcome}", flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", help="relative to --source")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--cxx-flags", default="")
    parser.add_argument("--cuda-compiler", default="")
    options = parser.parse_args()
    blocks = markdown_blocks.blocks((options.source / options.page).read_text())
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(options, pathlib.Path(folder))
        try:
            reader.compile(blocks)
        except Mistake as mistake:
            print(f"{options.page}: {mistake}")
            return 1
        failures = check(reader, options.page, blocks)
    print(f"{len(blocks)} blocks, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
