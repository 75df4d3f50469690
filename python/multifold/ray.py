"""Reductions of Ray Data sets, to the bits that a column has in memory.

    >>> multifold.ray.reduce(data, "mean", "x")                              # of all rows
    >>> data.groupby("key").aggregate(multifold.ray.Aggregate("sum", "x"))   # of each group
    >>> data.aggregate(multifold.ray.Aggregate("max", "x"), multifold.ray.Aggregate("sum", "y"))

Blocks become states, states merge, and the value is rounded once: results do not depend on blocks, workers or order.
`reduce` sends a state a batch to the driver. `Aggregate` is an AggregateFnV2, for groups and several columns at once;
one task merges the states of a group. One thread reduces a block, as Ray runs many tasks at once.

Keywords of both:

dtype       of the result, which is rounded to it once
nan         'propagate' (a NaN makes the result NaN) or 'omit' (NaNs take no part)
correction  of var and std: any real number, which comes off the count

Numerics: those of the functions of the same names in multifold. A column is of one dtype.
Errors:   TypeError and ValueError of columns that cannot be reduced, and nulls among them: drop or fill these first.
          What a task finds is a RayTaskError, with the reason in Ray's log. ValueError for operations that tell where
          elements stand, as blocks come in no order.
"""

from typing import Any

import numpy as np
from ray.data.aggregate import AggregateFnV2

from . import _columns

__all__ = ["Aggregate", "reduce"]


def reduce(data: Any, op: str, on: str, *, dtype: Any = None, nan: str | None = None, correction: float = 0) -> Any:
    """The value of a column of a Dataset: a number of NumPy."""
    _columns.check(op)

    def to_state(batch: Any) -> dict:
        return {"state": np.array([_columns.state_of(op, batch.column(on), nan)], object)}

    states = data.select_columns([on]).map_batches(to_state, batch_format="pyarrow", batch_size=None)
    parts = [row["state"] for row in states.iter_rows()]
    return _columns.value_of(_columns.merged(parts), dtype, correction)


class Aggregate(AggregateFnV2):
    """The aggregation of a column, as Dataset.aggregate and groupby(...).aggregate take it."""

    def __init__(self, op: str, on: str, *, dtype: Any = None, nan: str | None = None, correction: float = 0,
                 alias_name: str | None = None) -> None:
        _columns.check(op)
        self._op, self._nan, self._finish = op, nan, (dtype, correction)
        super().__init__(alias_name or f"{op}({on})", bytes, on=on, ignore_nulls=False)

    def aggregate_block(self, block: Any) -> bytes:
        from ray.data.block import BlockAccessor

        column = BlockAccessor.for_block(block).to_arrow().column(self._target_col_name)
        return _columns.state_of(self._op, column, self._nan)

    def combine(self, current_accumulator: bytes, new: bytes) -> bytes:
        return _columns.merged([current_accumulator, new])

    def finalize(self, accumulator: bytes) -> Any:
        return _columns.value_of(accumulator, *self._finish).item()
