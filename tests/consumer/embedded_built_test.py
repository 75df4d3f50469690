"""A user's program that has multifold inside of its own project, by FetchContent: built and run. Not optimised, and for
the vector instructions of this machine alone, which takes a fifth of the time.
"""

import shutil
import unittest

import consumer

QUICK = ("-DCMAKE_CXX_FLAGS=-O0", "-DMULTIFOLD_SIMD_LEVELS=native", "-DMULTIFOLD_UNITY_BUILD=ON", "-DMULTIFOLD_CUDA=OFF")


class EmbeddedBuilt(unittest.TestCase):
    def test_built_and_run(self):
        folder = consumer.SCRATCH / "fetched"
        shutil.rmtree(folder, ignore_errors=True)
        consumer.run(*consumer.configure(folder, "-DWAY=fetch", f"-DMULTIFOLD_SOURCE={consumer.OPTIONS.source}", *QUICK))
        consumer.run("cmake", "--build", folder, "--target", "consumer")
        consumer.run(folder / "consumer")
        self.assertNotIn(consumer.SHARED_NAME, consumer.run("readelf", "-d", folder / "consumer"))
        shutil.rmtree(folder)


if __name__ == "__main__":
    consumer.main()
