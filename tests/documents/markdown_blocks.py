"""Reads the fenced code blocks of a Markdown file, and compares what a command printed with what the text shows."""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^\s*```\s*(\w*)\s*$")
NOT_RUN = re.compile(r"<!--\s*not run:\s*(.+?)\s*-->")


@dataclass
class Block:
    language: str
    line: int  # of the opening fence, counted from 1
    text: str
    not_run: str = ""  # the reason, if a comment above the block gives one


@dataclass
class Command:
    text: str
    line: int
    expected: list = field(default_factory=list)


def blocks(markdown):
    """Every fenced block, in order. `<!-- not run: reason -->` on the line above exempts a block."""
    found, current, reason = [], None, ""
    for number, line in enumerate(markdown.splitlines(), 1):
        fence = FENCE.match(line)
        if current is not None:
            if fence:
                found.append(current)
                current = None
            else:
                current.text += line + "\n"
        elif fence:
            current = Block(fence.group(1), number, "", reason)
            reason = ""
        elif line.strip():
            exempt = NOT_RUN.search(line)
            reason = exempt.group(1) if exempt else ""
    if current is not None:
        raise ValueError(f"line {current.line}: the fence is never closed")
    return found


def commands(block):
    """`$ command` lines with the output shown below each; without any `$`, every line is a command."""
    lines = block.text.splitlines()
    has_prompts = any(line.startswith("$ ") for line in lines)
    found, continues = [], False
    for number, line in enumerate(lines, block.line + 1):
        if continues:
            found[-1].text += "\n" + line
        elif has_prompts and not line.startswith("$ "):
            if not found:
                raise ValueError(f"line {number}: output without a command above it")
            found[-1].expected.append(line)
            continue
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append(Command(line[2:] if has_prompts else line, number))
        else:
            continue
        continues = line.endswith("\\")
    return found


def matches(expected, actual):
    """`...` stands for any text in a line, and alone on a line for any number of lines."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part.rstrip()) if last else re.escape(part)
                                       for part, last in parts_of(line)) + r"[ \t]*\n"
    text = "".join(line + "\n" for line in actual)
    return re.fullmatch(pattern, text) is not None


def parts_of(line):
    parts = line.split("...")
    return [(part, index == len(parts) - 1) for index, part in enumerate(parts)]
