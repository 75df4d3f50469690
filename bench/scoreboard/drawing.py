"""Charts as SVG, by Matplotlib: colours are names of the page's palette, and letters the page's."""

import io
import math
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot, ticker  # pylint: disable=wrong-import-position

WIDE, NARROW = 920, 358  # pixels: the page has both, and shows what fits
# What Matplotlib draws is as good as nameless in a style sheet but for its colours: each stands for a variable.
PALETTE = ("ink", "faint", "rule", "paper", "exact", "fast", "cub", "thrust", "numpy", "pytorch", "cupy", "read")
STAND_IN = {name: f"#0{number:x}0{number:x}0{number:x}" for number, name in enumerate(PALETTE, 1)}
LETTER = 0.6  # of the size of letters: the width of one, on the average


def drawing(chart, name):
    """The two SVGs of a chart, for wide and for narrow pages. `name` tells its ids from those of other charts."""
    return "".join(f'<div class="{kind}">{picture(chart, width, name + kind)}</div>'
                   for kind, width in (("wide", WIDE), ("narrow", NARROW)))


def picture(chart, width, salt):
    letters = 13 if width == WIDE else 12
    style = {"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": letters, "axes.linewidth": 1,
             "text.color": STAND_IN["ink"], "axes.edgecolor": STAND_IN["rule"], "axes.labelcolor": STAND_IN["faint"],
             "xtick.color": STAND_IN["rule"], "ytick.color": STAND_IN["rule"], "xtick.labelcolor": STAND_IN["faint"],
             "ytick.labelcolor": STAND_IN["faint"], "grid.color": STAND_IN["rule"], "axes.axisbelow": True,
             "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False,
             "xtick.minor.visible": False, "ytick.minor.visible": False, "ytick.major.size": 0}
    with matplotlib.rc_context(style):
        paint = Dots(chart, width, letters) if chart.kind == "dots" else Lines(chart, width, letters)
        text = svg_text(paint.figure)
        pyplot.close(paint.figure)
    return text


def svg_text(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style type=\"text/css\">.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r" (?:width|height)=\"[\d.]+pt\"", "", text, count=2)
    text = re.sub(r" xmlns(?::xlink)?=\"[^\"]*\"| version=\"1.1\"", "", text).replace("xlink:href", "href")
    text = re.sub(r"<g id=\"[^\"]*\"/>\s*", "", text)
    text = re.sub(r"<g id=\"[^\"]*\">", "<g>", text)  # of which a page would have many; those of <defs> are its own
    text = re.sub(r"font: (?:\w+ )?([\d.]+)px [^;\"]*", r"font-size: \1px", text)
    for name, colour in STAND_IN.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    return re.sub(r"\n\s*", "\n", text).replace("<svg", '<svg aria-hidden="true"', 1).strip()


class Paint:
    """A figure whose margins are given in pixels."""

    def __init__(self, chart, width, letters):
        self.chart, self.width, self.letters = chart, width, letters
        self.figure = self.inner = None  # the size of the axes

    def axes_within(self, height, left, right, top, bottom):
        self.figure = pyplot.figure(figsize=(self.width / 72, height / 72), dpi=72)
        self.inner = self.width - left - right, height - top - bottom
        return self.figure.add_axes((left / self.width, bottom / height, self.inner[0] / self.width,
                                     self.inner[1] / height))

    def text_width(self, words):
        return max((len(word) for word in words), default=0) * self.letters * LETTER

    def scale_values(self, axis, log, low):
        """Of the axis that has the values: ticks and a grid."""
        axis.grid(True, linewidth=1)
        if log:
            getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
            many = self.inner[0] > 500 or axis.axis_name == "y"
            axis.set_major_locator(ticker.LogLocator(10, (1.0, 2.0, 5.0) if many and low else (1.0,)))
            axis.set_minor_locator(ticker.NullLocator())
        else:
            axis.set_major_locator(ticker.MaxNLocator(6 if self.inner[0] > 500 else 4, steps=(1, 2, 2.5, 5, 10)))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: self.tick_text(value)))

    def tick_text(self, value):
        if self.chart.percent:
            return f"{100 * value:.6g} %"
        return f"{value:.12g}"


