"""What the kinds of files in bench/results become as rows, and which files are refused."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import made_up  # pylint: disable=wrong-import-position
from scoreboard import readers  # pylint: disable=wrong-import-position
from scoreboard.records import RecordError  # pylint: disable=wrong-import-position

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "results"


class Records(unittest.TestCase):
    def setUp(self):
        self.folder = made_up.folder_of(self)

    def load(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return readers.load(path)

    def test_a_record_of_run_py(self):
        record = readers.load(made_up.write_bench(self.folder / "card.json"))
        self.assertEqual(record.origin(), "card.json, A card, 2026-01-02")
        self.assertEqual(record.origin("host"), "card.json, A processor, 2 cores, 2026-01-02")
        row = record.find("device", "full/sum/f32", "multifold")
        self.assertEqual((row.unit, row.value, row.reference.contender), ("GB/s", 4000.123, "read"))
        self.assertAlmostEqual(row.share, 4000.123 / 4100)
        self.assertAlmostEqual(record.find("device", "small/4KiB/single/f32", "multifold", "us").value, 2.56)
        link = record.find("stream", "pinned/reduce").reference
        self.assertEqual((link.contender, round(link.value, 2)), ("the link", 55))
        self.assertEqual(record.find("stream", "file/cold").reference.contender, "the disk")
        self.assertEqual(record.find("host", "sum/f32/threads:2", "multifold").reference.value, 21.0)

    def test_a_time_is_faster_where_it_is_less(self):
        record = readers.load(made_up.write_bench(self.folder / "card.json"))
        row = next(row for row in record.select("graph", "round_trip/1KiB") if row.figure == "wall_us")
        self.assertAlmostEqual(row.share, 6.5 / 7.2)

    def test_records_from_before_the_schema(self):
        old = made_up.write_bench(self.folder / "old.json", lambda record: record.pop("schema"))
        self.assertEqual(readers.load(old).schema, "multifold.bench/1")

    def test_a_surface(self):
        record = readers.load(made_up.write_surface(self.folder / "surface.json"))
        self.assertEqual((record.device, len(record.select("surface"))), ("A card", 60))
        self.assertAlmostEqual(record.rows[0].share, 0.9)
        median = record.find("surface class", "plain, tame data: median")
        self.assertAlmostEqual(median.value, 0.9 / 4)
        self.assertTrue(median.low < median.value < median.high)

    def test_printed_text(self):
        keys = self.load("k.txt", made_up.KEYS)
        self.assertEqual([row.case for row in keys.select("keys", contender="multifold", unit="GB/s")],
                         ["sum f32: ascending, 1000 groups", "sum f32: random, 1000000 groups"])
        self.assertEqual(keys.find("keys", "sum f32: random, 1000000 groups", "multifold").share, 0.125)
        devices = self.load("d.txt", made_up.DEVICES)
        self.assertEqual(devices.device, "2 x A card")
        self.assertEqual(devices.find("devices", "sum f32: resident, 8 GiB", "multifold").share, 1.95)
        segments = self.load("s.txt", made_up.SEGMENTS)
        self.assertEqual([row.case for row in segments.select("segments", contender="multifold", unit="GB/s")],
                         ["sum f32: 4 huge", "sum f32: 0 to 20", "sum f32 run 2: 4 huge"])
        self.assertEqual(segments.find("segments", "sum f32: 0 to 20", "cub").value, 48)
        peers = self.load("p.txt", made_up.PEERS)
        self.assertEqual([(row.contender, row.value) for row in peers.select("peers", "sum f32 full", unit="ns")],
                         [("exact", 0.1), ("fast", 0.091), ("NumPy", 0.21)])

    def test_files_of_another_schema_are_refused(self):
        for name, content, words in (
                ("result.json", {"schema": "multifold.result/1", "cases": [], "must_reach": []}, "multifold.result/1"),
                ("later.json", {"schema": "multifold.bench/2", "cases": []}, "multifold.bench/2"),
                ("any.json", {"cases": 3}, "no schema"), ("list.json", [1, 2], "not a record"),
                ("broken.json", '{"cases": [', "damaged"), ("any.txt", "hello\n", "not a record"),
                ("empty.txt", "", "not a record"),
                ("half.json", {"schema": "multifold.bench/1", "cases": [{"name": "full"}]}, "damaged"),
                ("ladder.json", {"schema": "multifold.ladder/1"}, "damaged")):
            with self.assertRaisesRegex(RecordError, words) as caught:
                self.load(name, content)
            self.assertIn(name, str(caught.exception))
        self.assertRaisesRegex(RecordError, "No such file", readers.load, self.folder / "gone.json")

    def test_every_file_of_bench_results_is_a_record(self):
        for record in readers.load_all(RESULTS):
            self.assertTrue(record.rows, record.name)
            keys = [row.key for row in record.rows]
            self.assertEqual(len(keys), len(set(keys)), record.name)
            for row in record.rows:
                if row.low is not None:
                    self.assertLessEqual(row.low, row.value, row.key)
                    self.assertLessEqual(row.value, row.high, row.key)


if __name__ == "__main__":
    unittest.main()
