"""Small records that were never measured, for tests."""

import copy
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))


def folder_of(test):
    """A folder that is gone after the test."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def device_row(case, contender, speed, size=1 << 30, spread=0.002):
    return {"name": case, "bytes": size, "contender": contender, "median_gbps": speed, "q1": speed * (1 - spread),
            "q3": speed * (1 + spread), "min": speed * (1 - 2 * spread), "max": speed * (1 + 2 * spread),
            "repetitions": 9, "ratio_to_cub": None, "first_over_this": 1.0}


def bench():
    """A record of run.py, with a case of every family."""
    rows = [device_row("full/sum/f32", "multifold", 4000.123), device_row("full/sum/f32", "cub", 3902.0),
            device_row("full/sum/f32", "read", 4100.0), device_row("full/sum/f64", "multifold", 3950.0),
            device_row("full/sum/f64", "read", 4100.0),
            device_row("small/4KiB/single/f32", "multifold", 1.6, 4096, 0.02),
            device_row("small/4KiB/single/f32", "cub", 1.5, 4096, 0.02)]
    rows[0]["ratio_to_cub"] = 1.0251
    graphs = [{"name": "round_trip/empty_kernel", "host_us": 1.9, "wall_us": 6.5},
              {"name": "round_trip/1KiB/built", "host_us": 2.0, "wall_us": 7.2, "of_empty": 1.1077}]
    streams = [{"name": "pinned/reduce", "GB/s": 54.5, "cpu_share": 0.18, "limit_GB/s": 55.0, "of_limit": 0.9909},
               {"name": "file/cold", "GB/s": 1.65, "limit_GB/s": 1.84, "of_disk": 0.9}]
    host = {"processor": "A processor", "cores": 2,
            "cases": [{"name": f"sum/f32/threads:{n}", "gbps": 10.0 * n, "plain_gbps": 10.5 * n, "ratio": 0.952}
                      for n in (1, 2)]}
    return {"schema": "multifold.bench/1", "device": "A card", "driver": "1", "cuda": "13.0", "cub_version": "3.0.1",
            "date": "2026-01-02T03:04:05Z", "commit": "abc", "buffer_bytes": 1 << 30, "cases": rows, "graphs": graphs,
            "streams": streams, "host": host, "must_reach": []}


def write_bench(path, change=None):
    """Writes it, changed by a function. Returns the path."""
    record = copy.deepcopy(bench())
    if change:
        change(record)
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def surface_cases(count=60, slower=1.0, seed=0):
    """Of two classes; of another seed, of other shapes."""
    classes = ("sum f32 exact 1000x1000 0,1 1 0 normal", "var f32 exact 1000x8 0,1 1 0 any_finite")
    return [{"text": classes[i % 2].replace("1000x", f"{1000 * (seed + 1) + i}x"), "bytes": 1 << 30,
             "seconds": slower * 1e-3 * (1 + i % 7), "roof": 9e-4, "verdict": "right"} for i in range(count)]


def write_surface(path, **words):
    record = {"schema": "multifold.surface/1", "run": "A card, seed 7, 1 to 2 bytes", "cases": surface_cases(**words)}
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


PEERS = """2 threads, 1073741824 bytes, NumPy 1.24.2, no PyTorch; ns an element

| case | exact: ratio | ns | fast: ratio | ns | NumPy ns | PyTorch ns |
|---|---|---|---|---|---|---|
| sum f32 full | 2.10 | 0.100 | 2.30 | 0.091 | 0.210 |  |
| max f32 rows of 16384 | 1.50 | 0.100 |  |  | 0.150 |  |
"""
KEYS = """A card, sum of f32 by keys of i32, 1024 MiB each
keys             groups      GB/s   share     IQR
ascending          1000      4000   0.900    0.2%
random          1000000       500   0.125    1.0%
"""
DEVICES = """2 x A card, sum of f32
where it lies         GB/s by 1    by all    times
resident        8 GiB    2000.0    3900.0    1.950
"""
SEGMENTS = """A card, sum of f32, 1024 MiB
segments                      count      GB/s  CUB GB/s  to CUB   share     IQR
4 huge                            4      2435        72   33.95   0.541    1.1%
0 to 20                    26847544       571        48   12.02   0.130    1.0%
A card, sum of f32, 1024 MiB
segments                      count      GB/s  CUB GB/s  to CUB   share     IQR
4 huge                            4      2224        72   30.99   0.493    0.8%
"""