class Lines(Paint):
    """Values over x, each line with its name at its end; or cumulative shares."""

    def __init__(self, chart, width, letters):
        super().__init__(chart, width, letters)
        steps = chart.kind == "steps"
        names = [series.name for series in chart.series]
        legend = steps or width == NARROW and max(map(len, names)) > 14
        right = 14 if legend else self.text_width(names) + 18
        height = 380 if width == WIDE else 300
        axes = self.axes_within(height, 52, right, 30, 56)
        for series in chart.series:
            self.draw_series(axes, series, steps)
        self.scale_x(axes)
        values = [y for series in chart.series for _, y in series.points]
        self.scale_values(axes.yaxis, chart.log_value, max(values) < 100 * min(values) if min(values) > 0 else False)
        if not chart.log_value:
            axes.set_ylim(0, max([*values, chart.roof[1] if chart.roof else 0]) * 1.04)
        if chart.roof:
            self.draw_roof(axes)
        axes.text(-52 / self.inner[0], 1 + 12 / self.inner[1], chart.value_label, transform=axes.transAxes,
                  color=STAND_IN["faint"], va="bottom")
        if not legend:
            self.name_lines(axes)

    def draw_series(self, axes, series, steps):
        """A line with a point for each figure; thin where the next one is so far away that much may be between them."""
        x, y = zip(*series.points)
        colour = STAND_IN[series.colour]
        if steps:
            axes.plot(x, y, color=colour, linewidth=2, drawstyle="steps-post", clip_on=False, zorder=3)
            return
        for (x0, y0), (x1, y1) in zip(series.points, series.points[1:]):
            far = self.chart.log_x and x1 > 20 * x0
            axes.plot((x0, x1), (y0, y1), color=colour, linewidth=1.2 if far else 2, clip_on=False, zorder=3,
                      dashes=(2, 3) if far else (4, 3) if series.dashed else ())
        axes.plot(x, y, "o", color=colour, markersize=6, markeredgecolor=STAND_IN["paper"], markeredgewidth=1,
                  clip_on=False, zorder=4)

    def scale_x(self, axes):
        chart = self.chart
        axes.set_xlabel(chart.x_label)
        points = [x for series in chart.series for x, _ in series.points]
        if chart.kind == "lines" and chart.log_x:
            axes.set_xscale("log", base=2)
            powers = range(math.floor(math.log2(min(points))), math.ceil(math.log2(max(points))) + 1)
            most = self.inner[0] / (self.text_width([chart.x_words(2 ** power) for power in powers]) + 14)
            step = next((step for step in (1, 2, 4, 6) if step >= len(powers) / most), 8)
            shown = [2 ** power for power in powers[::step]]
            axes.set_xticks(shown, [chart.x_words(power) for power in shown])
            axes.xaxis.set_minor_locator(ticker.NullLocator())
            axes.set_xlim(min(points) / 1.3 ** (len(powers) / 10), max(points))
        if chart.kind == "steps":
            axes.set_xscale("log")
            fine = max(points) < 100 * min(points) and self.inner[0] > 500
            axes.xaxis.set_major_locator(ticker.LogLocator(10, (1.0, 2.0, 5.0) if fine else (1.0,)))
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{100 * value:.6g} %"))
            axes.xaxis.set_minor_locator(ticker.NullLocator())
            axes.set_xlim(max(min(points) * 0.8, 1e-5), max(1.0, *points) * 1.05)
            axes.grid(True, linewidth=1)

    def draw_roof(self, axes):
        name, value = self.chart.roof
        axes.axhline(value, color=STAND_IN["read"], linewidth=1.5, dashes=(6, 4), zorder=2)
        axes.annotate(f"{name}: {self.chart.text_of(value)}", (0.01, value), (0, 5), va="bottom",
                      color=STAND_IN["read"], xycoords=axes.get_yaxis_transform(), textcoords="offset pixels")

    def name_lines(self, axes):
        """Names beside the last points, pushed apart; outside of a line that ends before the others."""
        ends, last = [], max(series.points[-1][0] for series in self.chart.series)
        for series in self.chart.series:
            x, y = axes.transData.transform(series.points[-1])
            if series.points[-1][0] == last:
                ends.append([y, x, series])
            else:
                falling = len(series.points) > 1 and series.points[-1][1] < series.points[-2][1]
                axes.annotate(series.name, (x, y - 8) if falling else (x - 4, y + 7), xycoords="figure pixels",
                              ha="center" if falling else "right", va="top" if falling else "bottom",
                              annotation_clip=False, color=STAND_IN[series.colour])
        ends.sort(key=lambda end: end[0])
        places = spread_out([end[0] for end in ends], self.letters * 1.25)
        for place, (_, x, series) in zip(places, ends):
            axes.annotate(series.name, (x + 9, place), xycoords="figure pixels", va="center", annotation_clip=False,
                          color=STAND_IN[series.colour])


