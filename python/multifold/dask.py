"""Reductions of Dask arrays, to the bits that the whole array has in memory.

    >>> import dask.array as da, multifold.dask
    >>> multifold.dask.sum(da.full(10, 0.1, chunks=3)).compute()
    np.float64(1.0)

Every chunk becomes a State, states merge, and the value is rounded once: results do not depend on chunks, on the order
of tasks, or on the scheduler. They are lazy Dask arrays. One thread reduces a chunk, as Dask runs many tasks at once.

Keywords of all functions:

axis         the axes that are reduced: an integer, a tuple, or None for all
keepdims     reduced axes stay, of extent 1
nan          'propagate' (a NaN makes the result NaN) or 'omit' (NaNs take no part)
split_every  how many states are merged at once, as in dask.array.reduction

Shapes:   chunks may be of unknown size, but for argmin and argmax over all axes of several.
Memory:   a state of each result of each chunk, 292 bytes for a sum of float64 (docs/states.md); none where a chunk has
          all elements along the reduced axes.
Numerics: those of the functions of the same names in multifold.
Errors:   TypeError and ValueError of dtypes and keywords at once; of elements (OverflowError, too) when it is computed.
"""

import builtins
import functools
import math
import operator
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from . import _multifold
from ._multifold import State

__all__ = [
    "all", "any", "argmax", "argmin", "count_nonzero", "cov", "dot", "max", "mean", "min", "prod", "std", "sum", "var",
    "vector_norm",
]


def sum(x, *, axis=None, dtype=None, keepdims=False, initial=None, nan=None, split_every=None):
    """The sum, correctly rounded; integers that leave their dtype are an OverflowError."""
    return _reduced("sum", (x,), axis, keepdims, nan, split_every, dtype=dtype, initial=initial)


def prod(x, *, axis=None, dtype=None, keepdims=False, initial=None, split_every=None):
    """The product of integers; those of floats are rounded on the way, so they have no states: ValueError."""
    return _reduced("prod", (x,), axis, keepdims, None, split_every, dtype=dtype, initial=initial)


def mean(x, *, axis=None, dtype=None, keepdims=False, nan=None, split_every=None):
    """The arithmetic mean, correctly rounded; float64 of integers."""
    return _reduced("mean", (x,), axis, keepdims, nan, split_every, dtype=dtype)


def var(x, *, axis=None, correction=0, dtype=None, keepdims=False, nan=None, split_every=None):
    """The variance, correctly rounded; correction, any real number, comes off the count."""
    return _reduced("var", (x,), axis, keepdims, nan, split_every, dtype=dtype, correction=correction)


def std(x, *, axis=None, correction=0, dtype=None, keepdims=False, nan=None, split_every=None):
    """The square root of the variance, correctly rounded."""
    return _reduced("std", (x,), axis, keepdims, nan, split_every, dtype=dtype, correction=correction)


def min(x, *, axis=None, keepdims=False, initial=None, nan=None, split_every=None):
    """The least element; a NaN if there is one."""
    return _reduced("min", (x,), axis, keepdims, nan, split_every, initial=initial)


def max(x, *, axis=None, keepdims=False, initial=None, nan=None, split_every=None):
    """The greatest element; a NaN if there is one."""
    return _reduced("max", (x,), axis, keepdims, nan, split_every, initial=initial)


def argmin(x, *, axis=None, keepdims=False, nan=None, split_every=None):
    """The first index of the least element, along one axis or in C order of all."""
    return _index("argmin", x, axis, keepdims, nan, split_every)


def argmax(x, *, axis=None, keepdims=False, nan=None, split_every=None):
    """The first index of the greatest element, along one axis or in C order of all."""
    return _index("argmax", x, axis, keepdims, nan, split_every)


def count_nonzero(x, *, axis=None, keepdims=False, nan=None, split_every=None):
    """How many elements are not zero."""
    return _reduced("count_nonzero", (x,), axis, keepdims, nan, split_every)


def any(x, *, axis=None, keepdims=False, nan=None, split_every=None):
    """Whether an element is not zero."""
    return _reduced("any", (x,), axis, keepdims, nan, split_every)


