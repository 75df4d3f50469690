"""What bench/run.py --compare says of two made-up records, and what it refuses."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import made_up  # pylint: disable=wrong-import-position
from scoreboard import compare, readers  # pylint: disable=wrong-import-position

RUN = pathlib.Path(__file__).resolve().parents[2] / "bench" / "run.py"


def scaled(factor, *names, contender=None, spread=1.0):
    """A change of a record: device cases of a contender get another speed, and wider quartiles."""
    def change(record):
        for row in record["cases"]:
            if row["name"] in names and contender in (None, row["contender"]):
                for key in ("median_gbps", "q1", "q3", "min", "max"):
                    row[key] *= factor
                row["q1"] = row["median_gbps"] - (row["median_gbps"] - row["q1"]) * spread
                row["q3"] = row["median_gbps"] + (row["q3"] - row["median_gbps"]) * spread
    return change


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = made_up.folder_of(self)
        self.old = made_up.write_bench(self.folder / "old.json")

    def changes(self, *edits, floor=None):
        """Verdicts of what changed, by case, in order."""
        def edit(record):
            for each in edits:
                each(record)
        new = made_up.write_bench(self.folder / "new.json", edit)
        found = compare.compare(readers.load(self.old), readers.load(new), floor)
        return [(change.name, change.verdict) for change in found if change.verdict != compare.SAME]

    def test_the_same_is_no_change(self):
        self.assertEqual(self.changes(), [])

    def test_sorted_by_what_lost_most(self):
        self.assertEqual(self.changes(scaled(0.9, "full/sum/f32", contender="multifold"),
                                      scaled(0.8, "full/sum/f64", contender="multifold"),
                                      scaled(1.5, "small/4KiB/single/f32", contender="multifold")),
                         [("device: full/sum/f64", "slower"), ("device: full/sum/f32", "slower"),
                          ("device: small/4KiB/single/f32", "faster")])

    def test_peers_and_plain_reads_have_no_verdict(self):
        self.assertEqual(self.changes(scaled(0.5, "full/sum/f32", contender="cub")), [])

    def test_a_slower_card_is_no_slower_library(self):
        self.assertEqual(self.changes(scaled(0.9, "full/sum/f32")), [])  # its plain read, too
        # What the memory does not bound is no faster on a card whose memory is slower.
        self.assertEqual(self.changes(scaled(0.9, "full/sum/f32", contender="read")), [])
        self.assertEqual(self.changes(scaled(0.9, "small/4KiB/single/f32")), [])  # beside CUB

    def test_another_card_is_compared_by_shares(self):
        def move(record):
            record["device"] = "Another card"
        slower = scaled(0.9, "full/sum/f32", contender="multifold")
        self.assertEqual(self.changes(move, scaled(2, "full/sum/f32"), slower), [("device: full/sum/f32", "slower")])

    def test_without_anything_beside_it_another_machine_says_nothing(self):
        def move(record):
            record["device"] = "Another card"
            for name in ("cub", "read"):
                record["cases"] = [row for row in record["cases"] if row["contender"] != name]
        verdicts = dict(self.changes(move))
        self.assertEqual(verdicts["device: full/sum/f32"], compare.UNCLEAR)

    def test_the_spread_of_repeats_is_noise(self):
        self.assertEqual(self.changes(scaled(0.95, "full/sum/f32", contender="multifold", spread=30)), [])
        self.assertEqual(self.changes(scaled(0.985, "full/sum/f64", contender="multifold")),
                         [])  # 0.2 % thrice, and 1 %
        self.assertEqual(self.changes(scaled(0.985, "full/sum/f64", contender="multifold"), floor=0),
                         [("device: full/sum/f64", "slower")])

    def test_more_is_noise_without_a_spread(self):
        def slow(factor):
            def change(record):
                for row in record["host"]["cases"]:
                    row["gbps"] *= factor
            return change
        self.assertEqual(self.changes(slow(0.96)), [])
        self.assertEqual(len(self.changes(slow(0.94))), 2)

    def test_times_are_slower_where_they_grow(self):
        def change(record):
            record["graphs"][1]["wall_us"] *= 1.2
            record["streams"][0]["GB/s"] *= 0.9
            record["streams"][0]["of_limit"] *= 0.9
        self.assertEqual(self.changes(change), [("graph: round_trip/1KiB/built: wall_us", "slower"),
                                               ("stream: pinned/reduce", "slower")])

    def test_records_without_a_figure_in_common(self):
        surface, segments = self.folder / "surface.json", self.folder / "segments.txt"
        made_up.write_surface(surface)
        segments.write_text(made_up.SEGMENTS, encoding="utf-8")
        for new in (surface, segments):
            self.assertRaisesRegex(readers.RecordError, "no figure in common", compare.compare, readers.load(self.old),
                                   readers.load(new))

    def test_surfaces_of_one_seed_case_by_case_and_of_two_by_classes(self):
        def changes(**words):
            old = readers.load(made_up.write_surface(self.folder / "one.json", count=600))
            new = readers.load(made_up.write_surface(self.folder / "two.json", count=600, **words))
            return compare.compare(old, new)
        self.assertEqual({change.verdict for change in changes()}, {compare.SAME})
        self.assertEqual(compare.count(changes(slower=1.2), compare.SLOWER), 600)
        self.assertEqual([(change.new.family, change.verdict) for change in changes(seed=1)],
                         [("surface class", compare.SAME)] * 4)
        slower = [change.name for change in changes(seed=1, slower=3) if change.verdict == compare.SLOWER]
        self.assertIn("surface class: plain, tame data: median", slower)


class Command(unittest.TestCase):
    """By its exit status, and what it prints."""

    def setUp(self):
        self.folder = made_up.folder_of(self)
        self.old = made_up.write_bench(self.folder / "old.json")
        self.slow = made_up.write_bench(self.folder / "slow.json",
                                        scaled(0.8, "full/sum/f32", contender="multifold"))

    def run_it(self, *words):
        done = subprocess.run([sys.executable, "-B", RUN, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_status_says_whether_something_is_slower(self):
        status, out, _ = self.run_it("--compare", self.old, self.slow)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"slower, 1:\n.*\ndevice: full/sum/f32 +GB/s +4000 +3200 +read +0.976 +0.781 +-20.0 %")
        status, out, _ = self.run_it("--compare", self.slow, self.old)
        self.assertEqual(status, 0)
        self.assertIn("0 slower, 1 faster", out)
        self.assertNotIn("full/sum/f64", out)
        self.assertIn("full/sum/f64", self.run_it("--compare", self.slow, self.old, "--all")[1])
        self.assertEqual(self.run_it("--compare", self.old, self.slow, "--noise", "30")[0], 0)

    def test_json(self):
        status, out, _ = self.run_it("--compare", self.old, self.slow, "--json")
        found = json.loads(out)
        self.assertEqual((status, found["schema"], found["slower"]), (1, "multifold.comparison/1", 1))
        worst = found["cases"][0]
        self.assertEqual((worst["case"], worst["verdict"], worst["change"]), ("full/sum/f32", "slower", -0.2))

    def test_files_of_another_schema(self):
        other = self.folder / "other.json"
        other.write_text('{"schema": "multifold.result/1"}', encoding="utf-8")
        for words in ((self.old, other), (other, self.old), (self.old, self.folder / "gone.json")):
            status, out, error = self.run_it("--compare", *words)
            self.assertEqual((status, out), (2, ""))
            self.assertRegex(error, r"run.py: .*(other|gone)\.json: ")

    def test_options_that_would_do_nothing(self):
        for words, said in ((("--compare", self.old, self.slow, "--only", "host"), "--only would do nothing"),
                            (("--compare", self.old, self.slow, "--html", "x.html"), "two commands"),
                            (("--json",), "goes with --compare"), ((self.old,), "for --html"),
                            (("--compare", self.old, self.slow, "--noise", "-1"), "a percentage")):
            status, _, error = self.run_it(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(said, error)


if __name__ == "__main__":
    unittest.main()
