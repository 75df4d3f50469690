"""Records of benchmarks as rows of figures, whatever program wrote them. Nothing is drawn or judged here."""

import dataclasses
import pathlib

SPEED, TIME, RATIO = "GB/s", "us", "ratio"


class RecordError(Exception):
    """A file that is no record, or one of another schema. The message names it."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One figure of a contender in a case.

    `reference` is what bounds it in the same run and unit: the plain read, the link, the disk. `low` and `high` bound
    the repeats, as far as the record has them: quartiles, or the least and the greatest. What is `derived` says nothing
    that another row does not say.
    """
    family: str  # what measured it: device, graph, stream, host, ladder, segments, keys, surface or peers
    case: str
    contender: str
    figure: str  # its name in the record
    unit: str
    value: float
    low: float = None
    high: float = None
    reference: "Row" = None
    derived: bool = False

    @property
    def share(self):
        """Of the reference's speed; None without one."""
        if not self.reference or not self.reference.value or not self.value:
            return None
        return speed_over(self.unit, self.value, self.reference.value)

    @property
    def key(self):
        return self.family, self.case, self.contender, self.figure


def speed_over(unit, mine, theirs):
    """How many times as fast: of times, the other way round."""
    return mine / theirs if unit in (SPEED, RATIO) else theirs / mine


@dataclasses.dataclass
class Record:
    path: pathlib.Path
    schema: str
    device: str  # of its GPU; of its processor where it has none
    date: str = ""
    commit: str = ""
    rows: list = dataclasses.field(default_factory=list)
    content: dict = dataclasses.field(default_factory=dict)
    processor: str = ""  # of the figures of the family "host"
    given: bool = False  # named by the user, and not found in bench/results

    @property
    def name(self):
        return self.path.name

    def machine(self, family):
        return self.processor if family == "host" else self.device

    def origin(self, family="device"):
        """Where the figures come from, in words."""
        return ", ".join((self.name, self.machine(family), self.date[:10] or "no date in the record"))

    def select(self, family, prefix="", contender=None, unit=None):
        return [row for row in self.rows if row.family == family and row.case.startswith(prefix)
                and contender in (None, row.contender) and unit in (None, row.unit)]

    def find(self, family, case, contender=None, unit=None):
        """The first such row, or None."""
        return next((row for row in self.select(family, case, contender, unit) if row.case == case), None)
