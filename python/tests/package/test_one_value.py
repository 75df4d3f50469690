"""bench/one_value.py, of fewer elements."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

script = pathlib.Path(__file__).parents[3] / "bench/one_value.py"
built = pathlib.Path(os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0]).parent / "bin/multifold"
tool = built if built.exists() else shutil.which("multifold")


def test_all_ways_have_one_value():
    pytest.importorskip("dask.array")
    command = [sys.executable, "-B", script, "--elements", "300000", *(["--tool", tool] if tool else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    exact, _, rounded = result.stdout.partition("rounded at every step\n")
    ways = [line.rsplit(None, 1) for line in exact.splitlines()[1:] if "0x" in line]
    assert len({found for _, found in ways}) == 1 and len(ways) >= 9, result.stdout + result.stderr
    assert result.returncode == 0
    assert len({line.rsplit(None, 1)[1] for line in rounded.splitlines()}) > 1
    if tool:
        assert "the tool), 2 threads" in exact


def test_a_difference_is_told(tmp_path):
    other = tmp_path / "multifold"
    other.write_text("#!/bin/sh\necho 0x00000000\n")
    other.chmod(0o755)
    command = [sys.executable, "-B", script, "--elements", "1000", "--tool", other]
    alone = os.environ | {"PATH": str(tmp_path)}  # no ranks of MPI, which take seconds
    assert subprocess.run(command, env=alone, capture_output=True, text=True, check=False).returncode == 1
