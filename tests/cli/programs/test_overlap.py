"""The overlap demo: its table, its page and its trace, and that all ways come to the same bits."""

import html.parser
import json
import os
import random
import signal
import struct
import subprocess
import time

import tool

OVERLAP = os.environ.get("MULTIFOLD_OVERLAP_BIN", "multifold-overlap")
HOST_WAYS = ["first read, then reduce", "one thread", "2 threads"]
DEVICE_WAYS = ["copy, wait, reduce, wait", "one stream", "2 streams", "3 streams", "one graph of everything",
               "no copies (zero copy)", "ordinary memory, 2 threads", "the CPU, 2 threads"]
SHARED_WAYS = ["the GPU and 2 threads"]
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

    def start(self, *arguments):
        return subprocess.Popen([OVERLAP, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**tool.environment(), "TMPDIR": str(self.folder)})

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
        self.assertEqual((parsed.counts["svg"], parsed.counts["table"], parsed.links), (2 * 3, 1, []))
        # A bar a lane; of the run on one thread, ten chunks that are read, and all but the last one reduced.
        self.assertGreaterEqual(parsed.counts["rect"], 2 * (5 + 10 + 9))
        self.assertIn("prefers-color-scheme: dark", page.read_text())
        # Every run once for a wide and once for a narrow screen, of which the style sheet shows one.
        for words in ('<svg class="wide" ', '<svg class="narrow" '):
            self.assertEqual(page.read_text().count(words), 3)
        self.assertIn("@media (max-width: 820px) {\n  svg.wide { display: none; } svg.narrow { display: block; }", page.read_text())

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
        self.assertEqual(names, HOST_WAYS + DEVICE_WAYS + SHARED_WAYS + BALANCED_WAYS)
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
        self.assertEqual((parsed.counts["svg"], parsed.counts["table"], parsed.links), (2 * (len(names) - 1), 3, []))

    def test_help_and_slips(self):
        for columns in (60, 80, 100):
            done = subprocess.run([OVERLAP, "--help"], capture_output=True, text=True, check=True,
                                  env={**tool.environment(), "COLUMNS": str(columns)})
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), columns)
        for line, words in ((["--op", "sm"], "'sm' (did you mean sum?)"), (["--htlm", "x"], "'--htlm' (did you mean --html?)")):
            outcome = self.overlap(*line)
            self.assertEqual((outcome.code, outcome.out), (2, ""))
            self.assertIn(f"multifold-overlap: {'--op: found ' if line[0] == '--op' else 'found the option '}{words}", outcome.err)

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

    def test_the_picture_shows_chunks_where_threads_are_held_up(self):
        page = self.folder / "page.html"
        for seed in range(6):
            pauses = random.Random(seed)
            with self.start("--bytes", "16MiB", "--threads", "2", "--repeats", "1", "--device-bytes", "0", "--html", page) as process:
                while process.poll() is None:
                    time.sleep(pauses.uniform(0, 0.01))
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(pauses.uniform(0, 0.06))
                    process.send_signal(signal.SIGCONT)
                process.communicate()
            self.assertEqual(process.returncode, 0)
            self.assertGreaterEqual(Page(page.read_text()).counts["rect"], 2 * (5 + 10 + 9))

    def test_nothing_is_left_by_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            for seconds in (0.05, 0.4):
                with self.subTest(number=number, seconds=seconds):
                    with self.start("--bytes", "300MiB", "--repeats", "1000", "--html", self.folder / "page.html") as process:
                        if number != signal.SIGKILL:
                            tool.await_hearing(process, number)
                        time.sleep(seconds)
                        start = time.monotonic()
                        process.send_signal(number)
                        out, err = process.communicate(timeout=60)
                    self.assertEqual((process.returncode, out), (-9 if number == signal.SIGKILL else 128 + number, ""))
                    if number != signal.SIGKILL:
                        self.assertRegex(err, r"\Amultifold-overlap: .*interrupted.*\n\Z")
                        self.assertLess(time.monotonic() - start, 5)
                    self.assertEqual(self.names(), [])

    def test_refusals(self):
        path, page = self.file("x.npy", tool.npy()), self.folder / "page.html"
        (self.folder / "link.npy").symlink_to("x.npy")
        for arguments, code, words in (
                (["none.npy"], 3, "none.npy: No such file"), (["--dtype", "x9", path], 2, "--dtype: found 'x9'"),
                (["--dtype", "u8", path], 2, "uint64 (u64) or uint8 (u1)"), (["--dtype", "f32"], 2, "--dtype is for a raw FILE"),
                ([path, "--html", self.folder / "none" / "page.html"], 3, "could not be written: No such file"),
                (["/dev/zero", "--dtype", "u1"], 3, "/dev/zero: expected a file"), (["--bytes", "much"], 2, "--bytes"),
                (["--threads", "0"], 2, "--threads"), (["--op", "dot"], 2, "--op"), (["--bogus"], 2, "multifold-overlap --help"),
                ([path, "--bytes", "1MiB"], 2, "--bytes is for random numbers"), ([path, "--streams", "2"], 2, "--streams is for"),
                ([path, "--html", path], 2, "same file"), ([path, "--trace", self.folder / "link.npy"], 2, "same file"),
                ([path, "--trace", page, "--html", page], 2, "same file")):
            with self.subTest(arguments=arguments):
                outcome = self.overlap(*arguments)
                self.assertEqual((outcome.code, outcome.out), (code, ""), outcome.err)
                self.assertEqual(outcome.err.count("\n"), 1)
                self.assertTrue(outcome.err.startswith("multifold-overlap: ") and words in outcome.err, outcome.err)
        self.assertEqual((self.names(), path.read_bytes()), (["link.npy", "x.npy"], tool.npy()))


if __name__ == "__main__":
    tool.main()
