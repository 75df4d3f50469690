"""Tables of a benchmark record for people, and what must be reached. Nothing is run or written here."""

SMALL = ("small/", "exact/small/")
MAIN = ("multifold", "exact", "cub", "thrust", "read")
DATA_SETS = ("normal", "uniform", "lognormal_1", "lognormal_3", "lognormal_10", "lognormal_50", "any_finite",
             "adversarial")
EASY = ("normal", "uniform", "lognormal_1")  # of f64, too


class Record:
    """Look-ups in a record as run.py writes it."""

    def __init__(self, record):
        self.device = record.get("device") or ""
        self.rows = {}
        for row in record["cases"]:
            self.rows.setdefault(row["name"], {})[row["contender"]] = row
        self.graphs = {row["name"]: row for row in record.get("graphs", [])}
        self.streams = {row["name"]: row for row in record.get("streams", [])}
        self.host = record.get("host", {}).get("cases", [])

    def figure(self, case, contender, key):
        return self.rows.get(case, {}).get(contender, {}).get(key)

    def graph_ratio(self, case, figure, other):
        """A figure of one case of graphs over that of another."""
        mine, theirs = self.graphs.get(case, {}).get(figure), self.graphs.get(other, {}).get(figure)
        return mine / theirs if mine is not None and theirs else None

    def host_ratios(self, prefix):
        return [row["ratio"] for row in self.host if row["name"].startswith(prefix)]


def at_most(value, most, text):
    return None if value is None else (f"{value:.3f}", text, value <= most)


def at_least(value, least, text):
    """(what was found, what it must reach, whether it does); None where it was not measured."""
    return None if value is None else (f"{value:.3f}" if value < 100 else f"{value:.0f}", text, value >= least)


def add_exact(record, add):
    """What exact sums must reach."""
    h200 = "H200" in record.device
    for dtype in ("f32", "f64", "bf16", "f16"):
        for data in DATA_SETS:
            case = f"exact/{data}/{dtype}"
            level = dtype != "f64" or data in EASY
            if level:
                add(case, at_least(record.figure(case, "exact", "ratio_to_cub"), 1, ">= 1.00 x CUB"))
            if h200:
                least = 4500 if level else 3000
                add(case, at_least(record.figure(case, "exact", "median_gbps"), least, f">= {least} GB/s"))
    for shape in ("2^20x1024", "2^24x64", "2^26x16"):
        case = f"exact/rows/{shape}/f32"
        add(case, at_least(record.figure(case, "fast", "first_over_this"), 0.8, ">= 0.8 x fast"))
    case = "exact/small/1MiB/single/f32"
    add(case, at_least(record.figure(case, "fast", "first_over_this"), 1 / 1.3, ">= 0.77 x fast (1.3 x its time)"))
    add("exact/mean/f32", at_least(record.figure("exact/mean/f32", "read", "first_over_this"), 0.98, ">= 0.98 x read"))


def add_moments(record, add):
    """What norms, dot products, variances and descriptions must reach of the plain read."""
    for op, least in (("norm2", 0.98), ("dot", 0.98), ("var", 0.90), ("describe", 0.85)):
        case = f"moments/{op}/f32"
        add(case, at_least(record.figure(case, "read", "first_over_this"), least, f">= {least:.2f} x read"))
    statistics = [row for name, row in record.rows.get("moments/describe/f32", {}).items()
                  if name not in ("describe", "read")]
    if statistics:
        slower = sum(row["first_over_this"] for row in statistics)  # the time of all over that of describe
        add("moments/describe/f32", at_least(slower, 5, ">= 5 x as fast as one by one"))


