#!/usr/bin/env python3
"""What a profiler counts while the lower rungs of the GPU's ladder run: writes counters.json, which the next build shows.

    record_counters.py BIN [--bytes 4GiB]     BIN: the folder of multifold-ladder; ncu has to be there, and a GPU

Nsight Compute runs each kernel several times to count everything, so that nothing here is a time.
"""

import argparse
import csv
import datetime
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = {  # of a rung's first pass, which reads the array itself
    "tree, divergent": r"divergent<",
    "tree, strided": r"bank_conflicts<",
    "tree, sequential": r"sequential<",
    "first add, 2 elements": r"first_add<(\(int\))?2,",
    "first adds, 8 elements": r"first_add<(\(int\))?8,",
    "last warp unrolled": r"last_warp<",
    "all unrolled": r"unrolled<",
    "cascading": r"rows_by_tree<",
    "warp shuffles": r"rows_by_shuffle<",
}
LANES = "smsp__thread_inst_executed_per_inst_executed.ratio"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
ISSUED = "smsp__issue_active.avg.pct_of_peak_sustained_active"
MEMORY = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
BARRIER = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"
LOADS = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
METRICS = (LANES, CONFLICTS, WAVEFRONTS, ISSUED, MEMORY, BARRIER, LOADS)


def profiled(ladder, size):
    """Rows of Nsight Compute's table, one for each launch."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if ncu is None:
        sys.exit("record_counters: there is no ncu (Nsight Compute)")
    # The first run of a rung is that of the whole array; so many launches reach the last of these rungs.
    command = [ncu, "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(METRICS),
               "--kernel-name", "regex:divergent|bank_conflicts|sequential|first_add|last_warp|unrolled|rows_by",
               "--launch-count", "260", str(ladder), "--engine", "device", "--bytes", size, "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if done.returncode != 0 or start is None:
        sys.exit(f"record_counters: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    table = []
    for line in lines[start:]:
        if line.startswith('"'):
            table.append(line)
    rows = list(csv.DictReader(io.StringIO("\n".join(table))))
    return rows[1:]  # the first one has the units


def number(row, metric):
    return float(row[metric].replace(",", ""))


def counters(row):
    wavefronts = number(row, WAVEFRONTS)
    return {
        "busy_lanes": round(number(row, LANES), 1),
        "bank_conflicts": round(number(row, CONFLICTS) / wavefronts, 3) if wavefronts else 0,
        "issue_slots": round(number(row, ISSUED) / 100, 3),
        "memory": round(number(row, MEMORY) / 100, 3),
        "barrier_wait": round(number(row, BARRIER), 2),
        "load_wait": round(number(row, LOADS), 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, metavar="BIN")
    parser.add_argument("--bytes", default="4GiB", help="of the array (default: 4GiB)")
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER / "counters.json")
    wanted = parser.parse_args()
    rows = profiled(wanted.bin.resolve() / "multifold-ladder", wanted.bytes)
    found = {}
    for name, pattern in KERNELS.items():
        own = [row for row in rows if re.search(r"\b" + pattern, row["Kernel Name"])
               and "elements<" in row["Kernel Name"]]
        if not own:
            sys.exit(f"record_counters: no kernel of '{name}' among {sorted({row['Kernel Name'] for row in rows})}")
        found[name] = counters(own[0])
    device = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True,
                            check=False).stdout.splitlines()
    record = {"device": device[0] if device else "a GPU", "date": datetime.date.today().isoformat(),
              "problem": f"a sum of {wanted.bytes} of f32", "rungs": found}
    wanted.out.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
