"""Sections on what is not in the memory of a GPU, or not about bandwidth: links, graphs, segments, ladders, CPUs."""

import statistics

import surface as surface_report
from scoreboard.chart import Chart, Missing, Section, Series, best
from scoreboard.device_views import sums_by_size

COLOURS = ("exact", "fast", "cub", "thrust", "numpy", "pytorch")


def rows_chart(title, record, family, rows, series, value_label, **more):
    """Dots: rows are (key, name), series (name, colour, {key: value})."""
    kept = [(key, name) for key, name in rows if any(key in values for _, _, values in series)]
    drawn = [Series(name, colour, [(number, values[key]) for number, (key, _) in enumerate(kept) if key in values])
             for name, colour, values in series]
    sources = record if isinstance(record, list) else [(record, family)]
    return Chart("dots", title, [each for each in drawn if each.points], value_label, sources, "",
                 [name for _, name in kept], **more)


# --- Arrays that are not on the GPU -----------------------------------------------------------------------------------

STREAMS = {"pinned/reduce": "pinned memory, copied in chunks", "pinned/zero_copy": "pinned memory, read over the link",
           "rows_of_16/reduce": "rows of 16, results back", "pageable/4_threads": "ordinary memory, 4 threads",
           "pageable/8_threads": "ordinary memory, 8 threads", "pageable/12_threads": "ordinary memory, 12 threads",
           "pageable/16_threads": "ordinary memory, 16 threads", "file/cached": "a file in the page cache"}


def values(record, prefix, figure="GB/s"):
    return {row.case: row.value for row in record.select("stream", prefix) if row.figure == figure}


def streams(records):
    text = ("Sums of f32 that come over a link: the roof is what copying alone reaches, or what the disk gives. "
            "<code>multifold-overlap FILE --html overlap.html</code> draws who read, copied and reduced when.")
    found = sorted((record for record in records if record.select("stream")), key=lambda record: record.date)[::-1]
    if not found:
        return Section("Overlap and streams", text, [Missing(
            "Arrays outside of the GPU", "./dev bench --only stream --out bench/results/NAME.json")])
    charts = []
    linked = [record for record in found if record.select("stream", "pinned/")]
    if linked:
        rows = [row for record in linked for row in record.select("stream", "pinned/")]
        links = [row.reference.value for row in rows if row.reference]
        series = [(record.name, colour, values(record, "")) for record, colour in zip(linked, COLOURS)]
        charts.append(rows_chart("Arrays outside of the GPU's memory, beside the link", [(r, "stream") for r in linked],
                                 "stream", list(STREAMS.items()), series, "GB/s",
                                 roof=("the link", statistics.median(links)) if links else None))
        charts.append(both_engines(linked[0]))
    cold = [record for record in found if values(record, "file/cold")]
    if cold:
        speeds = {record.name: values(record, "file/cold")["file/cold"] for record in cold}
        disks = {record.name: record.find("stream", "file/cold", unit="GB/s").reference.value for record in cold}
        charts.append(rows_chart("A file that is not in the page cache, beside its disk", [(r, "stream") for r in cold],
                                 "stream", [(name, name) for name in speeds],
                                 [("multifold", "exact", speeds), ("the disk", "read", disks)], "GB/s",
                                 note="The disk's figure is read past the cache, in turns with the sum."))
    return Section("Overlap and streams", text, charts)


def both_engines(record):
    def of(figure):
        return {row.case: row.value for row in record.select("stream", "both/") if row.figure == figure}
    cases = [(case, case.removeprefix("both/").replace("_", " ")) for case in of("GB/s")]
    return rows_chart("CPU and GPU on one array in pinned memory: --engine both", record, "stream", cases,
                      [("both", "exact", of("GB/s")), ("CPU alone", "fast", of("host_GB/s")),
                       ("GPU alone", "cub", of("device_GB/s"))], "GB/s")


# --- Graphs -----------------------------------------------------------------------------------------------------------

