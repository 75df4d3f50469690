"""The options of bench/run.py that read records and run nothing."""

import pathlib
import sys

from scoreboard import compare, readers
from scoreboard.records import RecordError

REFUSED = 2  # exit status for what cannot be read or compared; 1 says that something is slower


def add_arguments(parser):
    parser.add_argument("records", nargs="*", type=pathlib.Path, metavar="RECORD", help="more records for --html")
    parser.add_argument("--html", type=pathlib.Path, metavar="FILE",
                        help="write a page of bench/results, and of RECORDs, which come first")
    parser.add_argument("--compare", nargs=2, type=pathlib.Path, metavar=("OLD", "NEW"),
                        help="say what changed beyond the noise: the spread of the repeats, and --noise")
    parser.add_argument("--noise", type=float, metavar="PERCENT",
                        help="what --compare allows beside the spread (default: 1, or 5 where a record has no spread)")
    parser.add_argument("--all", action="store_true", help="with --compare, also what did not change")
    parser.add_argument("--json", action="store_true", help="with --compare, for programs")


def asked(options):
    return bool(options.html or options.compare)


def check(parser, options):
    """Refuses what would do nothing."""
    reading = [f"--{name}" for name in ("html", "compare") if getattr(options, name)]
    if len(reading) == 2:
        parser.error("--html and --compare are two commands")
    measuring = [f"--{name}" for name in ("only", "quick", "filter", "out", "seed", "commit")
                 if getattr(options, name) not in (None, False)] + (["--from"] if options.reports else [])
    if reading and measuring:
        parser.error(f"{reading[0]} runs nothing, so {measuring[0]} would do nothing")
    if options.records and not options.html:
        parser.error("RECORDs are for --html; --compare takes OLD and NEW")
    alone = [f"--{name}" for name in ("noise", "all", "json") if getattr(options, name) not in (None, False)]
    if alone and not options.compare:
        parser.error(f"{alone[0]} goes with --compare")
    if options.noise is not None and not 0 <= options.noise < 100:
        parser.error("--noise is a percentage, from 0 to less than 100")


def run(options, results):
    """Exit status: 0, 1 if something is slower, REFUSED."""
    try:
        return write_page(options, results) if options.html else say_changes(options)
    except RecordError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return REFUSED


def say_changes(options):
    old, new = map(readers.load, options.compare)
    floor = None if options.noise is None else options.noise / 100
    changes = compare.compare(old, new, floor)
    print(compare.as_json(old, new, changes) if options.json else compare.text(old, new, changes, options.all))
    return 1 if compare.count(changes, compare.SLOWER) else 0


def write_page(options, results):
    try:
        from scoreboard import page
    except ModuleNotFoundError as missing:
        raise RecordError(f"--html needs the Python package {missing.name}: apt-get install python3-matplotlib, then "
                          "/usr/bin/python3 bench/run.py") from None
    records = readers.load_all(results, options.records)
    text = page.render(records)
    try:
        options.html.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{options.html}: {error.strerror}") from None
    print(f"{len(records)} records, {len(text) >> 10} KiB, written to {options.html}")
    return 0
