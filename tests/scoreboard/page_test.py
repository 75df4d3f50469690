"""What the page of bench/run.py --html is made of: its charts, their figures and origins, and what is left out."""

import html.parser
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import made_up  # pylint: disable=wrong-import-position
from scoreboard import chart, device_views, host_views, readers  # pylint: disable=wrong-import-position

try:
    import matplotlib
except ImportError:
    matplotlib = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "bench" / "run.py"
VIEWS = (device_views.sizes, device_views.rows, host_views.surface, device_views.accuracy, device_views.peers,
         host_views.streams, host_views.graphs, host_views.segments, host_views.ladder, host_views.cpu)


class Charts(unittest.TestCase):
    """Without drawing."""

    def setUp(self):
        self.folder = made_up.folder_of(self)

    def test_without_records_every_chart_says_what_would_measure_it(self):
        for view in VIEWS:
            section = view([])
            self.assertTrue(section.charts, section.title)
            for each in section.charts:
                self.assertIsInstance(each, chart.Missing)
                self.assertTrue(each.command or each.note, each.title)

    def test_a_record_without_any_case(self):
        record = readers.load(made_up.write_bench(self.folder / "card.json", lambda content: content.update(
            cases=[], graphs=[], streams=[], host=None)))
        for view in VIEWS:
            for each in view([record]).charts:
                self.assertIsInstance(each, chart.Missing)

    def test_every_kind_of_record_has_its_charts(self):
        results = readers.load_all(ROOT / "bench" / "results")
        titles = [each.title for view in VIEWS for each in view(results).charts if isinstance(each, chart.Chart)]
        self.assertEqual(len(titles), len(set(titles)))
        self.assertGreater(len(titles), 15)

    def test_figures_are_those_of_the_record(self):
        record = readers.load(made_up.write_bench(self.folder / "card.json"))
        peers = device_views.peers([record]).charts[0]
        self.assertEqual(peers.table(), (["", "multifold, fast", "CUB"],
                                         [["sum f32", "4000", "3902"], ["sum f64", "3950", ""]]))
        self.assertEqual((peers.roof, peers.sources), (("plain read", 4100.0), [(record, "device")]))
        link = host_views.streams([record]).charts[0]
        self.assertEqual((link.rows, link.series[0].points), (["pinned memory, copied in chunks"], [(0, 54.5)]))

    def test_what_the_user_names_comes_first(self):
        old = readers.load(made_up.write_bench(self.folder / "old.json"))
        fresh = readers.load(made_up.write_bench(self.folder / "fresh.json", lambda record: record.update(
            cases=record["cases"][:1], date="2020-01-01T00:00:00Z")), given=True)
        self.assertIs(device_views.peers([old, fresh]).charts[0].sources[0][0], fresh)
        later = readers.load(made_up.write_bench(self.folder / "later.json", lambda record: record.update(
            date="2027-01-01T00:00:00Z")))
        self.assertIs(device_views.peers([old, later]).charts[0].sources[0][0], later)

    def test_every_version_of_cub_has_a_chart(self):
        old = readers.load(made_up.write_bench(self.folder / "old.json"))
        new = readers.load(made_up.write_bench(self.folder / "new.json", lambda record: record.update(
            cub_version="3.6.0",
            cases=record["cases"] + [made_up.device_row("full/sum/f32", "cub gpu_to_gpu", 1900.0)])))
        first, second = device_views.peers([new, old]).charts[:2]
        self.assertEqual([first.sources[0][0], second.sources[0][0]], [old, new])
        self.assertEqual(second.table()[1][0], ["sum f32", "4000", "3902", "1900"])
        self.assertEqual((first.note, "reproducible" in second.note), ("", True))

    def test_peers_in_python_are_whole_arrays_and_axes(self):
        rows = [made_up.device_row(case, contender, speed) for case, contender, speed in (
            ("peers/full/sum/f32", "multifold", 4500.0), ("peers/full/sum/f32", "PyTorch", 4100.0),
            ("peers/rows/64/sum/f32", "multifold", 4000.0), ("peers/rows/64/sum/f32", "CuPy", 900.0))]
        record = readers.load(made_up.write_bench(self.folder / "peers.json", lambda record: record.update(
            cases=rows, peers={"PyTorch": "2.11"})))
        whole, axes = device_views.peers([record]).charts[1:3]
        self.assertEqual(whole.table(), (["", "multifold, exact", "PyTorch"], [["sum f32", "4500", "4100"]]))
        self.assertEqual(axes.table(), (["", "multifold, exact", "CuPy"], [["rows 64 sum f32", "4000", "900"]]))
        self.assertEqual(whole.note, "PyTorch 2.11.")

    def test_the_surface_as_a_distribution(self):
        record = readers.load(made_up.write_surface(self.folder / "surface.json"))
        curve, classes = host_views.surface([record]).charts
        points = curve.series[0].points
        self.assertEqual((points[-1][1], len(points)), (1.0, 30))
        self.assertEqual([x for x, _ in points], sorted(x for x, _ in points))
        self.assertEqual([row[0] for row in curve.table()[1]], ["least", "1%", "5%", "25%", "median", "75%"])
        self.assertEqual(classes.rows, ["plain, tame data (30)", "moments, wild data (30)"])
        self.assertEqual([series.name for series in classes.series], ["least", "5th percentile", "median"])


