"""Two records beside each other: what became slower or faster beyond the noise, as text or JSON."""

import dataclasses
import json

import tables
from scoreboard import readers
from scoreboard.records import RATIO, SPEED, TIME, RecordError, Row, speed_over

# What two runs of one build on one card may differ by, beside the spread of their repeats. More is allowed where a
# record does not have the spread.
FLOOR, FLOOR_WITHOUT_SPREAD = 0.01, 0.05
SLOWER, FASTER, SAME, UNCLEAR = "slower", "faster", "same", "not comparable"


@dataclasses.dataclass
class Change:
    old: Row
    new: Row
    bounds: tuple = None  # of the old and of the new row: what bounds it in its own run
    factor: float = 1.0  # the new speed over the old one
    noise: float = 0.0
    verdict: str = UNCLEAR

    @property
    def name(self):
        words = [self.new.family, self.new.case]
        words += [self.new.contender] if self.new.contender != "multifold" else []
        words += [self.new.figure] if self.new.figure.endswith("_us") else []
        return ": ".join(words)


def compared(record):
    """Rows that can become slower: times and speeds of this library, by what they are called."""
    return {row.key: row for row in record.rows
            if row.unit in (SPEED, TIME, "ns") and not row.derived and not readers.is_peer(row.contender)
            and row.contender not in ("plain", "cub in a graph") and row.case != "round_trip/empty_kernel"}


def classes(record):
    """What stands for random cases where two records have none in common."""
    return {row.key: row for row in record.select("surface class")}


def bound_of(record, row):
    """The plain read, link or disk of the same run; of small arrays, which none of them bounds, CUB's time."""
    return row.reference or next((other for other in record.select(row.family, row.case, "cub", row.unit)
                                  if other.case == row.case), None)


def half_spread(row):
    if row is None or row.low is None or row.high is None or not row.value:
        return None
    return max(row.high - row.value, row.value - row.low) / row.value


def change_of(old_record, new_record, key, rows, floor=None):
    old, new = rows[0][key], rows[1][key]
    bounds = bound_of(old_record, old), bound_of(new_record, new)
    change = Change(old, new, bounds if all(bounds) and bounds[0].contender == bounds[1].contender else None)
    one_machine = old_record.machine(new.family) == new_record.machine(new.family)
    if not old.value or not new.value or not (change.bounds or one_machine or new.unit == RATIO):
        return change
    change.factor = factor_of(change, one_machine)
    spreads = [half_spread(row) for row in (old, new)]
    default = FLOOR if None not in spreads else FLOOR_WITHOUT_SPREAD
    of_bounds = [half_spread(bound) or 0 for bound in change.bounds or ()]
    change.noise = (default if floor is None else floor) + sum(spread or 0 for spread in spreads) + sum(of_bounds)
    change.verdict = (SLOWER if change.factor < 1 / (1 + change.noise) else
                      FASTER if change.factor > 1 + change.noise else SAME)
    return change


def factor_of(change, one_machine):
    """The new speed over the old one, each beside its bound.

    A card whose memory is slower makes what the memory bounds slower, and what it does not bound faster beside it. So
    of two cards of one name the figure and its share have to say the same, and the lesser of the two changes counts.
    """
    plain = speed_over(change.new.unit, change.new.value, change.old.value)
    if not change.bounds:
        return plain
    beside = plain / speed_over(change.new.unit, change.bounds[1].value, change.bounds[0].value)
    if not one_machine:
        return beside
    return max(min(plain, beside), 1.0) if beside > 1 else min(max(plain, beside), 1.0)


def compare(old, new, floor=None):
    """A change for every figure that both records have, the slowest first. Throws RecordError where there is none."""
    if old.schema != new.schema:
        raise RecordError(f"{old.path} is of {old.schema}, {new.path} of {new.schema}: they have no figure in common")
    for rows in ((compared(old), compared(new)), (classes(old), classes(new))):
        keys = [key for key in rows[1] if key in rows[0]]
        if keys:
            break
    else:
        raise RecordError(f"{old.path} and {new.path} have no figure in common")
    return sorted((change_of(old, new, key, rows, floor) for key in keys), key=lambda change: change.factor)


def count(changes, verdict):
    return sum(change.verdict == verdict for change in changes)


def one_sided(old, new):
    """Names of what one of the records has."""
    mine, theirs = compared(old), compared(new)
    return [row.case for key, row in mine.items() if key not in theirs], \
           [row.case for key, row in theirs.items() if key not in mine]


# --- For people -------------------------------------------------------------------------------------------------------

def figure(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def line(change):
    old, new = change.old, change.new
    shares = [f"{speed_over(new.unit, row.value, bound.value):.3f}"
              for row, bound in zip((old, new), change.bounds or ())] or ["", ""]
    return [change.name, new.unit, figure(old.value), figure(new.value), change.bounds[1].contender
            if change.bounds else "", *shares, f"{100 * (change.factor - 1):+.1f} %", f"{100 * change.noise:.1f} %"]


def head(record):
    commit = f", commit {record.commit[:12]}" if record.commit else ""
    return record.origin() + commit


def text(old, new, changes, everything=False):
    """Tables of what changed. With `everything`, of what did not, too."""
    parts = [f"old: {head(old)}\nnew: {head(new)}\n"
             "A change counts if the figure and its share of what bounds it in its run (the plain read, the link, the "
             "disk) both say it."]
    titles = ["figure", "", "old", "new", "beside", "old", "new", "change", "noise"]
    for verdict in (SLOWER, FASTER, *((SAME,) if everything else ())):
        rows = [line(change) for change in changes if change.verdict == verdict]
        if verdict == FASTER:
            rows.reverse()
        if rows:
            parts.append(f"{verdict}, {len(rows)}:\n{tables.aligned(titles, rows)}")
    gone, fresh = one_sided(old, new)
    rest = [f"{count(changes, SLOWER)} slower, {count(changes, FASTER)} faster, "
            f"{count(changes, SAME)} within the noise"]
    if count(changes, UNCLEAR):
        rest.append(f"{count(changes, UNCLEAR)} not comparable: on another device, with nothing beside them")
    rest += [f"{len(names)} only in {record.name}" for names, record in ((gone, old), (fresh, new)) if names]
    return "\n\n".join(parts + ["; ".join(rest)])


# --- For programs -----------------------------------------------------------------------------------------------------

def as_json(old, new, changes):
    def file(record):
        return {"file": record.name, "device": record.device, "date": record.date, "commit": record.commit}

    def case(change):
        row, bounds = change.new, change.bounds
        return {"family": row.family, "case": row.case, "contender": row.contender, "figure": row.figure,
                "unit": row.unit, "old": change.old.value, "new": row.value,
                "beside": bounds[1].contender if bounds else None,
                "old_beside": bounds[0].value if bounds else None, "new_beside": bounds[1].value if bounds else None,
                "change": round(change.factor - 1, 5) if change.verdict != UNCLEAR else None,
                "noise": round(change.noise, 5) if change.verdict != UNCLEAR else None, "verdict": change.verdict}

    gone, fresh = one_sided(old, new)
    return json.dumps({"schema": "multifold.comparison/1", "old": file(old), "new": file(new),
                       "slower": count(changes, SLOWER), "faster": count(changes, FASTER),
                       "same": count(changes, SAME), "not_comparable": count(changes, UNCLEAR),
                       "only_old": gone, "only_new": fresh, "cases": [case(change) for change in changes]}, indent=1)
