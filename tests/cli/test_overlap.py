"""The overlap demo: its table, its page and its trace, and that all ways come to the same bits."""

import html.parser
import json
import os
import struct
import subprocess

import tool

OVERLAP = os.environ.get("MULTIFOLD_OVERLAP_BIN", "multifold-overlap")
HOST_WAYS = ["first read, then reduce", "one thread", "2 threads"]
DEVICE_WAYS = ["copy, wait, reduce, wait", "one stream", "2 streams", "3 streams", "one graph of everything",
               "no copies (zero copy)", "ordinary memory, 2 threads", "the CPU, 2 threads"]
BALANCED_WAYS = DEVICE_WAYS[:4]


def has_device():
    engines = json.loads(tool.run("info", "--json").out)["engines"]
    return any(engine["name"] == "device" and engine["supported"] for engine in engines)


class Page(html.parser.HTMLParser):
    """Counts tags, and checks that each is closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.counts, self.links = [], {}, []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Overlap(tool.ToolTest):
    def overlap(self, *arguments):
        done = subprocess.run([OVERLAP, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                              env={**tool.environment(), "TMPDIR": str(self.folder)})
        return tool.Outcome(done.returncode, done.stdout, done.stderr, 0)

    def check_lanes(self, events, process):
        spans = [event for event in events if event["ph"] == "X" and event["pid"] == process]
        for lane in {event["tid"] for event in spans}:
            of_lane = sorted((event["ts"], event["ts"] + event["dur"]) for event in spans if event["tid"] == lane)
            for before, after in zip(of_lane, of_lane[1:]):
                self.assertLessEqual(before[1], after[0] + 0.01)
        return spans

    def bytes_of(self, spans, what):
        return sum(event["args"]["bytes"] for event in spans if event["name"] == what)

    def test_report(self):
        page, trace = self.folder / "page.html", self.folder / "trace.json"
        outcome = self.overlap("--bytes", "16MiB", "--threads", "2", "--repeats", "1", "--device-bytes", "0",
                               "--html", page, "--trace", trace)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        for words in (*HOST_WAYS, "speed-up", "r reads, # reduces, . waits"):
            self.assertIn(words, outcome.out)
        self.assertTrue(all(len(line) < 120 for line in outcome.out.splitlines()))
        self.assertEqual(self.names(), ["page.html", "trace.json"])

        parsed = Page(page.read_text())
        self.assertEqual((parsed.counts["svg"], parsed.counts["table"], parsed.links), (3, 1, []))
        self.assertGreater(parsed.counts["rect"], 20)
        self.assertIn("prefers-color-scheme: dark", page.read_text())

        events = json.loads(trace.read_text())["traceEvents"]
        names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
        self.assertEqual(names, HOST_WAYS)
        for process in range(3):
            spans = self.check_lanes(events, process)
            for what in ("read", "reduce"):
                self.assertEqual(self.bytes_of(spans, what), 16 << 20)

    def test_device(self):
        page, trace = self.folder / "page.html", self.folder / "trace.json"
        outcome = self.overlap("--bytes", "1MiB", "--threads", "2", "--repeats", "1", "--device-bytes", "65MiB",
                               "--chunk-bytes", "4MiB", "--streams", "2,3", "--html", page, "--trace", trace)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        events = json.loads(trace.read_text())["traceEvents"]
        names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
        if not has_device():
            self.assertEqual(names, HOST_WAYS)
            self.skipTest("this machine has no GPU")
        self.assertEqual(names, HOST_WAYS + DEVICE_WAYS + BALANCED_WAYS)
        for words in (*DEVICE_WAYS, "From the host's memory through a GPU", "When reducing takes as long as copying",
                      "copying alone", "the ideal case", "The ideal is"):
            self.assertIn(words, outcome.out)
        for process, name in enumerate(names[3:], 3):
            with self.subTest(way=name):
                spans = self.check_lanes(events, process)
                if "zero copy" not in name and "CPU" not in name:
                    self.assertEqual(self.bytes_of(spans, "copy"), 64 << 20)
                    self.assertEqual({event["args"]["chunk"] for event in spans if event["name"] == "copy"}, set(range(16)))
                if "CPU" not in name:
                    self.assertEqual(self.bytes_of(spans, "reduce"), 64 << 20)
                self.assertEqual(self.bytes_of(spans, "fill"), 64 << 20 if "ordinary" in name else 0)
                self.assertTrue(all(event["ts"] > -50 and event["dur"] >= 0 for event in spans))
        parsed = Page(page.read_text())
        # The CPU's row has no picture.
        self.assertEqual((parsed.counts["svg"], parsed.counts["table"], parsed.links), (len(names) - 1, 3, []))

    def test_files(self):
        path = self.file("x & y.npy", tool.npy(shape="(3,)", data=tool.floats(1, 2, 3)))
        page = self.folder / "page.html"
        outcome = self.overlap(path, "--op", "max", "--html", page)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertIn("max of (3,)", outcome.out)
        self.assertIn("x &amp; y.npy", page.read_text())
        Page(page.read_text())
        raw = self.file("x.bin", struct.pack("<1000q", *range(1000)))
        self.assertEqual(self.overlap(raw, "--dtype", "i64").code, 0)

    def test_refusals(self):
        path = self.file("x.npy", tool.npy())
        for arguments, words in ((["none.npy"], "No such file"), (["--dtype", "x9", path], "--dtype: found 'x9'"),
                                 ([path, "--html", self.folder / "none" / "page.html"], "could not be written"),
                                 (["/dev/zero", "--dtype", "u8"], "expected a file")):
            with self.subTest(arguments=arguments):
                outcome = self.overlap(*arguments)
                self.assertEqual((outcome.code, outcome.out), (1, ""))
                self.assertTrue(outcome.err.startswith("multifold-overlap: ") and words in outcome.err, outcome.err)
        self.assertNotEqual(self.overlap("--bytes", "much").code, 0)


if __name__ == "__main__":
    tool.main()