def add_graphs(record, add):
    """What graphs must reach."""
    ratio = record.graph_ratio
    for size in ("1KiB", "4KiB"):
        found = record.graphs.get(f"round_trip/{size}/built", {}).get("of_empty")
        add(f"graph/round_trip/{size}", at_most(found, 1.1, "<= 1.1 x an empty kernel's graph"))
    add("graph/update", at_most(record.graphs.get("update/two_passes", {}).get("rebind_us"), 2, "<= 2 us a rebind"))
    batches = [name for name in record.graphs if name.startswith("chain/64x1MiB/batch_")]
    best = min(batches, key=lambda name: record.graphs[name]["wall_us"], default=None)
    add("graph/64x1MiB", at_most(ratio(best, "wall_us", "chain/64x1MiB/cub"), 0.6, "<= 0.6 x CUB's calls"))
    add("graph/64x1MiB", at_most(ratio(best, "wall_us", "chain/64x1MiB/cub_captured"), 1, "<= CUB's captured chain"))
    comb = record.graphs.get("comb/16MiB", {})
    add("graph/comb/16MiB", at_least(comb.get("of_limit"), 0.98, ">= 0.98 x the link"))
    add("graph/comb/16MiB", at_most(comb.get("cpu_share"), 0.01, "<= 1 % of a CPU"))


def add_streams(record, add):
    """What of the link is reached by arrays that are not on the GPU."""
    for case, least in (("pinned/reduce", 0.98), ("pinned/zero_copy", 0.92), ("pageable/8_threads", 0.93),
                        ("rows_of_16/reduce", 0.95), ("file/cached", 0.90)):
        found = record.streams.get(case, {}).get("of_limit")
        add(f"stream/{case}", at_least(found, least, f">= {least:.2f} x the link"))
    cold = record.streams.get("file/cold", {}).get("of_disk")
    add("stream/file/cold", at_least(cold, 0.95, ">= 0.95 x the disk"))
    for case, row in record.streams.items():
        if case.startswith("both/"):
            add(f"stream/{case}", at_least(row.get("of_sum"), 0.9, ">= 0.90 x host + device, or what all cores read"))
        if case.startswith("auto/"):
            add(f"stream/{case}", at_least(row.get("of_best"), 0.97, ">= 0.97 x the quickest engine"))


def requirements(record):
    """(case, found, must reach, reached) for every requirement whose case was measured."""
    found = []

    def add(case, verdict):
        if verdict:
            found.append((case, *verdict))

    for case in ("full/sum/f32", "full/sum/f64", "full/sum/i32"):
        add(case, at_least(record.figure(case, "multifold", "ratio_to_cub"), 0.97, ">= 0.97 x CUB"))
        if "H200" in record.device:
            add(case, at_least(record.figure(case, "multifold", "median_gbps"), 4400, ">= 4400 GB/s"))
    classic = "classic/2048x262144/f32"
    lead = record.figure(classic, "shared tree", "first_over_this")
    if lead is not None:
        add(classic, (f"{lead:.3f}", "shuffle / shared tree within 10 %", 1 / 1.1 <= lead <= 1.1))
    few = "few_huge/4x2^28/f32"
    add(few, at_least(record.figure(few, "full sum", "first_over_this"), 0.95, ">= 0.95 x full sum"))
    add_exact(record, add)
    add_moments(record, add)
    add_graphs(record, add)
    add_streams(record, add)
    for prefix, least, text in (("sum/f32/", 0.9, ">= 0.9 x plain read, any threads"),
                                ("file_sum/f32/", 0.8, ">= 0.8 x pread, any threads")):
        add("host " + prefix[:-1], at_least(min(record.host_ratios(prefix), default=None), least, text))
    return found


def number(value, digits=0):
    return "" if value is None else f"{value:.{digits}f}"


def gbps(value):
    return number(value, 0 if value is None or value >= 100 else 2)


def spread(row):
    """The quartiles' distance, in percent of the median."""
    return f"{100 * (row['q3'] - row['q1']) / row['median_gbps']:.1f} %" if row.get("median_gbps") else ""


