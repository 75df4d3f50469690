#!/usr/bin/env python3
"""Runs the benchmarks, prints their ratios, and keeps them in bench/results/<device>.json; draws and compares records.

    bench/run.py --bin build/cuda/bin            everything
    bench/run.py --bin build/cuda/bin --quick    some that must reach something, in less than a minute; not kept
    bench/run.py --bin build/cuda/bin --filter '^rows/' --only device
    bench/run.py --bin build/cuda/bin --filter '^exact/' --only device
    bench/run.py --bin build/cuda/bin --only surface --seed 7 --cases 1000
                                                 random reductions, as shares of a plain read (surface.py)
    bench/run.py --html board.html [RECORD...]   a page of bench/results and of other records; nothing is run
    bench/run.py --compare OLD NEW [--json]      what changed beyond the noise; nothing is run; status 1 if slower

In a record, figures are 1e9 bytes of input a second of device-event time; q1 and q3 are quartiles; ratio_to_cub is the
contender's speed over CUB's, and first_over_this the speed of the case's first contender over this one's: both are
medians over rounds in which both were timed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import surface
import tables
from scoreboard import readers, reading

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
PROGRAMS = {"device": "device_bench", "graph": "device_graph_bench", "stream": "device_stream_bench", "host": "host_bench"}
NO_ENGINE = 4  # exit status of device_bench where there is no GPU
QUICK = {
    "device": r"^(ceiling|full/sum/(f32|f64|i32)|classic|few_huge|rows/2\^22x256|small/1MiB|"
              r"exact/(normal/f32|any_finite/f(32|64)|rows/2\^26x16|small/1MiB))/",
    "graph": r"^(round_trip/(empty|1MiB)|update)",
    "stream": r"^(pinned/reduce|pageable/8_threads)",
    "host": r"^(sum/f32|file_sum/f32)/",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    reading.add_arguments(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "cuda" / "bin",
                        help="folder of the programs (default: build/cuda/bin)")
    parser.add_argument("--only", choices=(*PROGRAMS, "surface"), help="one of the programs")
    parser.add_argument("--quick", action="store_true", help="a subset, in less than a minute")
    parser.add_argument("--filter", metavar="REGEX", help="cases whose name matches")
    parser.add_argument("--out", type=pathlib.Path,
                        help="where to write the record (default: bench/results/<device>.json, for whole runs only)")
    parser.add_argument("--seed", type=int, help="of the surface's cases (default: a fresh one)")
    parser.add_argument("--cases", type=int, default=1000, help="how many of them (default: 1000)")
    parser.add_argument("--engine", choices=("device", "host"), default="device", help="whose surface")
    parser.add_argument("--commit", metavar="REV", help="the commit of these sources, where there is no git history")
    parser.add_argument("--from", dest="reports", type=pathlib.Path, metavar="DIR",
                        help="take device_bench.json and the others from DIR instead of running the programs")
    options = parser.parse_args()
    reading.check(parser, options)
    return options


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout.strip()
    except OSError:
        return ""


# --- Running ----------------------------------------------------------------------------------------------------------

def report_of(kind, options, scratch):
    """The JSON report of one program; None where it cannot run."""
    name = PROGRAMS[kind]
    if options.reports:
        path = options.reports / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None
    program = options.bin.resolve() / name
    if not program.exists():
        print(f"run.py: {program} is not built; skipped", file=sys.stderr)
        return None
    path = pathlib.Path(scratch) / f"{name}.json"
    command = [str(program), f"--benchmark_out={path}", "--benchmark_out_format=json"]
    wanted = options.filter or (QUICK[kind] if options.quick else None)
    if wanted:
        command.append(f"--benchmark_filter={wanted}")
    # What `auto` knows of the machine is measured here and now. The tables have the figures; what the programs print
    # meanwhile is progress.
    environment = dict(os.environ, MULTIFOLD_RATES=str(pathlib.Path(scratch) / "rates"))
    status = subprocess.run(command, stdout=sys.stderr, check=False, env=environment).returncode
    if status == NO_ENGINE:
        return None
    if status != 0:
        sys.exit(f"run.py: {name} ended with status {status}")
    return json.loads(path.read_text()) if path.exists() and path.stat().st_size else None


# --- From reports to a record -----------------------------------------------------------------------------------------

def case_name(row):
    """Google Benchmark appends how it measured."""
    return re.sub(r"(/iterations:\d+|/repeats:\d+|/manual_time|/real_time)+$", "", row.get("run_name", row["name"]))


def device_cases(report):
    """A row a case and contender, from counters named '<contender>:<figure>'."""
    rows = []
    for run in report["benchmarks"]:
        contenders = {}
        for key, value in run.items():
            contender, colon, figure = key.rpartition(":")
            if colon and isinstance(value, (int, float)):
                contenders.setdefault(contender, {})[figure] = value
        # The report has counters in the order of their names; `place` is the contender's in the case.
        for contender in sorted(contenders, key=lambda name: contenders[name]["place"]):
            figures = contenders[contender]
            row = {"name": case_name(run), "bytes": int(run["bytes"]), "contender": contender}
            row.update((key, round(figures[key], 4)) for key in ("median_gbps", "q1", "q3", "min", "max"))
            row["repetitions"] = int(figures["repetitions"])
            row["ratio_to_cub"] = round(figures["ratio"], 4) if "ratio" in figures else None
            row["first_over_this"] = round(figures["lead"], 4)
            rows.append(row)
    return rows


def host_cases(report):
    return [{"name": case_name(run), "gbps": round(run["GB/s"], 3), "plain_gbps": round(run["plain_GB/s"], 3),
             "ratio": round(run["ratio"], 4)} for run in report["benchmarks"] if "ratio" in run]


def graph_cases(report):
    """A row a case, with its counters as they are."""
    known = {"name", "run_name", "run_type", "time_unit", "error_message"}
    return [{"name": case_name(run), **{key: round(value, 4) for key, value in run.items()
                                        if isinstance(value, float) and key not in known
                                        and key not in ("real_time", "cpu_time")}} for run in report["benchmarks"]]


def failures_of(report):
    return [f"{case_name(run)}: {run.get('error_message', 'failed')}" for run in report["benchmarks"]
            if run.get("error_occurred")]


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return name.group(1) if name else platform.machine()


def device_name():
    return (output_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines() or [None])[0]


def usable_cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def sources_sha256():
    """The hash by which tests/gpu-record.json names the sources."""
    sys.path.insert(0, str(ROOT / "tests"))
    sys.dont_write_bytecode = True
    try:
        import gpu_record
        return gpu_record.sources_sha256()
    except (ImportError, OSError, AttributeError):
        return None


def commit():
    head = output_of("git", "rev-parse", "--verify", "--quiet", "HEAD")
    changed = head and output_of("git", "status", "--porcelain", "--untracked-files=no", "--", "lib", "bench")
    return (head + ("-dirty" if changed else "")) or None


def record_of(device, graph, stream, host, revision):
    now = datetime.datetime.now(datetime.timezone.utc)
    context = device["context"] if device else {}
    drivers = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").splitlines()
    record = {
        "schema": readers.BENCH,
        "device": context.get("device"),
        "driver": drivers[0] if drivers and (device or graph or stream) else None,
        "cuda": context.get("cuda"),
        "cub_version": context.get("cub_version"),
        "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": revision or commit(),
        "sources_sha256": sources_sha256(),
        "buffer_bytes": int(context.get("buffer_bytes", 0)) or None,
        "cases": device_cases(device) if device else [],
    }
    if graph:
        record["device"] = record["device"] or device_name()
        record["graphs"] = graph_cases(graph)
    if stream:
        record["device"] = record["device"] or device_name()
        record["streams"] = graph_cases(stream)
    if host:
        record["host"] = {"processor": processor(), "cores": usable_cores(), "cases": host_cases(host)}
    record["must_reach"] = [dict(zip(("case", "found", "wanted", "reached"), row))
                            for row in tables.requirements(tables.Record(record))]
    return record


def results_path(record, options):
    if options.out:
        return options.out
    if options.quick or options.filter or options.only:
        return None
    name = record["device"] or record["host"]["processor"]
    return RESULTS / (re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") + ".json")


def main():
    options = arguments()
    if reading.asked(options):
        return reading.run(options, RESULTS)
    if options.only == "surface":
        sys.exit(surface.run(options.bin.resolve() / "surface_bench", options))
    with tempfile.TemporaryDirectory() as scratch:
        reports = {kind: report_of(kind, options, scratch) for kind in PROGRAMS
                   if options.only in (None, kind)}
    device, graph, stream, host = (reports.get(kind) for kind in PROGRAMS)
    if not any((device, graph, stream, host)):
        sys.exit("run.py: nothing was measured: build with -DMULTIFOLD_BENCH=ON (./dev bench does), and check --filter")
    record = record_of(device, graph, stream, host, options.commit)
    print(f"{record['device'] or 'no GPU'}, driver {record['driver']}, CUDA {record['cuda']}, "
          f"CUB {record['cub_version']}, commit {record['commit']}\n")
    print(tables.all_tables(record))
    path = results_path(record, options)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(f"\nwritten to {path}")
    failures = [line for report in (device, graph, stream, host) if report for line in failures_of(report)]
    for line in failures:
        print(f"FAILED {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
