"""Plants one violation of each rule in a scratch tree, and checks that layering_test.py names it and nothing else."""

import pathlib
import sys
import tempfile

import layering_test

HOME = "/ho" + "me/someone"  # in two parts, so that this file keeps the rule itself

# path, text, a part of the message that must appear; None for text that breaks no rule
CASES = (
    ("lib/src/core/a.cpp", '#include "multifold/plan.hpp"', "core may see core, not plan"),
    ("lib/src/core/b.cpp", "#include <cuda_runtime.h>", "core includes the standard library only"),
    ("lib/src/plan/a.cpp", '#include "host/threads.hpp"', "not host"),
    ("lib/src/host/a.cpp", '#include "device/launch.hpp"', "not device"),
    ("lib/src/host/b.cpp", "#include <cuda_runtime.h>", "host compiles without CUDA"),
    ("lib/src/host/c.cpp", '#include "../core/a.hpp"', "relative to lib/src"),
    ("lib/src/device/a.cu", '#include "host/threads.hpp"', "not host"),
    ("lib/src/device/b.cu", "#include <cub/cub.cuh>", "bench and tests only"),
    ("lib/src/io/a.cpp", '#include "multifold/reduce.hpp"', "not reduce"),
    ("lib/src/stream/a.cpp", '#include "io/npy.hpp"', "not io"),
    ("lib/src/plan/b.cpp", '#include "multifold/graphs/topology.hpp"', "plan may see core, plan, not graphs"),
    ("lib/src/device/c.cpp", '#include "multifold/graphs/topology.hpp"', "not graphs"),
    ("graphs/src/a.cpp", '#include "host/threads.hpp"', "not host"),
    ("graphs/src/b.cpp", '#include "multifold/reduce.hpp"', "not reduce"),
    ("graphs/include/multifold/graphs/a.hpp", '#include "stream/inputs.hpp"', "not stream"),
    ("graphs/src/c.cpp", '#include "../../lib/src/plan/layout.hpp"', "relative to lib/src"),
    ("graphs/src/d.cpp", "void f() { std::puts(\"x\"); }", "never prints"),
    ("graphs/src/e.cpp", "void f() { std::abort(); }", "never ends the program"),
    ("graphs/src/f.cpp", "#include <fmt/core.h>", "apps only"),
    ("lib/include/multifold/cuda/kernels/a.cuh", '#include "multifold/plan.hpp"', "not plan"),
    ("lib/include/multifold/cuda/kernels/b.cuh", '#include "multifold/cuda/stream.hpp"', "not device"),
    ("lib/src/device/d.cu", "#include <thrust/device_vector.h>", "multifold/cuda/thrust.hpp"),
    ("lib/include/multifold/cuda/thrust.hpp", "#include <thrust/reduce.h>", "bench and tests only"),
    ("tests/io/a_test.cpp", "#include <fmt/core.h>", "apps only"),
    ("lib/src/reduce/a.cpp", "#include <mpi.h>", "the library links no MPI"),
    ("lib/include/multifold/state.hpp", "#include <mpi.h>", "the library links no MPI"),
    ("lib/src/reduce/b.cpp", '#include "multifold/mpi.hpp"', "the library links no MPI"),
    ("lib/include/multifold/multifold.hpp", '#include "multifold/mpi/channel.hpp"', "the library links no MPI"),
    ("lib/include/multifold/multifold.hpp", '#include "multifold/array.hpp"\n#include <chrono>', "has to compile quickly"),
    ("lib/include/multifold/trace.hpp", "#include <chrono>", None),
    ("lib/src/core/c.cpp", "void f() { std::printf(\"x\"); }", "never prints"),
    ("lib/src/host/d.cpp", "void f() { std::cerr << 1; }", "never prints"),
    ("lib/src/host/e.cpp", "void f() { exit(1); }", "never ends the program"),
    ("lib/src/io/b.cpp", 'throw error("say its --shape");', "knows no command line"),
    ("lib/src/io/ok.cpp", 'int a = x--; f("a -- b", "raw_options"); // "--shape"', None),
    ("lib/src/core/d.cpp", "namespace multifold::host {", "namespace multifold::inline v0_1"),
    ("graphs/src/g.cpp", "namespace multifold::inline v0_2::graphs {", "namespace multifold::inline v0_1"),
    ("graphs/src/h.cpp", "namespace multifold::inline v0_1::graphs {\n}  // namespace multifold::inline v0_1::graphs", None),
    ("tests/core/a.cpp", "namespace multifold {", None),
    ("notes.md", f"see {HOME}/notes", "home directory"),
    ("lib/src/core/ok.cpp", '#include <vector>\n#include "multifold/dtype.hpp"\n// printf("in words")', None),
    ("lib/src/host/ok.cpp", '#include <sched.h>\n#include "multifold/plan.hpp"\n#include "host/threads.hpp"\n'
                            'int n = snprintf(b, 1, "exit(1)"); void g() { watch.exit(); }', None),
    ("lib/src/device/kernels/ok.cuh", '#include "multifold/ops.hpp"\n#include "device/policy.hpp"', None),
    ("lib/include/multifold/cuda/ok.cuh", '#include "multifold/cuda/kernels/a.cuh"\n#include "multifold/plan.hpp"', None),
    ("graphs/src/device/ok.cpp", '#include <cuda_runtime.h>\n#include "multifold/graphs/a.hpp"\n#include "capture.hpp"\n'
                                 '#include "multifold/cuda/stream.hpp"\n#include "core/text/bytes_text.hpp"', None),
    ("lib/src/reduce/ok.cpp", '#include "multifold/graphs/a.hpp"\n#include "io/npy.hpp"\n#include "multifold/cuda/stream.hpp"', None),
    ("bench/ok.cu", "#include <cub/cub.cuh>", None),
    ("lib/include/multifold/cuda/thrust.hpp", "#include <thrust/device_vector.h>", None),
    ("lib/include/multifold/mpi/channel.hpp", "#include <mpi.h>", None),
    ("lib/include/multifold/mpi.hpp", '#include <mpi.h>\n#include "multifold/mpi/channel.hpp"', None),
    ("tests/mpi/ok.cpp", '#include <mpi.h>\n#include "multifold/mpi.hpp"', None),
    ("apps/tool/ok.cpp", "#include <fmt/core.h>\nint main() { std::printf(\"x\"); }", None),
    ("build/cpu/ignored.cpp", f"// {HOME}", None),
)


def main():
    failures = 0
    for path, text, expected in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch).resolve()
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
            version = root / "lib/include/multifold/version.hpp"
            version.parent.mkdir(parents=True, exist_ok=True)
            version.write_text('#define MULTIFOLD_VERSION "0.1.0"\n')
            found = list(layering_test.problems(root))
        right = found == [] if expected is None else len(found) == 1 and expected in found[0]
        if not right:
            failures += 1
            print(f"{path}: expected {expected or 'no complaint'}, got {found or 'none'}")
    print(f"{len(CASES)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
