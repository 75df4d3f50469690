// The CPU engine: runs a plan over an array in host memory on every core the process may use. Files are src/stream's.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "multifold/plan.hpp"

namespace multifold::host {

/// Threads that the process may run at once: its affinity mask and its cgroup's quota, at least 1.
int usable_threads();

/// This processor as make_plan wants it: `units` threads (0: usable_threads()).
engine_traits traits(int threads = 0);

struct run_options {
  int threads = 0;  // 0: usable_threads()
  std::stop_token stop;
  std::function<void(std::int64_t bytes)> progress;  // bytes read so far; called from one thread at a time
};

/// Runs `p` over the host array at `data` (or two of them) that its form was made from, whatever its strides and
/// alignment.
/// Shapes:   `results` holds form.results() * result_bytes(what).
/// Memory:   partial results, as the plan says; the array is not copied.
/// Numerics: the same bits for any number of threads, any SIMD level, and any floating-point environment of the caller.
/// Throws:   overflow_error, shape_error, cancelled_error, out_of_memory; `results` is then unspecified.
/// Cost:     reads each element once.
void run(const plan& p, const operands& data, void* results, const run_options& options = {});

}  // namespace multifold::host
