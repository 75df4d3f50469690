"""The surface: random reductions, each as a share of a plain read of the same bytes; what classes of them reach."""

import collections
import datetime
import json
import re
import statistics
import subprocess
import sys

PLAIN = ("sum", "mean", "min", "max", "prod", "argmin", "argmax")
WILD = ("sigma_10", "any_finite")
# Least, 5th percentile and median that an H200 must reach.
WANTED = {
    "plain, tame data": (0.55, 0.80, 0.93),
    "plain, sigma 10": (0.30, 0.50, 0.75),
    "plain, any finite bits": (0.15, 0.25, 0.40),
    "plain, any finite bits, f64": (0.06, 0.12, 0.25),
    "moments, tame data": (0.30, 0.55, 0.80),
    "moments, wild data": (0.05, 0.10, 0.25),
}

Case = collections.namedtuple("Case", "text bytes seconds roof verdict")


def share(case):
    return case.roof / case.seconds


def class_of(case):
    op, dtype, *_, data = case.text.split()
    if op not in PLAIN:
        return "moments, wild data" if data in WILD else "moments, tame data"
    if data == "any_finite":
        return "plain, any finite bits, f64" if dtype == "f64" else "plain, any finite bits"
    return "plain, sigma 10" if data == "sigma_10" else "plain, tame data"


def pattern_of(case):
    extents, order, axes = case.text.split()[3:6]
    rank = extents.count("x") + 1
    if order == ",".join(map(str, range(rank))) and axes == "1" and rank <= 3:
        return "rows" if rank == 2 else "middle axes"
    return "tensors"


def quantile(values, q):
    """By linear interpolation."""
    values = sorted(values)
    at = q * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def read(lines):
    """The head of a report, and its cases."""
    head, cases = "", []
    for line in lines:
        if line.startswith("# "):
            head = head or line[2:].strip()
            continue
        text, size, seconds, roof, verdict = line.rstrip("\n").split("\t")
        cases.append(Case(text, int(size), float(seconds), float(roof), verdict))
    return head, cases


def row(name, shares, wanted=None):
    figures = [min(shares), quantile(shares, 0.01), quantile(shares, 0.05), statistics.median(shares)]
    text = " | ".join(f"{figure:.4f}" if figure < 0.1 else f"{figure:.2f}" for figure in figures)
    least = " / ".join(f"{w:.2f}" for w in wanted) if wanted else ""
    reached = wanted and figures[0] >= wanted[0] and figures[2] >= wanted[1] and figures[3] >= wanted[2]
    return f"| {name} | {len(shares)} | {text} | {least} | {'' if not wanted else 'yes' if reached else 'no'} |"


def tables(head, cases, program="surface_bench"):
    """For people: classes, patterns, and the worst cases as commands."""
    timed = [case for case in cases if not case.verdict.startswith("refused")]
    if not timed:
        return f"{head}: no case was timed"
    h200 = "H200" in head
    lines = [f"{head}: {len(timed)} cases, {len(cases) - len(timed)} refused; shares of a plain read and a write of the results",
             "", "| class | cases | least | 1 % | 5 % | median | wanted: least, 5 %, median | reached |",
             "|---|---|---|---|---|---|---|---|"]
    for name, wanted in WANTED.items():
        shares = [share(case) for case in timed if class_of(case) == name]
        if shares:
            lines.append(row(name, shares, wanted if h200 else None))
    for pattern in ("rows", "middle axes", "tensors"):
        shares = [share(case) for case in timed if pattern_of(case) == pattern]
        if shares:
            lines.append(row(pattern, shares))
    lines += [row("all", [share(case) for case in timed]), "", "The worst:"]
    engine = " --engine host" if head.startswith("host") else ""
    lines += [f"  {share(case):.4f}  {program}{engine} --case '{case.text}'" for case in sorted(timed, key=share)[:10]]
    wrong = [case for case in cases if case.verdict.startswith("wrong")]
    lines += [f"WRONG: {program}{engine} --case '{case.text}': {case.verdict}" for case in wrong]
    refused = collections.Counter(re.sub(r"\d+", "N", case.verdict) for case in cases if case.verdict.startswith("refused"))
    lines += [f"{count} {verdict}" for verdict, count in refused.most_common(5)]
    return "\n".join(lines)


def run(program, options):
    """Runs the program, prints tables, and keeps what it printed. Returns its exit status."""
    command = [str(program), "--cases", str(options.cases), "--engine", options.engine]
    if options.seed is not None:
        command += ["--seed", str(options.seed)]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            lines.append(line)
            print(line, end="", file=sys.stderr)
    if running.returncode not in (0, 1):
        return running.returncode
    head, cases = read(lines)
    print(tables(head, cases))
    if options.out:
        record = {"schema": "multifold.surface/1", "run": head, "commit": options.commit or None,
                  "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                  "cases": [case._asdict() for case in cases]}
        options.out.write_text(json.dumps(record, indent=0) + "\n")
        print(f"\nwritten to {options.out}")
    return running.returncode
