"""NumPy's names for reductions that leave NaNs out, and the least and the greatest element together."""

from typing import Any

from . import _multifold


def nansum(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """sum(x, nan="omit"): of nothing but NaNs 0."""
    return _multifold.sum(x, axis=axis, nan="omit", **keywords)


def nanprod(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """prod(x, nan="omit"): of nothing but NaNs 1."""
    return _multifold.prod(x, axis=axis, nan="omit", **keywords)


def nanmean(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """mean(x, nan="omit"): of nothing but NaNs NaN."""
    return _multifold.mean(x, axis=axis, nan="omit", **keywords)


def nanvar(x: Any, *, axis: Any = None, correction: Any = 0, **keywords: Any) -> Any:
    """var(x, nan="omit"): of nothing but NaNs NaN."""
    return _multifold.var(x, axis=axis, correction=correction, nan="omit", **keywords)


def nanstd(x: Any, *, axis: Any = None, correction: Any = 0, **keywords: Any) -> Any:
    """std(x, nan="omit"): of nothing but NaNs NaN."""
    return _multifold.std(x, axis=axis, correction=correction, nan="omit", **keywords)


def nanmin(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """min(x, nan="omit")."""
    return _multifold.min(x, axis=axis, nan="omit", **keywords)


def nanmax(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """max(x, nan="omit")."""
    return _multifold.max(x, axis=axis, nan="omit", **keywords)


def nanargmin(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """argmin(x, nan="omit"): among all elements, NaNs counted."""
    return _multifold.argmin(x, axis=axis, nan="omit", **keywords)


def nanargmax(x: Any, *, axis: Any = None, **keywords: Any) -> Any:
    """argmax(x, nan="omit"): among all elements, NaNs counted."""
    return _multifold.argmax(x, axis=axis, nan="omit", **keywords)


def minmax(x: Any, *, axis: Any = None, **keywords: Any) -> tuple[Any, Any]:
    """The least and the greatest element, in one read; NaN, if there is one, is both."""
    least, greatest = _multifold.reduce(["min", "max"], x, axis=axis, **keywords)
    return least, greatest
