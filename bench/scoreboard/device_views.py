"""Sections on arrays in the memory of a GPU."""

import re

from scoreboard.chart import Chart, Missing, Section, Series, best, bytes_of, plain_read, ranked, size_text

SMALL = re.compile(r"(exact/)?small/(\d+[KMG]iB)/(\w+)/f32")
WAYS = {"single": "called alone", "captured": "one of many in a CUDA graph"}


def small_series(record, way, unit):
    """Sums of f32 by size: exact, fast, and CUB's."""
    found = {"exact": {}, "fast": {}, "cub": {}}
    for row in record.select("device", unit=unit):
        match = SMALL.fullmatch(row.case)
        if match and match[3] == way:
            name = "fast" if row.contender == "multifold" else row.contender
            found.get(name, {}).setdefault(bytes_of(match[2]), row.value)
    return found


def add_whole(record, found):
    """The same sums of the whole buffer."""
    size = record.content.get("buffer_bytes")
    for case, contender, name in (("exact/normal/f32", "exact", "exact"), ("full/sum/f32", "multifold", "fast"),
                                  ("full/sum/f32", "cub", "cub")):
        row = record.find("device", case, contender, "GB/s")
        if row and size:
            found[name].setdefault(size, row.value)


def by_size(record, way, unit):
    found = small_series(record, way, unit)
    if unit == "GB/s" and way == "single":
        add_whole(record, found)
    names = {"exact": "exact", "fast": "fast", "cub": "CUB"}
    series = [Series(names[key], key, sorted(points.items())) for key, points in found.items() if points]
    speed = unit == "GB/s"
    title = f"{'Bandwidth' if speed else 'Time'} of a sum of f32 over its size, {WAYS[way]}"
    return Chart("lines", title, series, "GB/s" if speed else "microseconds a call", [(record, "device")],
                 "size of the array", roof=plain_read(record) if speed else None, log_x=True, log_value=not speed,
                 x_words=size_text)


def sizes(records):
    charts = sums_by_size(records, "GB/s")
    text = ("Launches bound small arrays, the memory bounds large ones; the roof is a plain read of the same memory. "
            "fast is <code>--accuracy fast</code>, rounded once from double; CUB rounds at every step.")
    return Section("Bandwidth over size", text, charts or [
        Missing("Bandwidth over size", "./dev bench --only device --out bench/results/NAME.json")])


def sums_by_size(records, unit):
    """A chart for each way of calling, of the first record that has it."""
    found = ranked(records, "device", "small/", "exact/small/")
    charts = [next(filter(lambda chart: chart.series, (by_size(record, way, unit) for record in found)), None)
              for way in WAYS]
    return [chart for chart in charts if chart]


# --- Rows and columns -------------------------------------------------------------------------------------------------

SHAPE = re.compile(r"(?:exact/)?(rows|columns|few_huge|classic)/([\d^]+)x([\d^]+)/f32")


def power(text):
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent or 1)


def shares_by_length(record, contenders):
    """Shares of a plain read by what is reduced, rows or columns, and its length."""
    found = {}
    for row in record.select("device", unit="GB/s") if record else ():
        match = SHAPE.fullmatch(row.case)
        if match and row.share and row.contender in contenders:
            what = "columns" if match[1] == "columns" else "rows"
            length = power(match[2]) if what == "columns" else power(match[3])
            if what == "rows" or contenders[row.contender] != "CUB":
                found.setdefault((what, contenders[row.contender]), {})[length] = row.share
    return found


def rows(records):
    named = {"multifold": "fast", "cub": "CUB"}
    fast = best(records, "device", "rows/", "columns/")
    exact = best(records, "device", "exact/rows/", "exact/columns/")
    found = shares_by_length(fast, named) | shares_by_length(exact, {"exact": "exact"})
    text = ("Many rows of a matrix of f32, from 4 elements a row to a few huge rows; columns of the same matrices are "
            "added over the slower axis. Shares are of a plain read in the same run, for records are of different "
            "cards.")
    charts = []
    for what, x_label in (("rows", "elements a row"), ("columns", "rows to add")):
        series = [Series(name, name.lower(), sorted(points.items())) for (kind, name), points in found.items()
                  if kind == what]
        sources = [(record, "device") for record in (fast, exact) if record]
        if series:
            charts.append(Chart("lines", f"Sums of {what} of f32 by length, as shares of a plain read", series,
                                "of a plain read", sources, x_label, roof=("plain read", 1.0), log_x=True, percent=True,
                                x_words=length_text))
    return Section("Rows and columns", text, charts or [
        Missing("Sums of rows by length", "./dev bench --only device --filter '^(exact/)?(rows|columns)/' "
                "--out bench/results/NAME.json")])


def length_text(length):
    return f"2^{length.bit_length() - 1}" if length > 9999 and length & (length - 1) == 0 else f"{length}"


# --- Exact beside fast, and peers -------------------------------------------------------------------------------------

DATA = {"normal": "normal", "uniform": "uniform", "lognormal_1": "lognormal, sigma 1",
        "lognormal_3": "lognormal, sigma 3", "lognormal_10": "lognormal, sigma 10",
        "lognormal_50": "lognormal, sigma 50", "any_finite": "any finite bits", "adversarial": "cancelling"}


