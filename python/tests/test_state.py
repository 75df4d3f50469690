"""States: parts in any order are the whole, here and elsewhere."""

import copy
import pickle

import numpy as np
import pytest

import multifold
from exact import same, some


ops = ["sum", "mean", "var", "std", "norm1", "sumsq", "norm2", "min", "max", "any", "all", "count_nonzero"]


@pytest.mark.parametrize("op", ops)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_parts_are_the_whole(op, dtype):
    x = some(np.dtype(dtype), 1000)
    whole = multifold.State(op, dtype)
    whole.update(x)
    parts = [multifold.State(op, dtype) for _ in range(3)]
    for part, rows in zip(parts, (x[:10], x[10:600], x[600:])):
        part.update(rows)
    for order in ((0, 1, 2), (2, 1, 0)):
        merged = multifold.State(op, dtype)
        for i in order:
            merged.merge(parts[i])
        assert merged == whole and bytes(merged) == bytes(whole)
        same(merged.value(), multifold.reduce(op, x))


def test_indices_count_on():
    x = some(np.dtype("float32"), (100, 3))
    state = multifold.State("argmax", "float32", (3,))
    state.update(x[:40])
    state.update(x[40:])
    same(state.value(), multifold.argmax(x, axis=0))
    assert state.shape == (3,) and state.count == 100 and state.op == "argmax" and state.dtype == "float32"
    assert "argmax" in repr(state)


def test_pickles_and_bytes():
    state = multifold.State("mean", "float64")
    state.update(np.array([1.0, 2.0]))
    from_bytes = multifold.State.from_bytes(bytes(state), "mean")
    for other in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), from_bytes):
        assert other == state and other.op == "mean" and other.value() == 1.5
    same(state.value(op="sum", dtype="float32"), np.float32(3))
    assert state.value(out=float) == 1.5
    with pytest.raises(ValueError):
        multifold.State.from_bytes(b"nonsense")
    with pytest.raises(ValueError, match="no max"):
        multifold.State.from_bytes(bytes(state), "max")


def test_sources_and_two_arrays(tmp_path):
    x = some(np.dtype("float32"), 100)
    np.save(tmp_path / "x.npy", x)
    state = multifold.State("sum", "float32")
    state.update(tmp_path / "x.npy")
    state.update(iter([x]))
    same(state.value(), multifold.sum(np.concatenate([x, x])))
    two = multifold.State("cov", "float32")
    two.update(x[:50], x[:50])
    two.update(x[50:], x[50:])
    same(two.value(correction=1), multifold.cov(x, x))


@pytest.mark.parametrize("op", ["mean", "var", "max"])
def test_groups_of_rows(op):
    x, keys = some(np.dtype("float64"), (500, 3)), np.random.default_rng(3).integers(0, 6, 500)
    keys[:6] = range(6)
    whole, parts = multifold.State(op, "float64", (6, 3)), [multifold.State(op, "float64", (6, 3)) for _ in range(2)]
    whole.update(x, keys=keys)
    parts[0].update(x[200:], keys=keys[200:])
    parts[1].update(x[:200], keys=keys[:200])
    parts[1].merge(parts[0])
    assert parts[1] == whole and pickle.loads(pickle.dumps(whole)) == whole
    same(whole.value(), multifold.reduce_by_key(op, x, keys))
    assert whole.count == 0 and whole.counts == [n for n in np.bincount(keys).tolist() for _ in range(3)]
    for bad in (keys[:-1], keys + 1):
        with pytest.raises(ValueError):
            whole.update(x, keys=bad)
    same(whole.value(), multifold.reduce_by_key(op, x, keys))
    with pytest.raises(ValueError, match="no groups"):
        multifold.State(op, "float64").update(x[:, 0], keys=keys)


def test_refusals():
    state = multifold.State("sum", "float32")
    with pytest.raises(ValueError):
        state.update(np.ones(3))
    with pytest.raises(ValueError):
        state.merge(multifold.State("max", "float32"))
    with pytest.raises(ValueError):
        multifold.State("prod", "float32")
    with pytest.raises(ValueError):
        multifold.State("min", "float32").value()
    assert state.value() == 0


def test_states_change_and_so_have_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(multifold.State("sum", "float64"))