def graphs(records):
    text = ("Below a few megabytes launches decide. Where the x axis is the size, events see the time; the other "
            "charts count from the call until the result stands on the device.")
    charts = sums_by_size(records, "us")
    record = best(records, "graph", "")
    if not record:
        return Section("Graphs and small sizes", text, charts + [
            Missing("CUDA Graphs", "./dev bench --only graph --out bench/results/NAME.json")])
    walls = {row.case: row.value for row in record.select("graph", unit="us") if row.figure == "wall_us"}

    def of(group, way):
        return {case.rpartition("/")[0]: wall for case, wall in walls.items()
                if case.startswith(group) and case.rpartition("/")[2] == way}

    def batches():
        found = {}
        for case, wall in walls.items():
            name, _, way = case.rpartition("/")
            if way.startswith("batch_"):
                found[name] = min(wall, found.get(name, wall))
        return found

    ways = [("as a graph", "exact", "captured"), ("launched", "fast", "plain"),
            ("CUB in a graph", "thrust", "cub_captured"), ("CUB", "cub", "cub")]
    for group, title in (("round_trip/", "One exact sum of f32: launched, and as a graph"),
                         ("chain/", "Each of many exact sums of f32: launched, in a graph, side by side")):
        cases = [case for case in walls if case.startswith(group) and case.count("/") > 1]
        names = dict.fromkeys(case.rpartition("/")[0] for case in cases)
        series = [(name, colour, of(group, way)) for name, colour, way in ways]
        series[0][2].update(of(group, "built"))
        if group == "chain/":
            series.insert(0, ("batch_graph, its best width", "numpy", batches()))
        empty = walls.get("round_trip/empty_kernel")
        charts.append(rows_chart(title, record, "graph", [(name, graph_words(name)) for name in names], series,
                                 "microseconds, less is faster", log_value=group == "chain/",
                                 roof=("an empty kernel", empty) if empty and group == "round_trip/" else None))
    return Section("Graphs and small sizes", text, charts)


def graph_words(name):
    size = name.rpartition("/")[2]
    count, x, each = size.partition("x")
    if not x:
        return f"{size[:-3]} {size[-3:]}"
    return f"{'one' if count == '1' else 'each of ' + count} of {each[:-3]} {each[-3:]}"


# --- Segments and the ladder ------------------------------------------------------------------------------------------

def segments(records):
    text = "Ragged rows, end to end, by their lengths: exact sums beside CUB's DeviceSegmentedReduce, which rounds."
    record = best(records, "segments", "")
    if not record:
        return Section("Segments", text, [Missing("Segments by their lengths",
                                                  "segment_bench > bench/results/NAME-segments.txt")])
    heads = list(dict.fromkeys(row.case.partition(": ")[0] for row in record.select("segments")))
    names = list(dict.fromkeys(row.case.partition(": ")[2] for row in record.select("segments")))

    def of(head, contender, share=False):
        rows = record.select("segments", head + ": ", contender, "GB/s")
        return {row.case.partition(": ")[2]: row.share if share else row.value for row in rows}

    first = next((head for head in heads if of(head, "cub")), heads[0])
    read = [row.reference.value for row in record.select("segments", first, "multifold", "GB/s") if row.reference]
    charts = [rows_chart(f"Segments in device memory, {first}: multifold's exact, CUB's rounded", record, "segments",
                         [(name, name) for name in names],
                         [("exact", "exact", of(first, "multifold")), ("CUB", "cub", of(first, "cub"))], "GB/s",
                         log_value=True, roof=("plain read", statistics.median(read)) if read else None)]
    if len(heads) > 1:
        charts.append(rows_chart("Segments by operation, as shares of a plain read", record, "segments",
                                 [(name, name) for name in names],
                                 [(head, colour, of(head, "multifold", True)) for head, colour in zip(heads, COLOURS)],
                                 "of a plain read", percent=True, roof=("plain read", 1.0),
                                 note=("A run 2 repeats the operation; the record does not say with which data."
                                       if any("run 2" in head for head in heads) else "")))
    return Section("Segments", text, charts + of_keys(records))


def of_keys(records):
    record = best(records, "keys", "")
    if not record:
        return []
    rows = record.select("keys", contender="multifold", unit="GB/s")
    names = [(row.case, row.case.partition(": ")[2]) for row in rows]
    return [rows_chart("Groups by a key for each element, exact sums of f32: elements and keys", record, "keys", names,
                       [("exact", "exact", {row.case: row.value for row in rows})], "GB/s",
                       roof=("plain read", statistics.median(row.reference.value for row in rows)))]


def ladder(records):
    text = ("From one thread to the memory's limit: the rungs of <code>apps/ladder</code>, on a large array and on one "
            "of 65,536 elements.")
    record = best(records, "ladder", "")
    if not record:
        return Section("The ladder", text, [Missing("The ladder",
                                                    "multifold-ladder --json > bench/results/NAME-ladder.json")])
    names = [(case, case) for case in dict.fromkeys(row.case for row in record.select("ladder", contender="multifold"))]
    charts = []
    for title, unit, label, roof in (
            ("The ladder's bandwidth, rung by rung", "GB/s", "GB/s", record.find("ladder", "a plain read")),
            ("The ladder on a short array, rung by rung", "us", "microseconds, less is faster", None)):
        found = {row.case: row.value for row in record.select("ladder", contender="multifold", unit=unit)}
        charts.append(rows_chart(title, record, "ladder", names, [("multifold", "exact", found)], label, log_value=True,
                                 roof=("plain read", roof.value) if roof else None))
    return Section("The ladder", text, charts)


