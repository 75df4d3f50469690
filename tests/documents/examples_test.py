"""Builds examples/ as a project of its own against this build's package, and compares what each prints with its last comment.
Each has 20 to 60 lines.

Those in .cu files are compiled where there is nvcc, and run where there is a GPU, too.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def shown(source):
    """The comment that a file ends with, without its slashes."""
    return re.sub(r"^// ?", "", re.search(r"(?:^//.*\n)+\Z", source.read_text(), re.M).group(), flags=re.M)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--source", "--build"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    for name in ("--cxx", "--cxx-flags", "--cuda-compiler"):
        parser.add_argument(name, default="")
    options = parser.parse_args()
    examples = sorted(path for path in (options.source / "examples").iterdir() if path.suffix in (".cpp", ".cu"))
    nvcc = [f"-DCMAKE_CUDA_COMPILER={options.cuda_compiler}"] if options.cuda_compiler else []
    failures = 0
    for example in examples:
        lines = len(example.read_text().splitlines())
        if not 20 <= lines <= 60:
            failures += 1
            print(f"{example.name} has {lines} lines; expected 20 to 60")
    with tempfile.TemporaryDirectory() as folder:
        said = run("cmake", "-G", "Ninja", "-S", options.source / "examples", "-B", folder, f"-Dmultifold_DIR={options.build}",
                   f"-DCMAKE_CXX_COMPILER={options.cxx}", f"-DCMAKE_CXX_FLAGS={options.cxx_flags}", *nvcc)
        left_out = dict(re.findall(r"^-- (\w+) is not built: (.*)$", said, re.M))
        run("cmake", "--build", folder)
        for example in examples:
            program = pathlib.Path(folder) / example.stem
            if example.stem in left_out:
                print(f"{example.stem} is not built: {left_out[example.stem]}")
                continue
            if example.suffix == ".cu" and not shutil.which("nvidia-smi"):
                print(f"{example.stem} is compiled, not run: no GPU")
                continue
            printed, expected = run(program), shown(example)
            if printed != expected:
                failures += 1
                print(f"{example.name} should print\n{expected}but printed\n{printed}")
    print(f"{len(examples)} examples, {failures} failures")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main())
