"""An array library with multifold's reductions in the place of its own."""

import importlib
from typing import Any

from . import _multifold

_reductions = (
    "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "count_nonzero", "all", "any", "vecdot",
)


class _Linalg:
    """`linalg` of a library, with our vector_norm and vecdot."""

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs

    vector_norm = staticmethod(_multifold.vector_norm)
    vecdot = staticmethod(_multifold.vecdot)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)


class Namespace:
    """Whatever the library has, but for reductions."""

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs
        for name in _reductions:
            setattr(self, name, getattr(_multifold, name))
        if hasattr(theirs, "linalg"):
            self.linalg = _Linalg(theirs.linalg)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._theirs), *self.__dict__})

    def __repr__(self) -> str:
        return f"<{self._theirs!r} with multifold's reductions>"


def array_namespace(x: Any) -> Namespace:
    """The namespace of `x`, as code that takes an `xp` wants it, with multifold's reductions."""
    if hasattr(x, "__array_namespace__"):
        return Namespace(x.__array_namespace__())
    library = type(x).__module__.partition(".")[0]
    if library in ("torch", "cupy", "numpy"):  # NumPy before 2
        return Namespace(importlib.import_module(library))
    raise TypeError(f"{type(x).__module__}.{type(x).__name__} is of no array library: it has no __array_namespace__")