# --- The CPU ----------------------------------------------------------------------------------------------------------

def cpu(records):
    text = "The CPU engine beside a plain loop that reads the same memory with as many threads."
    record = best(records, "host", "")
    if not record:
        return Section("The CPU", text, [Missing("The CPU engine by threads",
                                                 "./dev bench --only host --out bench/results/NAME.json")])
    found, threads = {}, set()
    for row in record.select("host", unit="GB/s"):
        case, _, count = row.case.rpartition("/threads:")
        threads.add(int(count))
        found.setdefault((case, row.contender), {})[int(count)] = row

    def points(case, contender="multifold", share=False):
        rows = found.get((case, contender), {})
        return [(count, row.share if share else row.value) for count, row in sorted(rows.items())]

    speed = [Series(name, colour, points(case, who), who == "plain") for name, colour, case, who in (
        ("sum of f32", "exact", "sum/f32", "multifold"), ("plain read", "read", "sum/f32", "plain"),
        ("sum of a cached file", "fast", "file_sum/f32", "multifold"),
        ("pread alone", "faint", "file_sum/f32", "plain"))]
    shares = [Series(dtype, colour, points(f"sum/{dtype}", share=True))
              for dtype, colour in zip(("f32", "f64", "i8", "i32", "f16", "bf16"), COLOURS)]
    most = max(threads)
    cases = [case for case, who in found if who == "multifold" and case.startswith("sum_")
             and case.endswith("/f32") and "omit" not in case]
    by_shape = {case: found[case, "multifold"][most].share for case in cases if most in found[case, "multifold"]}
    charts = [
        Chart("lines", "The CPU engine by threads: memory, and a cached file", [each for each in speed if each.points],
              "GB/s", [(record, "host")], "threads", log_x=True),
        Chart("lines", "Sums of several types on the CPU, as shares of a plain read",
              [each for each in shares if each.points], "of a plain read", [(record, "host")], "threads", log_x=True,
              percent=True, roof=("plain read", 1.0)),
        rows_chart(f"Sums of f32 over axes on the CPU, {most} threads, as shares of a plain read", record, "host",
                   [(case, case[4:-4].replace("_", " ")) for case in sorted(by_shape, key=natural)],
                   [("multifold", "exact", by_shape)], "of a plain read", percent=True, roof=("plain read", 1.0))]
    return Section("The CPU", text, [chart for chart in charts if chart.series])


def natural(case):
    words = case.partition("/")[0].split("_")
    return [(1, int(word), "") if word.isdigit() else (0, 0, word) for word in words]


# --- The surface ------------------------------------------------------------------------------------------------------

def surface(records):
    text = ("Random reductions: type, operation, shape, order in memory, axes and data are drawn, and each one's time "
            "stands beside a plain read of the same bytes and a write of the results.")
    record = best(records, "surface", "")
    if not record:
        return Section("The surface", text, [Missing(
            "How random reductions are distributed between 0 and the roof",
            "./dev bench --only surface --cases 1000 --out bench/results/NAME-surface.json")])
    shares = {}
    for row in record.select("surface"):
        case = surface_report.Case(row.case, 0, 0, 0, "")
        shares.setdefault(surface_report.class_of(case), []).append(row.share)
    names = [name for name in surface_report.WANTED if name in shares]
    curves = [Series(name, colour, [(share, (number + 1) / len(shares[name]))
                                    for number, share in enumerate(sorted(shares[name]))])
              for name, colour in zip(names, COLOURS)]
    quantiles = [("least", "pytorch", 0), ("5th percentile", "cub", 0.05), ("median", "exact", 0.5)]
    return Section("The surface", text, [
        Chart("steps", "Random reductions: how many of a class stay below a share of a plain read", curves,
              "of the cases", [(record, "surface")], "share of a plain read", log_x=True, percent=True),
        rows_chart("Random reductions by class: least, 5th percentile, median", record, "surface",
                   [(name, f"{name} ({len(shares[name])})") for name in names],
                   [(word, colour, {name: surface_report.quantile(shares[name], q) for name in names})
                    for word, colour, q in quantiles], "of a plain read", percent=True, log_value=True,
                   roof=("plain read", 1.0))])
