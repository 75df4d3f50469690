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
stream    of arrays on a GPU: the stream on which they are to be ready, an int or an object of CuPy, PyTorch or cuda.core;
          the default stream if None
out       float: the result is a Python number

Shapes    Results have the shape of the input without the axes that are reduced, and are scalars of NumPy if none stays.
          `where` is broadcast to the input; of two arrays, both have the same shape, but those of vecdot are broadcast.
Errors    TypeError for what is no array of numbers, by name, and for keywords of other types; ValueError for axes, shapes,
          words and numbers that do not fit, for values of nothing, and for what is not served; OverflowError where an
          integer does not fit the dtype of the result; OSError for files; MemoryError; RuntimeError for engines and CUDA.
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
from ._nan import minmax, nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
from ._summary import Summary

__all__ = [
    "State", "Summary", "__version__", "all", "any", "argmax", "argmin", "array_namespace", "chunked", "count_nonzero",
    "cov", "describe", "dot", "engines", "kurtosis", "logsumexp", "max", "mean", "min", "minmax", "moment", "nanargmax",
    "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "ops", "prod", "reduce",
    "reduce_by_key", "segment_reduce", "segment_sum", "skewness", "std", "sum", "var", "vecdot", "vector_norm",
]
