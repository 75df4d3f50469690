"""Ray Data sets. Ray is large, and no part of the environment that the tests make."""

import numpy as np
import pytest

import multifold
from exact import same, some

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
import multifold.ray

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.parametrize("blocks", [1, 7])
def test_values_depend_on_no_blocks(blocks):
    import pyarrow as pa

    x = some(np.dtype("float32"), 10_000)
    key = np.arange(x.size) % 3
    data = ray.data.from_arrow(pa.table({"x": x, "key": key})).repartition(blocks)
    for op in ("sum", "mean", "var", "max", "norm2"):
        same(multifold.ray.reduce(data, op, "x"), multifold.reduce(op, x))
    same(multifold.ray.reduce(data, "var", "x", dtype="float64", correction=1),
         multifold.var(x, dtype="float64", correction=1))
    found = data.aggregate(multifold.ray.Aggregate("sum", "x"), multifold.ray.Aggregate("min", "x", alias_name="least"))
    assert found == {"sum(x)": multifold.sum(x, out=float), "least": multifold.min(x, out=float)}
    groups = data.groupby("key").aggregate(multifold.ray.Aggregate("sum", "x")).take_all()
    assert {row["key"]: row["sum(x)"] for row in groups} == {k: float(multifold.sum(x[key == k])) for k in range(3)}


def test_refusals():
    data = ray.data.from_items([{"x": 1.0}, {"x": None}])
    with pytest.raises(ray.exceptions.RayTaskError):  # its reason is in Ray's log
        multifold.ray.reduce(data, "sum", "x")
    with pytest.raises(ValueError, match="no order"):
        multifold.ray.reduce(data, "argmax", "x")
    with pytest.raises(ValueError, match="two arrays"):
        multifold.ray.Aggregate("dot", "x")
