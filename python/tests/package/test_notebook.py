"""The notebook shows what its cells give."""

import ast
import json
import pathlib

import numpy as np
import pytest

notebook = pathlib.Path(__file__).parents[3] / "examples/multifold.ipynb"
needs_numpy_2 = pytest.mark.skipif(np.__version__ < "2", reason="NumPy 2 prints its scalars otherwise")


def shown(cell):
    return ["".join(output["data"]["text/plain"]) for output in cell["outputs"]]


@needs_numpy_2
def test_cells_give_what_they_show():
    names, found = {}, 0
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        *statements, last = tree.body
        exec(compile(ast.Module(statements, []), notebook.name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
        assert [repr(value)] == shown(cell)
        found += 1
    assert found >= 5


@needs_numpy_2
@pytest.mark.filterwarnings("default")
def test_jupyter_runs_it():
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    stored = nbformat.read(notebook, 4)
    nbformat.validate(stored)
    run = nbformat.read(notebook, 4)
    client.NotebookClient(run, timeout=120, kernel_name="python3").execute()
    code = [(a, b) for a, b in zip(stored.cells, run.cells) if a.cell_type == "code"]
    for before, after in code:
        assert shown(after) == shown(before)
