"""The examples of the README say what is printed."""

import doctest
import pathlib

import numpy as np
import pytest


@pytest.mark.skipif(int(np.__version__.partition(".")[0]) < 2, reason="NumPy 2 prints its scalars otherwise")
def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = pathlib.Path(__file__).parents[1] / "README.md"
    text = "\n".join("" if line.startswith("```") else line for line in readme.read_text().splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(readme), 0)
    assert len(test.examples) > 10
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0
