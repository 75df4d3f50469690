"""Runs the GPU tests and keeps tests/gpu-record.json: which device saw which sources, and what came of it.

    gpu_record.py run BIN     runs the programs in BIN, the differential tester with a fresh seed, and compute-sanitizer
                              over a subset of both, and writes the record
    gpu_record.py again BIN   repeats what compute-sanitizer itself failed at, in a record of the same sources
    gpu_record.py stamp BIN   notes in BIN which sources its programs were built from
    gpu_record.py status      compares the record with the sources; exit 0 if it is current and clean, else 1
"""

import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "gpu-record.json"
STAMP = "sources.sha256"
PROGRAMS = ("test_device", "test_graphs", "test_stream", "test_reduce", "test_ladder")
TESTER = "multifold-agreement"  # random reductions, judged by a slow reference
TESTER_SECONDS = 120
SANITIZED_SECONDS = {"memcheck": 20, "racecheck": 20}  # of the tester under these tools
SANITIZED_BYTES = 1 << 20  # of its greatest array there
# The tester's workers there. Under racecheck, threads that launch kernels at the same time lock each other out inside of
# the tool (CUDA 13.0), or it loses track of a launch; one worker tries more cases than many do.
SANITIZED_WORKERS = {"racecheck": ["--threads", "1"]}
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZED_TESTS = "*Sanitized*"
SANITIZED_SHARDS = 8  # of each program, side by side: one test may take minutes there
# These take the GPU's memory, or look at how much of it is free, and run when nothing else does.
SERIAL_TESTS = "device_shortage.*:*keeps_no_memory*"
# Of each program, in one queue for all of them: most of a test's time is the CPU's, which works out what should come,
# and one that takes a minute then leaves the other cores with something to do.
SHARDS = 16
SECONDS = 900  # a program that takes longer hangs
TOOL_FAILED = "Internal Sanitizer Error"  # of compute-sanitizer itself, which loses launches now and then
FINDINGS = r"Race reported|Invalid|Uninitialized|Barrier error|Leaked|Program hit"
NO_VERDICT = "compute-sanitizer failed"

# The code that a GPU run speaks of.
HASHED_TREES = ("lib", "graphs", "tests/agreement", "tests/device", "tests/graphs", "tests/stream", "tests/reduce",
                "apps/ladder", "tests/ladder")
HASHED_FILES = ("CMakeLists.txt", "tests/main.cpp")
HASHED_SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".cmake", ".txt"}


def source_paths():
    found = [ROOT / name for name in HASHED_FILES]
    for tree in HASHED_TREES:
        found += [path for path in (ROOT / tree).rglob("*") if path.suffix in HASHED_SUFFIXES and path.is_file()]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


# Literals, which are kept as they are, or comments.
CXX_TOKENS = re.compile(r"""R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'"""
                        r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""", re.DOTALL)
CMAKE_TOKENS = re.compile(r"""\[(?P<mark>=*)\[.*?\](?P=mark)\]|"(?:\\.|[^"\\])*"|(?P<comment>#[^\n]*)""", re.DOTALL)


def code_of(path):
    """What a compiler sees of a file: its lines without comments. A change of words asks for no new record."""
    tokens = CMAKE_TOKENS if path.suffix in (".txt", ".cmake") else CXX_TOKENS
    code = tokens.sub(lambda token: " " if token["comment"] else token[0], path.read_text(encoding="utf-8"))
    return "\n".join(line.rstrip() for line in code.splitlines() if line.strip())


def sources_sha256():
    """The hash over names and code; the same on every machine, with or without git."""
    total = hashlib.sha256()
    for name in source_paths():
        content = hashlib.sha256(code_of(ROOT / name).encode()).hexdigest()
        total.update(f"{content}  {name}\n".encode())
    return total.hexdigest()


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def cuda_tool(name):
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which(name) or shutil.which(name, path=os.path.join(home, "bin"))


def device_facts():
    rows = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    if not rows:
        sys.exit("gpu_record: nvidia-smi names no device")
    names = [row.split(", ")[0] for row in rows]
    version = re.search(r"release ([\d.]+), V([\d.]+)", output_of(cuda_tool("nvcc") or "nvcc", "--version"))
    return {
        "device": names[0],
        "devices": len(names),
        "driver": rows[0].split(", ")[1],
        "cuda": version.group(2) if version else "unknown",
    }


def verdict_of(test):
    """passed, failed or skipped; where a GPU is required a skip is reported as a failure that says so."""
    messages = " ".join(failure["failure"] for failure in test.get("failures", []))
    if test.get("result") == "SKIPPED" or "MULTIFOLD_REQUIRE_GPU" in messages:
        return "skipped"
    return "failed" if messages or test.get("status") != "RUN" else "passed"


def finished(command, **environment):
    """Exit status and output of a command; one that hangs is killed. It leaves no rates behind: they would be those of
    a machine that runs many tests at once."""
    try:
        with tempfile.TemporaryDirectory() as scratch:
            own = dict(MULTIFOLD_REQUIRE_GPU="1", MULTIFOLD_RATES=str(pathlib.Path(scratch) / "rates"))
            done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=SECONDS, env={**os.environ, **own, **environment})
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as hung:
        said = hung.stdout or ""
        return 1, (said if isinstance(said, str) else said.decode(errors="replace")) + f"\nkilled after {SECONDS} s\n"


