"""The examples of the README say what is printed."""

import doctest
import importlib.util
import pathlib
import re

import numpy as np
import pytest


def is_there(module):
    """Whether `module` can be imported: multifold.dask, say, where there is Dask."""
    return importlib.util.find_spec(module.removeprefix("multifold.").partition(".")[0]) is not None


def python_of(text):
    """The examples alone, on the lines where they stand; blocks that import what is not there are left out."""
    parts = re.split(r"^```.*$", text, flags=re.M)
    for i, part in enumerate(parts):
        names = re.findall(r"(?:import|,) ([\w.]+)", " ".join(re.findall(r"^>>> import .*$", part, re.M)))
        if i % 2 == 0 or not all(is_there(name) for name in names):
            parts[i] = "\n" * part.count("\n")
    return "".join(parts)


@pytest.mark.skipif(int(np.__version__.partition(".")[0]) < 2, reason="NumPy 2 prints its scalars otherwise")
def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = pathlib.Path(__file__).parents[2] / "README.md"
    test = doctest.DocTestParser().get_doctest(python_of(readme.read_text()), {}, "README.md", str(readme), 0)
    assert len(test.examples) > 10
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0


def test_blocks_that_need_more():
    there = ">>> import numpy as np, re\n>>> np.pi\n3\n"
    for line in ("import no_such_library", "import numpy as np, no_such_library", "import multifold.no_such_library"):
        needy = f">>> {line}\n>>> 1\n2\n"
        assert python_of(f"text\n```python\n{there}```\n```python\n{needy}```\n").split() == there.split()
