"""From the files of bench/results to rows: a function for each kind of record."""

import json
import math
import pathlib
import re

import surface
from scoreboard.records import RATIO, SPEED, TIME, Record, RecordError, Row

BENCH, SURFACE, LADDER = "multifold.bench/1", "multifold.surface/1", "multifold.ladder/1"
PEERS = ("cub", "thrust", "read", "copy", "NumPy", "PyTorch", "CuPy")


def is_peer(contender):
    """Whether it is another's code, or a plain loop."""
    return contender.split(" ")[0] in PEERS


def schema_by_shape(content):
    """Of records from before these had a schema."""
    if isinstance(content.get("cases"), list):
        if "must_reach" in content:
            return BENCH
        if "run" in content:
            return SURFACE
    return None


# --- run.py -----------------------------------------------------------------------------------------------------------

def device_rows(cases):
    """Of each contender GB/s with quartiles, and microseconds and ratios that follow from its case."""
    by_case = {}
    for row in cases:
        by_case.setdefault(row["name"], []).append(row)
    for case, contenders in by_case.items():
        read = next((speed_row("device", row) for row in contenders if row["contender"] == "read"), None)
        for found in contenders:
            row = speed_row("device", found, read)
            yield row
            if row.value:
                times = [found["bytes"] / figure / 1e3 if figure else None
                         for figure in (row.value, row.high, row.low)]
                yield Row("device", case, row.contender, "us", TIME, *times, derived=True)
            for figure in ("ratio_to_cub", "first_over_this"):
                if found.get(figure) is not None:
                    yield Row("device", case, row.contender, figure, RATIO, found[figure], derived=True)


def speed_row(family, found, reference=None):
    return Row(family, found["name"], found["contender"], "median_gbps", SPEED, found["median_gbps"], found["q1"],
               found["q3"], None if found["contender"] == "read" else reference)


LIMITS = {"of_limit": "the link", "of_disk": "the disk", "of_sum": "both engines alone",
          "of_best": "the quickest engine"}
UNITS = (("GB/s", SPEED), ("_us", TIME), ("of_", RATIO), ("cpu_share", "cores"), ("_MiB", "MiB"))


def unit_of(figure):
    return next((unit for part, unit in UNITS if part in figure), "")


def counter_rows(family, cases):
    """Of cases of graphs and streams, whose counters stand as they are."""
    empty = next((case for case in cases if case["name"] == "round_trip/empty_kernel"), None)
    for case in cases:
        contender = case["name"].rpartition("/")[2] if family == "graph" else "multifold"
        contender = "cub" if contender == "cub" else "cub in a graph" if contender == "cub_captured" else "multifold"
        for figure, value in case.items():
            if figure == "name":
                continue
            yield Row(family, case["name"], contender, figure, unit_of(figure), value,
                      reference=counter_reference(family, case, figure, empty),
                      derived=figure not in ("GB/s", "wall_us", "host_us", "rebind_us", "resize_us", "make_us"))


def counter_reference(family, case, figure, empty):
    if figure.endswith("_us") and empty and case is not empty:  # what remains is the CPU's time
        time = "wall_us" if figure == "wall_us" else "host_us"
        return Row(family, empty["name"], "empty kernel", time, TIME, empty[time])
    limit = next((name for name in LIMITS if case.get(name)), None)
    if figure != "GB/s" or not limit or case["name"].startswith("host/"):  # the CPU's own memory has no link
        return None
    return Row(family, case["name"], LIMITS[limit], "GB/s", SPEED, case["GB/s"] / case[limit])


def host_rows(cases):
    for case in cases:
        plain = Row("host", case["name"], "plain", "plain_gbps", SPEED, case["plain_gbps"])
        yield Row("host", case["name"], "multifold", "gbps", SPEED, case["gbps"], reference=plain)
        yield plain
        yield Row("host", case["name"], "multifold", "ratio", RATIO, case["ratio"], derived=True)


def read_bench(path, content):
    host = content.get("host") or {}
    rows = list(device_rows(content["cases"]))
    rows += counter_rows("graph", content.get("graphs", []))
    rows += counter_rows("stream", content.get("streams", []))
    rows += host_rows(host.get("cases", []))
    processor = f"{host['processor']}, {host['cores']} cores" if host else ""
    return Record(path, BENCH, content.get("device") or processor, content.get("date") or "",
                  content.get("commit") or "", rows, content, processor)


# --- The surface and the ladder ---------------------------------------------------------------------------------------

