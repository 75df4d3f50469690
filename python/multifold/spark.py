"""Reductions of columns of Spark's data frames, to the bits that a column has in memory.

    >>> multifold.spark.reduce(frame, "sum", "x")                # of all rows
    >>> multifold.spark.reduce(frame, "mean", "x", by="key")     # a data frame of key and value

Each partition makes a state (a state a group) of what it has, by mapInArrow; states merge, and the value is rounded
once: results do not depend on partitions, executors or order. No row is moved, only states: to the driver, and those of
groups to the task that merges the group. One thread reduces a partition, as Spark runs many tasks at once.

Keywords:

by          a column: there is a row for each of its values, in columns of this name and of "op(on)"
dtype       of the result, which is rounded to it once: NumPy's name
nan         'propagate' (a NaN makes the result NaN) or 'omit' (NaNs take no part)
correction  of var and std: any real number, which comes off the count

Memory:   a partition's states, one a group.
Numerics: those of the functions of the same names in multifold.
Errors:   TypeError and ValueError of columns that cannot be reduced, and nulls among them: drop or fill these first;
          Spark wraps them if they are found by executors. ValueError for operations that tell where elements stand.
"""

from typing import Any, Iterator

import numpy as np

from . import _columns
from ._multifold import State

__all__ = ["reduce"]


def reduce(frame: Any, op: str, on: str, *, by: str | None = None, dtype: Any = None, nan: str | None = None,
           correction: float = 0) -> Any:
    """The value of a column, or a data frame of one for each group."""
    _columns.check(op)
    if by is not None:
        return _of_groups(frame, op, on, by, dtype, nan, correction)

    def to_state(batches: Iterator) -> Iterator:
        import pyarrow as pa

        parts = [_columns.state_of(op, batch.column(0), nan) for batch in batches]
        if parts:
            yield pa.RecordBatch.from_pydict({"state": pa.array([_columns.merged(parts)], pa.binary())})

    parts = [row.state for row in frame.select(on).mapInArrow(to_state, "state binary").collect()]
    return _columns.value_of(_columns.merged([bytes(part) for part in parts]), dtype, correction)


_spark_names = {
    "bool": "boolean", "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "float32": "float",
    "float64": "double",
}
_element_names = {spark: numpy for numpy, spark in _spark_names.items()}


def _value_type(element: str, op: str, dtype: Any) -> str:
    """Spark's name of the type of the value of a column of this type."""
    if element not in _element_names:
        raise TypeError(f"multifold reduces no columns of {element}: cast them to double, say")
    state = State(op, _element_names[element])
    state.update(np.zeros(1, _element_names[element]))
    return _spark_names[state.value(dtype=dtype).dtype.name]


def _of_groups(frame, op, on, by, dtype, nan, correction):
    key, element = (frame.schema[name].dataType.simpleString() for name in (by, on))
    name = f"{op}({on})"

    def to_states(batches: Iterator) -> Iterator:
        import pyarrow as pa

        groups: dict = {}
        kind = None
        for batch in batches:
            kind = batch.column(0).type
            for value, rows in _columns.rows_of_groups(batch.column(0)):
                state = _columns.state_of(op, batch.column(1).take(pa.array(rows)), nan)
                groups[value] = _columns.merged([groups[value], state]) if value in groups else state
        if groups:
            states = pa.array(list(groups.values()), pa.binary())
            yield pa.RecordBatch.from_arrays([pa.array(list(groups), kind), states], [by, "state"])

    def to_value(table: Any) -> Any:
        import pyarrow as pa

        state = _columns.merged(table.column("state").to_pylist())
        value = _columns.value_of(state, dtype, correction)
        return pa.table({by: table.column(by)[:1], name: pa.array([value])})

    states = frame.select(by, on).mapInArrow(to_states, f"`{by}` {key}, state binary")
    value = _value_type(element, op, dtype)
    return states.groupBy(by).applyInArrow(to_value, f"`{by}` {key}, `{name}` {value}")
