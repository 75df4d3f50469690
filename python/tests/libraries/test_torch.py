"""PyTorch's tensors: operators with derivatives, and the same bits in any batch, compiled or not."""

import copy
import doctest

import numpy as np
import pytest

import multifold

try:
    import torch

    import multifold.torch as mt
except ImportError:
    torch = None

pytestmark = pytest.mark.skipif(torch is None, reason="there is no PyTorch")

names = ["sum", "mean", "var", "std", "vector_norm"]


def some(*shape, dtype="float64", seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(
        getattr(torch, dtype)
    )


def bits(x):
    return x.detach().contiguous().view(torch.uint8).tolist() if x.ndim else [x.item()]


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert bits(found) == bits(expected)


def compiled(function):
    """The function as torch.compile makes it of a compiler, or a skip where none works."""
    torch.compiler.reset()
    try:
        torch.compile(lambda x: x * 2 + 1, fullgraph=True)(torch.ones(3))
    except Exception as error:
        pytest.skip(f"torch.compile does not work here: {type(error).__name__}")
    return torch.compile(function, fullgraph=True)


def test_tensors_that_are_not_their_memory():
    pairs = torch.complex(some(100), some(100, seed=2))
    for device in ["cpu"] + ["cuda"] * mt._has_gpu_engine():
        x = pairs.to(device)
        negated = x.conj().imag
        assert negated.is_neg() and x.conj().is_conj()
        for function in (multifold.sum, mt.sum):
            same(function(negated).cpu(), -function(pairs.imag))
        same(multifold.sum(x.conj()).cpu(), multifold.sum(pairs).conj().resolve_conj())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", names)
def test_values_are_those_of_multifold(name, dtype):
    x = some(4, 5, 6, dtype=dtype).transpose(0, 2)
    ours, plain = getattr(mt, name), getattr(multifold, name)
    more = {"correction": 1} if name in ("var", "std") else {}
    same(ours(x), plain(x, **more))
    same(ours(x, dim=-1), plain(x, axis=-1, **more))
    same(ours(x, dim=(0, 2), keepdim=True), plain(x, axis=(0, 2), keepdims=True, **more))
    found, theirs = ours(x, dim=1, dtype=torch.float64), getattr(torch, name, torch.linalg.vector_norm)
    torch.testing.assert_close(found, theirs(x.double(), dim=1), rtol=1e-12, atol=1e-12)
    if dtype == "float64":
        same(ours(torch.view_as_complex(some(3, 2)).conj().imag), plain(-some(3, 2)[:, 1], **more))


def test_integers_are_as_torch_has_them():
    for dtype in (torch.int8, torch.uint8, torch.int64, torch.bool):
        x = torch.tensor([[1, 0], [1, 1]]).to(dtype)
        same(mt.sum(x, 1), torch.sum(x, 1))
    same(mt.mean(torch.tensor([1, 2]), dtype=torch.float32), torch.tensor(1.5))
    same(mt.vector_norm(torch.tensor([3, 4]), dtype=torch.float64), torch.tensor(5.0, dtype=torch.float64))
    with pytest.raises(OverflowError):
        mt.sum(torch.tensor([2**63 - 1, 1]))


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("name", names)
def test_a_row_has_the_same_bits_in_any_batch(name, dtype):
    ours = getattr(mt, name)
    rows = some(64, 1003, dtype=dtype) * 100
    expected = torch.stack([ours(row) for row in rows])
    for batch in (1, 2, 3, 16, 64):
        found = torch.cat([ours(part, dim=-1) for part in rows.split(batch)])
        same(found, expected)
    same(ours(rows.T.contiguous(), dim=0), expected)


@pytest.mark.filterwarnings("ignore")  # of the compiler
@pytest.mark.parametrize("name", names)
def test_compiled_is_eager(name):
    def loss(x):
        return getattr(mt, name)(x * 2, dim=-1, dtype=torch.float64) * 4  # which round nothing

    quick = compiled(loss)
    for batch in (1, 5, 8):
        x = some(batch, 300, dtype="float32").requires_grad_()
        y = copy.deepcopy(x)
        found, expected = quick(x), loss(y)
        same(found, expected)
        found.sum().backward()
        expected.sum().backward()
        torch.testing.assert_close(x.grad, y.grad, rtol=1e-5, atol=1e-6)


cases = [{}, {"dim": 1}, {"dim": (2, 0), "keepdim": True}, {"dim": (-1, 0)}]


@pytest.mark.parametrize("name", names)
@pytest.mark.parametrize("keywords", cases, ids=str)
def test_derivatives(name, keywords):
    x = some(3, 4, 2).requires_grad_()
    more = [{"ord": 1}, {"ord": 2}] if name == "vector_norm" else [{}]
    if name in ("var", "std"):
        more = [{"correction": 0}, {"correction": 1}, {"correction": 0.5}]
    for extra in more:

        def function(x):
            return getattr(mt, name)(x, **keywords, **extra)

        assert torch.autograd.gradcheck(function, x)
        assert torch.autograd.gradgradcheck(function, x)


@pytest.mark.parametrize("name", ["var", "std"])
def test_corrections_are_real_numbers(name):
    x = some(4, 5, dtype="float64")
    for correction in (0, 1, 0.5, 2.25):
        found = getattr(mt, name)(x, dim=1, correction=correction)
        same(found, getattr(multifold, name)(x, axis=1, correction=correction))
        torch.testing.assert_close(found, getattr(torch, name)(x, dim=1, correction=correction))
        compiled_one = compiled(lambda x, c=correction: getattr(mt, name)(x, dim=1, correction=c))
        same(compiled_one(x), found)


@pytest.mark.parametrize("name", names)
def test_derivatives_are_those_of_torch(name):
    theirs = getattr(torch, name, torch.linalg.vector_norm)
    for dtype, tolerance in (("float32", 1e-5), ("bfloat16", 2e-2)):
        x = some(5, 40, dtype=dtype).requires_grad_()
        y = copy.deepcopy(x)
        getattr(mt, name)(x, dim=1).sum().backward()
        theirs(y, dim=1).sum().backward()
        assert x.grad.dtype == x.dtype
        torch.testing.assert_close(x.grad, y.grad, rtol=tolerance, atol=tolerance)


def test_derivatives_at_zero():
    for name in ("std", "vector_norm"):
        x = torch.ones(2, 3) if name == "std" else torch.zeros(2, 3)
        x.requires_grad_()
        getattr(mt, name)(x, dim=1).sum().backward()
        assert x.grad.tolist() == torch.zeros(2, 3).tolist()


@pytest.mark.filterwarnings("ignore")  # of opcheck itself
@pytest.mark.parametrize("name", names)
def test_operators(name):
    operator = getattr(torch.ops.multifold, name).default
    between = {"var": (1,), "std": (0,)}.get(name, ())
    for x in (some(3, 4, 5), some(3, 4, 5, dtype="float32").mT, some(6)):
        for dim in ([0], list(range(x.ndim))):
            for keepdim in (False, True):
                for needed in (False, True):
                    x = x.detach().requires_grad_(needed)
                    before = (2,) if name == "vector_norm" else ()
                    torch.library.opcheck(operator, (x, *before, dim, *between, keepdim, torch.float64))


def test_tracing_tells_shape_and_dtype():
    x = torch.empty(3, 4, 5, device="meta", dtype=torch.bfloat16)
    for name in names:
        found = getattr(mt, name)(x, dim=(0, -1), keepdim=True)
        assert found.shape == (1, 4, 1) and found.dtype == torch.bfloat16 and found.device.type == "meta"
    assert mt.sum(x, dtype=torch.float64).dtype == torch.float64


def test_refusals():
    x = torch.ones(2, 3)
    for call, error, word in (
        (lambda: mt.sum(np.ones(3)), TypeError, "multifold.sum takes other arrays"),
        (lambda: mt.sum(torch.ones(2, dtype=torch.complex64)), TypeError, "x.real"),
        (lambda: mt.sum(x.to_sparse()), TypeError, "to_dense"),
        (lambda: mt.mean(x.int()), TypeError, "dtype=torch.float64"),
        (lambda: mt.sum(x, dim=2), IndexError, "dim 2"),
        (lambda: mt.sum(x, dim=(0, -2)), ValueError, "twice"),
        (lambda: mt.sum(x, dim=()), ValueError, "dim=None"),
        (lambda: mt.var(x, correction="1"), (TypeError, ValueError, RuntimeError), "correction"),
        (lambda: mt.vector_norm(x, ord=3), ValueError, "ord 1 and 2"),
    ):
        with pytest.raises(error, match=word):
            call()


def test_cuda_is_refused_by_name():
    if any(engine["name"] == "device" and engine["supported"] for engine in multifold.engines()):
        pytest.skip("there is a GPU")
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(3, device="cuda")
        with pytest.raises(TypeError, match=r"cuda:0.*x\.cpu\(\)"):
            mt.sum(x)


def test_examples():
    assert doctest.testmod(mt).failed == 0
