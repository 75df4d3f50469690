"""What a chart shows: its series, words and table. Drawing is elsewhere."""

import dataclasses

@dataclasses.dataclass
class Series:
    name: str
    colour: str  # a key of the page's palette
    points: list  # (x, y), or of dots (the number of the row, x)
    dashed: bool = False


@dataclasses.dataclass
class Chart:
    """Lines and steps go over x, dots stand in rows that have names."""
    kind: str  # lines, steps or dots
    title: str
    series: list
    value_label: str  # of y; of dots, whose values go to the right, of x
    sources: list  # (record, family): where its figures are from
    x_label: str = ""
    rows: list = dataclasses.field(default_factory=list)
    note: str = ""
    roof: tuple = None  # (name, value)
    log_x: bool = False
    log_value: bool = False
    x_words: callable = "{:g}".format  # what ticks and the table call an x
    percent: bool = False

    def text_of(self, value):
        """A value as labels and tables have it."""
        if self.percent:
            return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.2g} %"
        return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"

    def table(self):
        """Header and rows of the same figures."""
        names = [series.name for series in self.series]
        if self.kind == "steps":
            quantiles = (0, 0.01, 0.05, 0.25, 0.5, 0.75)
            return [self.x_label, *names], [
                ["least" if q == 0 else "median" if q == 0.5 else f"{q:.0%}",
                 *(self.text_of(at(series.points, q)) for series in self.series)] for q in quantiles]
        if self.kind == "dots":
            keys = list(enumerate(self.rows))
        else:
            keys = [(x, self.x_words(x)) for x in sorted({x for series in self.series for x, _ in series.points})]
        values = [dict(series.points) for series in self.series]
        return [self.x_label or "", *names], [
            [word, *(self.text_of(found[key]) if key in found else "" for found in values)] for key, word in keys]


def at(points, q):
    """The x below which the share q of the cases of a cumulative curve lies."""
    return next((x for x, y in points if y >= q and y > 0), points[-1][0])


@dataclasses.dataclass
class Missing:
    """A chart that no record has the figures for."""
    title: str
    command: str = ""  # that would measure them
    note: str = ""


@dataclasses.dataclass
class Section:
    title: str
    text: str
    charts: list

    def __post_init__(self):
        self.charts = [chart for chart in self.charts if isinstance(chart, Missing) or chart.series]


def ranked(records, family, *prefixes):
    """The records that have figures of such cases: those that the user named first, then by how many, then by date."""
    def figures(record):
        return sum(len(record.select(family, prefix)) for prefix in prefixes)
    found = [record for record in records if figures(record)]
    return sorted(found, key=lambda record: (record.given, figures(record), record.date), reverse=True)


def best(records, family, *prefixes):
    return next(iter(ranked(records, family, *prefixes)), None)


def plain_read(record):
    """The speed of the longest plain read of a device's memory."""
    rows = [row for row in record.select("device", contender="read", unit="GB/s") if "2^" not in row.case]
    ceiling = [row for row in rows if row.case != "ceiling"] or rows
    return ("plain read", max(row.value for row in ceiling)) if ceiling else None


def size_text(size):
    for unit, word in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {word}"
    return f"{size:g} B"


def bytes_of(text):
    """4KiB and the like."""
    return int(text[:-3]) << {"KiB": 10, "MiB": 20, "GiB": 30}[text[-3:]]
