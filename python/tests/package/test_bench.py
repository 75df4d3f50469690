"""bench/host/calls.py, of few and small arrays."""

import pathlib
import subprocess
import sys

script = pathlib.Path(__file__).parents[3] / "bench/host/calls.py"


def test_calls_are_timed_beside_numpy():
    command = [sys.executable, "-B", script, "--sizes", "1,2", "--rounds", "1", "--functions", "sum,argmax",
               "--dtypes", "f4"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0].startswith("microseconds of multifold / NumPy") and lines[2] == "| | 1 KiB | 2 KiB |"
    assert [line.split(" | ")[0] for line in lines[4:]] == ["| sum f4", "| argmax f4"]
    assert all(line.count(" = ") == 2 for line in lines[4:])
