"""The source distribution has what a wheel is built from, and nothing else."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

root = pathlib.Path(__file__).parents[3]
sources = {".hpp", ".cpp", ".cu", ".cuh", ".txt", ".cmake", ".in", ".py", ".typed", ".md"}
build = pathlib.Path(os.environ.get("PYTHONPATH", "").partition(os.pathsep)[0]).parent


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The files and their sizes."""
    pytest.importorskip("scikit_build_core")
    made = tmp_path_factory.mktemp("sdist")
    program = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, made], cwd=root, check=True, capture_output=True)
    (archive,) = made.glob("multifold-*.tar.gz")
    assert archive.stat().st_size < 2 << 20
    with tarfile.open(archive) as tar:
        return {member.name.partition("/")[2]: member.size for member in tar.getmembers()}


def test_it_has_sources_and_nothing_else(contents):
    for name in contents:
        where = name.split("/")
        assert len(where) == 1 or where[0] in ("lib", "graphs", "python"), name
        assert not {"tests", "build", "__pycache__"} & set(where), name
        assert len(where) == 1 or pathlib.Path(name).suffix in sources, name  # and no records of measurements
        assert where[-1] != "_multifold.pyi" and not name.endswith((".so", ".npy", ".whl", ".pyc")), name
    assert max(contents.values()) < 1 << 20
    assert {"CMakeLists.txt", "LICENSE", "PKG-INFO", "pyproject.toml", "python/README.md"} <= set(contents)
    ours = (root / "python/multifold").rglob("*")
    assert {str(path.relative_to(root)) for path in ours if path.suffix in (".py", ".typed")} <= set(contents)


@pytest.mark.skipif(not (build / ".ninja_deps").exists() or shutil.which("ninja") is None, reason="no build by ninja")
def test_it_has_what_the_compiler_read(contents):
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    needed, counts = set(), False
    for line in listed.splitlines():
        if line and not line.startswith(" "):
            counts = line.startswith(("lib/", "graphs/", "python/CMakeFiles/"))
        elif line and counts:
            path = pathlib.Path(os.path.normpath(build / line.strip()))
            if path.is_relative_to(root) and not path.is_relative_to(root / "build"):
                needed.add(str(path.relative_to(root)))
    assert len(needed) > 50 and needed <= set(contents), sorted(needed - set(contents))