def watched(command, **environment):
    """The same of a program under compute-sanitizer; again if the tool itself failed."""
    status, said = finished(command, **environment)
    return finished(command, **environment) if TOOL_FAILED in said else (status, said)


def run_tests(program, wanted, **environment):
    """Counts of one GoogleTest program; one that dies counts as one more failure."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        status, said = finished([program, f"--gtest_output=json:{report}", f"--gtest_filter={wanted}"], **environment)
        print(said, flush=True)
        counts = {"passed": 0, "failed": 0, "skipped": 0}
        if report.exists():
            for suite in json.loads(report.read_text())["testsuites"]:
                for test in suite["testsuite"]:
                    if test.get("status") == "RUN":  # the others are another shard's
                        counts[verdict_of(test)] += 1
    if status != 0 and counts["failed"] + counts["skipped"] == 0:
        counts["failed"] = 1
    return counts


def run_programs(programs):
    """Counts of each program: of its shards, side by side with the others', and of those tests that want the GPU for
    themselves."""
    with concurrent.futures.ThreadPoolExecutor(max(1, min(10, (os.cpu_count() or 1) * 2 // 3))) as pool:
        parts = {program: [pool.submit(run_tests, program, f"-{SERIAL_TESTS}", GTEST_TOTAL_SHARDS=str(SHARDS),
                                       GTEST_SHARD_INDEX=str(shard)) for shard in range(SHARDS)]
                 for program in programs}
    counts = {}
    for program in programs:
        found = [part.result() for part in parts[program]] + [run_tests(program, SERIAL_TESTS)]
        counts[os.path.basename(program)] = {verdict: sum(part[verdict] for part in found) for verdict in found[0]}
    return counts


def tester_record(program, seconds, *options, wrapper=()):
    """Seed, counts and verdict of the differential tester on the GPU, after `seconds` of cases with a fresh seed."""
    seed = secrets.randbelow(10**9)
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        command = [*wrapper, program, "--seed", str(seed), "--seconds", str(seconds), "--json", str(report), *options]
        status, said = (watched if wrapper else finished)(command)
        found = json.loads(report.read_text()) if report.exists() else {}
    if status != 0:
        print(said, flush=True)
    counts = {name: found.get(name, 0) for name in ("cases", "differences", "refusals")}
    return {"verdict": verdict_of_run(status, said, counts["cases"]), "seed": seed, **counts}


def verdict_of_run(status, said, count):
    """Of a program under compute-sanitizer, or of the tester alone, that ran `count` tests or cases."""
    if status == 0:
        return "clean" if count else "nothing was run"
    if TOOL_FAILED in said and not re.search(FINDINGS, said):
        return NO_VERDICT
    summaries = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (?!0 errors|0 hazards)(.*)", said)
    return summaries[-1] if summaries else f"exit status {status}"


def sanitizer(tool):
    return [cuda_tool("compute-sanitizer") or "compute-sanitizer", "--tool", tool, "--error-exitcode", "99"]


def sanitize(tool, program, shard):
    """Verdict of compute-sanitizer over a shard of the quick subset of a program's tests."""
    names = output_of(program, f"--gtest_filter={SANITIZED_TESTS}", "--gtest_list_tests").splitlines()
    count = len([name for name in names if name.startswith("  ")][shard::SANITIZED_SHARDS])
    if count == 0:
        return {"verdict": "clean", "tests": 0}
    leaks = ["--leak-check", "full"] if tool == "memcheck" else []
    start = time.monotonic()
    status, said = watched([*sanitizer(tool), *leaks, program, f"--gtest_filter={SANITIZED_TESTS}"],
                           GTEST_TOTAL_SHARDS=str(SANITIZED_SHARDS), GTEST_SHARD_INDEX=str(shard))
    if status != 0:
        print(said, flush=True)
    verdict = verdict_of_run(status, said, count)
    print(f"   {tool} of {os.path.basename(program)}, shard {shard + 1}: {verdict}, {time.monotonic() - start:.0f} s",
          flush=True)
    return {"verdict": verdict, "tests": count}


def sanitize_cases(tool, tester):
    """The same over random cases. Leaks are not looked for: reduce() keeps graphs of problems that come again until the
    program ends."""
    tried = tester_record(tester, SANITIZED_SECONDS[tool], "--bytes", str(SANITIZED_BYTES), "--engine", "device",
                          *SANITIZED_WORKERS.get(tool, []), wrapper=sanitizer(tool))
    return {name: tried[name] for name in ("verdict", "seed", "cases")}


def of_tool(parts):
    """One entry of the record, of what a tool said of each program and of random cases."""
    merged = {key: value for part in parts for key, value in part.items()}
    merged["tests"] = sum(part.get("tests", 0) for part in parts)
    found = [part["verdict"] for part in parts if part["verdict"] != "clean"]
    merged["verdict"] = found[0] if found else "clean" if merged["tests"] else "no test to run"
    return merged


