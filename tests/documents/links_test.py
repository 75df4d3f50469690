"""Links of the documents: files and headings that they name are there, and the README leads to every page."""

import pathlib
import re
import sys

FENCE = re.compile(r"^\s*```")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`]*`")


def prose(page):
    """Its lines that are no code, with their numbers."""
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(page):
    """What GitHub makes of the headings: lower case, no punctuation, dashes for blanks, and numbers for repeats."""
    found = {}
    for _, line in prose(page):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(2)).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found[slug] = found.get(slug, 0) + 1
    return {slug if index == 0 else f"{slug}-{index}" for slug, count in found.items() for index in range(count)}


def mistakes_of(page, source, reached):
    for number, line in prose(page):
        for target in LINK.findall(CODE.sub("", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (page.parent / name).resolve() if name else page
            where = f"{page.relative_to(source)}:{number}"
            if not file.exists():
                yield f"{where}: there is no {name}"
            elif anchor and anchor not in anchors(file):
                yield f"{where}: {file.name} has no heading #{anchor}"
            reached.add(file)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    docs = sorted((source / "docs").glob("*.md"))
    reached = set()
    mistakes = list(mistakes_of(source / "README.md", source, reached))
    from_readme = set(reached)
    for page in [source / "CONTRIBUTING.md", source / "CHANGELOG.md", *docs]:
        mistakes += mistakes_of(page, source, reached)
    mistakes += [f"README.md does not lead to {page.relative_to(source)}" for page in docs if page not in from_readme]
    print("\n".join(mistakes) or f"{len(docs) + 3} pages, every link leads somewhere")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