def aligned(header, rows):
    """Text columns: figures to the right, words to the left."""
    cells = [[str(cell) for cell in row] for row in rows]
    columns = []
    for title, *column in zip(header, *cells):
        width = max(map(len, (title, *column)))
        words = not columns or any(cell and not cell[0].isdigit() for cell in column)
        columns.append([cell.ljust(width) if words else cell.rjust(width) for cell in (title, *column)])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns))


def ratio_table(record):
    verdicts = {}
    for case, _, text, reached in requirements(record):
        verdicts.setdefault(case, []).append(f"{text}: {'reached' if reached else 'NOT reached'}")
    rows = []
    for case, by in record.rows.items():
        if case.startswith(SMALL):
            continue
        first = next(iter(by.values()))
        read = by.get("read", {})
        rows.append([
            case, gbps(first["median_gbps"]),
            gbps(by.get("cub", {}).get("median_gbps")), number(first.get("ratio_to_cub"), 3),
            gbps(by.get("thrust", {}).get("median_gbps")), number(by.get("thrust", {}).get("first_over_this"), 3),
            number(read.get("first_over_this") if first is not read else None, 3), spread(first),
            "; ".join(verdicts.get(case, []))])
    return aligned(["case", "GB/s", "CUB", "ratio", "thrust", "ratio", "of read", "spread", "must reach"], rows)


def variant_table(record):
    rows = []
    for case, by in record.rows.items():
        others = [row for row in by.values() if row["contender"] not in MAIN]
        if case.startswith("small/") or not others:
            continue
        first = next(iter(by.values()))
        for row in ([] if first in others or first["contender"] == "read" else [first]) + others:
            rows.append([f"{case}: {row['contender']}", gbps(row["median_gbps"]), number(row.get("ratio_to_cub"), 3),
                         number(row["first_over_this"], 3), spread(row)])
    return rows and aligned(["case: contender", "GB/s", "to CUB", "first / this", "spread"], rows)


def small_table(record):
    """Microseconds a call."""
    def us(row):
        return number(row["bytes"] / row["median_gbps"] / 1e3, 2) if row else ""

    rows = {}
    for case, by in record.rows.items():
        if not case.startswith(SMALL):
            continue
        *groups, size, how, dtype = case.split("/")
        first = next(iter(by.values()))
        words = [size, dtype, *(group for group in groups if group != "small")]  # "exact", or "exact any_finite"
        row = rows.setdefault(" ".join(words), {})
        row[how] = [us(first), us(by.get("cub")), number(first.get("ratio_to_cub"), 3)]
    empty = ["", "", ""]
    lines = [[label] + row.get("single", empty) + row.get("captured", empty)
             for label, row in rows.items()]
    return lines and aligned(["microseconds a call", "single", "CUB", "speed", "captured", "CUB", "speed"], lines)


def host_table(record):
    rows = [[row["name"], number(row["gbps"], 1), number(row["plain_gbps"], 1), number(row["ratio"], 3)]
            for row in record.host]
    return rows and aligned(["CPU engine", "GB/s", "plain read, copy, pread", "ratio"], rows)


def figure_table(title, cases):
    """Every figure that any of the cases has."""
    figures = {}
    for row in cases.values():
        figures.update(dict.fromkeys(key for key in row if key != "name"))
    rows = [[name] + [number(row.get(figure), 3) for figure in figures] for name, row in cases.items()]
    return rows and aligned([title, *figures], rows)


def requirement_table(record):
    rows = [[case, found, text, "reached" if reached else "NOT reached"]
            for case, found, text, reached in requirements(record)]
    return rows and aligned(["must reach", "found", "wanted", ""], rows)


def all_tables(record):
    record = Record(record)
    parts = [ratio_table(record) if any(not name.startswith(SMALL) for name in record.rows) else "",
             variant_table(record), small_table(record), figure_table("graphs", record.graphs),
             figure_table("arrays outside of the GPU", record.streams), host_table(record), requirement_table(record)]
    return "\n\n".join(part for part in parts if part)
