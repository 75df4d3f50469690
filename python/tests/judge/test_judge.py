"""The array API's own tests of reductions: MULTIFOLD_ARRAY_API_TESTS names a clone of data-apis/array-api-tests."""

import os
import pathlib
import subprocess
import sys

import pytest


def test_array_api():
    clone = os.environ.get("MULTIFOLD_ARRAY_API_TESTS")
    if not clone:
        pytest.skip("MULTIFOLD_ARRAY_API_TESTS names no clone of data-apis/array-api-tests")
    script = pathlib.Path(__file__).with_name("run.sh")
    subprocess.run([script, clone, "100"], check=True, env=os.environ | {"PYTHON": sys.executable})
