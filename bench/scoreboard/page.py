"""The records of bench/results as one page that needs nothing else: no network, no script."""

import html

from scoreboard import device_views, host_views
from scoreboard.chart import Missing, best
from scoreboard.drawing import drawing

SECTIONS = (device_views.sizes, device_views.rows, host_views.surface, device_views.accuracy, device_views.peers,
            host_views.streams, host_views.graphs, host_views.segments, host_views.ladder, host_views.cpu)

LIGHT = """--paper: #ffffff; --ink: #1c1e21; --faint: #5d636a; --rule: #dcdfe3; --card: #f5f6f8; --exact: #1558b0;
  --fast: #0b7f7a; --cub: #b4510a; --thrust: #8040b0; --numpy: #56751a; --pytorch: #c02a50; --cupy: #7a5c00;
  --read: #6a7078; --link: #1558b0;"""
DARK = """--paper: #14161a; --ink: #e6e8ea; --faint: #a0a6ad; --rule: #33373d; --card: #1d2025; --exact: #6fb0ff;
  --fast: #3fcfc4; --cub: #ff9d52; --thrust: #cda0f5; --numpy: #a9d05a; --pytorch: #ff85a0; --cupy: #e5c35a;
  --read: #9aa0a8; --link: #8cbcff;"""
STYLE = f"""
:root {{ color-scheme: light; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {DARK} }} }}
:root[data-theme="light"] {{ color-scheme: light; {LIGHT} }}
:root[data-theme="dark"] {{ color-scheme: dark; {DARK} }}
""" + """
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 952px; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { border-top: 1px solid var(--rule); font-size: 1.35rem; margin: 3.5rem 0 .2rem; padding-top: 1.5rem; }
h3 { font-size: 1.05rem; line-height: 1.3; margin: 0; }
p { margin: .3rem 0 .8rem; max-width: 44rem; } a { color: var(--link); }
code { background: var(--card); border-radius: 3px; font: .88em ui-monospace, monospace; overflow-wrap: anywhere;
  padding: .1em .3em; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: 1rem 0 0; }
.tiles { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); margin: 1.5rem 0; }
.tiles div { background: var(--card); border-radius: 8px; padding: .8rem 1rem; }
.tiles b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; font-weight: 600; line-height: 1.3; }
figure { margin: 2rem 0 2.5rem; }
.source, .tiles span { color: var(--faint); font-size: .84rem; line-height: 1.4; overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; font-size: .88rem; gap: .1rem 1.1rem; margin: .4rem 0 0; }
.legend i { border-radius: 50%; display: inline-block; height: .7em; margin-right: .4em; width: .7em; }
svg { display: block; font-family: system-ui, sans-serif; height: auto; width: 100%; }
svg text { paint-order: stroke; stroke: var(--paper); stroke-linejoin: round; stroke-width: 4px; }
.wide, .narrow { margin-top: .5rem; } .narrow { display: none; max-width: 480px; }
.missing { border-left: 3px solid var(--rule); color: var(--faint); margin: 1.2rem 0; padding: .1rem 0 .1rem .9rem; }
details { font-size: .88rem; margin-top: .4rem; } summary { color: var(--link); cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: .4rem; }
th, td { border-bottom: 1px solid var(--rule); padding: .25rem .9rem .25rem 0; text-align: right; white-space: nowrap; }
th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
@media (max-width: 700px) { .wide { display: none; } .narrow { display: block; } h1 { font-size: 1.45rem; } }
"""


def escaped(text):
    return html.escape(str(text))


def table(chart):
    header, rows = chart.table()
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (f'<details><summary>The figures, {escaped(chart.value_label)}</summary><div class="scroll"><table>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>")


def legend(chart):
    if len(chart.series) == 1:
        return ""
    items = "".join(f'<span><i style="background: var(--{series.colour})"></i>{escaped(series.name)}</span>'
                    for series in chart.series)
    return f'<div class="legend">{items}</div>'


def figure(chart, name):
    sources = "; ".join(dict.fromkeys(record.origin(family) for record, family in chart.sources))
    note = f"{escaped(chart.note)} " if chart.note else ""
    return (f"<figure><figcaption><h3>{escaped(chart.title)}</h3>{legend(chart)}</figcaption>"
            f"{drawing(chart, name)}<div class=\"source\">{note}{escaped(sources)}</div>{table(chart)}</figure>")


def missing(chart):
    how = f" <code>{escaped(chart.command)}</code> measures it." if chart.command else ""
    note = f" {escaped(chart.note)}" if chart.note else ""
    return f'<p class="missing">Not here, as no record has it: {escaped(chart.title)}.{how}{note}</p>'


def section(found, number):
    parts = [f'<section id="s{number}"><h2>{escaped(found.title)}</h2><p>{found.text}</p>']
    for at, chart in enumerate(found.charts):
        parts.append(missing(chart) if isinstance(chart, Missing) else figure(chart, f"c{number}x{at}"))
    return "".join(parts) + "</section>"


# --- What stands above all charts -------------------------------------------------------------------------------------

def tile(value, words, record):
    return f"<div><b>{escaped(value)}</b>{escaped(words)}<br><span>{escaped(record.name)}</span></div>"


def tiles(records):
    """A few figures, each from a record."""
    parts = []
    for family, case, contender, words in (
            ("device", "exact/normal/f32", "exact", "an exact sum of f32 on the GPU: {share} of a plain read"),
            ("device", "rows/2^24x64/f32", "multifold", "rows of 64 f32: {share} of a plain read"),
            ("stream", "pinned/reduce", "multifold", "an array in pinned memory: {share} of the link"),
            ("host", "sum/f32/threads:16", "multifold", "a sum of f32 on the CPU: {share} of a plain read")):
        record = best([each for each in records if each.find(family, case, contender, "GB/s")], family, case)
        row = record and record.find(family, case, contender, "GB/s")
        if row and row.share:
            speed = f"{row.value:.0f} GB/s" if row.value >= 100 else f"{row.value:.1f} GB/s"
            parts.append(tile(speed, words.format(share=f"{100 * row.share:.0f} %"), record))
    return f'<div class="tiles">{"".join(parts)}</div>' if parts else ""


def render(records):
    """The page. Charts whose figures no record has are lines that say which command measures them."""
    found = [make(records) for make in SECTIONS]
    machines = list(dict.fromkeys(word for record in records for word in (record.device, record.processor) if word))
    links = "".join(f'<a href="#s{number}">{escaped(each.title)}</a>' for number, each in enumerate(found))
    intro = (f"Figures of {escaped(', '.join(machines))}, from {len(records)} records; higher is faster unless a chart "
             "says otherwise. GB/s are 10<sup>9</sup> bytes of input a second. Cards differ by some percent, so only "
             "figures of one record compare.")
    body = "".join(section(each, number) for number, each in enumerate(found))
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>multifold: the scoreboard</title>\n<style>{STYLE}</style></head>\n<body>\n"
            f"<h1>multifold: the scoreboard</h1>\n<p>{intro}</p>\n{tiles(records)}<nav>{links}</nav>\n{body}\n"
            "</body></html>\n")