def spread_out(places, gap):
    """The places, in order, moved as little as makes them stand apart."""
    groups = []  # of [sum of wanted first places, count, first place]
    for place in places:
        groups.append([[place], place])
        while len(groups) > 1 and groups[-2][1] + gap * len(groups[-2][0]) > groups[-1][1]:
            wanted, _ = groups.pop()
            groups[-1][0] += wanted
            mine = groups[-1][0]
            groups[-1][1] = sum(at - gap * number for number, at in enumerate(mine)) / len(mine)
    return [first + gap * number for wanted, first in groups for number in range(len(wanted))]


class Dots(Paint):
    """Rows with names, in each a dot for every series; the value of the first one to the right."""

    def __init__(self, chart, width, letters):
        super().__init__(chart, width, letters)
        narrow = width == NARROW
        step = 38 if narrow else 27
        left = 8 if narrow else min(300, self.text_width(chart.rows) + 16)
        right = 62
        height = 30 + step * len(chart.rows) + 50
        axes = self.axes_within(height, left, right, 24, 50)
        values = [value for series in chart.series for _, value in series.points]
        low = min((value for value in values if value > 0), default=1)
        self.scale_values(axes.xaxis, chart.log_value, max(values) < 100 * low)
        roof = [chart.roof[1]] if chart.roof else []
        if chart.log_value:
            axes.set_xlim(low / 1.4, max(values + roof) * 1.25)
        else:
            axes.set_xlim(0, max(values + roof) * 1.04)
        axes.set_ylim(len(chart.rows) - 0.5, -0.5 - (0.3 if narrow else 0))
        axes.set_yticks([])
        axes.set_xlabel(chart.value_label)
        self.draw_rows(axes, narrow)
        for series in reversed(chart.series):
            points = dict(series.points)
            axes.plot(list(points.values()), [row + (0.18 if narrow else 0) for row in points], "o", markersize=8.5,
                      color=STAND_IN[series.colour], markeredgecolor=STAND_IN["paper"], markeredgewidth=1.2, zorder=4,
                      clip_on=False)
        if chart.roof:
            axes.axvline(chart.roof[1], color=STAND_IN["read"], linewidth=1.5, dashes=(6, 4), zorder=2)
            axes.text(chart.roof[1], 1 + 5 / self.inner[1], f"{chart.roof[0]}: {chart.text_of(chart.roof[1])}",
                      transform=axes.get_xaxis_transform(), color=STAND_IN["read"], va="bottom",
                      ha=self.roof_side(axes))

    def roof_side(self, axes):
        """Where there is room for its name."""
        share = axes.transAxes.inverted().transform(axes.transData.transform((self.chart.roof[1], 0)))[0]
        return "right" if share > 0.6 else "left"

    def draw_rows(self, axes, narrow):
        by_row = {}
        for series in self.chart.series:
            for row, value in series.points:
                by_row.setdefault(row, []).append(value)
        first = dict(self.chart.series[0].points) if self.chart.series else {}
        across = axes.get_yaxis_transform()
        for row, name in enumerate(self.chart.rows):
            at = row + (0.18 if narrow else 0)
            found = by_row.get(row, [])
            if len(found) > 1:
                axes.plot([min(found), max(found)], [at, at], color=STAND_IN["rule"], linewidth=3, zorder=1)
            if narrow:
                axes.text(0, row - 0.22, name, transform=across, va="center")
            else:
                axes.text(-12 / self.inner[0], row, name, transform=across, va="center", ha="right")
            if row in first:
                axes.text(1 + 12 / self.inner[0], at, self.chart.text_of(first[row]), transform=across, va="center",
                          color=STAND_IN[self.chart.series[0].colour])
