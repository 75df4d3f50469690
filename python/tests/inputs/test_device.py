"""Arrays of CuPy, PyTorch and JAX on a GPU: read where they are, when their producers are done."""

import math

import numpy as np
import pytest

import multifold
from exact import same, some

if not any(engine["name"] == "device" and engine["supported"] for engine in multifold.engines()):
    pytest.skip("no GPU engine here", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")
ops = ["sum", "mean", "var", "min", "max", "argmin", "argmax", "count_nonzero", "any", "all", "norm2"]


def check(on_device, to_numpy, x):
    """Every operation, to the bits that it has in host memory, as an array of the same library and device."""
    for op in ops:
        for axis in (None, 0, 1):
            if axis is None and op.startswith("arg"):
                continue
            found = multifold.reduce(op, on_device, axis=axis)
            assert type(found) is type(on_device)
            assert found.device == on_device.device
            same(to_numpy(found), multifold.reduce(op, x, axis=axis))
    assert multifold.sum(on_device, out=float) == float(multifold.sum(x))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "bool"])
def test_cupy(dtype):
    cupy = pytest.importorskip("cupy")
    x = some(np.dtype(dtype), (300, 70))
    if dtype == "uint8":
        x = x % 3
    for there, here in ((cupy.asarray(x), x), (cupy.asarray(x)[::-1, ::2], x[::-1, ::2]), (cupy.asarray(x).T, x.T)):
        if dtype in ("int32", "uint8", "bool"):
            same(cupy.asnumpy(multifold.sum(there, axis=0)), multifold.sum(here, axis=0))
            same(cupy.asnumpy(multifold.max(there)), multifold.max(here))
        else:
            check(there, cupy.asnumpy, here)


def test_namespace_of_cupy():
    cupy = pytest.importorskip("cupy")
    xp = multifold.array_namespace(cupy.ones(3))
    assert float(xp.sum(xp.abs(cupy.full(10, -0.1)))) == 1.0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_torch(dtype):
    torch = pytest.importorskip("torch")
    x = torch.randn(300, 70, dtype=torch.float64).to(getattr(torch, dtype))
    for there, here in ((x.cuda(), x), (x.cuda().T[:, ::3], x.T[:, ::3])):
        for op in ("sum", "mean", "max"):
            for axis in (None, 0, 1):
                found = multifold.reduce(op, there, axis=axis)
                assert found.device == there.device and found.dtype == x.dtype
                assert torch.equal(found.cpu(), multifold.reduce(op, here, axis=axis))


def test_results_of_torch_are_not_waited_for():
    torch = pytest.importorskip("torch")
    import multifold.torch

    x = torch.zeros(1000, 1000, device="cuda")
    side = torch.cuda.Stream()
    for stream in (torch.cuda.default_stream(), side):
        with torch.cuda.stream(stream):
            multifold.sum(x, axis=0), multifold.max(x), multifold.torch.mean(x, 1)  # what they load makes the GPU idle
            torch.cuda.synchronize()
            torch.cuda._sleep(400_000_000)  # cycles, which are a fifth of a second
            x.fill_(0.1)
            found = multifold.sum(x, axis=0), multifold.max(x), multifold.torch.mean(x, 1)
            assert not stream.query()
            assert all(each.is_cuda for each in found)
            assert torch.equal(found[0].cpu(), multifold.sum(x.cpu(), axis=0))
            assert found[1].item() == x[0, 0].item() and found[2].eq(x[0]).all()


def test_a_graph_of_torch_has_reductions():
    torch = pytest.importorskip("torch")
    x = torch.rand(300, 70, device="cuda")
    multifold.sum(x, axis=1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        rows, all_of_it = multifold.sum(x, axis=1), multifold.var(x)
    for _ in range(3):
        x.uniform_()
        graph.replay()
        assert torch.equal(rows.cpu(), multifold.sum(x.cpu(), axis=1))
        assert torch.equal(all_of_it.cpu(), multifold.var(x.cpu()))


def test_what_cannot_stay_there_of_torch():
    torch = pytest.importorskip("torch")
    with pytest.raises((BufferError, RuntimeError), match="gradient|grad"):
        multifold.sum(torch.ones(3, device="cuda", requires_grad=True))
    with pytest.raises(OverflowError):
        multifold.sum(torch.tensor([1 << 62, 1 << 62], device="cuda"))
    with pytest.raises(ValueError, match="no elements"):
        multifold.max(torch.ones(0, device="cuda"))


def test_operators_of_torch():
    pytest.importorskip("torch")
    import multifold.torch
    import torch

    x = torch.full((4, 10), 0.1, dtype=torch.float64, device="cuda", requires_grad=True)
    sums = multifold.torch.sum(x, dim=1)
    assert sums.is_cuda and sums.tolist() == [1.0] * 4
    multifold.torch.mean(x).backward()
    assert x.grad.is_cuda and math.isclose(x.grad[0, 0].item(), 0.025)


def test_torch_waits_for_its_producer():
    torch = pytest.importorskip("torch")
    x = torch.zeros(1 << 20, device="cuda")
    multifold.sum(x)  # what it allocates, which makes the GPU idle, is there from now on
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(400_000_000)  # cycles, which are a fifth of a second
        x += 1
        assert multifold.sum(x, out=float) == 1 << 20


def test_a_stream_of_torch():
    torch = pytest.importorskip("torch")
    x = torch.zeros(1 << 20, device="cuda")
    multifold.sum(x)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    for stream in (side, side.cuda_stream):
        x.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(400_000_000)
            x += 1
        assert multifold.sum(x, stream=stream, out=float) == 1 << 20
        found = multifold.sum(x.reshape(1024, 1024), axis=0, stream=stream)
        assert found.is_cuda and found.eq(1024).all()


@pytest.fixture
def ones_after_a_while():
    """A function that makes an array of zeros one of ones, on the stream of CuPy that is current, a fifth of a second
    later."""
    cupy = pytest.importorskip("cupy")
    wait = cupy.RawKernel(
        """extern "C" __global__ void wait(long long cycles) {
             for (const long long start = clock64(); clock64() - start < cycles;) {}
           }""", "wait")

    def make(x, cycles=400_000_000):
        wait((1,), (1,), (cycles,))
        x += 1

    x = cupy.zeros(1 << 20, "float32")
    make(x, 1)  # what it takes is compiled from now on
    multifold.sum(x)
    cupy.cuda.Device().synchronize()
    return make


def test_cupy_waits_for_its_producer(ones_after_a_while):
    import cupy

    x = cupy.zeros(1 << 20, "float32")
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True):
        ones_after_a_while(x)
        assert multifold.sum(x, out=float) == 1 << 20


def test_a_stream_of_cupy(ones_after_a_while):
    import cupy

    x = cupy.zeros(1 << 20, "float32")
    cupy.cuda.Device().synchronize()
    side = cupy.cuda.Stream(non_blocking=True)
    with side:
        ones_after_a_while(x)
    assert multifold.sum(x, stream=side, out=float) == 1 << 20


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.full((4, 10), 0.1, "float32")
    if x.device.platform != "gpu":
        pytest.skip("JAX has no GPU here")
    found = multifold.sum(x, axis=1)
    assert np.asarray(found).tolist() == multifold.sum(np.asarray(x), axis=1).tolist()