class Reader(html.parser.HTMLParser):
    """Tags that are open, ids, and what would be loaded."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.loads, self.tags = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "br", "path", "use"):
            self.open.append(tag)
        for key, value in attrs:
            self.ids += [value] if key == "id" else []
            self.loads += [value] if key in ("src", "href", "srcset") and not value.startswith("#") else []

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag not in ("meta", "br", "path", "use"):
            assert self.open.pop() == tag, tag


@unittest.skipUnless(matplotlib, "Matplotlib was not found (apt-get install python3-matplotlib)")
class Page(unittest.TestCase):
    def setUp(self):
        self.folder = made_up.folder_of(self)

    def write(self, *records):
        file = self.folder / "board.html"
        done = subprocess.run([sys.executable, "-B", RUN, "--html", file, *records], capture_output=True, text=True,
                              check=False)
        return done, file.read_text(encoding="utf-8") if file.exists() else None

    def test_it_is_whole_and_needs_nothing_else(self):
        files = [made_up.write_bench(self.folder / "card.json"), made_up.write_surface(self.folder / "surface.json")]
        for name, text in (("peers.txt", made_up.PEERS), ("segments.txt", made_up.SEGMENTS),
                           ("keys.txt", made_up.KEYS), ("devices.txt", made_up.DEVICES)):
            files.append(self.folder / name)
            files[-1].write_text(text, encoding="utf-8")
        done, text = self.write(*files)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Reader(text)
        self.assertEqual((page.open, page.loads), ([], []))
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertNotRegex(text, r"<script|@import|https?://(?!www\.w3\.org)")
        self.assertEqual(page.tags.count("svg"), 2 * page.tags.count("figure"))
        self.assertEqual(page.tags.count("details"), page.tags.count("figure"))
        for name in ("card.json, A card, 2026-01-02", "surface.json, A card", "peers.txt", "segments.txt",
                     "A processor"):
            self.assertIn(name, text)

    def test_both_themes_have_every_colour(self):
        _, text = self.write()
        used = set(re.findall(r"var\(--(\w+)\)", text))
        for block in re.findall(r"\{ color-scheme: \w+; (.*?)\}", text, re.DOTALL):
            self.assertLessEqual(used, set(re.findall(r"--(\w+):", block)))
        drawn = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
        self.assertNotRegex(drawn, r"#[0-9a-f]{6}(?![0-9a-f])")  # not one of its own

    def test_two_runs_write_the_same(self):
        self.assertEqual(self.write()[1], self.write()[1])

    def test_a_file_that_is_no_record_is_refused(self):
        other = self.folder / "other.json"
        other.write_text('{"schema": "multifold.result/1"}', encoding="utf-8")
        done, text = self.write(other)
        self.assertEqual((done.returncode, text), (2, None))
        self.assertIn("multifold.result/1", done.stderr)

    def test_a_page_that_cannot_be_written(self):
        done = subprocess.run([sys.executable, "-B", RUN, "--html", self.folder / "no" / "board.html"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