def read_surface(path, content):
    rows = []
    for case in content["cases"]:
        if case["verdict"].startswith("refused"):
            continue
        roof = Row("surface", case["text"], "read", "roof", SPEED, case["bytes"] / case["roof"] / 1e9)
        rows.append(Row("surface", case["text"], "multifold", "seconds", SPEED, case["bytes"] / case["seconds"] / 1e9,
                        reference=roof))
    rows += class_rows(rows)
    return Record(path, SURFACE, content["run"].split(", seed")[0], content.get("date") or "",
                  content.get("commit") or "", rows, content)


def class_rows(rows):
    """What classes of random cases reach, for records whose seeds, and so whose cases, differ.

    As many cases lie below a quantile q as of n tosses of a coin of probability q fall on its face: n q, and within two
    standard deviations of that in 19 of 20 records. The shares of the cases of these ranks are its spread.
    """
    shares = {}
    for row in rows:
        kind = surface.class_of(surface.Case(row.case, 0, 0, 0, ""))
        shares.setdefault(kind, []).append(row.share)
    for kind, found in shares.items():
        for name, q in (("5th percentile", 0.05), ("median", 0.5)):
            apart = 2 * math.sqrt(q * (1 - q) / len(found))
            low, high = (surface.quantile(found, min(max(q + way * apart, 0), 1)) for way in (-1, 1))
            yield Row("surface class", f"{kind}: {name}", "multifold", "share", RATIO, surface.quantile(found, q), low,
                      high, derived=True)


def rung_name(rung):
    return f"{rung['rung']} {rung['name']}"


def read_ladder(path, content):
    roof = Row("ladder", "a plain read", "read", "roof", SPEED, content["roof"]["bytes_per_second"] / 1e9)
    rows = [roof]
    for rung in content["rungs"]:
        seconds, case = rung["seconds"], rung_name(rung)
        speeds = [rung["bytes"] / seconds[which] / 1e9 for which in ("median", "greatest", "least")]
        row = Row("ladder", case, "multifold", "bytes_per_second", SPEED, *speeds, reference=roof)
        rows += [row, Row("ladder", case, "multifold", "share_of_roof", RATIO, row.share, derived=True)]
        if rung.get("brief"):
            times = [rung["brief"]["seconds"][which] * 1e6 for which in ("median", "least", "greatest")]
            rows.append(Row("ladder", case, "multifold", "brief us", TIME, *times))
    return Record(path, LADDER, content["machine"], content.get("date") or "", content.get("commit") or "", rows,
                  content)


JSON_READERS = {BENCH: read_bench, SURFACE: read_surface, LADDER: read_ladder}


# --- Text as programs print it ----------------------------------------------------------------------------------------

SEGMENTS_HEAD = re.compile(r"^(?P<device>.+), (?P<op>\w+) of (?P<dtype>\w+), (?P<mib>\d+) MiB$")
SEGMENTS_ROW = re.compile(r"^(?P<title>.+?) +(?P<count>\d+) +(?P<speed>\d+) +(?P<cub>\d+) +(?P<to_cub>[\d.]+)"
                          r" +(?P<share>[\d.]+) +(?P<spread>[\d.]+)%")


def read_segments(path, lines):
    """What segment_bench prints, as often as it was run: a run like an earlier one is told by its number."""
    record, runs, head = None, {}, ""
    for line in lines:
        found = SEGMENTS_HEAD.match(line)
        if found:
            record = record or Record(path, "segment_bench", found["device"])
            head = f"{found['op']} {found['dtype']}"
            runs[head] = runs.get(head, 0) + 1
            head += f" run {runs[head]}" if runs[head] > 1 else ""
            continue
        found = SEGMENTS_ROW.match(line)
        if found:
            record.rows += segment_rows(f"{head}: {found['title']}", found)
    return record


def segment_rows(case, found):
    speed, share = float(found["speed"]), float(found["share"])
    half = float(found["spread"]) / 200
    read = Row("segments", case, "read", "share", SPEED, speed / share) if share else None
    yield Row("segments", case, "multifold", "GB/s", SPEED, speed, speed * (1 - half), speed * (1 + half), read)
    yield Row("segments", case, "multifold", "share", RATIO, share, derived=True)
    yield Row("segments", case, "multifold", "count", "", float(found["count"]), derived=True)
    if float(found["cub"]):
        yield Row("segments", case, "cub", "GB/s", SPEED, float(found["cub"]), reference=read)
        yield Row("segments", case, "multifold", "to CUB", RATIO, float(found["to_cub"]), derived=True)


