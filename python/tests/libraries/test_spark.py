"""Spark's data frames. PySpark is large and needs Java: it is no part of the environment that the tests make."""

import os
import shutil
import sys

import numpy as np
import pytest

import multifold
from exact import same, some

sql = pytest.importorskip("pyspark.sql")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)
import multifold.spark

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("partitions", [1, 5])
def test_values_depend_on_no_partitions(spark, partitions):
    import pyarrow as pa

    x = some(np.dtype("float32"), 1000)
    key = np.arange(x.size) % 3
    frame = spark.createDataFrame(pa.table({"x": x, "key": key})).repartition(partitions)
    for op in ("sum", "mean", "max"):
        same(multifold.spark.reduce(frame, op, "x"), multifold.reduce(op, x))
    rows = multifold.spark.reduce(frame, "sum", "x", by="key").collect()
    assert {row["key"]: row["sum(x)"] for row in rows} == {k: float(multifold.sum(x[key == k])) for k in range(3)}
    variance = multifold.spark.reduce(frame, "var", "x", by="key", dtype="float64", correction=1)
    assert variance.dtypes == [("key", "bigint"), ("var(x)", "double")]
    found = {row["key"]: row["var(x)"] for row in variance.collect()}
    assert found == {k: multifold.var(x[key == k], dtype="float64", correction=1) for k in range(3)}


def test_refusals(spark):
    frame = spark.createDataFrame([(1.0, "a"), (None, "b")], "x double, name string")
    with pytest.raises(Exception, match="drop_null"):
        multifold.spark.reduce(frame, "sum", "x")
    with pytest.raises(TypeError, match="string"):
        multifold.spark.reduce(frame, "sum", "name", by="name")
    with pytest.raises(ValueError, match="no order"):
        multifold.spark.reduce(frame, "argmin", "x")
    with pytest.raises(ValueError, match="no rows"):
        multifold.spark.reduce(frame.limit(0), "sum", "x")
