"""What one read of an array tells about it."""

from typing import Any, NamedTuple


class Summary(NamedTuple):
    """The statistics of an array, or arrays of them, one element a batch.

    Where no element takes part, `argmin` and `argmax` are -1, and `min` and `max` say nothing.
    """

    count: Any
    nan: Any
    positive_infinity: Any
    negative_infinity: Any
    zero: Any
    argmin: Any
    argmax: Any
    min: Any
    max: Any
    sum: Any
    mean: Any
    std: Any
    norm2: Any