def all(x, *, axis=None, keepdims=False, split_every=None):
    """Whether no element is zero."""
    return _reduced("all", (x,), axis, keepdims, None, split_every)


def vector_norm(x, *, axis=None, keepdims=False, ord=2, nan=None, split_every=None):
    """The norm of order 1, 2 or inf, correctly rounded: no square overflows on the way."""
    if ord in (1, 2):
        return _reduced(f"norm{int(ord)}", (x,), axis, keepdims, nan, split_every)
    if ord != math.inf:
        raise ValueError("vector_norm has ord 1, 2 and inf, which are correctly rounded")
    _check("max", x)
    _multifold.vector_norm(np.ones(1, x.dtype), ord=ord)  # refuses integers
    return _reduced("max", (abs(x),), axis, keepdims, nan, split_every)


def dot(x, y, *, axis=None, dtype=None, keepdims=False, nan=None, split_every=None):
    """The sum of products of the elements of two arrays of one dtype and shape."""
    return _reduced("dot", _alike("dot", x, y), axis, keepdims, nan, split_every, dtype=dtype)


def cov(x, y, *, axis=None, correction=1, dtype=None, keepdims=False, nan=None, split_every=None):
    """The covariance of two arrays of one dtype and shape; correction is 1 as in numpy.cov."""
    finish = {"dtype": dtype, "correction": correction}
    return _reduced("cov", _alike("cov", x, y), axis, keepdims, nan, split_every, **finish)


def _check(op: str, x: Any) -> None:
    if not isinstance(x, da.Array):
        kind = f"{type(x).__module__}.{type(x).__name__}"
        raise TypeError(f"multifold.dask.{op} takes Dask arrays, and not {kind}: multifold.{op} takes those in memory")


def _alike(op: str, x: Any, y: Any) -> tuple:
    _check(op, x)
    _check(op, y)
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"{op} takes two arrays of one shape and dtype: {x.shape} {x.dtype}, {y.shape} {y.dtype}")
    return x, y.rechunk(x.chunks)


def _reduced(op, arrays, axis, keepdims, nan, split_every, **finish):
    """Takes the states of chunks of one array, or of two of equal chunks, to their values."""
    _check(op, arrays[0])
    settings = _Settings(op, arrays[0].dtype, nan, True)
    return _of_chunks(arrays, settings, axis, keepdims, split_every, finish)


def _index(op, x, axis, keepdims, nan, split_every):
    _check(op, x)
    if axis is not None and len(_axes(axis, x.ndim)) != 1:
        raise NotImplementedError(f"{op} is along one axis, or over all (axis=None): reshape x to make one of several")
    settings = _Settings(op, x.dtype, nan, axis is not None or x.ndim == 1)
    if settings.in_order:
        return _of_chunks((x,), settings, axis, keepdims, split_every, {})
    if np.isnan(x.size):
        raise NotImplementedError(f"{op} over all axes of chunks of unknown sizes: x.compute_chunk_sizes() finds them")
    result = _result_dtype((x,), settings, {})
    ends = da.map_blocks(functools.partial(_end_of, settings), x, shape=x.shape, dtype=x.dtype, meta=x._meta)
    return _merging(ends, _as_it_is, settings, _axes(None, x.ndim), keepdims, split_every, result, {})


def _of_chunks(arrays, settings, axis, keepdims, split_every, finish):
    x, *more = arrays
    axes = _axes(axis, x.ndim)
    result = _result_dtype(arrays, settings, finish)
    if builtins.all(x.numblocks[each] == 1 for each in axes):  # then no state is needed
        chunk = functools.partial(_value_at_once, settings, finish)
    else:
        chunk = functools.partial(_state_of, settings)
    if more:
        x = da.map_blocks(chunk, x, *more, axis=axes, dtype=x.dtype, meta=x._meta)
        chunk = _as_it_is
    return _merging(x, chunk, settings, axes, keepdims, split_every, result, finish)


