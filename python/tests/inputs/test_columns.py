"""What multifold.ray and multifold.spark hand from task to task."""

import numpy as np
import pytest

import multifold
from exact import same, some

pyarrow = pytest.importorskip("pyarrow")
from multifold import _columns


@pytest.mark.parametrize("op", ["sum", "mean", "var", "min", "count_nonzero", "any", "norm2"])
def test_parts_of_a_column_merge(op):
    x = some(np.dtype("float32"), 1000)
    chunked = pyarrow.chunked_array([x[:300], x[300:400]])
    parts = [_columns.state_of(op, column, None) for column in (chunked, pyarrow.array(x[400:]))]
    for order in (parts, parts[::-1]):
        same(_columns.value_of(_columns.merged(order), None, 0), multifold.reduce(op, x))
    assert _columns.merged(parts) == _columns.merged(parts[::-1])


def test_groups():
    keys = pyarrow.array(["b", "a", None, "b", "a", "b"])
    found = {key: rows.tolist() for key, rows in _columns.rows_of_groups(keys)}
    assert found == {"b": [0, 3, 5], "a": [1, 4], None: [2]}


def test_refusals():
    for op, why in (("argmax", "no order"), ("describe", "no order"), ("cov", "two arrays"), ("median", "median")):
        with pytest.raises(ValueError, match=why):
            _columns.check(op)
    with pytest.raises(TypeError, match="fill_null"):
        _columns.state_of("sum", pyarrow.array([1, None]), None)
    with pytest.raises(ValueError, match="no rows"):
        _columns.merged([])
