"""Columns of Arrow as states, as bytes: what frameworks of tables hand from task to task."""

from typing import Any, Iterator

import numpy as np

from ._multifold import State

_in_order = ("argmin", "argmax", "describe")
_of_two = ("dot", "cov")


def check(op: str) -> None:
    """Refuses operations that a column's parts do not have in any order."""
    if op in _in_order:
        raise ValueError(f"{op} tells where elements stand, and the parts of a table come in no order")
    if op in _of_two:
        raise ValueError(f"{op} takes two arrays, and this is of one column")
    State(op, "int64")  # refuses what there is not


def arrays_of(column: Any) -> Iterator[np.ndarray]:
    """The chunks of an Array or ChunkedArray, without a copy but for booleans, which are bits there."""
    if column.null_count:
        raise TypeError("multifold takes no nulls: drop_null() leaves them out, fill_null(...) makes them numbers")
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    if not chunks:
        yield np.empty(0, _element(column))
    for chunk in chunks:
        yield chunk.to_numpy(zero_copy_only=False)


def _element(column: Any) -> np.dtype:
    return np.dtype(column.type.to_pandas_dtype())


def state_of(op: str, column: Any, nan: str | None) -> bytes:
    """The state of a column; a thread reduces it."""
    state = State(op, _element(column), nan=nan)
    for part in arrays_of(column):
        state.update(part, nan=nan, threads=1)
    return _saved(op, state)


def merged(parts: list[bytes]) -> bytes:
    if not parts:
        raise ValueError("there are no rows, and so no dtype")
    op, whole = _loaded(parts[0])
    for part in parts[1:]:
        whole.merge(_loaded(part)[1])
    return _saved(op, whole)


def value_of(part: bytes, dtype: Any, correction: float) -> Any:
    _, state = _loaded(part)
    return state.value(dtype=dtype, correction=correction)


# The operation stands before the state, which many operations share.


def _saved(op: str, state: State) -> bytes:
    return op.encode() + b"\n" + bytes(state)


def _loaded(part: bytes) -> tuple[str, State]:
    op, _, state = bytes(part).partition(b"\n")
    return op.decode(), State.from_bytes(state, op.decode())


def rows_of_groups(keys: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """Each key, and where it stands."""
    encoded = keys.dictionary_encode(null_encoding="encode")
    of_rows = encoded.indices.to_numpy()
    rows = np.argsort(of_rows, kind="stable")
    ends = np.searchsorted(of_rows[rows], np.arange(len(encoded.dictionary) + 1))
    for key, first, last in zip(encoded.dictionary.to_pylist(), ends[:-1], ends[1:]):
        yield key, rows[first:last]
