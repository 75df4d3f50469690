"""NumPy with multifold's reductions, as a module that array-api-tests can be pointed at.

What multifold refuses by name stays NumPy's: complex numbers, fractional corrections, and norms of other orders.
"""

import builtins
import functools

import numpy
from numpy import *  # noqa: F403

import multifold

_ours = multifold.array_namespace(numpy.empty(0))


def _refused(arrays, keywords):
    fractional = float(keywords.get("correction", 0)) % 1 != 0
    return fractional or keywords.get("ord", 2) not in (1, 2, numpy.inf) or builtins.any(a.dtype.kind == "c" for a in arrays)


def _with_refused(ours, theirs):
    @functools.wraps(theirs)
    def reduction(*arrays, **keywords):
        arrays = [numpy.asarray(array) for array in arrays]
        if len(arrays) == 2:
            arrays = [array.astype(numpy.result_type(*arrays)) for array in arrays]
        if _refused(arrays, keywords) or numpy.dtype(keywords.get("dtype") or bool).kind == "c":
            return theirs(*arrays, **keywords)
        return ours(*arrays, **keywords)

    return reduction


def _vecdot(x, y, **keywords):
    """Of integers int64 or uint64, as of sum; the standard wants the dtype of the elements, into which few fit."""
    return multifold.vecdot(x, y, **keywords).astype(x.dtype)


class _Linalg:
    vector_norm = staticmethod(_with_refused(multifold.vector_norm, numpy.linalg.vector_norm))
    vecdot = staticmethod(_with_refused(_vecdot, numpy.linalg.vecdot))

    def __getattr__(self, name):
        return getattr(numpy.linalg, name)


linalg = _Linalg()
__array_namespace_info__ = numpy.__array_namespace_info__
for _name in "sum prod mean var std min max argmin argmax count_nonzero all any vecdot".split():
    _function = _vecdot if _name == "vecdot" else getattr(_ours, _name)
    globals()[_name] = _with_refused(_function, getattr(numpy, _name))
