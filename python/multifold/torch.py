"""Reductions of PyTorch's tensors as operators with derivatives: a row has the same bits whatever the batch it is in.

    >>> import torch, multifold.torch
    >>> multifold.torch.sum(torch.full((2, 10), 0.1, dtype=torch.float64), -1)
    tensor([1., 1.], dtype=torch.float64)

Each is an operator of torch.library (torch.ops.multifold.sum, ...), which torch.compile leaves as it is: compiled or
not, on any number of threads, results are correctly rounded.

Keywords of all functions:

dim      the dimensions that are reduced: an integer, a tuple, or None for all
keepdim  reduced dimensions stay, of extent 1
dtype    of the result, which is rounded to it once; elements are read as they are

Shapes:  those of torch's functions of the same names. Tensors are read where they are, with any strides.
Memory:  sums and means keep nothing for their derivatives, the others their tensor.
Errors:  TypeError for complex and sparse tensors, for those on CUDA unless the build has the GPU engine, and for
         integers where dtype has to tell the result; OverflowError for sums of integers that leave int64.
"""

import functools
import math
import operator
from typing import Any

import torch

from . import _multifold

__all__ = ["mean", "std", "sum", "var", "vector_norm"]


def sum(x, dim=None, keepdim=False, *, dtype=None):
    """The sum, correctly rounded; int64 of integers."""
    dim = _checked("sum", x, dim)
    return _sum(x, dim, keepdim, dtype or (x.dtype if x.is_floating_point() else torch.int64))


def mean(x, dim=None, keepdim=False, *, dtype=None):
    """The arithmetic mean, correctly rounded."""
    dim = _checked("mean", x, dim)
    return _mean(x, dim, keepdim, _real("mean", x, dtype))


def var(x, dim=None, *, correction=1, keepdim=False, dtype=None):
    """The variance, correctly rounded; correction, any real number, comes off the count."""
    dim = _checked("var", x, dim)
    return _var(x, dim, correction, keepdim, _real("var", x, dtype))


def std(x, dim=None, *, correction=1, keepdim=False, dtype=None):
    """The square root of the variance, rounded once; its derivative is 0 where it is 0."""
    dim = _checked("std", x, dim)
    return _std(x, dim, correction, keepdim, _real("std", x, dtype))


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """The norm of order 1 or 2, correctly rounded; its derivative is 0 where it is 0."""
    if ord not in (1, 2):
        raise ValueError("vector_norm has ord 1 and 2: torch.linalg.vector_norm of ord=inf does not round at all")
    dim = _checked("vector_norm", x, dim)
    return _vector_norm(x, int(ord), dim, keepdim, _real("vector_norm", x, dtype))