KEYS_HEAD = re.compile(r"^(?P<device>.+), (?P<op>\w+) of (?P<dtype>\w+) by keys of (?P<key>\w+), (?P<mib>\d+) MiB each$")
KEYS_ROW = re.compile(r"^(?P<order>\w+) +(?P<groups>\d+) +(?P<speed>\d+) +(?P<share>[\d.]+) +(?P<spread>[\d.]+)%")


def read_keys(path, lines):
    """What key_bench prints: speeds of elements and keys together."""
    head = KEYS_HEAD.match(lines[0])
    record = Record(path, "key_bench", head["device"])
    for found in filter(None, map(KEYS_ROW.match, lines)):
        speed, share, half = float(found["speed"]), float(found["share"]), float(found["spread"]) / 200
        case = f"{head['op']} {head['dtype']}: {found['order']}, {found['groups']} groups"
        read = Row("keys", case, "read", "share", SPEED, speed / share)
        record.rows.append(Row("keys", case, "multifold", "GB/s", SPEED, speed, speed * (1 - half), speed * (1 + half),
                               read))
        record.rows.append(Row("keys", case, "multifold", "share", RATIO, share, derived=True))
    return record


DEVICES_HEAD = re.compile(r"^\d+ x (?P<device>.+), (?P<op>\w+) of (?P<dtype>\w+)$")
DEVICES_ROW = re.compile(r"^(?P<where>.+?) +(?P<gib>\d+) GiB +(?P<one>[\d.]+) +(?P<all>[\d.]+) +(?P<times>[\d.]+)$")


def read_devices(path, lines):
    """What devices_bench prints: the speed of one GPU, and of all."""
    head = DEVICES_HEAD.match(lines[0])
    record = Record(path, "devices_bench", lines[0].split(",")[0])
    for found in filter(None, map(DEVICES_ROW.match, lines)):
        case = f"{head['op']} {head['dtype']}: {found['where']}, {found['gib']} GiB"
        one = Row("devices", case, "one GPU", "GB/s", SPEED, float(found["one"]))
        record.rows += [one, Row("devices", case, "multifold", "GB/s", SPEED, float(found["all"]), reference=one),
                        Row("devices", case, "multifold", "times", RATIO, float(found["times"]), derived=True)]
    return record


def read_peers(path, lines):
    """What bench/host/peers.py prints without --spans: nanoseconds an element, and ratios to the faster peer."""
    record = Record(path, "host_peers", "a CPU, " + lines[0].split(",")[0])
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 7 or cells[0] == "case" or set(cells[0]) == {"-"}:
            continue
        for contender, cell in zip(("exact", "fast", "NumPy", "PyTorch"), (cells[2], cells[4], cells[5], cells[6])):
            if cell:
                record.rows.append(Row("peers", cells[0], contender, "ns an element", "ns", float(cell)))
        for contender, cell in (("exact", cells[1]), ("fast", cells[3])):
            if cell:
                record.rows.append(Row("peers", cells[0], contender, "to the faster peer", RATIO, float(cell),
                                       derived=True))
    return record


def read_text(path, text):
    lines = text.splitlines()
    first = lines[0] if lines else ""
    if SEGMENTS_HEAD.match(first):
        return read_segments(path, lines)
    if KEYS_HEAD.match(first):
        return read_keys(path, lines)
    if DEVICES_HEAD.match(first):
        return read_devices(path, lines)
    if re.match(r"\d+ threads, \d+ bytes, NumPy", first):
        return read_peers(path, lines)
    raise RecordError(f"{path}: not a record: none of what segment_bench, key_bench, devices_bench "
                      "and bench/host/peers.py print")


# --- Any file --------------------------------------------------------------------------------------------------------

def load(path, given=False):
    """Reads a file of bench/results. Throws RecordError."""
    path = pathlib.Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        record = read_json(path, text) if path.suffix == ".json" else read_text(path, text)
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise RecordError(f"{path}: damaged: {type(error).__name__}: {error}") from None
    record.given = given
    return record


def read_json(path, text):
    content = json.loads(text)
    if not isinstance(content, dict):
        raise RecordError(f"{path}: not a record: a JSON object is expected")
    schema = content.get("schema") or schema_by_shape(content)
    reader = JSON_READERS.get(schema)
    if not reader:
        known = ", ".join(JSON_READERS)
        said = f"its schema is {schema!r}" if schema else "it has no schema, and not the fields of a record"
        raise RecordError(f"{path}: {said}; records are of {known}")
    return reader(path, content)


def load_all(folder, given=()):
    """Every record of a folder, by name, then those that the user named."""
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".txt"))
    return [load(path) for path in paths] + [load(path, given=True) for path in given]