def _merging(x, chunk, settings, axes, keepdims, split_every, result, finish):
    return da.reduction(
        x,
        chunk,
        functools.partial(_value_of, settings, finish),
        combine=functools.partial(_merged, settings),
        axis=axes,
        keepdims=keepdims,
        dtype=result,
        split_every=split_every,
        name=f"multifold-{settings.op}",
        concatenate=False,
    )


def _axes(axis: Any, ndim: int) -> tuple:
    if axis is None:
        return tuple(range(ndim))
    given = [operator.index(each) for each in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if not builtins.all(-ndim <= each < ndim for each in given) or len({each % ndim for each in given}) < len(given):
        raise ValueError(f"axis {axis} is not one of {ndim} axes, or names one twice")
    return tuple(each % ndim for each in given)


def _result_dtype(arrays: tuple, settings: "_Settings", finish: dict) -> np.dtype:
    """That of the value of a zero, which also refuses what could have none."""
    state = settings.state()
    state.update(*(np.zeros(1, x.dtype) for x in arrays), nan=settings.nan, threads=1)
    return state.value(**finish).dtype


# What tasks call. What they are given never changes: other tasks may read it, too.


class _Settings(NamedTuple):
    op: str
    element: np.dtype
    nan: str | None
    in_order: bool  # each part's elements stand behind those of the part before

    def state(self, shape=()):
        return State(self.op, self.element, shape, nan=self.nan)

    def checked(self, block):
        """A chunk in the elements that it says; from other processes it may come at any byte."""
        if block.dtype != self.element:
            raise ValueError(f"a chunk of {block.dtype} in an array of {self.element}")
        return block.copy() if isinstance(block, np.ndarray) and not block.flags.aligned else block


def _value_at_once(settings, finish, *blocks, axis, keepdims=True, computing_meta=False):
    """The value of a chunk that has all elements along the axes."""
    if computing_meta:
        return blocks[0]
    blocks = [settings.checked(block) for block in blocks]
    return _multifold.reduce(settings.op, *blocks, axis=axis, keepdims=True, nan=settings.nan, threads=1, **finish)


def _state_of(settings, *blocks, axis, keepdims=True, computing_meta=False):
    """The state of a chunk, or of two: its shape is that of the axes that stay."""
    first = blocks[0]
    if computing_meta:
        return first
    kept = [i for i in range(first.ndim) if i not in axis]
    state = settings.state(tuple(first.shape[i] for i in kept))
    parts = [settings.checked(block).transpose((*axis, *kept)) for block in blocks]
    state.update(*parts, nan=settings.nan, threads=1)
    return state


def _end_of(settings, block, *, shape, block_info):
    """The state of a chunk's extreme element alone, where it stands in the whole array."""
    end, part = settings.state(), settings.state()
    part.update(settings.checked(block), nan=settings.nan, threads=1)
    try:
        index = int(part.value())
    except ValueError:  # no element takes part
        return end
    first = [begin for begin, _ in block_info[0]["array-location"]]
    local = np.unravel_index(index, block.shape)
    end.update(block[local].reshape(1).copy(), nan=settings.nan, threads=1)
    where = 0
    for begin, at, extent in zip(first, local, shape):
        where = where * extent + int(begin) + int(at)
    end.move(where)
    return end


def _as_it_is(part, axis=None, keepdims=None, computing_meta=False):
    return part


def _flat(parts):
    if isinstance(parts, list):
        return [each for part in parts for each in _flat(part)]
    return [parts]


def _merged(settings, parts, *, axis=None, keepdims=None, computing_meta=False):
    if computing_meta:
        return parts
    states = _flat(parts)
    if len(states) == 1:
        return states[0]
    whole = settings.state(states[0].shape)
    for state in reversed(states):
        if settings.in_order:
            whole.move(state.count)
        whole.merge(state)
    return whole


def _value_of(settings, finish, parts, *, axis, keepdims, computing_meta=False):
    if computing_meta:
        return np.zeros((0,) * (parts.ndim if keepdims else parts.ndim - len(axis)))
    merged = _merged(settings, parts)
    if not isinstance(merged, State):  # a value of its own
        return merged if keepdims else merged.squeeze(axis)[()]
    value = merged.value(**finish)
    return np.expand_dims(value, axis) if keepdims else value
