"""Draws docs/images/speed.svg from a record of bench/results: multifold beside CUB, as bars.

    bench/chart.py            writes the picture
    bench/chart.py --check    says whether it is what the record gives
"""

import json
import pathlib
import sys
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench/results/NVIDIA-H200-small.json"
PICTURE = ROOT / "docs/images/speed.svg"

# What a row says, its case in the record, and the contender that is multifold's there.
ROWS = [
    ("sum f32, exact", "exact/normal/f32", "exact"),
    ("sum f16, exact", "exact/normal/f16", "exact"),
    ("sum i8 into i64", "full/sum/i8", "multifold"),
    ("argmax f32", "full/argmax/f32", "multifold"),
    ("sum f32, misaligned, fast", "misaligned/sum/f32", "multifold"),
    ("4 rows of 2^28, fast", "few_huge/4x2^28/f32", "multifold"),
    ("2^20 rows of 1024, fast", "rows/2^20x1024/f32", "multifold"),
    ("2^24 rows of 64, fast", "rows/2^24x64/f32", "multifold"),
]
LEFT, WIDTH, TOP, ROW, BAR = 190, 470, 62, 38, 14
FULL = 5000  # GB/s at the right end

STYLE = """
  .page { fill: #ffffff } text { fill: #1f2328; font: 13px sans-serif } .dim { fill: #59636e; font-size: 12px }
  .ours { fill: #1a7f64 } .cub { fill: #a0a8b2 } .read { stroke: #cf222e; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #f0f6fc } .dim { fill: #9198a1 }
    .ours { fill: #3fb68f } .cub { fill: #5c6570 } .read { stroke: #ff7b72 }
  }
"""


def picture(record):
    speeds = {(case["name"], case["contender"]): case["median_gbps"] for case in record["cases"]}
    read = speeds["full/sum/f32", "read"]
    height = TOP + ROW * len(ROWS) + 30
    bottom = height - 26
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" role="img">',
           f"<title>multifold beside CUB {record['cub_version']} on one {record['device']}, in GB/s</title>",
           f"<style>{STYLE}</style>", f'<rect class="page" width="720" height="{height}" rx="6"/>',
           f'<text x="16" y="24">GB/s of input on one {record["device"]}: longer is better</text>']
    for x, kind, name in ((16, "ours", "multifold"), (110, "cub", f"CUB {record['cub_version']}")):
        out += [f'<rect class="{kind}" x="{x}" y="36" width="12" height="12"/>', f'<text class="dim" x="{x + 18}" y="46">{name}</text>']
    out.append('<line class="read" x1="216" x2="240" y1="42" y2="42" stroke-width="2"/>')
    out.append(f'<text class="dim" x="246" y="46">a plain read, {read:.0f}</text>')
    for index, (label, case, contender) in enumerate(ROWS):
        y = TOP + ROW * index
        out.append(f'<text x="{LEFT - 10}" y="{y + 19}" text-anchor="end">{escape(label)}</text>')
        for offset, kind, speed in ((0, "ours", speeds[case, contender]), (BAR + 1, "cub", speeds[case, "cub"])):
            length = max(1.0, speed / FULL * WIDTH)
            out.append(f'<rect class="{kind}" x="{LEFT}" y="{y + offset}" width="{length:.1f}" height="{BAR}"/>')
            end = max(length, read / FULL * WIDTH) if speed > 4000 else length  # figures stay clear of the line of the read
            out.append(f'<text class="dim" x="{LEFT + end + 6:.1f}" y="{y + offset + 11}">{speed:.0f}</text>')
    x = LEFT + read / FULL * WIDTH
    out.append(f'<line class="read" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{bottom}" stroke-width="2"/>')
    out.append(f'<text class="dim" x="16" y="{height - 8}">CUB rounds sums of floating point at every step; '
               f'"exact" is correctly rounded, "fast" is --accuracy fast.</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    drawn = picture(json.loads(RECORD.read_text()))
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text() != drawn:
            print(f"{PICTURE.relative_to(ROOT)} is not what {RECORD.relative_to(ROOT)} gives: run bench/chart.py")
            return 1
        return 0
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
