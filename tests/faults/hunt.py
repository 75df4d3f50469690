#!/usr/bin/env python3
"""Do the tests notice? Plants faults in a copy of the sources, one build for all of them, and looks which test sees each.

    hunt.py host                  the faults in host.py: needs no GPU
    hunt.py device                those in device.py and device_exact.py, on an NVIDIA GPU
    hunt.py host --only 3,17      some of them
    hunt.py host --check          whether each of them still finds its place in the sources; builds nothing
    hunt.py --jobs 8 -- device -DMULTIFOLD_APPS=OFF     with an option for CMake

A fault is there in every build and sleeps until its number is said: in the environment (PLANTED_FAULT), or, in device
code, by a constant that is changed in the programs. Exit status 1 if fewer than 95 % are noticed, or a test fails that
has nothing to notice. Takes a build and some minutes; the copy is build/faults.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import device
import host

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COPY = ROOT / "build" / "faults"
LISTS = {"host": host.FAULTS, "device": device.FAULTS}
PRESETS = {"host": "cpu", "device": "cuda"}
ROOMS = ("core", "plan", "host", "io", "stream", "reduce", "device", "graphs")
WANTED = 0.95
SECONDS = 300  # of one program: a fault may well make it wait for ever
SLEEPING = 0x5AFA17ED  # what a constant on the device is before a number is put in its place
HEADER = f"""#pragma once
#pragma GCC system_header  // macros of such headers are not warned of
#ifdef __CUDACC__
[[maybe_unused]] static __device__ volatile int planted_fault = {SLEEPING:#x};
#endif
#ifdef __cplusplus
#include <cstdlib>
inline const int planted_fault_said = [] {{
  const char* const text = std::getenv("PLANTED_FAULT");
  return text != nullptr ? std::atoi(text) : 0;
}}();
#ifdef __CUDA_ARCH__
#define FAULT(n) (planted_fault == (n) ? 1 : 0)
#else
#define FAULT(n) (!__builtin_is_constant_evaluated() && planted_fault_said == (n))
#endif
#endif
"""


def planted(faults, read):
    """New texts of the files that have faults; and the faults that find no place, or several."""
    texts, lost = {}, []
    for number, (name, path, old, new) in enumerate(faults, 1):
        text = texts.get(path) or read(path)
        if text.count(old) != 1:
            lost.append(f"{number}: {name}: {text.count(old)} places in {path}")
            continue
        texts[path] = text.replace(old, re.sub(r"\bFAULT\b", f"FAULT({number})", new))
    return texts, lost


def read(path):
    file = ROOT / path
    return file.read_text() if file.exists() else ""


def build(engine, options):
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    texts, lost = planted(LISTS[engine], read)
    if lost:
        sys.exit("\n".join(lost))
    for name in names:
        if not (ROOT / name).is_file():
            continue
        to, text = COPY / name, texts.get(name, None)
        content = (ROOT / name).read_bytes() if text is None else text.encode()
        if not to.exists() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            shutil.copymode(ROOT / name, to)
    header = COPY / "planted_fault.hpp"
    if not header.exists() or header.read_text() != HEADER:
        header.write_text(HEADER)
    flags = [f"-DCMAKE_CXX_FLAGS=-include {header}"]
    if engine == "device":
        flags.append(f"-DCMAKE_CUDA_FLAGS=--no-compress -include {header}")
    subprocess.run(["cmake", "--preset", PRESETS[engine], *flags, *options], cwd=COPY, check=True,
                   stdout=subprocess.DEVNULL)
    target = ["--target", "gpu_tests"] if engine == "device" else []
    subprocess.run(["cmake", "--build", f"build/{PRESETS[engine]}", *target], cwd=COPY, check=True)
    return COPY / "build" / PRESETS[engine]


def finished(command, number):
    """Exit status and last words."""
    said = {**os.environ, "PLANTED_FAULT": str(number), "MULTIFOLD_RATES": str(COPY / f"rates.{number}")}
    try:
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=SECONDS, env=said, check=False)
    except subprocess.TimeoutExpired:
        return 1, f"waits for more than {SECONDS} s"
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.MULTILINE)
    failed += re.findall(r"^\s*\d+ - (\S+) \(", done.stdout, re.MULTILINE)
    lines = [line for line in done.stdout.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
    return done.returncode, (failed or lines[-1:])[0]


def likely_tests(path):
    """A filter for tests that speak of what a file is about: its folder, and the words of its name; and for those that
    run every kernel."""
    words = {"agreement", pathlib.Path(path).parent.name, *pathlib.Path(path).stem.split("_")}
    words -= {"device", "cuda", "kernels"}
    return ":".join(f"*{word.rstrip('s')}*" for word in sorted(words))


def commands(engine, tree, path):
    """What may notice a fault in `path`, likeliest first."""
    bin_dir = tree / "bin"
    rooms = sorted(ROOMS, key=lambda room: f"/{room}/" not in path)
    quick = ["--gtest_fail_fast", "--gtest_brief=1"]
    tests = [[bin_dir / f"test_{room}", *quick] for room in rooms if (bin_dir / f"test_{room}").exists()]
    tester = [bin_dir / "multifold-agreement", "--seed", "20260101", "--seconds", "20", "--threads", "2"]
    if engine == "device":
        alone = "-device_shortage.*:*keeps_no_memory*"
        rare = [bin_dir / "test_device", *quick, "--gtest_filter=rare_*:windows_on_device.*:products_on_device.*"]
        likely = [[*tests[0], f"--gtest_filter={likely_tests(path)}{alone}"]] if path else []
        return [rare, [*tester, "--engine", "device"], *likely] + [[*test, f"--gtest_filter={alone}"] for test in tests]
    return tests + [tester, ["ctest", "--test-dir", tree, "-R", r"^cli\.|fuzz", "--stop-on-failure"]]


def own_program(program, number):
    """A copy whose device code has the fault awake."""
    code = program.read_bytes()
    sleeping = SLEEPING.to_bytes(4, "little")
    if sleeping not in code:
        sys.exit(f"{program} has no fault in it")
    copy = program.with_name(f"{program.name}.{number}")
    copy.write_bytes(code.replace(sleeping, number.to_bytes(4, "little")))
    copy.chmod(0o755)
    return copy


def hunt(engine, tree, number, fault):
    start = time.monotonic()
    seen = ""
    for command in commands(engine, tree, fault[1]):
        if engine == "device":
            command[0] = own_program(command[0], number)
        status, words = finished(command, number)
        if engine == "device":
            command[0].unlink()
        if status != 0:
            seen = f"{pathlib.Path(command[0]).name.split('.')[0]}: {words}"
            break
    print(f"{number:3} {fault[0]:58} {time.monotonic() - start:4.0f} s  {seen or 'NOT NOTICED'}", flush=True)
    return bool(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=LISTS)
    parser.add_argument("--only", metavar="N,...", help="numbers of faults")
    parser.add_argument("--check", action="store_true", help="only whether each finds its place")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="faults at a time")
    parser.add_argument("option", nargs="*", help="for cmake, as -DNAME=VALUE, behind -- and the engine")
    wanted = parser.parse_args()
    faults = LISTS[wanted.engine]
    if wanted.check:
        lost = planted(faults, read)[1]
        print("\n".join(lost) or f"{len(faults)} faults have their places")
        return 1 if lost else 0
    tree = build(wanted.engine, wanted.option)
    numbers = [int(n) for n in wanted.only.split(",")] if wanted.only else list(range(1, len(faults) + 1))
    by_number = [("no fault at all", "", "", ""), *faults]
    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        first, *noticed = pool.map(lambda n: hunt(wanted.engine, tree, n, by_number[n]), [0, *numbers])
    if first:
        sys.exit("a test fails without a fault")
    print(f"{sum(noticed)} of {len(noticed)} faults are noticed")
    return 0 if sum(noticed) >= WANTED * len(noticed) else 1


if __name__ == "__main__":
    sys.exit(main())
