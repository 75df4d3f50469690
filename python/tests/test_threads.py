"""Threads, forks, and the GIL."""

import concurrent.futures
import os
import sys
import threading

import numpy as np
import pytest

import multifold
from exact import same, some


def test_any_number_of_threads_gives_the_same_bits():
    x = some(np.dtype("float32"), (1000, 1000))
    for threads in (1, 2, 5):
        same(multifold.sum(x, threads=threads), multifold.sum(x))
        same(multifold.mean(x, axis=0, threads=threads), multifold.mean(x, axis=0))


def test_many_callers_at_once():
    x = some(np.dtype("float64"), 300_000)
    expected = multifold.sum(x)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: multifold.sum(x), range(40)):
            same(found, expected)


@pytest.mark.parametrize("count", [1 << 23, 1 << 26])  # in this thread, and in one of its own
def test_the_gil_is_released(count):
    x = np.broadcast_to(np.float32(1), count)
    ticks, done = 0, threading.Event()

    def work():
        for _ in range(10):
            multifold.var(x, threads=1)
        done.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # no thread is made to give the GIL away
    try:
        worker = threading.Thread(target=work)
        worker.start()
        while not done.wait(0.001):
            ticks += 1
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert ticks >= 3


def test_a_fork_reduces_too():
    x = some(np.dtype("float64"), 1_000_000)
    expected = multifold.sum(x)
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(send, np.float64(multifold.sum(x)).tobytes())
        os._exit(0)
    os.close(send)
    assert os.waitpid(child, 0)[1] == 0
    same(np.frombuffer(os.read(receive, 8))[0], expected)
    os.close(receive)
