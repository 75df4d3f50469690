"""Every figure about speed in README.md and docs, in tables or between them, is in a record of bench/results."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import figure_prose  # pylint: disable=wrong-import-position
import figure_tables  # pylint: disable=wrong-import-position
import made_up  # pylint: disable=wrong-import-position

RESULTS = figure_tables.ROOT / "bench" / "results"


class Documents(unittest.TestCase):
    def test_figures_are_borne_by_records(self):
        documents = [figure_tables.ROOT / "README.md", *sorted((figure_tables.ROOT / "docs").glob("*.md"))]
        checked = 0
        for path in documents:
            text = path.read_text(encoding="utf-8")
            name = str(path.relative_to(figure_tables.ROOT))
            for complaint in figure_tables.complaints(name, text, RESULTS) + figure_prose.complaints(name, text, RESULTS):
                with self.subTest(complaint):
                    self.fail(complaint)
            checked += sum(bool(figure_tables.named_files(table, RESULTS)) for table in figure_tables.tables_of(text))
        self.assertGreater(checked, 0)


class MadeUp(unittest.TestCase):
    """What the test above would say of tables that are wrong."""

    def setUp(self):
        self.results = made_up.folder_of(self)
        made_up.write_bench(self.results / "CARD.json")

    def complaints(self, text):
        return figure_tables.complaints("docs/speed.md", text, self.results)

    def table(self, row, header="| sum | GB/s | CUB | ratio |", before="Record: `bench/results/CARD.json`."):
        rule = "|---" * (header.count("|") - 1) + "|"
        return f"# Speed\n\n{before}\n\n{header}\n{rule}\n{row}\n"

    def test_figures_of_the_record(self):
        self.assertEqual(self.complaints(self.table("| f32 | 4000 | 3902 | 1.03 |")), [])
        self.assertEqual(self.complaints(self.table("| f32 | 4000.12 to 4000 | 3902 | 103 % |")), [])
        self.assertEqual(self.complaints(self.table("| 4 KiB, 12 threads | 2.6 |", "| | us |")), [])

    def test_figures_of_no_record(self):
        for row, figure in (("| f32 | 4001 | | |", "4001"), ("| f32 | 4000.13 | | |", "4000.13"),
                            ("| f32 | | | 1.3 |", "1.3"), ("| f32 | 4000, 4321 | | |", "4321"),
                            ("| f32 | | 4000 | |", "4000"),  # which is not CUB's
                            ("| f32 | 3902 | | |", "3902"),  # which is
                            ("| f64 | 4000 | | |", "4000"),  # of another dtype
                            ("| f32 | 1.03 | | |", "1.03")):  # no speed
            found = self.complaints(self.table(row))
            self.assertEqual(len(found), 1, row)
            self.assertIn(f": {figure} (", found[0])

    def test_figures_between_tables(self):
        def found(text):
            return figure_prose.complaints("docs/speed.md", text, self.results)

        self.assertEqual(found("It sums at 4000 GB/s,\nCUB at 3902\nGB/s.\n\n```\n17 GB/s\n```\n| 17 GB/s |\n"), [])
        self.assertEqual(found("From 3902 to 4000.12 GB/s (`bench/results/CARD.json`)."), [])
        self.assertEqual(found("# 17 GB/s\n\nAt 4000 GB/s.\n- At 4000 to\n  4321 GB/s."),
                         ["docs/speed.md:4: 4321 GB/s is not in any record"])
        self.assertEqual(found("At 4001 GB/s, says `CARD.json`."), ["docs/speed.md:1: 4001 GB/s is not in CARD.json"])
        self.assertEqual(found("In 4000 us."), ["docs/speed.md:1: 4000 us is not in any record"])

    def test_ratios_between_tables(self):
        def found(text):
            return [complaint.partition(": ")[2] for complaint in figure_prose.complaints("docs/speed.md", text, self.results)]

        named = "(`bench/results/CARD.json`)"
        self.assertEqual(found(f"1.025 times CUB, 1.11 times an empty kernel, 0.99 of the link, at 18 % of a core {named}."), [])
        self.assertEqual(found(f"0.952 and 0.98 of what a plain loop\nreads, 0.9 of the disk {named}."), [])  # a share, of 4100 GB/s
        self.assertEqual(found(f"By 8 of the 16 cores, of f32, 2^7 times {named}."), [])
        self.assertEqual(found("1.3 times, 17 %, 0.31 of the link, in 0.5 ns."), [])  # of what, no record says
        for wrong in ("1.3 times", "17 %", "0.31 of", "0.5 ns"):
            self.assertEqual(found(f"Now {wrong} the link {named}."), [f"{wrong} is not in CARD.json"])
        (self.results / "PEERS.txt").write_text(made_up.PEERS, encoding="utf-8")
        self.assertEqual(found("Twice: 2.1 times, 0.1 and 0.21 ns (`PEERS.txt`)."), [])
        self.assertEqual(found("Twice: 0.22 ns (`PEERS.txt`)."), ["0.22 ns is not in PEERS.txt"])

    def test_a_table_names_its_record(self):
        found = self.complaints(self.table("| f32 | 4000 | 3902 | 1.03 |", before="By night."))
        self.assertIn("names no record", found[0])
        self.assertEqual(self.complaints(self.table("| f32 | quick | quicker | |", before="By night.")), [])
        other = self.table("| f32 | 4000 | 3902 | 1.03 |", before="By night.").replace("# Speed", "# Taste")
        self.assertEqual(figure_tables.complaints("README.md", other, self.results), [])
        below = self.table("| f32 | 4001 | | |", before="By night.") + "\nRecord: `bench/results/CARD.json`.\n"
        self.assertIn(": 4001 (", self.complaints(below)[0])

    def test_the_record_is_there(self):
        found = self.complaints(self.table("| f32 | 4000 | | |", before="Record: `bench/results/GONE.json`."))
        self.assertIn("names GONE.json", found[0])

    def test_tables_in_code_are_none(self):
        self.assertEqual(self.complaints("```text\n" + self.table("| f32 | 4000 | | |", before="") + "```\n"), [])


if __name__ == "__main__":
    unittest.main()
