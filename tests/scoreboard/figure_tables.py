"""Tables of figures in Markdown: which records they name, and which of their figures no named record bears."""

import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from scoreboard import readers  # pylint: disable=wrong-import-position
from scoreboard.records import RATIO, SPEED, TIME  # pylint: disable=wrong-import-position

SPEED_SECTION = re.compile(r"speed|performance|ladder", re.IGNORECASE)
DTYPE = re.compile(r"\b(?:bool|[iu](?:8|16|32|64)|b?f16|f32|f64)\b")
SIZE = re.compile(r"(\d+) ([KMG]iB)")
SHAPE = re.compile(r"\(([\d^]+(?:, [\d^]+)+)\)")
NUMBER = re.compile(r"(?<![\w^.])\d+(?:\.\d+)?(?![\w^]| threads)( %)?")
CONTENDERS = {"cub": "CUB", "fast": "fast", "exact": "exact", "thrust": "Thrust", "NumPy": "NumPy",
              "PyTorch": "PyTorch", "CuPy": "CuPy"}


@dataclasses.dataclass
class Table:
    line: int
    section: str
    around: str  # the paragraph before, and one after that begins with "Record"
    header: list
    rows: list

    def in_speed_section(self):
        return bool(SPEED_SECTION.search(self.section))

    def has_figures(self):
        return any(NUMBER.search(cell) for row in self.rows for cell in row[1:])


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables_of(text, title=""):
    """Every table outside of code, with the headings above it."""
    lines, tables, headings, code = text.splitlines(), [], {1: title}, False
    for at, line in enumerate(lines):
        if line.startswith("```"):
            code = not code
        heading = re.match(r"(#+) (.*)", line)
        if heading and not code:
            level = len(heading[1])
            headings = {key: words for key, words in headings.items() if key < level} | {level: heading[2]}
        if code or not re.match(r"\|(?: *:?-+:? *\|)+$", line) or at == 0:
            continue
        end = at + 1
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        after = paragraph(lines, end, 1)
        around = paragraph(lines, at - 2, -1) + "\n" + (after if after.startswith("Record") else "")
        tables.append(Table(at, " / ".join(headings.values()), around, cells_of(lines[at - 1]),
                            [cells_of(row) for row in lines[at + 1:end]]))
    return tables


def paragraph(lines, at, step):
    """The one at a line, or across one blank line from it."""
    if 0 <= at < len(lines) and not lines[at].strip():
        at += step
    found = []
    while 0 <= at < len(lines) and lines[at].strip() and not lines[at].startswith(("#", "|")):
        found.append(lines[at])
        at += step
    return "\n".join(found[::step])


def named_files(table, results):
    """Files of bench/results in backticks; one with its folder must be there, as must every one that is named so."""
    words = re.findall(r"`(bench/results/)?([\w.-]+\.(?:json|txt))`", table.around)
    return [results / name for folder, name in words if folder or (results / name).exists()]


def unit_of_column(table, column):
    """By the words above it, or above a column to its left."""
    for title in reversed(table.header[1:column + 1]):
        if "GB/s" in title:
            return SPEED
        if re.search(r"\bus\b|microseconds", title):
            return TIME
        if re.search(r"ratio|of a plain read|%", title):
            return RATIO
    return None


def narrowed(rows, label):
    """The rows that a label means, as far as its words tell."""
    def keep(rows, matches):
        return [row for row in rows if matches(row)] or rows

    rows = keep(rows, lambda row: row.case == label or row.case.endswith(": " + label))
    for tokens in (["x".join(shape.split(", ")) for shape in SHAPE.findall(label)],
                   ["".join(size) for size in SIZE.findall(label)], DTYPE.findall(label)):
        if tokens:
            rows = keep(rows, lambda row, tokens=tokens: any(token in re.split(r"[/ x]|(?<=x)", row.case) or
                                                             "/" + token in row.case for token in tokens))
    return rows


def candidates(records, table, row, column):
    """The figures that a cell may show, as (value, unit)."""
    cell, label, title = row[column], row[0], table.header[column]
    unit = RATIO if " of the " in cell else unit_of_column(table, column)
    named = next((key for text in (cell, title) for key, word in CONTENDERS.items() if word in text), None)
    if not named and "plain read" in label:
        named = "read"
    rows = narrowed([row for record in records for row in record.rows], label)
    for each in rows:
        known = each.unit if each.unit in (SPEED, TIME, RATIO) else None
        if unit and known and known != unit:
            continue
        if known in (SPEED, TIME):
            peer = readers.is_peer(each.contender)
            if peer if named is None else not each.contender.startswith(named) and (peer or named in readers.PEERS):
                continue
        yield each.value
        if each.share is not None and unit in (None, RATIO):
            yield each.share


def bears(value, text):
    """Whether a value rounds to what is written, as many digits as are written."""
    percent = text.endswith(" %")
    number = text.removesuffix(" %")
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(value * (100 if percent else 1) - float(number)) <= half * 1.001


def unborne(table, records):
    """(label, column, figure) of every figure that no record bears."""
    found = []
    for row in table.rows:
        for column in range(1, min(len(row), len(table.header))):
            values = list(candidates(records, table, row, column))
            text = re.sub(r"`[^`]*`", "", row[column])
            found += [(row[0], table.header[column], figure[0]) for figure in NUMBER.finditer(text)
                      if not any(bears(value, figure[0]) for value in values)]
    return found


def complaints(name, text, results):
    """What is wrong with the tables of a document, a line each."""
    wrong = []
    for table in tables_of(text, pathlib.PurePath(name).stem):
        files = named_files(table, results)
        where = f"{name}:{table.line}: table {' | '.join(table.header)!r}"
        if not files:
            if table.in_speed_section() and table.has_figures():
                wrong.append(f"{where} names no record of bench/results, in backticks in the paragraph before it")
            continue
        missing = [file.name for file in files if not file.exists()]
        if missing:
            wrong.append(f"{where} names {', '.join(missing)}, which bench/results has not")
            continue
        records = [readers.load(file) for file in files]
        wrong += [f"{where}: {figure} ({label}; {column or 'no title'}) is not in {', '.join(r.name for r in records)}"
                  for label, column, figure in unborne(table, records)]
    return wrong