def dots(record, title, cases, contenders, note=""):
    """A row for each (case, name of the row), a colour for each contender: (its name there, its name here, colour).
    Several may have one name here, of different cases."""
    kept = [(case, name) for case, name in cases if record.select("device", case, unit="GB/s")]
    series = {}
    for contender, name, colour in contenders:
        for number, (case, _) in enumerate(kept):
            row = record.find("device", case, contender or case.split("/")[1], "GB/s")
            if row:
                series.setdefault(name, Series(name, colour, [])).points.append((number, row.value))
    return Chart("dots", title, list(series.values()), "GB/s", [(record, "device")], "", [name for _, name in kept], note,
                 plain_read(record))


def accuracy(records):
    record = best(records, "device", *(f"exact/{data}/" for data in DATA))
    text = ("What a correctly rounded sum costs, by the data: multifold's exact and fast sums beside CUB's of the same "
            "buffer. Norms, variances and dot products are made of exact sums.")
    if not record:
        return Section("Exact beside fast", text, [
            Missing("Exact beside fast sums by data", "./dev bench --only device --filter '^exact/' "
                    "--out bench/results/NAME.json")])
    cases = [(f"exact/{data}/{dtype}", f"{dtype}, {words}") for dtype in ("f32", "f64", "bf16", "f16")
             for data, words in DATA.items()]
    charts = [dots(record, "Full sums by type and data: exact, fast, and CUB's rounded ones", cases,
                   [("exact", "exact", "exact"), ("fast", "fast", "fast"), ("cub", "CUB", "cub")])]
    moments = best(records, "device", "moments/")
    if moments:
        names = dict.fromkeys(row.case for row in moments.select("device", "moments/"))
        cases = [(name, name.removeprefix("moments/").replace("/", " ").replace("_", " ")) for name in names]
        charts.append(dots(moments, "Exact norms, variances, dot products and descriptions", cases,
                           [(None, "exact", "exact")], "No peer has them exact."))
    return Section("Exact beside fast", text, charts)


def peers(records):
    text = "Whole arrays of a gibibyte and more, everybody's best case; and axes of such arrays."
    charts = [whole_arrays(record) for record in by_cub_version(records)] or [
        Missing("multifold, CUB and Thrust on the GPU", "./dev bench --only device --filter '^full/' "
                "--out bench/results/NAME.json")]
    python = best(records, "device", "peers/")
    if python:
        charts += python_peers(python)
    else:
        charts.append(Missing("multifold, PyTorch and CuPy on the GPU", "bench/device/peers.py "
                              "--out bench/results/NAME-peers.json"))
    host = best(records, "peers", "")
    if host:
        charts.append(host_peers(host))
    else:
        charts.append(Missing("multifold, NumPy and PyTorch on the CPU", "bench/host/peers.py --library "
                              "build/peers/bench/libhost_peers.so > bench/results/NAME-peers.txt",
                              "Its head says how to build the library."))
    return Section("Peers", text, charts)


def by_cub_version(records):
    """Of each version of CUB, the oldest first, the record that has most whole arrays beside it."""
    found = {}
    for record in ranked(records, "device", "full/"):
        found.setdefault(record.content.get("cub_version") or "", record)
    return [found[version] for version in sorted(found)]


def whole_arrays(record):
    cases = [(case, case.removeprefix("full/").replace("/", " "))
             for case in dict.fromkeys(row.case for row in record.select("device", "full/"))]
    same = "exact/reproducible/"
    cases += [(case, f"{case.removeprefix(same)}, the same bits everywhere")
              for case in dict.fromkeys(row.case for row in record.select("device", same))]
    version = record.content.get("cub_version") or ""
    return dots(record, f"Reductions of a whole array on the GPU: multifold, CUB and Thrust {version}", cases,
                [("multifold", "multifold, fast", "fast"), ("exact", "multifold, exact", "exact"),
                 ("fast", "multifold, fast", "fast"), ("cub", "CUB", "cub"),
                 ("cub gpu_to_gpu", "CUB, the same bits on every GPU", "read"), ("thrust", "Thrust", "thrust")],
                "With gpu_to_gpu, CUB's sums are reproducible, but not exact." if
                record.select("device", contender="cub gpu_to_gpu") else "")


PYTHON = [("multifold", "multifold, exact", "exact"), ("multifold fast", "multifold, fast", "fast"),
          ("PyTorch", "PyTorch", "pytorch"), ("PyTorch compiled", "torch.compile", "thrust"), ("CuPy", "CuPy", "cupy")]


def python_peers(record):
    """Charts of bench/device/peers.py: whole arrays, and axes of arrays."""
    peers = [f"{name} {version}" for name, version in record.content.get("peers", {}).items()]
    versions = ", ".join(peers) + "." if peers else ""
    whole, axes = [], []
    for case in dict.fromkeys(row.case for row in record.select("device", "peers/")):
        name = case.removeprefix("peers/").replace("/", " ")
        (whole if name.startswith("full") else axes).append((case, name.removeprefix("full ")))
    return [dots(record, f"{what} in Python, on the GPU", cases, PYTHON, versions)
            for what, cases in (("Whole arrays", whole), ("Axes of arrays", axes)) if cases]


def host_peers(record):
    cases = list(dict.fromkeys(row.case for row in record.select("peers")))
    series = []
    for contender in ("exact", "fast", "NumPy", "PyTorch"):
        found = {row.case: row.value for row in record.select("peers", contender=contender, unit="ns")}
        points = [(number, found[case]) for number, case in enumerate(cases) if case in found]
        if points:
            series.append(Series(contender, contender.lower(), points))
    return Chart("dots", "multifold, NumPy and PyTorch on the CPU: less is faster", series, "nanoseconds an element",
                 [(record, "peers")], "", cases, log_value=True)
