"""Figures in the paragraphs and lists of Markdown, and which of them no record bears.

Those in GB/s and us are in a record that their paragraph names, or, where it names none, in any. Those in ns, and ratios (1.96
times, 2 %, 0.93 of the link), are judged where a record is named: among the ratios of all records is any number.
"""

import re

import figure_tables
from scoreboard import readers
from scoreboard.records import RATIO, SPEED, TIME

ANYWHERE = {"GB/s": SPEED, "us": TIME}
UNITS = {**ANYWHERE, "ns": "ns"}
NUMBER = r"\d+(?:\.\d+)?"
FIGURES = re.compile(rf"(?<![\w.^])((?:{NUMBER}(?:,? (?:to|and|or) |, ))*{NUMBER}) "
                     r"(GB/s|us|ns|times|%|of(?= the | an? | ours| what))(?!\w)")


def paragraphs(text):
    """(line, words) of each paragraph and list item outside of code and tables."""
    found, code = [], False
    begins = True
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            code = not code
        if code or not line.strip() or line.startswith(("```", "#", "|")):
            begins = True
        elif begins or line.startswith("- "):
            found.append((number, line.strip()))
            begins = False
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def figures_of(words, named):
    """(figure, unit) of each that is judged in a paragraph, which names a record or does not."""
    for found in FIGURES.finditer(words):
        if not named and found[2] not in ANYWHERE:
            continue
        for figure in re.findall(NUMBER, found[1]):
            if found[2] != "of" or "." in figure:  # 8 of the 16 cores are no ratio
                yield figure, found[2]


def values_of(rows, unit):
    """What rows have in a unit; shares of what bounds them are ratios, as is the time of cores."""
    if unit in UNITS:
        return [row.value for row in rows if row.unit == UNITS[unit]]
    return [row.value for row in rows if row.unit in (RATIO, "cores")] + [row.share for row in rows if row.share is not None]


def complaints(name, text, results):
    """What no record bears, a line each."""
    files = {path.name: path for path in sorted(results.iterdir()) if path.suffix in (".json", ".txt")}
    loaded, wrong = {}, []
    for line, words in paragraphs(text):
        named = [file for file in re.findall(r"`(?:bench/results/)?([\w.-]+\.(?:json|txt))`", words) if file in files]
        for figure, unit in figures_of(words, named):
            for file in named or files:
                if file not in loaded:
                    loaded[file] = readers.load(files[file])
            values = values_of([row for file in named or files for row in loaded[file].rows], unit)
            percent = " %" if unit == "%" else ""
            if not any(figure_tables.bears(value, figure + percent) for value in values):
                wrong.append(f"{name}:{line}: {figure} {unit} is not in {', '.join(named) or 'any record'}")
    return wrong
