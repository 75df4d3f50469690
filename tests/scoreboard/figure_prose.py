"""Figures in GB/s and us in the paragraphs and lists of Markdown, and which of them no record bears."""

import re

import figure_tables
from scoreboard import readers
from scoreboard.records import SPEED, TIME

UNITS = {"GB/s": SPEED, "us": TIME}
NUMBER = r"\d+(?:\.\d+)?"
FIGURES = re.compile(rf"((?:{NUMBER}(?:,? (?:to|and|or) |, ))*{NUMBER}) (GB/s|us)\b")


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


def complaints(name, text, results):
    """What no record bears, a line each: of those that a paragraph names, or of all if it names none."""
    files = {path.name: path for path in sorted(results.iterdir()) if path.suffix in (".json", ".txt")}
    loaded, wrong = {}, []
    for line, words in paragraphs(text):
        named = [file for file in re.findall(r"`(?:bench/results/)?([\w.-]+\.(?:json|txt))`", words) if file in files]
        for figures in FIGURES.finditer(words):
            for file in named or files:
                if file not in loaded:
                    loaded[file] = readers.load(files[file])
            values = [row.value for file in named or files for row in loaded[file].rows if row.unit == UNITS[figures[2]]]
            for figure in re.findall(NUMBER, figures[1]):
                if not any(figure_tables.bears(value, figure) for value in values):
                    wrong.append(f"{name}:{line}: {figure} {figures[2]} is not in {', '.join(named) or 'any record'}")
    return wrong
