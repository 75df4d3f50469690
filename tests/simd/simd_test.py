"""Compiles kernels and looks at their instructions: those of each level have its vectors, and none that it has not.

    simd_test.py COMPILER LIB
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
# A compiler that drops an attribute warns of it, or does not; the instructions tell.
WIDEST = {"avx512": re.compile(r"%zmm\d"), "avx2": re.compile(r"%ymm\d")}
TOO_WIDE = {"avx2": re.compile(r"%zmm\d"), "portable": re.compile(r"%[yz]mm\d")}


def functions_of(object_file):
    """Name to instructions."""
    listing = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", object_file], capture_output=True, text=True,
                             check=True).stdout
    found, lines = {}, []
    for line in listing.splitlines():
        start = re.fullmatch(r"[0-9a-f]+ <(.*)>:", line)
        if start:
            lines = found.setdefault(start[1], [])
        else:
            lines.append(line)
    return {name: "\n".join(body) for name, body in found.items()}


def check(name, body):
    """What is wrong with a kernel of some level."""
    level = re.search(r"(?:rows|columns)_(avx512|avx2|portable)<", name)
    if not level or "[clone" in name:
        return None
    level = level[1]
    if level in WIDEST and len(WIDEST[level].findall(body)) < 10:
        return f"{name}: has no vectors of {level}"
    if level in TOO_WIDE and TOO_WIDE[level].search(body):
        return f"{name}: has vectors that {level} has not"
    return ""


def main():
    compiler, lib = sys.argv[1], Path(sys.argv[2])
    if not shutil.which("objdump"):
        print("skipped: there is no objdump")
        return 77
    wrong, kernels = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for source in ["sum_real.cpp", "extremum_real.cpp"]:
            made = f"{folder}/{source}.o"
            subprocess.run([compiler, *FLAGS, f"-I{lib}/include", f"-I{lib}/src", "-c", lib / "src/host/ops" / source, "-o",
                            made], check=True)
            for name, body in functions_of(made).items():
                verdict = check(name, body)
                kernels += verdict is not None
                if verdict:
                    wrong.append(verdict)
    if kernels < 24:
        wrong.append(f"found {kernels} kernels only")
    print("\n".join(wrong) or f"{kernels} kernels have the vectors of their level")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