def _checked(op: str, x: Any, dim: Any) -> list[int]:
    """The dimensions, each once and counted from the first, of a tensor that can be reduced."""
    if not isinstance(x, torch.Tensor):
        kind = f"{type(x).__module__}.{type(x).__name__}"
        raise TypeError(f"multifold.torch.{op} takes tensors, and not {kind}: multifold.{op} takes other arrays")
    if x.is_complex():
        raise TypeError("multifold reduces no complex numbers: reduce x.real and x.imag")
    if x.layout != torch.strided:
        raise TypeError(f"multifold reduces no tensors of layout {x.layout}: x.to_dense() has all elements")
    if x.device.type not in ("cpu", "meta") and not (x.device.type == "cuda" and _has_gpu_engine()):
        raise TypeError(f"the tensor is on {x.device}, which this build of multifold cannot read: reduce x.cpu()")
    if dim is None:
        return list(range(x.ndim))
    given = [operator.index(each) for each in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    if not given:
        raise ValueError("dim=() means all dimensions to torch.sum, and none to others: dim=None means all")
    for each in given:
        if not -x.ndim <= each < x.ndim:
            raise IndexError(f"dim {each} is not one of {x.ndim} dimensions")
    named = [each % x.ndim for each in given]
    if len(set(named)) < len(named):
        raise ValueError(f"dim {dim} names a dimension twice")
    return named


def _has_gpu_engine() -> bool:
    return any(engine["name"] == "device" and engine["supported"] for engine in _multifold.engines())


def _real(op: str, x: torch.Tensor, dtype: Any) -> torch.dtype:
    if dtype is None and not x.is_floating_point():
        raise TypeError(f"{op} of {x.dtype} needs the dtype of its result, say dtype=torch.float64")
    return dtype or x.dtype


# The operators. Dimensions are those of _checked, and the dtype of the result is known.


def _reduced(op: str, x: torch.Tensor, dim: list[int], keepdim: bool, dtype: torch.dtype, **more: int) -> torch.Tensor:
    result = _multifold.reduce(op, x.detach(), axis=tuple(dim), keepdims=keepdim, dtype=dtype, **more)
    return result.to(x.device)


def _like(x: torch.Tensor, dim: list[int], keepdim: bool, dtype: torch.dtype) -> torch.Tensor:
    """A tensor of the shape and dtype of the result, as tracers want one."""
    kept = [1 if i in dim else extent for i, extent in enumerate(x.shape) if keepdim or i not in dim]
    return x.new_empty(kept, dtype=dtype)


def _beside(value: torch.Tensor, ctx: Any) -> torch.Tensor:
    """A result, or its derivative, with reduced dimensions of 1 where they were, to be broadcast to elements."""
    if not ctx.keepdim:
        for each in sorted(ctx.dim):
            value = value.unsqueeze(each)
    return value


def _count(shape: Any, dim: list[int]) -> int:
    return math.prod(shape[each] for each in dim)


def _operator(name: str, parameters: str, run: Any, backward: Any, keeps: bool = True) -> Any:
    """Makes `run`, with these parameters, an operator; `keeps` tells whether backward needs elements and result."""
    schema = f"(Tensor x, {parameters}bool keepdim, ScalarType dtype) -> Tensor"
    order = [word.split()[-1] for word in schema[1 : schema.index(")")].split(", ")]
    made = torch.library.custom_op(f"multifold::{name}", run, mutates_args=(), schema=schema)
    told = [order.index(key) for key in ("dim", "keepdim", "dtype")]
    made.register_fake(lambda *given: _like(given[0], *(given[at] for at in told)))

    def setup(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
        for key, value in zip(order[1:], inputs[1:]):
            setattr(ctx, key, value)
        ctx.shape = inputs[0].shape
        if keeps:
            ctx.save_for_backward(inputs[0], output)

    def all_derivatives(ctx: Any, grad: torch.Tensor) -> tuple:
        return (backward(ctx, grad), *(None for _ in order[1:]))

    made.register_autograd(all_derivatives, setup_context=setup)
    return made


def _sum_backward(ctx, grad):
    return _beside(grad, ctx).expand(ctx.shape)


def _mean_backward(ctx, grad):
    return (_beside(grad, ctx) / _count(ctx.shape, ctx.dim)).expand(ctx.shape)


def _var_backward(ctx, grad):
    return _spread_backward(ctx, grad, ctx.saved_tensors[0])


def _std_backward(ctx, grad):
    x, value = ctx.saved_tensors
    return _spread_backward(ctx, _quotient(grad, 2 * value), x)


def _spread_backward(ctx, grad, x):
    wide = torch.promote_types(torch.promote_types(x.dtype, ctx.dtype), torch.float32)
    degrees = _count(ctx.shape, ctx.dim) - ctx.correction
    return _beside(grad, ctx) * 2 / degrees * (x - _mean(x, ctx.dim, True, wide))


def _norm_backward(ctx, grad):
    x, value = ctx.saved_tensors
    if ctx.ord == 1:
        return _beside(grad, ctx) * x.sign()
    return _beside(_quotient(grad, value), ctx) * x


def _quotient(grad, value):
    """grad / value, and 0 where that is 0."""
    return grad / value.masked_fill(value == 0, math.inf)


def _run_spread(op):
    return lambda x, dim, correction, keepdim, dtype: _reduced(op, x, dim, keepdim, dtype, correction=correction)


_sum = _operator("sum", "int[] dim, ", functools.partial(_reduced, "sum"), _sum_backward, keeps=False)
_mean = _operator("mean", "int[] dim, ", functools.partial(_reduced, "mean"), _mean_backward, keeps=False)
_var = _operator("var", "int[] dim, float correction, ", _run_spread("var"), _var_backward)
_std = _operator("std", "int[] dim, float correction, ", _run_spread("std"), _std_backward)
_vector_norm = _operator(
    "vector_norm",
    "int ord, int[] dim, ",
    lambda x, ord, dim, keepdim, dtype: _reduced(f"norm{ord}", x, dim, keepdim, dtype),
    _norm_backward,
)
