"""What the package has and imports, its stubs, and `python -m multifold`."""

import ast
import os
import pathlib
import subprocess
import sys

import pytest

import multifold


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


def parameters(definition):
    """Names before and after the star, and what they are by default."""
    given = definition.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    pairs = [*zip(given.args, defaults), (ast.arg("*"), None), *zip(given.kwonlyargs, given.kw_defaults)]
    return [(name.arg, default and ast.unparse(default)) for name, default in pairs]


def functions_of(module):
    """Those of the extension, with what they say that they take."""
    for name in dir(module):
        function = getattr(module, name)
        if type(function).__name__ == "nb_func":
            signature = function.__doc__.splitlines()[0]
            yield name, ast.parse(f"def {signature}: ...").body[0]


def test_stubs_say_what_functions_take():
    extension = multifold._multifold
    stub = ast.parse(pathlib.Path(extension.__file__).with_name("_multifold.pyi").read_text())
    stubs = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    found = dict(functions_of(extension))
    assert stubs.keys() == found.keys() and len(found) > 20
    for name, definition in found.items():
        assert parameters(stubs[name]) == parameters(definition)
        assert ast.unparse(stubs[name].returns).rpartition(".")[2] == ast.unparse(definition.returns).rpartition(".")[2]
    (state,) = (node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "State")
    methods = {node.name for node in state.body if isinstance(node, ast.FunctionDef)}
    assert {name for name in dir(multifold.State) if not name.startswith("_")} <= methods


array_api = {  # of 2025.12
    **dict.fromkeys(["max", "min", "count_nonzero", "all", "any"], {"axis", "keepdims"}),
    **dict.fromkeys(["sum", "prod"], {"axis", "dtype", "keepdims"}),
    **dict.fromkeys(["var", "std"], {"axis", "correction", "keepdims"}),
    **dict.fromkeys(["argmax", "argmin", "mean"], {"axis", "keepdims"}),
    "vector_norm": {"axis", "keepdims", "ord"}, "vecdot": {"axis"},
}


def test_functions_have_the_keywords_of_the_array_api():
    found = dict(functions_of(multifold._multifold))
    for name, keywords in array_api.items():
        takes = [parameter for parameter, _ in parameters(found[name])]
        assert keywords <= set(takes[takes.index("*") :]) and len(takes[: takes.index("*")]) == 1 + (name == "vecdot")


def test_all_that_is_public_is_explained():
    for name in multifold.__all__:
        thing = getattr(multifold, name)
        if callable(thing):
            assert len(thing.__doc__.splitlines()) > (type(thing).__name__ == "nb_func"), name
    told = multifold.__doc__
    for _, definition in functions_of(multifold._multifold):
        for keyword in definition.args.kwonlyargs:
            said_in_place = keyword.arg in ("bias", "correction", "fisher", "ord", "shift")
            assert said_in_place or f"\n{keyword.arg} " in told, keyword.arg
    assert "\nShapes " in told and "\nErrors " in told