def programs_in(bin_dir):
    """The test programs in BIN, and the tester."""
    programs = [str(bin_dir / name) for name in PROGRAMS if (bin_dir / name).exists()]
    if not (bin_dir / "test_device").exists():
        sys.exit(f"gpu_record: {bin_dir} has no test_device; ./dev gpu --build makes it")
    tester = bin_dir / TESTER
    if not tester.exists():
        sys.exit(f"gpu_record: {bin_dir} has no {TESTER}; ./dev gpu --build makes it where there are GMP and MPFR")
    return programs, str(tester)


def sanitize_all(pool, tools, programs, tester):
    """What each of the tools says of the programs and of random cases, as functions that wait for it."""
    of_cases = {tool: [pool.submit(sanitize_cases, tool, tester)] for tool in SANITIZED_SECONDS if tool in tools}
    of_tests = {tool: [pool.submit(sanitize, tool, program, shard) for program in programs
                       for shard in range(SANITIZED_SHARDS)] for tool in tools}
    return lambda: {tool: of_tool([part.result() for part in of_tests[tool] + of_cases.get(tool, [])])
                    for tool in tools}


def run(bin_dir):
    sources = sources_sha256()
    check_stamp(bin_dir, sources)
    programs, tester = programs_in(bin_dir)

    record = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    record.update(device_facts(), sources_sha256=sources, tests={"passed": 0, "failed": 0, "skipped": 0})
    record["programs"] = run_programs(programs)
    for counts in record["programs"].values():
        for verdict, count in counts.items():
            record["tests"][verdict] += count
    print(f"== {TESTER}: {TESTER_SECONDS} s of random cases; compute-sanitizer {', '.join(SANITIZERS)}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        tried = pool.submit(tester_record, tester, TESTER_SECONDS)
        verdicts = sanitize_all(pool, SANITIZERS, programs, tester)
        record["agreement"] = tried.result()
        record["sanitizers"] = verdicts()
    print(f"   {cases_of(record)}", flush=True)
    return keep(record)


def again(bin_dir):
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if record.get("sources_sha256") != sources_sha256():
        sys.exit("gpu_record: the record is of other sources; ./dev gpu writes a new one")
    check_stamp(bin_dir, record["sources_sha256"])
    programs, tester = programs_in(bin_dir)
    tools = [tool for tool in SANITIZERS if record["sanitizers"][tool]["verdict"] == NO_VERDICT]
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
        record["sanitizers"].update(sanitize_all(pool, tools, programs, tester)())
    return keep(record)


def keep(record):
    for tool, result in record["sanitizers"].items():
        print(f"   {tool}: {result['verdict']}", flush=True)
    RECORD.write_text(json.dumps(record, indent=2) + "\n")
    print(f"{RECORD.relative_to(ROOT)}: {summary_of(record)}")
    return 0 if is_clean(record) else 1


def stamp(bin_dir):
    (bin_dir / STAMP).write_text(sources_sha256() + "\n")
    return 0


def check_stamp(bin_dir, sources):
    """Programs built from other sources say nothing of these."""
    path = bin_dir / STAMP
    if not path.exists() or path.read_text().strip() != sources:
        sys.exit(f"gpu_record: the programs in {bin_dir} were not built from these sources; ./dev gpu --build does that")


def is_clean(record):
    tests = record["tests"]
    verdicts = [record.get("agreement", {}).get("verdict"), *(run["verdict"] for run in record["sanitizers"].values())]
    return tests["passed"] > 0 and tests["failed"] == tests["skipped"] == 0 and set(verdicts) == {"clean"}


def cases_of(record):
    tried = record.get("agreement")
    if not tried:
        return "no random cases"
    also = "" if tried["verdict"] == "clean" else f" ({tried['verdict']})"
    return f"{tried['cases']} random cases of seed {tried['seed']}, {tried['differences']} differences{also}"


def summary_of(record):
    tests = record["tests"]
    verdicts = ", ".join(f"{tool} {run['verdict']}" + (f" ({run['cases']} cases)" if "cases" in run else "")
                         for tool, run in record["sanitizers"].items())
    return (f"{record['device']}, {record['date'][:10]}: {tests['passed']} passed, {tests['failed']} failed, "
            f"{tests['skipped']} skipped; {cases_of(record)}; {verdicts}")


def status():
    if not RECORD.exists():
        print("stale: there is no tests/gpu-record.json; ./dev gpu writes it on a machine with an NVIDIA GPU")
        return 1
    record = json.loads(RECORD.read_text())
    if record["sources_sha256"] != sources_sha256():
        print(f"stale: the sources have changed since {summary_of(record)}")
        return 1
    print(f"current{'' if is_clean(record) else ', but not clean'}: {summary_of(record)}")
    return 0 if is_clean(record) else 1


def main(arguments):
    if arguments == ["status"]:
        return status()
    commands = {"run": run, "again": again, "stamp": stamp}
    if len(arguments) == 2 and arguments[0] in commands:
        return commands[arguments[0]](pathlib.Path(arguments[1]).resolve())
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
