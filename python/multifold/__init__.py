"""Reductions of huge arrays to correctly rounded results.

    >>> import numpy as np, multifold
    >>> multifold.sum(np.full(10, 0.1))
    np.float64(1.0)

Functions take arrays of NumPy, of whatever has the buffer protocol or DLPack, paths of .npy, .npz and safetensors
files, iterators of chunks, and what gives rows by x[first:last]. Arrays of h5py and zarr are decoded by several threads:
chunked() says how many, and shows progress. Arrays are read where they are. Results are NumPy's, or arrays of the
library that the input is of.

Keywords of all functions:

axis      the axes that are reduced: an integer, a tuple, or None for all
keepdims  reduced axes stay, of extent 1
dtype     of the result, which is rounded to it once
where     a boolean array: elements beside False take no part
initial   takes part as one more element
nan       'propagate' (a NaN makes the result NaN) or 'omit' (NaNs take no part)
accuracy  'exact', which is the default, or 'fast'
engine    'auto', 'host', 'device' or 'both'
threads   of the CPU engine; 0 for all there are
out       float: the result is a Python number
"""

from ._multifold import (
    State,
    __version__,
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    cov,
    describe,
    dot,
    engines,
    kurtosis,
    logsumexp,
    max,
    mean,
    min,
    moment,
    ops,
    prod,
    reduce,
    reduce_by_key,
    segment_reduce,
    segment_sum,
    skewness,
    std,
    sum,
    var,
    vecdot,
    vector_norm,
)
from ._chunked import chunked
from ._namespace import array_namespace
from ._summary import Summary

__all__ = [
    "State", "Summary", "__version__", "all", "any", "argmax", "argmin", "array_namespace", "chunked", "count_nonzero",
    "cov", "describe", "dot", "engines", "kurtosis", "logsumexp", "max", "mean", "min", "moment", "ops", "prod", "reduce",
    "reduce_by_key", "segment_reduce", "segment_sum", "skewness", "std", "sum", "var", "vecdot", "vector_norm",
]
