"""What the package imports, and `python -m multifold`."""

import os
import subprocess
import sys

import pytest


def python(*arguments, **environment):
    command = [sys.executable, "-B", "-W", "error", *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_other_libraries_are_imported_by_those_who_use_them():
    code = "import multifold, sys; print({'dask', 'torch', 'pandas', 'xarray', 'ml_dtypes'} & set(sys.modules))"
    assert python("-c", code).stdout == "set()\n"


def test_the_tool_is_run(tmp_path):
    tool = tmp_path / "multifold"
    tool.write_text('#!/bin/sh\necho "$@"\nexit 3\n')
    tool.chmod(0o755)
    result = python("-m", "multifold", "sum", "a b.npy", PATH=str(tmp_path))
    assert (result.returncode, result.stdout) == (3, "sum a b.npy\n")


def test_without_the_tool(tmp_path):
    if os.path.exists(os.path.join(os.path.dirname(sys.executable), "multifold")):
        pytest.skip("the tool is installed beside this Python")
    result = python("-m", "multifold", PATH=str(tmp_path))
    assert result.returncode == 4 and "not installed" in result.stderr and not result.stdout
